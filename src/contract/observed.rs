//! What transcripts tell of agents that nobody installed anything for (spec 6.4): the strict
//! form of one row, and the observation that is recorded of them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ids::{AgentId, MissionId, TaskId};
use super::signature::{SignatureId, Strength};
use super::tool::Act;

/// Schema of [`Observed`].
pub const OBSERVED: &str = "watchfloor.observed.v1";

/// The lamp of an agent that is only read about: nothing can refuse its calls.
pub const LAMP_OBSERVED: &str = "observed";
/// The lamp of an agent whose hooks ask before each call.
pub const LAMP_GATED: &str = "gated";
/// The lamp of such an agent whose refused call really did not run: it went on without it.
pub const LAMP_PROVEN: &str = "proven";
/// The lamp of an agent whose refused call was seen to run.
pub const LAMP_LEAKING: &str = "leaking";

/// One thing that a transcript tells, and when it happened there, in UTC microseconds.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment {
    /// When, where the row tells.
    pub at_us: Option<i64>,
    /// What.
    pub fact: Fact,
}

/// What a row of a transcript tells, whatever its format.
#[derive(Clone, Debug, PartialEq)]
pub enum Fact {
    /// Which session this is, and where it works.
    Session(SessionFact),
    /// What the session is called.
    Title(String),
    /// Which model answers.
    Model(String),
    /// A person asked for something: a turn begins.
    Prompt(String),
    /// The model said something.
    Spoke(String),
    /// The model called a tool.
    Called(CallFact),
    /// A call came back.
    Returned(ReturnFact),
    /// What one answer of the model cost; the same key again replaces it.
    Usage(UsageFact),
    /// What the whole session cost so far.
    Totals(TotalsFact),
    /// The turn is over: the agent waits for a person.
    TurnEnded,
    /// The session is over.
    Ended,
}

/// Which session a transcript is of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionFact {
    /// The session; a subagent's is its root's.
    pub session: Option<String>,
    /// The subagent's id inside it.
    pub subagent: Option<String>,
    /// Working directory.
    pub cwd: Option<String>,
}

/// A tool call in a transcript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallFact {
    /// Its id, where the format gives one.
    pub id: String,
    /// The harness's name of the tool.
    pub tool: String,
    /// What it does.
    pub act: Act,
    /// Digest of what was written, by file: two edits that write the same give the same.
    pub edits: Vec<(String, String)>,
}

/// What came back of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReturnFact {
    /// The call's id.
    pub id: String,
    /// Whether it failed.
    pub failed: bool,
    /// The exit code, where it is told.
    pub exit_code: Option<i32>,
    /// What it said, not yet redacted.
    pub text: String,
}

/// Tokens and money of one answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UsageFact {
    /// Which answer; rows about one answer are repeated with more fields.
    pub key: String,
    /// Tokens in and out, cached ones included.
    pub tokens: u64,
    /// Tokens that the model had before it.
    pub context: u64,
    /// Millionths of a dollar, where it is told.
    pub cost_microusd: Option<u64>,
}

/// Tokens and money of a session so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TotalsFact {
    /// Tokens in and out, cached ones included.
    pub tokens: Option<u64>,
    /// Tokens that the model had before its latest answer.
    pub context: Option<u64>,
    /// Millionths of a dollar.
    pub cost_microusd: Option<u64>,
}

/// What was read of one agent's transcript since the observation before it. It gates nothing,
/// opens no breaker, and is folded into the agent's row only.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Observed {
    /// Always [`OBSERVED`].
    pub schema: String,
    /// The agent: harness and session, as its hooks would name it.
    pub agent: AgentId,
    /// Its harness.
    pub harness: String,
    /// Its mission.
    pub mission_id: MissionId,
    /// Its task.
    pub task_id: TaskId,
    /// What was read, and how far.
    pub source: Source,
    /// `working`, `idle` or `ended`.
    pub state: String,
    /// Time of the newest row, RFC 3339.
    pub at: String,
    /// What it did last, in a line.
    pub action: String,
    /// What it did since the last observation, oldest first.
    pub steps: Vec<Step>,
    /// Its latest failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failing>,
    /// What the rules would have found in its tries: loops, by the names of findings and trips.
    #[serde(default)]
    pub findings: Vec<String>,
    /// What the session is called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Tokens in and out that were seen, cached ones included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Tokens that the model had before its latest answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<u64>,
    /// Millionths of a dollar, where the transcript tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_microusd: Option<u64>,
    /// Its process, where one was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
}

/// Which part of which file an observation tells of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// The transcript, or the database.
    pub file: String,
    /// The file's inode: another file under the same name begins anew.
    pub inode: u64,
    /// Up to where it was read: bytes of a file, the newest row's number of a database.
    pub to: u64,
}

/// One thing that an agent did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// Where its row ends; orders steps, and tells those that are recorded already.
    pub to: u64,
    /// When, RFC 3339; empty where the row does not tell.
    pub at: String,
    /// What, in a line.
    pub what: String,
    /// Whether it failed; absent for what is no tool call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<bool>,
}

/// A failure that a transcript tells.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Failing {
    /// Its signature.
    pub signature: SignatureId,
    /// How much that says.
    pub strength: Strength,
    /// In a line, redacted.
    pub line: String,
}
