//! A failure code that no catalogue entry knows, as the panes show it (spec 2.2, 5.3).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A minted code, in the default order: due, then new, then settled; newest first within each.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CodeRow {
    /// The minted code.
    pub code: String,
    /// The layer that it was classified in, where one was given.
    pub layer: Option<String>,
    /// `new` after the first observation, `due` from the second on, `aliased` or `promoted` once
    /// a person settled it.
    pub state: String,
    /// The catalogue entry that it resolves to now.
    pub resolves_to: Option<String>,
    /// Observations.
    pub count: u64,
    /// The first one, RFC 3339.
    pub first_at: String,
    /// The last one, RFC 3339.
    pub last_at: String,
    /// Where the last one stands.
    pub last_seq: u64,
    /// What it said, in a line of at most 160 characters, secrets taken out.
    pub sample: String,
    /// The signature, where it came from a tool's output.
    pub signature: Option<String>,
    /// The project of the last observation.
    pub project: String,
    /// The task of the last observation.
    pub task: Option<String>,
    /// The agent of the last observation.
    pub agent: Option<String>,
    /// The receipt that settled it.
    pub settled_by: Option<String>,
}
