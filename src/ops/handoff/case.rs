//! One entry inside a transaction: what time has brought comes first, then a step is decided and
//! recorded.

use serde::Serialize;

use crate::contract::handoff::{
    CLOSED, Closed, Ending, LATE, LateAnswer, REOPENED, Reopened, WAITING, Waiting,
};
use crate::contract::ids::{AgentId, RecordId, TaskId};
use crate::contract::message::MessageKind;
use crate::contract::record::Record;
use crate::contract::refusal::{Code, Refusal};
use crate::contract::scope::Scope;
use crate::contract::secret;
use crate::journal::Write;
use crate::ops::context::Context;
use crate::ops::domain::{self, Handoff, ReceiptRef};
use crate::ops::inbox::{self, Posting};
use crate::ops::records::{self, Receipt, fresh_id};
use crate::ops::store::load;
use crate::rules::handoff::{Command, Lease, No, Step};

use super::{Sight, find, refuse};

/// Characters of an outcome that the asker's inbox shows.
const SHOWN: usize = 1_000;

/// An entry that is being worked on.
pub(super) struct Case {
    /// The entry, with everything that time has brought.
    pub(super) handoff: Handoff,
    /// How many expiries were recorded just now.
    pub(super) expired: usize,
    /// The calling surroundings, in the entry's project.
    context: Context,
}

impl Case {
    /// Finds an entry and records its expiries.
    pub(super) fn open(
        context: &Context,
        id: &str,
        write: &mut dyn Write,
    ) -> Result<Self, Refusal> {
        let handoff = find(write, id)?;
        let context = Context {
            project: handoff.project(),
            ..context.clone()
        };
        let mut case = Self {
            handoff,
            expired: 0,
            context,
        };
        // The clock's jump is recorded with the first record, and moves the limits then.
        let sight = Sight::of(write)?;
        case.handoff.entry.shift(sight.jump_us);
        let steps = case.handoff.entry.clone().expire(sight.now_us);
        case.expired = steps.len();
        for (step, at_us) in &steps {
            case.expire(step, *at_us, write)?;
        }
        if case.expired > 0 {
            case.reload(write)?;
        }
        Ok(case)
    }

    /// What the rules say to a command.
    pub(super) fn decide(&self, command: &Command) -> Result<Step, Refusal> {
        self.asked(command)
            .map_err(|no| refuse::no(&self.handoff, &no))
    }

    /// As [`Self::decide`], with the rule's own reason.
    pub(super) fn asked(&self, command: &Command) -> Result<Step, No> {
        self.handoff.entry.decide(command)
    }

    fn reload(&mut self, write: &dyn Write) -> Result<(), Refusal> {
        if let Some(handoff) = load::<Handoff>(write, domain::HANDOFF, &self.handoff.row.id)? {
            self.handoff = handoff;
        }
        Ok(())
    }

    fn expire(&self, step: &Step, at_us: i64, write: &mut dyn Write) -> Result<(), Refusal> {
        match step {
            Step::Reopened { .. } => self.reopen(step, at_us, write).map(drop),
            Step::Closed { ending, holder } => {
                let reason = domain::words(*ending);
                self.close(*ending, reason, holder.as_ref(), at_us, write)
                    .map(drop)
            }
            _ => Err(Refusal::new(
                Code::Internal,
                "time brought what only somebody can do",
                "watchfloor verify --deep",
            )),
        }
    }

    /// Records that a claim came to nothing.
    pub(super) fn reopen(
        &self,
        step: &Step,
        at_us: i64,
        write: &mut dyn Write,
    ) -> Result<Record, Refusal> {
        let Step::Reopened {
            lapse,
            holder,
            epoch,
        } = step
        else {
            return Err(Refusal::new(
                Code::Internal,
                "this step opens nothing",
                "watchfloor verify --deep",
            ));
        };
        let body = Reopened {
            schema: REOPENED.to_owned(),
            handoff_id: self.handoff.id(),
            lapse: *lapse,
            holder: holder.clone(),
            epoch: *epoch,
            at_us,
        };
        self.event(REOPENED, Some(holder), &body, write)
    }

