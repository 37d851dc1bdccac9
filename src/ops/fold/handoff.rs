//! Folds what happens to a handoff (spec 4).

use serde_json::Value;

use crate::contract::digest::Digest;
use crate::contract::event::ClockJump;
use crate::contract::handoff::{
    ANSWERED, ASKED, Answered, CLAIMED, CLOSED, Claimed, Closed, DECISION, Decision, ESCALATED,
    Escalated, LateAnswer, OPENED, Opened, REOPENED, REPLIED, Reopened, USED, Used, WAITING,
    Waiting,
};
use crate::contract::ids::{AgentId, RecordId, handle};
use crate::contract::record::Record;
use crate::contract::refusal::Refusal;
use crate::contract::row::{Counts, HandoffRow};
use crate::contract::text::neutral;
use crate::contract::time::rfc3339;
use crate::journal::States;
use crate::ops::domain::{self, Handoff, ReceiptRef};
use crate::rules::handoff::{Entry, LEASE_US, Lease, Phase, Step};

use super::{agent, breaker, count, decode, load, save, strict};

/// Characters of a text in the row; the records hold all of it.
const SHOWN: usize = 1_000;

/// A receipt of a handoff.
pub(super) fn received(
    record: &Record,
    schema: &str,
    payload: Value,
    states: &mut dyn States,
) -> Result<(), Refusal> {
    match schema {
        OPENED => opened(record, &decode(record, payload)?, states),
        CLAIMED => claimed(record, &decode(record, payload)?, states),
        ANSWERED => answered(record, &decode(record, payload)?, states),
        USED => used(record, &decode(record, payload)?, states),
        CLOSED => closed(record, &decode(record, payload)?, states),
        ESCALATED => escalated(record, &decode(record, payload)?, states),
        DECISION => decided(record, &decode(record, payload)?, states),
        _ => Ok(()),
    }
}

/// An event of a handoff.
pub(super) fn happened(
    record: &Record,
    schema: &str,
    states: &mut dyn States,
) -> Result<(), Refusal> {
    match schema {
        ASKED => {
            let (id, by) = of(record, "holder")?;
            takes(record, &id, &Step::Asked, states, |_| ())?;
            did(record, by.as_ref(), "asks back on", &id, states)
        }
        REPLIED => {
            let (id, by) = of(record, "by")?;
            takes(record, &id, &Step::Replied, states, |_| ())?;
            did(record, by.as_ref(), "replies on", &id, states)
        }
        REOPENED => {
            let body: Reopened = strict(record)?;
            let step = Step::Reopened {
                lapse: body.lapse,
                holder: body.holder,
                epoch: body.epoch,
            };
            takes_at(record, &body.handoff_id, &step, body.at_us, states, |_| ())
        }
        WAITING => waits(record, strict(record)?, states),
        _ => Ok(()),
    }
}

/// Which entry an event is about, and who did it.
fn of(record: &Record, who: &str) -> Result<(RecordId, Option<AgentId>), Refusal> {
    let body: Value = strict(record)?;
    let text = |key: &str| body.get(key).and_then(Value::as_str).map(str::to_owned);
    let id = RecordId::new(text("handoff_id").unwrap_or_default());
    Ok((id, text(who).map(AgentId::new)))
}

fn opened(record: &Record, body: &Opened, states: &mut dyn States) -> Result<(), Refusal> {
    let row = HandoffRow {
        id: record.id.to_string(),
        handle: handle('h', &record.id),
        project: record.project.to_string(),
        question: cut(&body.question),
        tried: cut(&body.tried),
        needed: cut(&body.needed),
        wants: body.wants.as_str().to_owned(),
        tags: body.tags.clone(),
        asker: body
            .asker
            .as_ref()
            .map_or_else(String::new, AgentId::to_string),
        task: body.task_id.as_ref().map(ToString::to_string),
        mission: body.mission_id.as_ref().map(ToString::to_string),
        opened_at: rfc3339(record.recorded_at),
        ..HandoffRow::default()
    };
    let mut handoff = Handoff {
        row,
        entry: Entry::opened(body.asker.clone(), body.wants, record.recorded_at),
        goal_hash: breaker::goal_hash(&record.body),
        opened: receipt(record, OPENED),
        claim: None,
        answer: None,
        escalation: None,
        thread: Vec::new(),
        hints: Vec::new(),
    };
    if let Some(source) = &body.source {
        let key = domain::source_key(&record.project, source);
        save(
            states,
            domain::HANDOFF_SOURCE,
            &key,
            0,
            record.seq,
            &record.id,
        )?;
    }
    count(states, record.seq, |c| {
        c.handoffs += 1;
        c.handoffs_open += 1;
    })?;
    tell(record, &mut handoff);
    keep(record, &mut handoff, states)?;
    did(record, body.asker.as_ref(), "asks in", &record.id, states)
}

