//! `receipt validate | resolve | ingest | show | list` (spec 2.1).

use serde::Serialize;
use serde_json::{Value, json};

use crate::contract::breaker::{PERMIT, RESET};
use crate::contract::catalog::Catalog;
use crate::contract::envelope::{self, ENVELOPE, Envelope, Resolution};
use crate::contract::fault::Fault;
use crate::contract::ids::{HANDLE_TAIL, RecordId};
use crate::contract::record::{Kind, NewRecord, Record};
use crate::contract::refusal::{Code, Refusal};
use crate::contract::secret;
use crate::journal::{Durability, Journal, Page, Read};
use crate::ops::flags::Flags;

use super::breaker;
use super::context::Context;
use super::domain::{OWN, PRODUCER};
use super::reset;
use super::status;
use super::store::not_found;

/// Schema of an observation that keeps an invalid receipt.
pub const INVALID: &str = "watchfloor.invalid_receipt.v1";
/// Schema of an observation that keeps other bytes under a known id.
pub const CONFLICT: &str = "receipt_id_conflict";
/// An observed text is cut at this many bytes.
pub const OBSERVED: usize = 64 << 10;

/// What `receipt validate` answers.
#[derive(Clone, Debug, Serialize)]
pub struct Validated {
    /// It keeps its contract.
    pub valid: bool,
    /// What is wrong.
    pub faults: Vec<Fault>,
}

/// Checks the shape of a receipt. Needs no store.
#[must_use]
pub fn validate(bytes: &[u8], catalog: &Catalog) -> Validated {
    match envelope::parse(bytes, &|code| catalog.is_code(code)) {
        Ok(_) => Validated {
            valid: true,
            faults: Vec::new(),
        },
        Err(faults) => Validated {
            valid: false,
            faults,
        },
    }
}

/// Resolves the parents of a receipt against the store.
///
/// # Errors
/// The store fails.
pub fn resolve(
    bytes: &[u8],
    catalog: &Catalog,
    journal: &mut impl Journal,
) -> Result<Resolution, Refusal> {
    journal.read(|read| {
        let failed = std::cell::RefCell::new(None);
        let lookup = |id: &str| match stored(read, id) {
            Ok(text) => text,
            Err(refusal) => {
                *failed.borrow_mut() = Some(refusal);
                None
            }
        };
        let resolution = envelope::resolve(bytes, &lookup, &|code| catalog.is_code(code));
        match failed.into_inner() {
            Some(refusal) => Err(refusal),
            None => Ok(resolution),
        }
    })
}

/// The exact text of a receipt of the store; an invalid one is found too.
fn stored(read: &dyn Read, id: &str) -> Result<Option<String>, Refusal> {
    let Some(record) = read.by_id(&RecordId::new(id))? else {
        return Ok(None);
    };
    Ok(match record.kind {
        Kind::Receipt => Some(record.body),
        Kind::Observation if record.schema == INVALID => {
            let body: Value = serde_json::from_str(&record.body).unwrap_or_default();
            body.get("text").and_then(Value::as_str).map(str::to_owned)
        }
        _ => None,
    })
}

/// The stored bytes of a receipt by id or handle.
///
/// # Errors
/// There is none.
pub fn bytes_of(id: &str, journal: &mut impl Journal) -> Result<Vec<u8>, Refusal> {
    journal.read(|read| {
        if let Some(text) = stored(read, id)? {
            return Ok(text.into_bytes());
        }
        Ok(by_handle(read, id)?.body.into_bytes())
    })
}

/// What `receipt ingest` answers for each text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Ingested {
    /// Where it came from.
    pub source: String,
    /// Its id, where one could be read.
    pub receipt_id: Option<String>,
    /// `stored`, `known`, `invalid`, `conflict`, `applied` or `refused`.
    pub outcome: String,
    /// It keeps its contract.
    pub valid: bool,
    /// Position of its record.
    pub seq: Option<u64>,
    /// What is wrong.
    pub faults: Vec<Fault>,
    /// Why it was refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<Refused>,
}

/// Why a text was refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Refused {
    /// The code.
    pub code: String,
    /// Why.
    pub cause: String,
    /// What next.
    pub next_command: String,
}

