//! The attempt ledger's entry, `watchfloor.attempt.v1` (spec 3.1).

mod read;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::code::Triaged;
use super::ids::{AgentId, MissionId, RecordId, TaskId};
use super::limits::Limits;
use super::safety::{Outcome, WorkRole};
use super::signature::{SignatureId, Strength};

pub use read::Defaults;

/// Schema of an attempt's body.
pub const ATTEMPT: &str = "watchfloor.attempt.v1";

/// What was changed. An entry without files and state is an analysis.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// In a sentence.
    #[serde(default)]
    pub summary: String,
    /// Files relative to the project root.
    #[serde(default)]
    pub files: Vec<String>,
    /// Digest of the changed content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
}

/// Which direction of a metric is progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Better {
    /// More is better.
    Higher,
    /// Less is better.
    Lower,
}

/// A measured number before and after the try.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Metric {
    /// What was measured.
    pub name: String,
    /// Before.
    pub before: f64,
    /// After.
    pub after: f64,
    /// Which direction is progress.
    pub better: Better,
}

/// Progress that an entry claims.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Progress {
    /// Whether any was made.
    pub made: bool,
    /// Measured by a number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metric: Option<Metric>,
    /// Shown by paths or receipts.
    #[serde(default)]
    pub evidence: Vec<String>,
}

/// Where an entry came from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// Somebody recorded it.
    #[default]
    Declared,
    /// Derived from a hook's edit-check cycle, under a plan.
    Planned,
    /// Derived without a plan.
    Undeclared,
}

/// What the product itself adds to an entry; refused in what others submit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Derived {
    /// Where the entry came from.
    #[serde(default)]
    pub origin: Origin,
    /// How much the signature says.
    #[serde(default)]
    pub strength: Strength,
    /// The failure is the provider's or the network's, and will pass.
    #[serde(default)]
    pub transient: bool,
    /// The failure in a line, redacted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// What the failure text was classified as.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub triage: Option<Triaged>,
    /// Evidence as `name@digest`.
    #[serde(default)]
    pub evidence: Vec<String>,
    /// The limits in force, when they are not the defaults.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<Limits>,
}

/// One entry, complete.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Attempt {
    /// Always [`ATTEMPT`].
    pub schema: String,
    /// Its id.
    pub attempt_id: RecordId,
    /// When, RFC 3339.
    pub timestamp: String,
    /// The task.
    pub task_id: TaskId,
    /// The mission.
    pub mission_id: MissionId,
    /// Who.
    pub agent: AgentId,
    /// As what.
    pub role: WorkRole,
    /// The assumed cause.
    pub hypothesis: String,
    /// What was tried.
    pub strategy: String,
    /// What was changed.
    pub change: Change,
    /// The check that gave the result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<String>,
    /// The result.
    pub result: Outcome,
    /// The failure's signature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_signature: Option<SignatureId>,
    /// Claimed progress.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress: Option<Progress>,
    /// What the product added.
    #[serde(default)]
    pub derived: Derived,
}

/// One entry as it is submitted: ids and time may be missing, the signature may be a failure text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AttemptInput {
    /// [`ATTEMPT`], when given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    /// Its id, when the producer brings one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt_id: Option<RecordId>,
    /// When, RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<String>,
    /// The task; may come from `--task`.
    pub task_id: TaskId,
    /// The mission.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mission_id: Option<MissionId>,
    /// Who; may come from `--agent`.
    pub agent: AgentId,
    /// As what.
    pub role: WorkRole,
    /// The assumed cause.
    pub hypothesis: String,
    /// What was tried.
    pub strategy: String,
    /// What was changed.
    #[serde(default)]
    pub change: Change,
    /// The check that gave the result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<String>,
    /// The result.
    pub result: Outcome,
    /// `es1:` or `es0:` and 16 hex, or a failure text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_signature: Option<String>,
    /// Claimed progress.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress: Option<Progress>,
}
