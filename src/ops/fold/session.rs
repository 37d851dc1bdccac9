//! Folds what a session does beside its calls: it waits for a person, its turn may not end.

use crate::contract::ids::AgentId;
use crate::contract::record::Record;
use crate::contract::refusal::Refusal;
use crate::contract::session::{AgentWaits, TurnLetGo, TurnRefused, WaitKind};
use crate::contract::time::rfc3339;
use crate::journal::States;
use crate::ops::domain::{self, Agent, TurnState, WaitState};

use super::agent::{keep, one_line, open, place};
use super::{load, save};

/// A wait begins, goes on, or is over.
pub(super) fn waits(
    record: &Record,
    body: &AgentWaits,
    states: &mut dyn States,
) -> Result<(), Refusal> {
    let mut agent = open(states, record, &body.agent)?;
    if !body.harness.is_empty() {
        agent.row.harness.clone_from(&body.harness);
    }
    place(
        states,
        record,
        &mut agent.row,
        (&body.mission_id, &body.task_id),
    )?;
    if body.kind == WaitKind::Over {
        went_on(&mut agent, None, states)?;
        return keep(states, record, &body.agent, &mut agent);
    }
    // A prompt and the note about it are one wait, which began with the first of them.
    let begun = agent.waits.take().filter(|wait| wait.kind == body.kind);
    let told = body.text.clone();
    let wait = match begun {
        Some(wait) => WaitState {
            text: if wait.text.is_empty() {
                told
            } else {
                wait.text
            },
            call_id: wait.call_id.or_else(|| body.call_id.clone()),
            ..wait
        },
        None => WaitState {
            agent: body.agent.clone(),
            kind: body.kind,
            call_id: body.call_id.clone(),
            text: told,
            since: rfc3339(record.recorded_at),
            seq: record.seq,
            project: record.project.clone(),
        },
    };
    let what = format!("waits: {} {}", wait.kind.verb(), wait.text);
    agent.row.last_action = one_line(&what);
    save(
        states,
        domain::WAITS,
        body.agent.as_str(),
        0,
        wait.seq,
        &wait,
    )?;
    agent.waits = Some(wait);
    keep(states, record, &body.agent, &mut agent)
}

/// A session did something: it waits no more, unless what it waits for is another call.
pub(super) fn went_on(
    agent: &mut Agent,
    call_id: Option<&str>,
    states: &mut dyn States,
) -> Result<(), Refusal> {
    let Some(wait) = &agent.waits else {
        return Ok(());
    };
    let other = call_id.is_some() && wait.call_id.is_some() && wait.call_id.as_deref() != call_id;
    if other {
        return Ok(());
    }
    states.remove(domain::WAITS, wait.agent.as_str())?;
    agent.waits = None;
    Ok(())
}

/// A person's prompt begins another turn.
pub(super) fn prompted(
    record: &Record,
    id: &AgentId,
    states: &mut dyn States,
) -> Result<(), Refusal> {
    let Some(mut agent) = load::<Agent>(states, domain::AGENT, id.as_str())? else {
        return Ok(());
    };
    if agent.turn.is_none() && agent.waits.is_none() {
        return Ok(());
    }
    agent.turn = None;
    went_on(&mut agent, None, states)?;
    keep(states, record, id, &mut agent)
}

/// The end of a turn was refused.
pub(super) fn turn_refused(
    record: &Record,
    body: &TurnRefused,
    states: &mut dyn States,
) -> Result<(), Refusal> {
    let mut agent = open(states, record, &body.agent)?;
    agent.turn = Some(TurnState {
        id: body.turn.clone(),
        refused: body.number,
        let_go: false,
    });
    went_on(&mut agent, None, states)?;
    agent.row.last_action = format!("turn's end refused: {} unanswered", body.handoffs.len());
    keep(states, record, &body.agent, &mut agent)
}

/// A turn was let go with what it holds.
pub(super) fn let_go(
    record: &Record,
    body: &TurnLetGo,
    states: &mut dyn States,
) -> Result<(), Refusal> {
    let mut agent = open(states, record, &body.agent)?;
    agent.turn = Some(TurnState {
        id: body.turn.clone(),
        refused: body.refusals,
        let_go: true,
    });
    agent.row.last_action = format!("turn let go: {} unanswered", body.handoffs.len());
    keep(states, record, &body.agent, &mut agent)
}
