//! `attempt list`.

use serde::Serialize;

use crate::contract::ids::TaskId;
use crate::contract::record::Kind;
use crate::contract::refusal::Refusal;
use crate::journal::{Journal, Page};
use crate::ops::records::newest;

/// Entries of the ledger, newest last.
#[derive(Clone, Debug, Serialize)]
pub struct Attempts {
    /// The entries as they are stored.
    pub attempts: Vec<serde_json::Value>,
    /// More lie before them.
    pub more: bool,
}

/// Lists entries, of one task or of all.
///
/// # Errors
/// The store fails.
pub fn attempts(
    task: Option<&TaskId>,
    since: u64,
    limit: usize,
    journal: &mut impl Journal,
) -> Result<Attempts, Refusal> {
    journal.read(|read| {
        let page = Page {
            after: since,
            kind: Some(Kind::Attempt),
            task: task.cloned(),
            limit,
            ..Page::default()
        };
        let (records, more) = newest(read, page)?;
        let attempts = records
            .iter()
            .map(|record| {
                let mut value: serde_json::Value =
                    serde_json::from_str(&record.body).unwrap_or_default();
                value["seq"] = record.seq.into();
                value
            })
            .collect();
        Ok(Attempts { attempts, more })
    })
}
