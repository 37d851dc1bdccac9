//! The goal packet, `watchfloor.goal.v1` (spec 8.1).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Schema of a goal packet.
pub const GOAL: &str = "watchfloor.goal.v1";

/// What proves a goal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PrimaryProof {
    /// The command.
    #[serde(default)]
    pub argv: Vec<String>,
    /// What it must give.
    #[serde(default)]
    pub expected: String,
}

/// One immutable goal. Its hash covers every field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Goal {
    /// Always [`GOAL`].
    pub schema: String,
    /// What shall be.
    pub outcome: String,
    /// What proves it.
    #[serde(default)]
    pub primary_proof: PrimaryProof,
    /// When it is complete.
    #[serde(default)]
    pub completion_criteria: Vec<String>,
    /// What may be touched.
    #[serde(default)]
    pub allowed_scope: Vec<String>,
    /// What must not happen on the way.
    #[serde(default)]
    pub forbidden_drift: Vec<String>,
    /// Attempts per blocker.
    #[serde(default = "default_budget")]
    pub retry_budget: u32,
    /// When to stop.
    #[serde(default)]
    pub stop_condition: String,
    /// How to report.
    #[serde(default)]
    pub final_report_rule: String,
}

fn default_budget() -> u32 {
    2
}
