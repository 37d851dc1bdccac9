//! `receipt validate | resolve | ingest | watch | show | list` (spec 2.1).

mod folder;
mod graph;
mod ingest;
mod show;

pub use folder::{Arrived, Folder, LARGEST};
pub use graph::provenance;
pub use ingest::{Ingested, Refused, ingest};
pub use show::{Listed, Receipts, Shown, by_handle, list, record, rows_after, show, signed};

use serde::Serialize;
use serde_json::Value;

use crate::contract::catalog::Catalog;
use crate::contract::envelope::{self, Resolution};
use crate::contract::fault::Fault;
use crate::contract::ids::RecordId;
use crate::contract::record::Kind;
use crate::contract::refusal::Refusal;
use crate::journal::{Journal, Read};

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
