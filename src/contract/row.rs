//! Rows of the panes, as `status --json`, the console and the store's views show them (spec 5, 9).
//! Times are RFC 3339 in UTC.

mod code;
mod flags;
mod handoff;
mod receipt;

pub use code::CodeRow;
pub use flags::{FlagRow, FlagsRow};
pub use handoff::HandoffRow;
pub use receipt::ReceiptRow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ids::{AgentId, MissionId, ProjectId, RecordId, TaskId};

/// A breaker, in the default order: open before closed, newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BreakerRow {
    /// Id of the first trip receipt.
    pub id: String,
    /// Short handle, `b-` and the tail of the id.
    pub handle: String,
    /// The first trigger.
    pub trigger: String,
    /// Every trigger.
    pub triggers: Vec<String>,
    /// `task:T-12`, as a person types it.
    pub scope: String,
    /// Its kind.
    pub scope_kind: String,
    /// The project, where the scope lies in one.
    pub project: Option<String>,
    /// `open` or `closed`.
    pub state: String,
    /// `lead` or `human`.
    pub needs: String,
    /// Why it opened.
    pub reason: String,
    /// Who caused it, when an agent did.
    pub agent: Option<String>,
    /// Hits since it opened, the first included.
    pub hits: u64,
    /// When it opened.
    pub opened_at: String,
    /// Where it opened.
    pub opened_seq: u64,
    /// Agents that were in scope.
    pub stopped: Vec<String>,
    /// Calls that were really refused while it was open.
    pub refused: u64,
    /// When it closed.
    pub closed_at: Option<String>,
    /// Who closed it.
    pub closed_by: Option<String>,
    /// The reset receipt.
    pub reset_id: Option<String>,
}

/// One try in a task's strategy lane.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LaneStep {
    /// The strategy's letter in this task: A, B, C ...
    pub lane: String,
    /// Whether it failed.
    pub failed: bool,
}

/// A task, in the default order: escalated, then with a due step, then newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TaskRow {
    /// The task.
    pub task: String,
    /// Its project.
    pub project: String,
    /// Its mission.
    pub mission: String,
    /// `open`, `escalated` or `done`.
    pub state: String,
    /// `debugger_due`, `second_opinion_due` or absent.
    pub due: Option<String>,
    /// Entries in the ledger.
    pub entries: u64,
    /// Tries in the window.
    pub tries: u64,
    /// Failing tries in the window.
    pub failing: u64,
    /// Failing tries after the first one in the window.
    pub repairs: u64,
    /// Failing tries with the latest failing signature.
    pub same: u64,
    /// The latest failing signature.
    pub signature: Option<String>,
    /// What it says, in a line.
    pub failure: Option<String>,
    /// The latest tries, oldest first, at most eight.
    pub lanes: Vec<LaneStep>,
    /// The file in the most tries of the window.
    pub churn_file: Option<String>,
    /// In how many tries.
    pub churn: u64,
    /// Tries made while a breaker was open.
    pub leaks: u64,
    /// The agent of the last entry.
    pub agent: String,
    /// When the last record about it came.
    pub last_at: String,
    /// Which one that was.
    pub last_seq: u64,
}

/// An agent, newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentRow {
    /// The agent.
    pub agent: String,
    /// Its harness, or empty for a plain caller.
    pub harness: String,
    /// The project of its last record.
    pub project: String,
    /// The mission of its last record.
    pub mission: String,
    /// The task of its last record.
    pub task: String,
    /// `working`, `stopped` or `ended`; of an agent that is only observed also `idle`.
    pub state: String,
    /// What it did last, in a line.
    pub last_action: String,
    /// When.
    pub last_at: String,
    /// Which record that was.
    pub last_seq: u64,
    /// Attempts recorded; of an agent that is only observed, its tool calls that came back.
    pub attempts: u64,
    /// Failing ones among them.
    pub failures: u64,
    /// Tool calls that were refused.
    pub refused: u64,
    /// Its latest results, oldest first, at most twelve: 1 failed, 0 did not.
    pub spark: Vec<u8>,
    /// Handle of the breaker that stops it.
    pub stopped_by: Option<String>,
    /// Process id, where a hook told it or its transcript's process was found.
    pub pid: Option<u32>,
    /// `gated` when its hooks ask before each call, `observed` when it is only read about; empty
    /// for a plain caller.
    #[serde(default)]
    pub lamp: String,
    /// What its session is called, where its transcript tells.
    #[serde(default)]
    pub title: Option<String>,
    /// The model, where its transcript tells.
    #[serde(default)]
    pub model: Option<String>,
    /// Tokens in and out that were seen in its transcript, cached ones included.
    #[serde(default)]
    pub tokens: Option<u64>,
    /// Tokens that the model had before its latest answer.
    #[serde(default)]
    pub context: Option<u64>,
    /// Millionths of a dollar, where its transcript tells.
    #[serde(default)]
    pub cost_microusd: Option<u64>,
    /// Signature of its latest failure that was observed.
    #[serde(default)]
    pub signature: Option<String>,
    /// That failure in a line.
    #[serde(default)]
    pub failure: Option<String>,
    /// Loops that the rules would have found in what was observed; nothing was stopped for them.
    #[serde(default)]
    pub findings: Vec<String>,
    /// Its transcript, or the database that holds it.
    #[serde(default)]
    pub transcript: Option<String>,
}

