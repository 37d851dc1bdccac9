//! A handoff as the journal folds it, and as it stands at a moment (spec 4).

use serde::{Deserialize, Serialize};

use crate::contract::envelope::ParentRef;
use crate::contract::handoff::{Ending, HandoffState};
use crate::contract::ids::{ProjectId, RecordId};
use crate::contract::row::HandoffRow;
use crate::contract::time::rfc3339;
use crate::rules::handoff::{Entry, Lease, Step};

use super::PRODUCER;

/// A receipt that another one may follow from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReceiptRef {
    /// Its id.
    pub id: String,
    /// Schema of its payload.
    pub schema: String,
    /// Digest of its stored bytes.
    pub digest: String,
}

impl ReceiptRef {
    /// As a parent, with its digest.
    #[must_use]
    pub fn parent(&self) -> ParentRef {
        ParentRef {
            receipt_id: RecordId::new(self.id.clone()),
            expected_schema: self.schema.clone(),
            expected_producer: PRODUCER.to_owned(),
            digest: Some(self.digest.clone()),
        }
    }
}

/// A handoff.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Handoff {
    /// What the panes show.
    pub row: HandoffRow,
    /// What the rules look at.
    pub entry: Entry,
    /// The goal that its receipts carry.
    pub goal_hash: String,
    /// The dispatch.
    pub opened: ReceiptRef,
    /// The last claim.
    pub claim: Option<ReceiptRef>,
    /// The answer.
    pub answer: Option<ReceiptRef>,
    /// The escalation.
    pub escalation: Option<ReceiptRef>,
    /// Positions of the records about it, leases left out.
    pub thread: Vec<u64>,
    /// Positions of late answers.
    pub hints: Vec<u64>,
}

/// Tells whether the process behind a lease is still there.
pub type Alive<'a> = &'a dyn Fn(&Lease) -> bool;

impl Handoff {
    /// Its id.
    #[must_use]
    pub fn id(&self) -> RecordId {
        RecordId::new(self.row.id.clone())
    }

    /// Its project.
    #[must_use]
    pub fn project(&self) -> ProjectId {
        ProjectId::new(self.row.project.clone())
    }

    /// The row says what the entry says, at a time in UTC microseconds.
    pub fn refresh(&mut self, now_us: i64, alive: Alive<'_>) {
        let entry = &self.entry;
        let row = &mut self.row;
        entry.state().as_str().clone_into(&mut row.state);
        row.holder = entry.claim().map(|claim| claim.holder.to_string());
        row.epoch = entry.epoch;
        let limit = entry.limit();
        row.limit_from = limit.map(|limit| rfc3339(limit.from_us));
        row.deadline = limit.map(|limit| rfc3339(limit.until_us));
        row.lapses = entry.lapses;
        row.follow_ups = entry.follow_ups;
        row.used = entry.state() == HandoffState::Resolved && !entry.is_unused();
        row.waiters = entry
            .leases
            .iter()
            .filter(|lease| lease.until_us > now_us && alive(lease))
            .map(|lease| lease.agent.to_string())
            .collect();
        row.waiters.sort();
        row.waiters.dedup();
        let waits = !row.waiters.is_empty() && !entry.state().is_terminal();
        let priority = if waits { "blocking" } else { "background" };
        priority.clone_into(&mut row.priority);
    }

    /// How it stands at a moment: what time has brought is taken, although no record says it yet.
    pub fn see(&mut self, now_us: i64, jump_us: i64, alive: Alive<'_>) {
        self.entry.shift(jump_us);
        for (step, at_us) in self.entry.expire(now_us) {
            if let Step::Closed { ending, .. } = step {
                self.row.reason = Some(words(ending).to_owned());
                self.row.last_at = rfc3339(at_us);
            }
        }
        self.refresh(now_us, alive);
    }

    /// Its place in the pane: escalated and undecided, open and blocking, open, claimed, answered
    /// and not used, the rest.
    #[must_use]
    pub fn rank(&self) -> i64 {
        match self.entry.state() {
            HandoffState::Escalated if self.entry.is_undecided() => 5,
            HandoffState::Open if self.row.priority == "blocking" => 4,
            HandoffState::Open => 3,
            HandoffState::Claimed => 2,
            HandoffState::Resolved if self.entry.is_unused() => 1,
            _ => 0,
        }
    }
}

/// Why an entry ended, in words.
#[must_use]
pub fn words(ending: Ending) -> &'static str {
    match ending {
        Ending::Lapsed => "the claim lapsed for good",
        Ending::Released => "a second claim was given back",
        Ending::SecondFollowUp => "a second follow-up question was asked",
        Ending::OpenTooLong => "nobody took it for 30 minutes",
        Ending::HolderCannotHelp => "its holder cannot help",
        Ending::Withdrawn => "the asker took it back",
        Ending::Parked => "it was parked before a claim",
    }
}