/// Takes a receipt that another tool wrote. A valid one is kept to the byte; an invalid one
/// becomes an observation with its faults; other bytes under a known id replace nothing.
///
/// # Errors
/// The store fails.
pub fn ingest(
    context: &Context,
    source: &str,
    bytes: &[u8],
    catalog: &Catalog,
    journal: &mut impl Journal,
    flags: &Flags,
) -> Result<Ingested, Refusal> {
    let parsed = envelope::parse(bytes, &|code| catalog.is_code(code));
    let text = String::from_utf8_lossy(bytes).into_owned();
    let mut answer = Ingested {
        source: source.to_owned(),
        receipt_id: receipt_id(&text),
        outcome: "stored".to_owned(),
        valid: parsed.is_ok(),
        seq: None,
        faults: Vec::new(),
        refused: None,
    };
    match parsed {
        Ok(envelope) => {
            if let Err(refusal) = take(context, &envelope, &text, &mut answer, journal, flags) {
                if refusal.code.exit() == crate::contract::refusal::Exit::Failed {
                    return Err(refusal);
                }
                "refused".clone_into(&mut answer.outcome);
                answer.refused = Some(Refused {
                    code: refusal.code.as_str().to_owned(),
                    cause: refusal.cause,
                    next_command: refusal.next_command,
                });
            }
        }
        Err(faults) => {
            "invalid".clone_into(&mut answer.outcome);
            answer.faults = faults;
            answer.seq = keep_invalid(context, &text, &answer, journal)?;
        }
    }
    Ok(answer)
}

fn take(
    context: &Context,
    envelope: &Envelope,
    text: &str,
    answer: &mut Ingested,
    journal: &mut impl Journal,
    flags: &Flags,
) -> Result<(), Refusal> {
    if let Some(hit) = secret::find(text).first() {
        let cause = format!("the receipt holds a secret of kind {}", hit.kind);
        return Err(Refusal::new(
            Code::SecretInRecord,
            cause,
            "take the secret out and ingest again",
        ));
    }
    if envelope.payload_schema.starts_with(OWN) {
        return take_own(context, envelope, text, answer, journal, flags);
    }
    let id = envelope.receipt_id.clone();
    let (outcome, seq) = journal.write(Durability::Full, |write| {
        if let Some(known) = write.by_id(&id)? {
            if known.body == text && known.kind == Kind::Receipt {
                return Ok(("known", known.seq));
            }
            let body = json!({"schema": CONFLICT, "receipt_id": id.as_str(), "source": answer.source, "text": observed(text).0});
            let record = write.append(observation(context, CONFLICT, None, &body))?;
            return Ok(("conflict", record.seq));
        }
        let record = write.append(NewRecord {
            kind: Kind::Receipt,
            id: Some(id.clone()),
            schema: ENVELOPE.to_owned(),
            producer: envelope.producer.clone(),
            project: context.project.clone(),
            task: None,
            agent: context.agent.clone(),
            body: text.to_owned(),
        })?;
        Ok(("stored", record.seq))
    })?;
    outcome.clone_into(&mut answer.outcome);
    answer.seq = Some(seq);
    Ok(())
}

/// A receipt of the product's own kind from outside is a presented decision: a signed reset or
/// permit is verified as any other; nothing else of ours is taken.
fn take_own(
    context: &Context,
    envelope: &Envelope,
    text: &str,
    answer: &mut Ingested,
    journal: &mut impl Journal,
    flags: &Flags,
) -> Result<(), Refusal> {
    let known = journal.read(|read| read.by_id(&envelope.receipt_id.clone()))?;
    if let Some(known) = known
        && known.body == text
    {
        "known".clone_into(&mut answer.outcome);
        answer.seq = Some(known.seq);
        return Ok(());
    }
    let schema = envelope.payload_schema.as_str();
    if schema != RESET && schema != PERMIT {
        let cause = format!("{schema} is written by the product's own verbs alone");
        return Err(Refusal::new(
            Code::ReservedSchema,
            cause,
            "watchfloor receipt list",
        ));
    }
    let id = envelope
        .payload
        .get("breaker_id")
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned();
    let found = journal.read(|read| breaker::find(read, &id));
    let payload = Value::Object(envelope.payload.clone());
    let strict = if schema == RESET {
        serde_json::from_value::<crate::contract::breaker::Reset>(payload.clone()).map(drop)
    } else {
        serde_json::from_value::<crate::contract::breaker::Permit>(payload.clone()).map(drop)
    };
    if let Err(error) = strict {
        let fault = Fault::new("type", "payload", error.to_string());
        return Err(Refusal::of_faults(
            "the decision",
            vec![fault],
            "watchfloor breaker reset --help",
        ));
    }
    let breaker = match found {
        Ok(breaker) => breaker,
        Err(refusal) => {
            let forged = Refusal::new(
                Code::ApprovalForged,
                format!(
                    "a decision about no breaker of this store: {}",
                    refusal.cause
                ),
                "watchfloor breaker list",
            );
            reset::presented_refused(context, None, &forged, journal, flags)?;
            return Err(forged);
        }
    };
    let record = reset::present(context, &breaker, &payload, schema, journal, flags)?;
    "applied".clone_into(&mut answer.outcome);
    answer.seq = Some(record.seq);
    Ok(())
}