/// A mission, newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MissionRow {
    /// The mission.
    pub mission: String,
    /// Its project.
    pub project: String,
    /// Its state.
    pub state: String,
    /// The goal's outcome.
    pub outcome: String,
    /// Hash of its goal packet.
    pub goal_hash: String,
    /// Whether the packet was generated.
    pub generated: bool,
    /// Tries since the last reset.
    pub tries: u64,
    /// Its tasks.
    pub tasks: Vec<String>,
    /// When the last record about it came.
    pub last_at: String,
    /// Which one that was.
    pub last_seq: u64,
}

/// A journal record, newest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LogRow {
    /// Its position.
    pub seq: u64,
    /// When it was recorded.
    pub at: String,
    /// Its kind.
    pub kind: String,
    /// Schema of its body.
    pub schema: String,
    /// The project.
    pub project: ProjectId,
    /// The task.
    pub task: Option<TaskId>,
    /// The agent.
    pub agent: Option<AgentId>,
    /// Its id.
    pub id: RecordId,
    /// What it says, in a line of at most 160 characters.
    pub what: String,
}

/// Characters of [`LogRow::what`] at most.
pub const WHAT: usize = 160;

/// Something that a person should do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AttentionRow {
    /// What kind of thing, e.g. `reset`.
    pub kind: String,
    /// Handle of what it is about.
    pub handle: String,
    /// Its id.
    pub id: String,
    /// What it is, in a line.
    pub what: String,
    /// Who may do it: `lead` or `human`.
    pub needs: String,
    /// Since when.
    pub since: String,
}

/// Totals that the header shows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Counts {
    /// Agents seen.
    pub agents: u64,
    /// Agents that a breaker stops.
    pub stopped: u64,
    /// Tasks seen.
    pub tasks: u64,
    /// Escalated tasks.
    pub escalated: u64,
    /// Tasks with a due step.
    pub due: u64,
    /// Missions seen.
    pub missions: u64,
    /// Open breakers.
    pub breakers_open: u64,
    /// Breakers ever opened.
    pub breakers: u64,
    /// Attempts recorded.
    pub attempts: u64,
    /// Failing ones among them.
    pub failures: u64,
    /// Tries made while a breaker was open.
    pub leaks: u64,
    /// Tool calls that were refused.
    pub refused: u64,
    /// Handoffs ever opened.
    #[serde(default)]
    pub handoffs: u64,
    /// Handoffs that nobody holds.
    pub handoffs_open: u64,
    /// Handoffs that an agent holds.
    pub handoffs_claimed: u64,
    /// Escalated handoffs that no person has decided.
    pub handoffs_escalated: u64,
    /// Answered handoffs whose asker has not told what it did with the answer.
    pub handoffs_unused: u64,
    /// Minted failure codes that were seen.
    #[serde(default)]
    pub codes: u64,
    /// Minted failure codes that a person must settle.
    #[serde(default)]
    pub codes_due: u64,
    /// Minted failure codes that were seen once.
    #[serde(default)]
    pub codes_new: u64,
}

/// The whole screen as data: `status --json`. Each list holds the first 50 rows of its pane.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Status {
    /// Position of the journal.
    pub seq: u64,
    /// When this was read.
    pub at: String,
    /// Totals.
    pub counts: Counts,
    /// What needs a person.
    pub attention: Vec<AttentionRow>,
    /// The stop flags beside the store.
    #[serde(default)]
    pub flags: FlagsRow,
    /// Handoffs.
    pub handoffs: Vec<HandoffRow>,
    /// Breakers.
    pub breakers: Vec<BreakerRow>,
    /// Tasks.
    pub tasks: Vec<TaskRow>,
    /// Failure codes that no catalogue entry knows.
    pub codes: Vec<CodeRow>,
    /// Agents.
    pub agents: Vec<AgentRow>,
}

/// How many rows a list of [`Status`] holds.
pub const STATUS_ROWS: usize = 50;

/// The mission that work belongs to when none was named (spec 3): the root session, else the task.
#[must_use]
pub fn default_mission(session: Option<&str>, task: &TaskId) -> MissionId {
    match session {
        Some(session) => MissionId::new(format!("session-{session}")),
        None => MissionId::new(format!("task-{task}")),
    }
}
