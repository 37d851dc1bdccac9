//! The one strict form of what happens in a harness, whatever its dialect (spec 6.1).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ids::AgentId;
pub use super::session::WaitKind;

/// Schema of [`ToolSeen`].
pub const TOOL_SEEN: &str = "watchfloor.tool_seen.v1";
/// Schema of [`AgentSeen`].
pub const AGENT_SEEN: &str = "watchfloor.agent_seen.v1";

/// Who calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// The harness, e.g. `claude`.
    pub harness: String,
    /// The root session's id.
    pub session: String,
    /// The subagent's id, inside one.
    pub subagent: Option<String>,
    /// Working directory of the call.
    pub cwd: String,
}

impl Caller {
    /// The agent's id: harness and session, a subagent with its own id under it. One that is of
    /// no harness is called as its session is.
    #[must_use]
    pub fn agent(&self) -> AgentId {
        let mut id = self.harness.clone();
        if !id.is_empty() {
            id.push(':');
        }
        id.push_str(&self.session);
        if let Some(sub) = &self.subagent {
            id.push('/');
            id.push_str(sub);
        }
        AgentId::new(id)
    }

    /// The caller that an agent's id names.
    #[must_use]
    pub fn of(agent: &AgentId, cwd: &str) -> Self {
        let (root, sub) = match agent.as_str().split_once('/') {
            Some((root, sub)) => (root, Some(sub)),
            None => (agent.as_str(), None),
        };
        let (harness, session) = root.split_once(':').unwrap_or(("", root));
        Self {
            harness: harness.to_owned(),
            session: session.to_owned(),
            subagent: sub.map(str::to_owned),
            cwd: cwd.to_owned(),
        }
    }
}

/// What a tool call may do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// Writes these files.
    Edit(Vec<String>),
    /// Runs a shell command.
    Shell(String),
    /// Reads only.
    Read,
    /// Anything else: it may change things.
    Other,
}

/// A tool call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolCall {
    /// Who calls.
    pub caller: Caller,
    /// The harness's name of the tool.
    pub tool: String,
    /// The call's id. Where the harness gives none, `~` and a digest of its session, tool and
    /// input: calls that are alike share it, and are told apart by their order.
    pub call_id: Option<String>,
    /// What it may do.
    pub act: Act,
    /// The tool's whole input as text, to look for secrets in.
    pub input: String,
}

/// A finished tool call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolResult {
    /// The call.
    pub call: ToolCall,
    /// What became of it.
    pub outcome: CallOutcome,
    /// The exit code, where the harness tells it.
    pub exit_code: Option<i32>,
    /// What it said, not yet redacted.
    pub text: String,
}

impl ToolResult {
    /// Whether it is known to have failed.
    #[must_use]
    pub fn failed(&self) -> bool {
        self.outcome == CallOutcome::Failed
    }
}

/// What became of a tool call, as far as its harness tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallOutcome {
    /// It did what it should.
    Done,
    /// It failed.
    Failed,
    /// The harness does not tell: neither a failure nor a check that passed.
    Unknown,
}

impl CallOutcome {
    /// What an exit code says; nothing where there is none.
    #[must_use]
    pub fn of_exit(code: Option<i32>) -> Self {
        match code {
            Some(0) => Self::Done,
            Some(_) => Self::Failed,
            None => Self::Unknown,
        }
    }
}

/// Something that a person prompted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    /// Whose session.
    pub caller: Caller,
    /// The harness reads what a session should know at its start here, and not at the start.
    pub first: bool,
}

/// A turn is about to end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnEnd {
    /// Whose turn.
    pub caller: Caller,
    /// The turn's id, where the harness gives one.
    pub turn: Option<String>,
    /// The harness says that a refusal made this turn go on before.
    pub again: bool,
}

/// A session waits for a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waits {
    /// Whose session.
    pub caller: Caller,
    /// For what.
    pub kind: WaitKind,
    /// The call that it is about, where the harness tells.
    pub call_id: Option<String>,
    /// What is asked, not yet redacted.
    pub text: String,
}

