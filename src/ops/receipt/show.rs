//! `receipt show | list`: records by id or handle, and what was signed.

use serde::Serialize;
use serde_json::Value;

use crate::contract::ids::{HANDLE_TAIL, RecordId, handle as handle_of};
use crate::contract::record::{Kind, Record};
use crate::contract::refusal::{Code, Refusal};
use crate::contract::row::{LogRow, ReceiptRow};
use crate::contract::time::rfc3339;
use crate::journal::{Journal, Page, Read};
use crate::ops::records::newest;
use crate::ops::status;
use crate::ops::store::not_found;

/// A receipt as `receipt show` gives it.
#[derive(Clone, Debug, Serialize)]
pub struct Shown {
    /// Its row.
    #[serde(flatten)]
    pub row: LogRow,
    /// SHA-256 of the stored bytes.
    pub digest: String,
    /// The stored text, parsed.
    pub body: Value,
}

/// Shows a record by id or handle.
///
/// # Errors
/// There is none, or more than one has the handle.
pub fn show(id: &str, journal: &mut impl Journal) -> Result<Shown, Refusal> {
    let record = record(id, journal)?;
    Ok(Shown {
        digest: record.body_sha256.to_string(),
        body: serde_json::from_str(&record.body).unwrap_or(Value::String(record.body.clone())),
        row: status::row(record),
    })
}

/// A record by id or handle.
///
/// # Errors
/// There is none, or more than one has the handle.
pub fn record(id: &str, journal: &mut impl Journal) -> Result<Record, Refusal> {
    journal.read(|read| match read.by_id(&RecordId::new(id))? {
        Some(record) => Ok(record),
        None => by_handle(read, id),
    })
}

/// A record by its short handle.
///
/// # Errors
/// There is none, or more than one has the handle.
pub fn by_handle(read: &dyn Read, handle: &str) -> Result<Record, Refusal> {
    let next = "watchfloor receipt list";
    let (letter, tail) = match handle.split_once('-') {
        Some((letter, tail)) if letter.len() == 1 => (letter.chars().next(), tail),
        _ => (None, handle),
    };
    if tail.chars().count() < HANDLE_TAIL {
        return Err(not_found("record", handle, next));
    }
    let mut found = read.by_tail(tail, 20)?;
    found.retain(|record| {
        letter.is_none_or(|letter| letter == 'b' || record.kind.letter() == letter)
    });
    match found.len() {
        1 => found.pop().ok_or_else(|| not_found("record", handle, next)),
        0 => Err(not_found("record", handle, next)),
        many => {
            let ids: Vec<&str> = found.iter().map(|record| record.id.as_str()).collect();
            Err(Refusal::new(
                Code::HandleAmbiguous,
                format!("{handle} names {many} records: {}", ids.join(", ")),
                next,
            ))
        }
    }
}

/// The signed bytes of a decision and its signature.
///
/// # Errors
/// The record is no signed decision.
pub fn signed(record: &Record) -> Result<(Vec<u8>, String), Refusal> {
    let none = || {
        Refusal::new(
            Code::NotFound,
            format!("record {} carries no signature", record.id),
            "watchfloor receipt list",
        )
    };
    let value: Value = serde_json::from_str(&record.body).map_err(|_| none())?;
    let payload = value.get("payload").unwrap_or(&value);
    let signature = payload
        .pointer("/approval/signature")
        .and_then(Value::as_str)
        .ok_or_else(none)?;
    Ok((
        crate::authority::signed_bytes(payload)?,
        signature.to_owned(),
    ))
}

/// Receipts, newest last.
#[derive(Clone, Debug, Serialize)]
pub struct Receipts {
    /// The receipts.
    pub receipts: Vec<Listed>,
    /// More lie before them.
    pub more: bool,
}

/// A receipt in a list.
#[derive(Clone, Debug, Serialize)]
pub struct Listed {
    /// Its id.
    pub id: String,
    /// Its handle.
    pub handle: String,
    /// Its position.
    pub seq: u64,
    /// When it was recorded.
    pub at: String,
    /// Schema of its payload.
    pub payload_schema: String,
    /// Who wrote it.
    pub producer: String,
    /// The goal it serves.
    pub goal_hash: Option<String>,
    /// How many parents it names.
    pub parents: usize,
}

/// Lists receipts.
///
/// # Errors
/// The store fails.
pub fn list(since: u64, limit: usize, journal: &mut impl Journal) -> Result<Receipts, Refusal> {
    journal.read(|read| {
        let page = Page {
            after: since,
            kind: Some(Kind::Receipt),
            limit,
            ..Page::default()
        };
        let (records, more) = newest(read, page)?;
        Ok(Receipts {
            receipts: records.iter().map(listed).collect(),
            more,
        })
    })
}

/// Rows of receipts after a position, oldest first: what the console adds to those that it has.
///
/// # Errors
/// The store fails.
pub fn rows_after(read: &dyn Read, after: u64, limit: usize) -> Result<Vec<ReceiptRow>, Refusal> {
    let page = Page {
        after,
        kind: Some(Kind::Receipt),
        limit,
        newest_first: true,
        ..Page::default()
    };
    let mut records = read.page(&page)?;
    records.reverse();
    Ok(records
        .iter()
        .map(|record| {
            let listed = listed(record);
            ReceiptRow {
                id: listed.id,
                handle: listed.handle,
                seq: listed.seq,
                at: listed.at,
                schema: listed.payload_schema,
                producer: listed.producer,
                project: record.project.to_string(),
                goal_hash: listed.goal_hash,
                parents: listed.parents as u64,
            }
        })
        .collect())
}

fn listed(record: &Record) -> Listed {
    let value: Value = serde_json::from_str(&record.body).unwrap_or_default();
    let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    Listed {
        id: record.id.to_string(),
        handle: handle_of('r', &record.id),
        seq: record.seq,
        at: rfc3339(record.recorded_at),
        payload_schema: text("payload_schema").unwrap_or_default(),
        producer: record.producer.clone(),
        goal_hash: text("goal_hash"),
        parents: value
            .get("parent_refs")
            .and_then(Value::as_array)
            .map_or(0, Vec::len),
    }
}
