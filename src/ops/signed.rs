//! How far a person's signature confirms the chain (spec 7.3): every approval signs the position
//! and hash that it was made at.

use serde_json::Value;

use crate::contract::breaker::{PERMIT, RESET};
use crate::contract::record::Kind;
use crate::contract::refusal::Refusal;
use crate::journal::{Journal, Page, Read};

/// How many receipts are looked through for the last signed one.
const LOOK: usize = 500;

/// A sentence about the last signed position, and whether what it confirms is still there.
///
/// # Errors
/// The store fails.
pub fn position(journal: &mut impl Journal) -> Result<String, Refusal> {
    journal.read(|read| {
        let page = Page {
            kind: Some(Kind::Receipt),
            limit: LOOK,
            newest_first: true,
            ..Page::default()
        };
        for record in read.page(&page)? {
            let body: Value = serde_json::from_str(&record.body).unwrap_or_default();
            let schema = body
                .get("payload_schema")
                .and_then(Value::as_str)
                .unwrap_or_default();
            if schema != RESET && schema != PERMIT {
                continue;
            }
            let seq = body
                .pointer("/payload/at_seq")
                .and_then(Value::as_u64)
                .unwrap_or_default();
            let hash = body
                .pointer("/payload/at_hash")
                .and_then(Value::as_str)
                .unwrap_or_default();
            let who = body
                .pointer("/payload/approval/principal")
                .and_then(Value::as_str)
                .unwrap_or_default();
            let holds = stands(read, seq, hash)?;
            return Ok(format!(
                "Signed up to record {seq} by {who}: {}",
                if holds {
                    "nothing before it changed"
                } else {
                    "what was signed is NOT what stands there"
                }
            ));
        }
        Ok("No signature confirms it yet.".to_owned())
    })
}

fn stands(read: &dyn Read, seq: u64, hash: &str) -> Result<bool, Refusal> {
    if seq == 0 {
        return Ok(true);
    }
    let page = Page {
        after: seq - 1,
        limit: 1,
        ..Page::default()
    };
    Ok(read
        .page(&page)?
        .first()
        .is_some_and(|record| record.seq == seq && record.hash.to_string() == hash))
}
