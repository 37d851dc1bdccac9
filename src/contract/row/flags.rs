//! The stop flags beside the store, as `status` shows them (spec 3.6).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The flag file, which every hook and gate reads before anything else.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FlagsRow {
    /// `usable`; `damaged` where it cannot be read, so that hooks refuse what changes something;
    /// `readonly` where it is read, and a stop could not be set in it.
    pub state: String,
    /// What is wrong with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// What mends it, or shows why it cannot be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_command: Option<String>,
    /// Stops that are in force by their flag and of which the store knows nothing yet: at most 50.
    pub unrecorded: Vec<FlagRow>,
}

/// A stop that only its flag tells of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FlagRow {
    /// Id of the breaker, which the store will know it by.
    pub id: String,
    /// Its handle.
    pub handle: String,
    /// What opened it.
    pub trigger: String,
    /// What it stops: `task:T-12`, or only the kind of its scope where the name did not fit.
    pub scope: String,
    /// Who may reset it, `lead` or `human`.
    pub needs: String,
    /// Why, cut at 80 bytes.
    pub reason: String,
    /// When the flag was set.
    pub at: String,
}
