//! Folds what becomes of refused calls, and how each harness keeps to what it is told.

use crate::contract::event::CallRefused;
use crate::contract::guarded::{CallAllowed, HookLeak};
use crate::contract::ids::AgentId;
use crate::contract::observed::{LAMP_GATED, LAMP_LEAKING, LAMP_PROVEN};
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

/// The agent went on to another call's result: what was refused it before did not run.
pub(super) fn held(agent: &mut Agent) {
    if !agent.refused.is_empty() && agent.row.lamp == LAMP_GATED {
        LAMP_PROVEN.clone_into(&mut agent.row.lamp);
    }
}

/// A call that had been refused was let through: what comes of it is no leak.
pub(super) fn allowed(
    record: &Record,
    body: &CallAllowed,
    states: &mut dyn States,
) -> Result<(), Refusal> {
    let mut agent = open(states, record, &body.agent)?;
    let id = body.call_id.as_deref();
    agent.refused.retain(|known| !known.is(id, &body.call));
    keep(states, record, &body.agent, &mut agent)
}

/// A refused call ran all the same.
pub(super) fn leaked(
    record: &Record,
    body: &HookLeak,
    states: &mut dyn States,
) -> Result<(), Refusal> {
    let mut agent = open(states, record, &body.agent)?;
    let id = body.call_id.as_deref();
    agent.refused.retain(|known| !known.is(id, &body.call));
    LAMP_LEAKING.clone_into(&mut agent.row.lamp);
    keep(states, record, &body.agent, &mut agent)?;
    harness(record, &body.agent, states, |known| {
        known.leaked += 1;
        known.leaked_seq = record.seq;
        known.leaked_us = record.recorded_at;
        known.leaked_by = Some(body.agent.clone());
    })
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
