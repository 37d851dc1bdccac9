//! What is known of how a harness keeps to what it is told.

use serde::{Deserialize, Serialize};

use crate::contract::breaker::Trigger;
use crate::contract::ids::AgentId;

/// Refused calls and leaks of one harness, over all of its sessions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HarnessState {
    /// Calls that were refused.
    pub refused: u64,
    /// The latest of them.
    pub refused_seq: u64,
    /// Calls that ran all the same.
    pub leaked: u64,
    /// The latest of them; 0 when there was none.
    pub leaked_seq: u64,
    /// Whose that was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leaked_by: Option<AgentId>,
    /// When, UTC microseconds.
    #[serde(default)]
    pub leaked_us: i64,
}

/// A call that was refused, and so should have no result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusedCall {
    /// Its id, where the harness gives one.
    pub id: Option<String>,
    /// Digest of the tool and its input.
    pub call: String,
    /// The code that it was refused with.
    pub code: String,
    /// The trigger, where the guard refused it.
    pub trigger: Option<Trigger>,
    /// The guard's rule.
    pub rule: Option<String>,
}

impl RefusedCall {
    /// Whether a call is this one: by its id and its digest; ids of some harnesses come again.
    #[must_use]
    pub fn is(&self, id: Option<&str>, call: &str) -> bool {
        self.call == call && (self.id.is_none() || id.is_none() || self.id.as_deref() == id)
    }
}
