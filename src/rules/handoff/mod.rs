//! Handoffs (spec 4.2): who may do what with an entry, and when its time is over. Nothing stays
//! in circulation: whatever happens, an entry ends within [`BOUND_US`].

mod decide;
mod evolve;
mod expire;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::contract::handoff::{Ending, HandoffState, Lapse, Wants};
use crate::contract::ids::AgentId;

pub use decide::{Command, No};
pub use expire::Limit;

const MINUTE_US: i64 = 60_000_000;

/// How long an entry may be open, added up over its re-openings: 30 minutes.
pub const OPEN_US: i64 = 30 * MINUTE_US;
/// How long a claim may stay without an answer: 10 minutes.
pub const CLAIM_US: i64 = 10 * MINUTE_US;
/// How long a waiter's lease lasts: 30 seconds.
pub const LEASE_US: i64 = 30_000_000;
/// Follow-up questions that the holders of an entry may ask together.
pub const FOLLOW_UPS: u64 = 1;
/// The claim that comes to nothing and ends the entry: the second one.
pub const LAPSES: u64 = 2;
/// Within this an entry ends: its time in `open`, two claims, and the one new start of a claim's
/// clock by the asker's reply. Jumps of the clock come on top, as deadlines move with them.
pub const BOUND_US: i64 = OPEN_US + 3 * CLAIM_US;

/// A waiter's lease.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lease {
    /// Who waits.
    pub agent: AgentId,
    /// Host of the waiting process.
    pub host: String,
    /// The waiting process.
    pub pid: u32,
    /// When that started, in clock ticks since boot.
    pub started: u64,
    /// Until when, UTC microseconds.
    pub until_us: i64,
}

/// A claim that runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// Who holds the entry.
    pub holder: AgentId,
    /// Where its clock began, UTC microseconds.
    pub from_us: i64,
    /// When it lapses, UTC microseconds.
    pub until_us: i64,
    /// A follow-up question waits for its reply.
    pub awaits: bool,
    /// The asker's reply has started the clock anew.
    pub restarted: bool,
}

/// Where an entry stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Nobody holds it, since this time in UTC microseconds.
    Open {
        /// Since when.
        since_us: i64,
    },
    /// One agent holds it.
    Claimed(Claim),
    /// Answered.
    Resolved {
        /// The asker told what it did with the answer.
        used: bool,
    },
    /// Parked.
    Blocked,
    /// For a person.
    Escalated {
        /// A person has decided.
        decided: bool,
    },
}

/// An entry, as far as the rules look at it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Who asks.
    pub asker: Option<AgentId>,
    /// What is wanted.
    pub wants: Wants,
    /// Where it stands.
    pub phase: Phase,
    /// The epoch of the last claim; 0 before the first one.
    pub epoch: u64,
    /// The last epoch of each agent that ever held it.
    pub epochs: BTreeMap<AgentId, u64>,
    /// Claims that came to nothing.
    pub lapses: u64,
    /// Follow-up questions so far.
    pub follow_ups: u64,
    /// Time spent in `open` before the present phase, in microseconds.
    pub open_spent_us: i64,
    /// Who waits.
    pub leases: Vec<Lease>,
}

/// Something that happens to an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// An agent takes it.
    Claimed {
        /// Who.
        holder: AgentId,
        /// With which epoch.
        epoch: u64,
    },
    /// The holder asks back.
    Asked,
    /// The asker tells more.
    Replied,
    /// The holder answers.
    Answered,
    /// A claim comes to nothing, and the entry is open again.
    Reopened {
        /// Why.
        lapse: Lapse,
        /// Whose claim it was.
        holder: AgentId,
        /// Its epoch.
        epoch: u64,
    },
    /// It ends without an answer.
    Closed {
        /// Why.
        ending: Ending,
        /// Whose claim it was, where it was claimed.
        holder: Option<AgentId>,
    },
    /// It ends with a person.
    Escalated,
    /// The asker used the answer.
    Used,
    /// A person decided.
    Decided,
    /// An agent waits for it.
    Waits(Lease),
}

impl Entry {
    /// A fresh entry.
    #[must_use]
    pub fn opened(asker: Option<AgentId>, wants: Wants, at_us: i64) -> Self {
        Self {
            asker,
            wants,
            phase: Phase::Open { since_us: at_us },
            epoch: 0,
            epochs: BTreeMap::new(),
            lapses: 0,
            follow_ups: 0,
            open_spent_us: 0,
            leases: Vec::new(),
        }
    }

    /// Its state as a word.
    #[must_use]
    pub fn state(&self) -> HandoffState {
        match self.phase {
            Phase::Open { .. } => HandoffState::Open,
            Phase::Claimed(_) => HandoffState::Claimed,
            Phase::Resolved { .. } => HandoffState::Resolved,
            Phase::Blocked => HandoffState::Blocked,
            Phase::Escalated { .. } => HandoffState::Escalated,
        }
    }

    /// The claim that runs.
    #[must_use]
    pub fn claim(&self) -> Option<&Claim> {
        match &self.phase {
            Phase::Claimed(claim) => Some(claim),
            _ => None,
        }
    }

    /// Answered, and the asker has not told what it did with the answer.
    #[must_use]
    pub fn is_unused(&self) -> bool {
        self.phase == Phase::Resolved { used: false }
    }

    /// Escalated, and no person has decided.
    #[must_use]
    pub fn is_undecided(&self) -> bool {
        self.phase == Phase::Escalated { decided: false }
    }
}
