//! Scopes (spec 3): session and task inside a mission, that inside a project, that in the fleet.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::digest::Digest;
use super::ids::{AgentId, MissionId, ProjectId, TaskId};

/// What a breaker covers.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Scope {
    /// One agent.
    Session {
        /// The agent.
        agent: AgentId,
    },
    /// One task.
    Task {
        /// Its project.
        project: ProjectId,
        /// The task.
        task: TaskId,
    },
    /// One mission.
    Mission {
        /// Its project.
        project: ProjectId,
        /// The mission.
        mission: MissionId,
    },
    /// One project.
    Project {
        /// The project.
        project: ProjectId,
    },
    /// The whole store.
    Fleet,
}

impl Scope {
    /// The scope's kind as one word.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Session { .. } => "session",
            Self::Task { .. } => "task",
            Self::Mission { .. } => "mission",
            Self::Project { .. } => "project",
            Self::Fleet => "fleet",
        }
    }

    /// The id inside the kind; empty for the fleet.
    #[must_use]
    pub fn id(&self) -> &str {
        match self {
            Self::Session { agent } => agent.as_str(),
            Self::Task { task, .. } => task.as_str(),
            Self::Mission { mission, .. } => mission.as_str(),
            Self::Project { project } => project.as_str(),
            Self::Fleet => "",
        }
    }

    /// The project, where the scope lies in one.
    #[must_use]
    pub fn project(&self) -> Option<&ProjectId> {
        match self {
            Self::Task { project, .. }
            | Self::Mission { project, .. }
            | Self::Project { project } => Some(project),
            Self::Session { .. } | Self::Fleet => None,
        }
    }

    /// The key of its state row: kind, project and id joined by U+001F.
    #[must_use]
    pub fn key(&self) -> String {
        let project = match self {
            Self::Task { project, .. } | Self::Mission { project, .. } => project.as_str(),
            _ => "",
        };
        format!("{}\u{1f}{project}\u{1f}{}", self.kind(), self.id())
    }

    /// Reads a key back; `None` for anything that [`Self::key`] does not write.
    #[must_use]
    pub fn from_key(key: &str) -> Option<Self> {
        let mut parts = key.splitn(3, '\u{1f}');
        let (kind, project, id) = (parts.next()?, parts.next()?, parts.next()?);
        let project = ProjectId::new(project);
        let scope = match kind {
            "session" => Self::Session {
                agent: AgentId::new(id),
            },
            "task" => Self::Task {
                project,
                task: TaskId::new(id),
            },
            "mission" => Self::Mission {
                project,
                mission: MissionId::new(id),
            },
            "project" => Self::Project {
                project: ProjectId::new(id),
            },
            "fleet" => Self::Fleet,
            _ => return None,
        };
        (scope.key() == key).then_some(scope)
    }

    /// The digest that its slot in the flag file holds (spec 3.6).
    #[must_use]
    pub fn digest(&self) -> Digest {
        Digest::of(self.key().as_bytes())
    }
}

/// `mission:M-3`, `fleet`; the project is left out, as a person types it.
impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fleet => f.write_str("fleet"),
            Self::Session { agent } => write!(f, "agent:{agent}"),
            other => write!(f, "{}:{}", other.kind(), other.id()),
        }
    }
}

/// Where a call stands: every scope that can stop it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The project.
    pub project: ProjectId,
    /// The mission, when known.
    pub mission: Option<MissionId>,
    /// The task, when known.
    pub task: Option<TaskId>,
    /// The agent, when known.
    pub agent: Option<AgentId>,
}

impl Place {
    /// The scopes from the widest to the narrowest. A subagent's session lies in the one that
    /// started it.
    #[must_use]
    pub fn scopes(&self) -> Vec<Scope> {
        let mut scopes = vec![
            Scope::Fleet,
            Scope::Project {
                project: self.project.clone(),
            },
        ];
        if let Some(mission) = &self.mission {
            scopes.push(Scope::Mission {
                project: self.project.clone(),
                mission: mission.clone(),
            });
        }
        if let Some(task) = &self.task {
            scopes.push(Scope::Task {
                project: self.project.clone(),
                task: task.clone(),
            });
        }
        if let Some(agent) = &self.agent {
            let above = agent.as_str().rsplit_once('/').map(|(root, _)| root);
            scopes.extend(above.map(|root| Scope::Session {
                agent: AgentId::new(root),
            }));
            scopes.push(Scope::Session {
                agent: agent.clone(),
            });
        }
        scopes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_are_named_and_keyed() {
        let project = ProjectId::new("/p");
        let place = Place {
            project: project.clone(),
            mission: Some(MissionId::new("M")),
            task: Some(TaskId::new("T")),
            agent: Some(AgentId::new("a")),
        };
        let scopes = place.scopes();
        let shown: Vec<String> = scopes.iter().map(ToString::to_string).collect();
        assert_eq!(
            shown,
            ["fleet", "project:/p", "mission:M", "task:T", "agent:a"]
        );
        let keys: Vec<String> = scopes.iter().map(Scope::key).collect();
        assert_eq!(
            keys,
            [
                "fleet\u{1f}\u{1f}",
                "project\u{1f}\u{1f}/p",
                "mission\u{1f}/p\u{1f}M",
                "task\u{1f}/p\u{1f}T",
                "session\u{1f}\u{1f}a"
            ]
        );
        let projects: Vec<bool> = scopes
            .iter()
            .map(|s| s.project() == Some(&project))
            .collect();
        assert_eq!(projects, [false, true, true, true, false]);
        assert_eq!(
            scopes[0].digest(),
            Digest::of("fleet\u{1f}\u{1f}".as_bytes())
        );
        let bare = Place {
            project,
            mission: None,
            task: None,
            agent: None,
        };
        assert_eq!(bare.scopes().len(), 2);
        let inside = Place {
            agent: Some(AgentId::new("claude:s/sub")),
            ..bare
        };
        let shown: Vec<String> = inside.scopes().iter().map(ToString::to_string).collect();
        assert_eq!(shown[2..], ["agent:claude:s", "agent:claude:s/sub"]);
    }

    #[test]
    fn a_key_is_read_as_it_is_written_and_no_other_text() {
        let place = Place {
            project: ProjectId::new("/p"),
            mission: Some(MissionId::new("M")),
            task: Some(TaskId::new("T")),
            agent: Some(AgentId::new("a")),
        };
        for scope in place.scopes() {
            assert_eq!(Scope::from_key(&scope.key()), Some(scope));
        }
        for other in [
            "",
            "fleet",
            "fleet\u{1f}",
            "fleet\u{1f}\u{1f}x",
            "fleet\u{1f}/p\u{1f}",
            "Fleet\u{1f}\u{1f}",
            "session\u{1f}/p\u{1f}a",
            "project\u{1f}/p\u{1f}/p",
            "task\u{1f}/p",
            "row\u{1f}/p\u{1f}T",
        ] {
            assert_eq!(Scope::from_key(other), None, "{other:?}");
        }
    }
}
