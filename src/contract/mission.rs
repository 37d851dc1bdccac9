//! Mission and task states (spec 3.7).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where a mission stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MissionState {
    /// Not begun.
    Planned,
    /// At work.
    Active,
    /// Its result is being checked.
    Checking,
    /// A check failed.
    Repairing,
    /// Cannot go on.
    Blocked,
    /// A person must decide.
    Escalated,
    /// Stopped by a breaker.
    Halted,
    /// Finished.
    Done,
}

impl MissionState {
    /// Every state.
    pub const ALL: [Self; 8] = [
        Self::Planned,
        Self::Active,
        Self::Checking,
        Self::Repairing,
        Self::Blocked,
        Self::Escalated,
        Self::Halted,
        Self::Done,
    ];

    /// The state as it is written.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Planned => "planned",
            Self::Active => "active",
            Self::Checking => "checking",
            Self::Repairing => "repairing",
            Self::Blocked => "blocked",
            Self::Escalated => "escalated",
            Self::Halted => "halted",
            Self::Done => "done",
        }
    }

    /// Reads a state.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == text)
    }
}

/// Where a task stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TaskState {
    /// At work.
    #[default]
    Open,
    /// A breaker holds it.
    Escalated,
    /// Finished.
    Done,
}

impl TaskState {
    /// The state as it is written.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Escalated => "escalated",
            Self::Done => "done",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_read_as_written() {
        for (state, word) in MissionState::ALL.into_iter().zip([
            "planned",
            "active",
            "checking",
            "repairing",
            "blocked",
            "escalated",
            "halted",
            "done",
        ]) {
            assert_eq!(state.as_str(), word);
            assert_eq!(MissionState::parse(word), Some(state));
            assert_eq!(serde_json::to_value(state).unwrap(), word);
        }
        assert_eq!(MissionState::parse("Active"), None);
        assert_eq!(MissionState::parse(""), None);
    }

    #[test]
    fn the_states_of_a_task_are_written_as_they_are_stored() {
        for (state, word) in [
            (TaskState::Open, "open"),
            (TaskState::Escalated, "escalated"),
            (TaskState::Done, "done"),
        ] {
            assert_eq!(state.as_str(), word);
            assert_eq!(serde_json::to_value(state).unwrap(), word);
        }
        assert_eq!(TaskState::default(), TaskState::Open);
    }
}
