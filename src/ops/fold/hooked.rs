//! Folds what becomes of refused calls, and how each harness keeps to what it is told.

use crate::contract::event::CallRefused;
use crate::contract::guarded::{CallAllowed, HookLeak};
use crate::contract::ids::AgentId;
use crate::contract::record::Record;
use crate::contract::refusal::Refusal;
use crate::journal::States;
use crate::ops::domain::{self, Agent, HarnessState, RefusedCall};

use super::agent::{keep, open};
use super::{load, save};

/// Refused calls of an agent that are remembered.
const REFUSED: usize = 32;

pub(super) fn remember(agent: &mut Agent, body: &CallRefused) {
    let id = body.call_id.as_deref();
    agent.refused.retain(|known| !known.is(id, &body.call));
    if agent.refused.len() >= REFUSED {
        agent.refused.remove(0);
    }
    let guard = body.guard.clone().unwrap_or_default();
    agent.refused.push(RefusedCall {
        id: body.call_id.clone(),
        call: body.call.clone(),
        code: body.code.clone(),
        trigger: guard.trigger,
        rule: guard.rule,
    });
}

/// A call that had been refused was let through: what comes of it is no leak.
pub(super) fn allowed(
    record: &Record,
    body: &CallAllowed,
    states: &mut dyn States,
) -> Result<(), Refusal> {
    forget(
        record,
        &body.agent,
        (body.call_id.as_deref(), &body.call),
        states,
    )
}

/// A refused call ran all the same.
pub(super) fn leaked(
    record: &Record,
    body: &HookLeak,
    states: &mut dyn States,
) -> Result<(), Refusal> {
    forget(
        record,
        &body.agent,
        (body.call_id.as_deref(), &body.call),
        states,
    )?;
    harness(record, &body.agent, states, |known| {
        known.leaked += 1;
        known.leaked_seq = record.seq;
        known.leaked_us = record.recorded_at;
        known.leaked_by = Some(body.agent.clone());
    })
}

fn forget(
    record: &Record,
    id: &AgentId,
    (call_id, call): (Option<&str>, &str),
    states: &mut dyn States,
) -> Result<(), Refusal> {
    let mut agent = open(states, record, id)?;
    agent.refused.retain(|known| !known.is(call_id, call));
    keep(states, record, id, &mut agent)
}

/// Counts for the harness that an agent runs in, by the beginning of its id.
pub(super) fn harness(
    record: &Record,
    id: &AgentId,
    states: &mut dyn States,
    change: impl FnOnce(&mut HarnessState),
) -> Result<(), Refusal> {
    let Some((name, _)) = id.as_str().split_once(':') else {
        return Ok(());
    };
    let mut known: HarnessState = load(states, domain::HARNESS, name)?.unwrap_or_default();
    change(&mut known);
    save(states, domain::HARNESS, name, 0, record.seq, &known)
}