fn claimed(record: &Record, body: &Claimed, states: &mut dyn States) -> Result<(), Refusal> {
    let step = Step::Claimed {
        holder: body.holder.clone(),
        epoch: body.epoch,
    };
    takes(record, &body.handoff_id, &step, states, |handoff| {
        handoff.claim = Some(receipt(record, CLAIMED));
    })?;
    let (id, by) = (&body.handoff_id, Some(&body.holder));
    did(record, by, "holds", id, states)
}

fn answered(record: &Record, body: &Answered, states: &mut dyn States) -> Result<(), Refusal> {
    let id = &body.handoff_id;
    takes(record, id, &Step::Answered, states, |handoff| {
        handoff.answer = Some(receipt(record, ANSWERED));
        handoff.row.answer = Some(cut(&neutral(&body.text)));
        handoff.row.answer_id = Some(record.id.to_string());
        handoff.row.answered_by = Some(body.holder.to_string());
    })?;
    did(record, Some(&body.holder), "answered", id, states)
}

fn used(record: &Record, body: &Used, states: &mut dyn States) -> Result<(), Refusal> {
    takes(record, &body.handoff_id, &Step::Used, states, |_| ())?;
    let by = body.asker.as_ref();
    did(record, by, "used the answer to", &body.handoff_id, states)
}

fn closed(record: &Record, body: &Closed, states: &mut dyn States) -> Result<(), Refusal> {
    let step = Step::Closed {
        ending: body.ending,
        holder: None,
    };
    let id = &body.handoff_id;
    takes_at(record, id, &step, body.at_us, states, |handoff| {
        handoff.row.reason = Some(cut(&body.reason));
    })
}

fn escalated(record: &Record, body: &Escalated, states: &mut dyn States) -> Result<(), Refusal> {
    let id = &body.handoff_id;
    takes(record, id, &Step::Escalated, states, |handoff| {
        handoff.escalation = Some(receipt(record, ESCALATED));
        handoff.row.class = Some(body.class.as_str().to_owned());
        handoff.row.reason = Some(cut(&body.reason));
    })?;
    did(record, body.by.as_ref(), "escalated", id, states)
}

fn decided(record: &Record, body: &Decision, states: &mut dyn States) -> Result<(), Refusal> {
    breaker::use_nonce(states, record, &body.nonce)?;
    takes(
        record,
        &body.handoff_id,
        &Step::Decided,
        states,
        |handoff| {
            handoff.row.decision = Some(cut(&body.text));
        },
    )
}

/// A lease is no news: the entry stays where it is in its list.
fn waits(record: &Record, body: Waiting, states: &mut dyn States) -> Result<(), Refusal> {
    let lease = Lease {
        agent: body.agent,
        host: body.host,
        pid: body.pid,
        started: body.started,
        until_us: record.recorded_at.saturating_add(LEASE_US),
    };
    let Some(mut handoff) = find(&body.handoff_id, states)? else {
        return Ok(());
    };
    handoff
        .entry
        .evolve(&Step::Waits(lease), record.recorded_at);
    keep(record, &mut handoff, states)
}

/// An answer came after its claim had come to nothing: the next holder gets it as a hint.
pub(super) fn came_late(
    record: &Record,
    body: &LateAnswer,
    states: &mut dyn States,
) -> Result<(), Refusal> {
    let Some(mut handoff) = find(&body.handoff_id, states)? else {
        return Ok(());
    };
    handoff.hints.push(record.seq);
    handoff.row.hints += 1;
    tell(record, &mut handoff);
    keep(record, &mut handoff, states)
}

