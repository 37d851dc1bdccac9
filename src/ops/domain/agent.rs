//! What is known of an agent.

use serde::{Deserialize, Serialize};

use super::RefusedCall;
use crate::contract::ids::{AgentId, ProjectId};
use crate::contract::observed::{self, LAMP_GATED, LAMP_LEAKING, LAMP_OBSERVED, LAMP_PROVEN};
use crate::contract::row::AgentRow;
use crate::contract::session::WaitKind;
use crate::rules::cycle::Cycle;

/// A declared plan of an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanState {
    /// The task.
    pub task: String,
    /// The strategy.
    pub strategy: String,
}

/// Where an agent's session runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessState {
    /// Its host.
    pub host: String,
    /// Its process.
    pub pid: u32,
    /// When that started, in clock ticks since boot.
    pub started: u64,
}

/// An agent.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Agent {
    /// What the panes show.
    pub row: AgentRow,
    /// Its edit-check cycle.
    pub cycle: Cycle,
    /// Its last plan.
    pub plan: Option<PlanState>,
    /// Its process, where a hook told it.
    #[serde(default)]
    pub process: Option<ProcessState>,
    /// Root of the working tree that its hooks work in, where one told it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<String>,
    /// The last turn whose end was refused, since its last prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<TurnState>,
    /// What it waits for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits: Option<WaitState>,
    /// How far its transcript was read, where one was.
    #[serde(default)]
    pub observed: Option<observed::Source>,
    /// Its latest refused calls, which should have no result.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<RefusedCall>,
}

/// A turn whose end was refused.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnState {
    /// Its id, where the harness gives one.
    pub id: Option<String>,
    /// How often.
    pub refused: u32,
    /// It was let go.
    pub let_go: bool,
}

/// An agent waits for a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitState {
    /// Who.
    pub agent: AgentId,
    /// For what.
    pub kind: WaitKind,
    /// The call that it is about.
    pub call_id: Option<String>,
    /// What is asked, in a line.
    pub text: String,
    /// Since when, RFC 3339.
    pub since: String,
    /// Since which record.
    pub seq: u64,
    /// The project that it works in.
    pub project: ProjectId,
}

/// What waits for one agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inbox {
    /// Messages that it did not acknowledge, oldest first.
    pub unread: Vec<String>,
    /// Those of them that were not shown to it, oldest first.
    pub unseen: Vec<String>,
}

impl Agent {
    /// Whether its hooks told of it. What they tell stands above what its transcript tells.
    #[must_use]
    pub fn hooked(&self) -> bool {
        [LAMP_GATED, LAMP_PROVEN, LAMP_LEAKING].contains(&self.row.lamp.as_str())
    }

    /// Whether it is only read about: nothing can stop it.
    #[must_use]
    pub fn only_observed(&self) -> bool {
        self.row.lamp == LAMP_OBSERVED
    }
}