    /// Records an end without an answer.
    pub(super) fn close(
        &self,
        ending: Ending,
        reason: &str,
        by: Option<&AgentId>,
        at_us: i64,
        write: &mut dyn Write,
    ) -> Result<Record, Refusal> {
        let body = Closed {
            schema: CLOSED.to_owned(),
            handoff_id: self.handoff.id(),
            ending,
            reason: reason.to_owned(),
            by: by.cloned(),
            epoch: self.handoff.entry.epoch,
            at_us,
        };
        let parent = self.latest();
        self.receipt(fresh_id(), &[parent], by, &body, write)
    }

    /// The receipt that an end follows from: the last claim, or the dispatch.
    pub(super) fn latest(&self) -> &ReceiptRef {
        self.handoff.claim.as_ref().unwrap_or(&self.handoff.opened)
    }

    /// Keeps an answer that came too late, as a hint for the next holder.
    pub(super) fn keep_late(
        &self,
        agent: &AgentId,
        epoch: u64,
        text: &str,
        write: &mut dyn Write,
    ) -> Result<Record, Refusal> {
        let body = LateAnswer {
            schema: LATE.to_owned(),
            handoff_id: self.handoff.id(),
            agent: agent.clone(),
            epoch,
            text: secret::redact(text).0,
        };
        let task = self.task();
        let by = Some(agent.clone());
        write.append(records::observation(&self.context, LATE, task, by, &body)?)
    }

    /// Records a waiter's lease.
    pub(super) fn wait(&self, lease: &Lease, write: &mut dyn Write) -> Result<Record, Refusal> {
        let body = Waiting {
            schema: WAITING.to_owned(),
            handoff_id: self.handoff.id(),
            agent: lease.agent.clone(),
            host: lease.host.clone(),
            pid: lease.pid,
            started: lease.started,
        };
        self.event(WAITING, Some(&lease.agent), &body, write)
    }

    /// Appends an event about the entry.
    pub(super) fn event<T: Serialize>(
        &self,
        schema: &str,
        by: Option<&AgentId>,
        body: &T,
        write: &mut dyn Write,
    ) -> Result<Record, Refusal> {
        let record = records::event(&self.context, schema, self.task(), by.cloned(), body)?;
        write.append(record)
    }

    /// Appends a receipt about the entry.
    pub(super) fn receipt<T: Serialize>(
        &self,
        id: RecordId,
        parents: &[&ReceiptRef],
        by: Option<&AgentId>,
        payload: &T,
        write: &mut dyn Write,
    ) -> Result<Record, Refusal> {
        let project = self.handoff.project();
        let scope = match self.task() {
            Some(task) => Scope::Task { project, task },
            None => Scope::Project { project },
        };
        let about = Receipt {
            id,
            goal_hash: self.handoff.goal_hash.clone(),
            parents: parents.iter().map(|parent| parent.parent()).collect(),
            scope: &scope,
            agent: by.cloned(),
        };
        records::receipt(&self.context, write, about, payload)
    }

    /// Leaves the outcome in the asker's inbox. An agent that waits for the entry gets an answer
    /// there; a decision reaches it both ways (spec 4.2).
    pub(super) fn tell_asker(
        &self,
        by: Option<&AgentId>,
        what: &str,
        text: &str,
        write: &mut dyn Write,
    ) -> Result<(), Refusal> {
        let Some(asker) = &self.handoff.entry.asker else {
            return Ok(());
        };
        let mut seen = self.handoff.clone();
        Sight::of(write)?.see(&mut seen);
        if by.is_some() && seen.row.waiters.iter().any(|w| w == asker.as_str()) {
            return Ok(());
        }
        let handle = &self.handoff.row.handle;
        let more = format!("\nIn full: watchfloor handoff show {handle}");
        let room = SHOWN.saturating_sub(more.chars().count());
        let cut: String = text.chars().take(room).collect();
        let posting = Posting {
            to: asker.clone(),
            kind: MessageKind::Reply,
            text: format!("{what} on {handle}: {cut}{more}"),
            re: Some(self.handoff.row.id.clone()),
        };
        inbox::post(&self.context, by, &posting, write)
    }

    fn task(&self) -> Option<TaskId> {
        self.handoff.row.task.clone().map(TaskId::new)
    }
}