fn keep_invalid(
    context: &Context,
    text: &str,
    answer: &Ingested,
    journal: &mut impl Journal,
) -> Result<Option<u64>, Refusal> {
    let (kept, redacted, cut) = observed(text);
    let body = json!({
        "schema": INVALID,
        "receipt_id": answer.receipt_id,
        "source": answer.source,
        "faults": answer.faults,
        "text": kept,
        "redacted": redacted,
        "cut": cut,
    });
    let seq = journal.write(Durability::Normal, |write| {
        let id = answer.receipt_id.as_deref().map(RecordId::new);
        let free = match &id {
            Some(id) => match write.by_id(id)? {
                Some(known) if known.body == body => return Ok(known.seq),
                Some(_) => None,
                None => Some(id.clone()),
            },
            None => None,
        };
        let taken = id.is_some() && free.is_none();
        let schema = if taken { CONFLICT } else { INVALID };
        Ok(write.append(observation(context, schema, free, &body))?.seq)
    })?;
    Ok(Some(seq))
}

/// A text as an observation keeps it: redacted, cut, and both told.
fn observed(text: &str) -> (String, u32, bool) {
    let (mut kept, redacted) = secret::redact(text);
    let cut = kept.len() > OBSERVED;
    if cut {
        let mut end = OBSERVED;
        while !kept.is_char_boundary(end) {
            end -= 1;
        }
        kept.truncate(end);
    }
    (kept, redacted, cut)
}

fn observation(context: &Context, schema: &str, id: Option<RecordId>, body: &Value) -> NewRecord {
    NewRecord {
        kind: Kind::Observation,
        id,
        schema: schema.to_owned(),
        producer: PRODUCER.to_owned(),
        project: context.project.clone(),
        task: None,
        agent: context.agent.clone(),
        body: body.to_string(),
    }
}

fn receipt_id(text: &str) -> Option<String> {
    let value: Value = serde_json::from_str(text).ok()?;
    let id = value.get("receipt_id")?.as_str()?;
    (!id.trim().is_empty() && id.len() <= 200).then(|| id.to_owned())
}

/// A receipt as `receipt show` gives it.
#[derive(Clone, Debug, Serialize)]
pub struct Shown {
    /// Its row.
    #[serde(flatten)]
    pub row: crate::contract::row::LogRow,
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
            limit: limit.saturating_add(1),
            newest_first: true,
            ..Page::default()
        };
        let mut records = read.page(&page)?;
        let more = records.len() > limit;
        records.truncate(limit);
        records.reverse();
        Ok(Receipts {
            receipts: records.iter().map(listed).collect(),
            more,
        })
    })
}

fn listed(record: &Record) -> Listed {
    let value: Value = serde_json::from_str(&record.body).unwrap_or_default();
    let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    Listed {
        id: record.id.to_string(),
        handle: crate::contract::ids::handle('r', &record.id),
        seq: record.seq,
        at: crate::contract::time::rfc3339(record.recorded_at),
        payload_schema: text("payload_schema").unwrap_or_default(),
        producer: record.producer.clone(),
        goal_hash: text("goal_hash"),
        parents: value
            .get("parent_refs")
            .and_then(Value::as_array)
            .map_or(0, Vec::len),
    }
}
