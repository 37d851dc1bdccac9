//! Time limits of an entry (spec 4.2): what is over by now, and how jumps of the clock move it.

use super::{Claim, Entry, FOLLOW_UPS, LAPSES, OPEN_US, Phase, Step};
use crate::contract::handoff::{Ending, Lapse};

/// The time limit that runs, in UTC microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// Where it began.
    pub from_us: i64,
    /// When it is over.
    pub until_us: i64,
}

impl Entry {
    /// The time limit that runs; none in a terminal state.
    #[must_use]
    pub fn limit(&self) -> Option<Limit> {
        match &self.phase {
            Phase::Open { since_us } => {
                let left = OPEN_US.saturating_sub(self.open_spent_us);
                Some(Limit {
                    from_us: *since_us,
                    until_us: since_us.saturating_add(left),
                })
            }
            Phase::Claimed(claim) => Some(Limit {
                from_us: claim.from_us,
                until_us: claim.until_us,
            }),
            _ => None,
        }
    }

    /// Takes every step that time has brought by now, in order, each with its moment. A claim that
    /// lapsed unseen opens the entry when it lapsed, and that time in `open` counts.
    pub fn expire(&mut self, now_us: i64) -> Vec<(Step, i64)> {
        let mut steps = Vec::new();
        while let Some((step, at_us)) = self.due(now_us) {
            self.evolve(&step, at_us);
            steps.push((step, at_us));
        }
        steps
    }

    fn due(&self, now_us: i64) -> Option<(Step, i64)> {
        let limit = self.limit().filter(|limit| limit.until_us <= now_us)?;
        let step = match &self.phase {
            Phase::Claimed(claim) => self.lapses_as(claim, Lapse::Lapsed),
            _ => Step::Closed {
                ending: Ending::OpenTooLong,
                holder: None,
            },
        };
        Some((step, limit.until_us))
    }

    /// What a claim that comes to nothing means for the entry.
    pub(super) fn lapses_as(&self, claim: &Claim, lapse: Lapse) -> Step {
        let asked = lapse == Lapse::Lapsed && self.follow_ups >= FOLLOW_UPS;
        if asked || self.lapses + 1 >= LAPSES {
            return Step::Closed {
                ending: match lapse {
                    Lapse::Lapsed => Ending::Lapsed,
                    Lapse::Released => Ending::Released,
                },
                holder: Some(claim.holder.clone()),
            };
        }
        Step::Reopened {
            lapse,
            holder: claim.holder.clone(),
            epoch: self.epoch,
        }
    }

    /// Moves the running time limits with a jump of the clock. The store's time never goes back:
    /// when the wall clock does, it stands still until that has caught up, and no time is lost.
    pub fn shift(&mut self, by_us: i64) {
        let by = by_us.max(0);
        match &mut self.phase {
            Phase::Open { since_us } => *since_us = since_us.saturating_add(by),
            Phase::Claimed(claim) => {
                claim.from_us = claim.from_us.saturating_add(by);
                claim.until_us = claim.until_us.saturating_add(by);
            }
            _ => {}
        }
        for lease in &mut self.leases {
            lease.until_us = lease.until_us.saturating_add(by);
        }
    }
}
