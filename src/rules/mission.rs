//! Which state follows which (spec 3.7), and what a forbidden move means.

use crate::contract::mission::{MissionState, TaskState};

/// What a move stands on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum How {
    /// Nothing but the wish of an agent or a person.
    Agent,
    /// A breaker opened.
    Breaker,
    /// A signed reset of the last open breaker.
    Reset,
    /// A record of new knowledge.
    NewKnowledge,
    /// A signed decision of a human.
    HumanDecision,
}

/// Who tried a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mover {
    /// An agent.
    Agent,
    /// A person.
    Person,
}

/// What a forbidden move leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Consequence {
    /// The mission's breaker opens with the trigger `state`.
    TripsState,
    /// The move is refused, and that is all.
    Refused,
}

/// A move that no rule allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{from}` does not become `{to}` {}", way(*how))]
pub struct Forbidden {
    /// Where it stands.
    pub from: &'static str,
    /// Where it should have gone.
    pub to: &'static str,
    /// What the move stood on.
    pub how: How,
}

impl Forbidden {
    /// What follows, by who tried it (spec 3.6, `state`).
    #[must_use]
    pub fn means(&self, mover: Mover) -> Consequence {
        match mover {
            Mover::Agent => Consequence::TripsState,
            Mover::Person => Consequence::Refused,
        }
    }
}

fn way(how: How) -> &'static str {
    match how {
        How::Agent => "by a mere move",
        How::Breaker => "by a breaker",
        How::Reset => "by a reset",
        How::NewKnowledge => "by new knowledge",
        How::HumanDecision => "by a human decision",
    }
}

/// Whether a mission may go from one state to another.
///
/// A breaker halts whatever is not done (spec 3.6); every other way is told in spec 3.7.
///
/// # Errors
/// The table does not name the move.
pub fn transition(from: MissionState, to: MissionState, how: How) -> Result<(), Forbidden> {
    if ways(from, to).contains(&how) {
        Ok(())
    } else {
        Err(Forbidden {
            from: from.as_str(),
            to: to.as_str(),
            how,
        })
    }
}

/// What allows a mission's move.
fn ways(from: MissionState, to: MissionState) -> &'static [How] {
    use MissionState::{Active, Blocked, Checking, Done, Escalated, Halted, Planned, Repairing};
    match (from, to) {
        (Planned, Active)
        | (Active | Repairing, Checking)
        | (Checking, Done | Repairing)
        | (Active | Checking | Repairing, Blocked | Escalated) => &[How::Agent],
        (Active | Checking | Repairing, Halted) => &[How::Agent, How::Breaker],
        (Planned | Blocked | Escalated, Halted) => &[How::Breaker],
        (Halted, Active | Blocked | Escalated) => &[How::Reset],
        (Blocked, Active) => &[How::NewKnowledge],
        (Escalated, Active) => &[How::HumanDecision],
        _ => &[],
    }
}

/// The states that a reset may take a halted mission to, the usual one first.
pub const RESET_TARGETS: [MissionState; 3] = [
    MissionState::Active,
    MissionState::Blocked,
    MissionState::Escalated,
];

/// Whether a task may go from one state to another.
///
/// # Errors
/// The table does not name the move.
pub fn task_transition(from: TaskState, to: TaskState, how: How) -> Result<(), Forbidden> {
    let allowed = match (from, to) {
        (TaskState::Open, TaskState::Escalated) => matches!(how, How::Agent | How::Breaker),
        (TaskState::Escalated, TaskState::Open) => how == How::Reset,
        (TaskState::Open, TaskState::Done) => how == How::Agent,
        _ => false,
    };
    if allowed {
        Ok(())
    } else {
        Err(Forbidden {
            from: from.as_str(),
            to: to.as_str(),
            how,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    const WAYS: [How; 5] = [
        How::Agent,
        How::Breaker,
        How::Reset,
        How::NewKnowledge,
        How::HumanDecision,
    ];

    #[test]
    fn a_mission_moves_as_the_table_says_and_no_other_way() {
        let mut allowed = BTreeSet::new();
        for from in MissionState::ALL {
            for to in MissionState::ALL {
                for how in WAYS {
                    if transition(from, to, how).is_ok() {
                        allowed.insert(format!("{} {} {how:?}", from.as_str(), to.as_str()));
                    }
                }
            }
        }
        let table = "planned active Agent
            active checking Agent
            checking done Agent
            checking repairing Agent
            repairing checking Agent
            active blocked Agent
            active escalated Agent
            active halted Agent
            active halted Breaker
            checking blocked Agent
            checking escalated Agent
            checking halted Agent
            checking halted Breaker
            repairing blocked Agent
            repairing escalated Agent
            repairing halted Agent
            repairing halted Breaker
            planned halted Breaker
            blocked halted Breaker
            escalated halted Breaker
            halted active Reset
            halted blocked Reset
            halted escalated Reset
            blocked active NewKnowledge
            escalated active HumanDecision";
        let table: BTreeSet<String> = table.lines().map(|l| l.trim().to_owned()).collect();
        assert_eq!(allowed, table);
        for to in RESET_TARGETS {
            assert_eq!(transition(MissionState::Halted, to, How::Reset), Ok(()));
        }
    }

    #[test]
    fn a_task_moves_as_the_table_says_and_no_other_way() {
        let states = [TaskState::Open, TaskState::Escalated, TaskState::Done];
        let mut allowed = Vec::new();
        for from in states {
            for to in states {
                for how in WAYS {
                    match task_transition(from, to, how) {
                        Ok(()) => allowed.push((from, to, how)),
                        Err(no) => assert_eq!((no.from, no.to), (from.as_str(), to.as_str())),
                    }
                }
            }
        }
        assert_eq!(
            allowed,
            [
                (TaskState::Open, TaskState::Escalated, How::Agent),
                (TaskState::Open, TaskState::Escalated, How::Breaker),
                (TaskState::Open, TaskState::Done, How::Agent),
                (TaskState::Escalated, TaskState::Open, How::Reset),
            ]
        );
    }

    #[test]
    fn an_agent_trips_where_a_person_is_refused() {
        let texts: Vec<String> = WAYS
            .into_iter()
            .map(|how| {
                let no = transition(MissionState::Done, MissionState::Active, how).unwrap_err();
                assert_eq!(no.means(Mover::Agent), Consequence::TripsState);
                assert_eq!(no.means(Mover::Person), Consequence::Refused);
                no.to_string()
            })
            .collect();
        assert_eq!(
            texts,
            [
                "`done` does not become `active` by a mere move",
                "`done` does not become `active` by a breaker",
                "`done` does not become `active` by a reset",
                "`done` does not become `active` by new knowledge",
                "`done` does not become `active` by a human decision",
            ]
        );
    }
}