/// What a hook is called for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HookEvent {
    /// A session started.
    Start(Caller),
    /// A person prompted it.
    Prompt(Prompt),
    /// Before a tool call.
    Before(ToolCall),
    /// After a tool call.
    After(ToolResult),
    /// A turn is about to end.
    TurnEnd(TurnEnd),
    /// It waits for a person: a permission, or an answer.
    Waits(Waits),
    /// It waits no more.
    WaitsNoMore(Caller),
    /// A session ended.
    End(Caller),
    /// Well-formed, but nothing of ours.
    Ignored,
}

/// What the product answers a hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HookAnswer {
    /// No opinion.
    Allow,
    /// The call must not run, or the turn not end.
    Refuse(String),
    /// Something that the model should read.
    Tell(String),
}

/// A finished tool call as an observation. Texts are redacted and cut.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ToolSeen {
    /// Always [`TOOL_SEEN`].
    pub schema: String,
    /// Whose call.
    pub agent: AgentId,
    /// Its harness.
    pub harness: String,
    /// Its mission.
    pub mission_id: super::ids::MissionId,
    /// Its task.
    pub task_id: super::ids::TaskId,
    /// The tool.
    pub tool: String,
    /// The call's id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
    /// What it was, in a line.
    pub action: String,
    /// Files that it wrote, relative to the project.
    #[serde(default)]
    pub files: Vec<String>,
    /// Whether it failed.
    pub failed: bool,
    /// Whether nobody told what became of it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unknown: bool,
    /// The exit code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// What it said, cut.
    #[serde(default)]
    pub text: String,
    /// Whether the text was cut.
    #[serde(default)]
    pub cut: bool,
    /// How many secrets were taken out of it.
    #[serde(default)]
    pub redacted: u32,
    /// What the call meant for the edit-check cycle, when it was a check.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<CheckSeen>,
    /// What a failing check that is no try was classified as; a try carries its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub triage: Option<super::code::Triaged>,
}

/// A check that ended inside a tool call (spec 3.1, derived tries).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CheckSeen {
    /// The check's name: its command, white space collapsed.
    pub check: String,
    /// Whether it passed.
    pub passed: bool,
    /// How many tests failed, where its output tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failing_tests: Option<u64>,
    /// The failure's signature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<super::signature::SignatureId>,
    /// How much it says.
    #[serde(default)]
    pub strength: super::signature::Strength,
    /// Digest of each changed file now, by path.
    #[serde(default)]
    pub tree: std::collections::BTreeMap<String, String>,
}

/// The moment at which somebody found that a session's process is gone: nobody saw it end.
pub const GONE: &str = "gone";

/// An agent was seen (observation).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentSeen {
    /// Always [`AGENT_SEEN`].
    pub schema: String,
    /// The agent.
    pub agent: AgentId,
    /// Its harness.
    pub harness: String,
    /// Its mission.
    pub mission_id: super::ids::MissionId,
    /// Its task.
    pub task_id: super::ids::TaskId,
    /// Host it runs on.
    #[serde(default)]
    pub host: String,
    /// Its process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// When that started, in clock ticks since boot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started: Option<u64>,
    /// `start`, `end`, or [`GONE`].
    pub moment: String,
    /// Root of the working tree that it works in; absent where nobody told it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<String>,
    /// Digest of each changed file when the agent was seen first, by path: what its first check
    /// is measured against. Absent later on, and where it could not be read in time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<std::collections::BTreeMap<String, String>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caller_is_what_its_id_says() {
        for id in [
            "claude:s",
            "claude:s/sub",
            "aider-1",
            "aider-1/exec-2",
            "exec:T:1",
            "a/b:c",
        ] {
            let caller = Caller::of(&AgentId::new(id), "/p");
            assert_eq!(caller.agent().as_str(), id);
        }
        assert_eq!(Caller::of(&AgentId::new("aider-1"), "").harness, "");
    }
}