/// Running time limits move with a jump of the clock (spec 1.1).
pub(super) fn clock_jumped(jump: &ClockJump, states: &mut dyn States) -> Result<(), Refusal> {
    let counts: Counts = load(states, domain::COUNT, domain::ALL)?.unwrap_or_default();
    let running = counts.handoffs_open + counts.handoffs_claimed + counts.handoffs_escalated;
    let running = usize::try_from(running).unwrap_or(usize::MAX);
    // Those that run come before those that have ended.
    for body in states.list(domain::HANDOFF, running, 0)? {
        let mut handoff: Handoff = domain::read_state(domain::HANDOFF, "", &body)?;
        handoff.entry.shift(jump.shift_us);
        let (rank, seq) = (handoff.rank(), handoff.row.last_seq);
        let until = handoff.entry.limit();
        handoff.row.limit_from = until.map(|limit| rfc3339(limit.from_us));
        handoff.row.deadline = until.map(|limit| rfc3339(limit.until_us));
        let id = handoff.row.id.clone();
        save(states, domain::HANDOFF, &id, rank, seq, &handoff)?;
    }
    Ok(())
}

fn takes(
    record: &Record,
    id: &RecordId,
    step: &Step,
    states: &mut dyn States,
    edit: impl FnOnce(&mut Handoff),
) -> Result<(), Refusal> {
    takes_at(record, id, step, record.recorded_at, states, edit)
}

/// The entry takes a step, and its totals move.
fn takes_at(
    record: &Record,
    id: &RecordId,
    step: &Step,
    at_us: i64,
    states: &mut dyn States,
    edit: impl FnOnce(&mut Handoff),
) -> Result<(), Refusal> {
    let Some(mut handoff) = find(id, states)? else {
        return Ok(());
    };
    let before = handoff.entry.phase.clone();
    handoff.entry.evolve(step, at_us);
    edit(&mut handoff);
    count(states, record.seq, |counts| {
        if let Some(total) = total(counts, &before) {
            *total = total.saturating_sub(1);
        }
        if let Some(total) = total(counts, &handoff.entry.phase) {
            *total += 1;
        }
    })?;
    tell(record, &mut handoff);
    keep(record, &mut handoff, states)
}

/// The total that a phase is counted in.
fn total<'c>(counts: &'c mut Counts, phase: &Phase) -> Option<&'c mut u64> {
    match phase {
        Phase::Open { .. } => Some(&mut counts.handoffs_open),
        Phase::Claimed(_) => Some(&mut counts.handoffs_claimed),
        Phase::Escalated { decided: false } => Some(&mut counts.handoffs_escalated),
        Phase::Resolved { used: false } => Some(&mut counts.handoffs_unused),
        _ => None,
    }
}

fn find(id: &RecordId, states: &dyn States) -> Result<Option<Handoff>, Refusal> {
    load(states, domain::HANDOFF, id.as_str())
}

/// The record is the last one about the entry.
fn tell(record: &Record, handoff: &mut Handoff) {
    handoff.thread.push(record.seq);
    handoff.row.last_at = rfc3339(record.recorded_at);
    handoff.row.last_seq = record.seq;
}

/// Whether a process lives is no fact of the journal: here a lease counts until its time is over.
fn keep(record: &Record, handoff: &mut Handoff, states: &mut dyn States) -> Result<(), Refusal> {
    handoff.refresh(record.recorded_at, &|_| true);
    let (rank, seq) = (handoff.rank(), handoff.row.last_seq);
    let id = handoff.row.id.clone();
    save(states, domain::HANDOFF, &id, rank, seq, handoff)
}

fn did(
    record: &Record,
    by: Option<&AgentId>,
    what: &str,
    id: &RecordId,
    states: &mut dyn States,
) -> Result<(), Refusal> {
    match by {
        Some(by) => agent::handed(record, by, &format!("{what} {}", handle('h', id)), states),
        None => Ok(()),
    }
}

fn receipt(record: &Record, schema: &str) -> ReceiptRef {
    ReceiptRef {
        id: record.id.to_string(),
        schema: schema.to_owned(),
        digest: Digest::of(record.body.as_bytes()).to_string(),
    }
}

/// What fits the row.
fn cut(text: &str) -> String {
    if text.chars().count() <= SHOWN {
        return text.to_owned();
    }
    let mut kept: String = text.chars().take(SHOWN - 1).collect();
    kept.push('…');
    kept
}
