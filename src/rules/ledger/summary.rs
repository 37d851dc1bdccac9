//! A task at a glance: what its row on the screen shows (spec 5).

use std::collections::BTreeMap;

use super::TaskLedger;
use super::window::Of;
use crate::contract::ids::AgentId;
use crate::contract::row::LaneStep;
use crate::contract::safety::Due;
use crate::contract::signature::SignatureId;

/// Steps of a strategy lane that are shown.
const LANE: usize = 8;

/// The counts of the window.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Tries.
    pub tries: u64,
    /// Failing tries; weak ones are none.
    pub failing: u64,
    /// Failing tries after the first one.
    pub repairs: u64,
    /// Failing tries with the latest failing signature.
    pub same: u64,
    /// The latest failing signature.
    pub signature: Option<SignatureId>,
    /// The step that is due.
    pub due: Option<Due>,
    /// The latest tries, oldest first, at most eight.
    pub lanes: Vec<LaneStep>,
    /// The file in the most tries, the first by name of several, and in how many.
    pub churn: Option<(String, u64)>,
}

impl TaskLedger {
    /// The counts of the window.
    #[must_use]
    pub fn summary(&self) -> Summary {
        Summary {
            tries: wide(self.window.tries().len()),
            failing: wide(self.window.failing(Of::Everything).len()),
            repairs: wide(self.repairs()),
            same: wide(self.same()),
            signature: self.latest_signature().cloned(),
            due: self.due(),
            lanes: self.lanes(),
            churn: self.churned(),
        }
    }

    /// Whether the agent has an entry in the task.
    #[must_use]
    pub fn knows(&self, agent: &AgentId) -> bool {
        self.agents.contains(agent)
    }

    /// Letters in the order in which the window first saw the strategies.
    fn lanes(&self) -> Vec<LaneStep> {
        let mut known: Vec<&str> = Vec::new();
        let mut steps = Vec::new();
        for one in self.window.tries() {
            let place = known.iter().position(|s| *s == one.strategy);
            let place = place.unwrap_or_else(|| {
                known.push(&one.strategy);
                known.len() - 1
            });
            steps.push(LaneStep {
                lane: letters(place),
                failed: one.failed,
            });
        }
        let from = steps.len().saturating_sub(LANE);
        steps.split_off(from)
    }

    fn churned(&self) -> Option<(String, u64)> {
        let mut counts: BTreeMap<&String, u64> = BTreeMap::new();
        for file in self.window.tries().iter().flat_map(|t| &t.files) {
            *counts.entry(file).or_default() += 1;
        }
        let most = counts
            .into_iter()
            .reduce(|most, one| if one.1 > most.1 { one } else { most });
        most.map(|(file, count)| (file.clone(), count))
    }
}

/// A to Z, then A1 to Z1, and so on.
fn letters(place: usize) -> String {
    let letter = ('A'..='Z').nth(place % 26).unwrap_or('?');
    match place / 26 {
        0 => letter.to_string(),
        round => format!("{letter}{round}"),
    }
}

fn wide(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}
