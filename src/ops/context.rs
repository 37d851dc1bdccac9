//! What a verb is called with: where, by whom, under which limits. Made by the caller,
//! who alone reads the environment.

use std::path::PathBuf;

use crate::contract::catalog::Catalog;
use crate::contract::ids::{AgentId, MissionId, ProjectId, TaskId};
use crate::contract::limits::Limits;
use crate::contract::scope::Place;
use crate::contract::settings::GuardSettings;

/// The surroundings of a call.
#[derive(Clone, Debug)]
pub struct Context {
    /// The store's path.
    pub store: PathBuf,
    /// The project.
    pub project: ProjectId,
    /// Root of the working tree: files are named relative to it.
    pub root: PathBuf,
    /// Working directory.
    pub cwd: PathBuf,
    /// The calling agent, when named.
    pub agent: Option<AgentId>,
    /// The mission, when named.
    pub mission: Option<MissionId>,
    /// The task, when named.
    pub task: Option<TaskId>,
    /// The caller's idempotency key.
    pub key: Option<String>,
    /// The configuration folder.
    pub config: PathBuf,
    /// The limits in force.
    pub limits: Limits,
    /// What is configured for the guard.
    pub guard: GuardGround,
    /// Whether the call comes from inside an agent's session.
    pub inside_agent: bool,
    /// This host's name.
    pub host: String,
    /// The processes above the call, the nearest first; empty where nobody asked.
    pub ancestors: Vec<Ancestor>,
    /// The process ends after this one call, so that nothing needs to be taken apart.
    pub brief: bool,
}

/// What the guard stands on besides the call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GuardGround {
    /// What is configured for this project.
    pub settings: GuardSettings,
    /// Home folder of the user; empty when unknown.
    pub home: PathBuf,
}

/// A process above the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ancestor {
    /// Its id.
    pub pid: u32,
    /// When it started, in clock ticks since boot: an id is used again, a start is not.
    pub started: u64,
}

impl Context {
    /// Where a call about a task stands.
    #[must_use]
    pub fn place(
        &self,
        task: Option<&TaskId>,
        mission: Option<&MissionId>,
        agent: Option<&AgentId>,
    ) -> Place {
        Place {
            project: self.project.clone(),
            mission: mission.cloned(),
            task: task.cloned(),
            agent: agent.cloned(),
        }
    }

    /// The catalogue that the product ships.
    #[must_use]
    pub fn catalog(&self) -> &'static Catalog {
        Catalog::shipped()
    }
}
