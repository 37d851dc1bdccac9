//! Measured progress (spec 3.1): the task's one metric beats its best value so far, or
//! evidence that was not used before.

use serde::{Deserialize, Serialize};

use super::{Entry, TaskLedger};
use crate::contract::attempt::{Better, Metric};

/// The task's metric and its best value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Best {
    name: String,
    better: Better,
    #[serde(with = "exact")]
    value: f64,
}

impl Best {
    fn measures(&self, metric: &Metric) -> bool {
        self.name == metric.name && self.better == metric.better
    }

    fn beaten_by(&self, value: f64) -> bool {
        match self.better {
            Better::Higher => value > self.value,
            Better::Lower => value < self.value,
        }
    }

    /// A number of faults that reached 0 has done its work: another metric may follow.
    fn is_finished(&self) -> bool {
        self.better == Better::Lower && self.value == 0.0
    }
}

impl TaskLedger {
    /// Whether the entry brought measured progress; takes note of what it used.
    pub(super) fn measure(&mut self, entry: &Entry) -> bool {
        if !entry.made {
            return false;
        }
        let beaten = entry.metric.as_ref().is_some_and(|m| self.beat(m));
        let used = self.evidence.len();
        self.evidence.extend(entry.evidence.iter().cloned());
        beaten || self.evidence.len() > used
    }

    fn beat(&mut self, metric: &Metric) -> bool {
        let fresh = || Best {
            name: metric.name.clone(),
            better: metric.better,
            value: metric.before,
        };
        let best = self.best.get_or_insert_with(fresh);
        if !best.measures(metric) {
            if !best.is_finished() {
                return false;
            }
            *best = fresh();
        }
        let beaten = best.beaten_by(metric.after);
        if beaten {
            best.value = metric.after;
        }
        beaten
    }
}

/// A number as its shortest exact decimal text: a reader of JSON numbers may round.
mod exact {
    use serde::{Deserialize, Deserializer, Serializer, de};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
    pub(super) fn serialize<S: Serializer>(value: &f64, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(value)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
        String::deserialize(from)?
            .parse()
            .map_err(de::Error::custom)
    }
}
