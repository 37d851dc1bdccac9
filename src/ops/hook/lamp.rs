//! How a harness keeps to what the hooks tell it (spec 6.2): what the lamp stands on.

use schemars::JsonSchema;
use serde::Serialize;

use crate::contract::refusal::Refusal;
use crate::contract::time::rfc3339;
use crate::journal::{Journal, Read};
use crate::ops::domain::{self, HarnessState};
use crate::ops::store::load;

/// Refusals and leaks of one harness.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Lamp {
    /// The harness.
    pub harness: String,
    /// Calls that were refused.
    pub refused: u64,
    /// Where the latest of them stands; 0 when there was none.
    pub refused_seq: u64,
    /// Calls that ran although they had been refused.
    pub leaked: u64,
    /// Where the latest of them stands; 0 when there was none. A canary that was really refused
    /// later than this proves the harness anew.
    pub leaked_seq: u64,
    /// Whose that was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leaked_by: Option<String>,
    /// When that was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leaked_at: Option<String>,
}

impl Lamp {
    /// Whether a refused call ran since a position: that of the last proof, or 0.
    #[must_use]
    pub fn leaks_since(&self, seq: u64) -> bool {
        self.leaked_seq > seq
    }
}

/// Reads what is known of a harness.
///
/// # Errors
/// The store fails.
pub fn lamp(harness: &str, journal: &mut impl Journal) -> Result<Lamp, Refusal> {
    journal.read(|read| of(harness, read))
}

/// The same, inside a snapshot.
///
/// # Errors
/// The store fails.
pub fn of(harness: &str, read: &dyn Read) -> Result<Lamp, Refusal> {
    let known: Option<HarnessState> = load(read, domain::HARNESS, harness)?;
    let known = known.unwrap_or_default();
    let leaked = known.leaked > 0;
    Ok(Lamp {
        harness: harness.to_owned(),
        refused: known.refused,
        refused_seq: known.refused_seq,
        leaked: known.leaked,
        leaked_seq: known.leaked_seq,
        leaked_by: known.leaked_by.map(|agent| agent.to_string()),
        leaked_at: leaked.then(|| rfc3339(known.leaked_us)),
    })
}
