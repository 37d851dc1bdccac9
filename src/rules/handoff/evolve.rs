//! What each step makes of an entry.

use super::{CLAIM_US, Claim, Entry, Phase, Step};
use crate::contract::handoff::Ending;

impl Entry {
    /// Takes one step, at a time in UTC microseconds. A step that no rule would have allowed
    /// changes what it can: the journal is the truth, and what it holds has happened.
    pub fn evolve(&mut self, step: &Step, at_us: i64) {
        match step {
            Step::Claimed { holder, epoch } => {
                self.leave_open(at_us);
                self.epoch = *epoch;
                self.epochs.insert(holder.clone(), *epoch);
                self.phase = Phase::Claimed(Claim {
                    holder: holder.clone(),
                    from_us: at_us,
                    until_us: at_us.saturating_add(CLAIM_US),
                    awaits: false,
                    restarted: false,
                });
            }
            Step::Asked => {
                self.follow_ups += 1;
                if let Phase::Claimed(claim) = &mut self.phase {
                    claim.awaits = true;
                }
            }
            Step::Replied => {
                if let Phase::Claimed(claim) = &mut self.phase {
                    claim.awaits = false;
                    if !claim.restarted {
                        claim.restarted = true;
                        claim.from_us = at_us;
                        claim.until_us = at_us.saturating_add(CLAIM_US);
                    }
                }
            }
            Step::Reopened { .. } => {
                self.lapses += 1;
                self.phase = Phase::Open { since_us: at_us };
            }
            Step::Answered => self.end(Phase::Resolved { used: false }, at_us),
            Step::Closed { ending, .. } => {
                let lapsed = matches!(ending, Ending::Lapsed | Ending::Released);
                self.lapses += u64::from(lapsed);
                self.end(Phase::Blocked, at_us);
            }
            Step::Escalated => self.end(Phase::Escalated { decided: false }, at_us),
            Step::Used => self.phase = Phase::Resolved { used: true },
            Step::Decided => self.phase = Phase::Escalated { decided: true },
            Step::Waits(lease) => {
                self.leases
                    .retain(|old| old.until_us > at_us && !same(old, lease));
                self.leases.push(lease.clone());
            }
        }
    }

    fn end(&mut self, phase: Phase, at_us: i64) {
        self.leave_open(at_us);
        self.phase = phase;
    }

    fn leave_open(&mut self, at_us: i64) {
        if let Phase::Open { since_us } = self.phase {
            let spent = at_us.saturating_sub(since_us).max(0);
            self.open_spent_us = self.open_spent_us.saturating_add(spent);
        }
    }
}

/// One process waits once.
fn same(a: &super::Lease, b: &super::Lease) -> bool {
    (&a.agent, &a.host, a.pid, a.started) == (&b.agent, &b.host, b.pid, b.started)
}
