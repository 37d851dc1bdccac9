//! How a session stands beside its calls: its turn, and what it waits for (spec 6.1).

use serde::{Deserialize, Serialize};

use crate::contract::ids::{AgentId, ProjectId};
use crate::contract::session::WaitKind;

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
