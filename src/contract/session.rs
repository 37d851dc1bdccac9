//! What is recorded about a session beside its calls: that it waits for a person, that its turn
//! may not end yet, and a payload that nobody could read (spec 6.1).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ids::{AgentId, MissionId, RecordId, TaskId};

/// Schema of [`AgentWaits`].
pub const AGENT_WAITS: &str = "watchfloor.agent_waits.v1";
/// Schema of [`TurnRefused`].
pub const TURN_REFUSED: &str = "watchfloor.turn_refused.v1";
/// Schema of [`TurnLetGo`], an enveloped receipt.
pub const TURN_LET_GO: &str = "watchfloor.turn_let_go.v1";
/// Schema of [`HookUnreadable`].
pub const HOOK_UNREADABLE: &str = "watchfloor.hook_unreadable.v1";

/// How often the end of one turn is refused at most.
pub const TURN_REFUSALS: u32 = 3;

/// What a session waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WaitKind {
    /// A person must permit something.
    Permission,
    /// A person must answer something.
    Question,
    /// Nothing: the wait is over.
    Over,
}

impl WaitKind {
    /// What a person should do, as the list of what needs one names it.
    #[must_use]
    pub fn verb(self) -> &'static str {
        match self {
            Self::Permission => "permit",
            Self::Question => "answer",
            Self::Over => "",
        }
    }
}

/// A session waits for a person in its own program, or does so no more (observation).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentWaits {
    /// Always [`AGENT_WAITS`].
    pub schema: String,
    /// Who waits.
    pub agent: AgentId,
    /// Its harness.
    pub harness: String,
    /// Its mission.
    pub mission_id: MissionId,
    /// Its task.
    pub task_id: TaskId,
    /// For what.
    pub kind: WaitKind,
    /// The call that it is about, where the harness tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
    /// What is asked, in a line, without secrets.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
}

/// The end of a turn was refused (observation).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TurnRefused {
    /// Always [`TURN_REFUSED`].
    pub schema: String,
    /// Whose turn.
    pub agent: AgentId,
    /// The turn's id, where the harness gives one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<String>,
    /// The which refusal of this turn it was, from 1.
    pub number: u32,
    /// Whether the harness said that a refusal had made the turn go on before.
    #[serde(default)]
    pub again: bool,
    /// Handoffs that the session holds without having answered.
    pub handoffs: Vec<RecordId>,
}

/// A turn was let go although its end had been refused as often as it may be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TurnLetGo {
    /// Always [`TURN_LET_GO`].
    pub schema: String,
    /// Whose turn.
    pub agent: AgentId,
    /// Its harness.
    pub harness: String,
    /// The turn's id, where the harness gives one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<String>,
    /// How often its end had been refused.
    pub refusals: u32,
    /// Handoffs that the session still holds without having answered.
    pub handoffs: Vec<RecordId>,
}

/// A hook's payload could not be read (observation). It may have been a call; none of its text
/// is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HookUnreadable {
    /// Always [`HOOK_UNREADABLE`].
    pub schema: String,
    /// The harness.
    pub harness: String,
    /// The event that the call named, if it did.
    #[serde(default)]
    pub event: String,
    /// What is wrong with it.
    pub cause: String,
    /// Its length in bytes, as far as it was read.
    pub bytes: u64,
    /// Digest of what was read.
    pub digest: String,
}
