//! Folds the breakers: trips, resets, permits, and the clock that permits run by.

use crate::contract::breaker::{Permit, Reset, Trip};
use crate::contract::digest::Digest;
use crate::contract::event::{ClockJump, PermitExpired};
use crate::contract::ids::{AgentId, RecordId, handle};
use crate::contract::mission::MissionState;
use crate::contract::record::Record;
use crate::contract::refusal::Refusal;
use crate::contract::row::BreakerRow;
use crate::contract::scope::Scope;
use crate::contract::time::rfc3339;
use crate::journal::States;
use crate::ops::domain::{self, Breaker, PermitState, ScopeState, TripRef};
use crate::rules::breaker::needs;

use super::{agent, count, load, mission, save, task};

pub(super) fn tripped(
    record: &Record,
    trip: &Trip,
    states: &mut dyn States,
) -> Result<(), Refusal> {
    let mut breaker = match load::<Breaker>(states, domain::BREAKER, trip.breaker_id.as_str())? {
        Some(breaker) => breaker,
        None => opened(record, trip, states)?,
    };
    breaker.trips.push(TripRef {
        receipt_id: record.id.clone(),
        trigger: trip.trigger,
        key: trip.key.clone(),
        seq: record.seq,
        digest: Digest::of(record.body.as_bytes()).to_string(),
    });
    let trigger = trip.trigger.as_str().to_owned();
    if !breaker.row.triggers.contains(&trigger) {
        breaker.row.triggers.push(trigger);
    }
    breaker.needs = breaker.needs.max(needs(trip.trigger, &trip.scope));
    breaker.needs.as_str().clone_into(&mut breaker.row.needs);
    breaker.row.hits += 1;
    if let Scope::Session { agent: id } = &trip.scope
        && let Some(mission) = agent::mission_of(id, states)?
    {
        mission::prevented(record, &mission, trip.trigger.as_str(), states)?;
    }
    for id in &trip.proof {
        if !breaker.proof.contains(id) {
            breaker.proof.push(id.clone());
        }
    }
    keep(states, record, &breaker)
}

fn opened(record: &Record, trip: &Trip, states: &mut dyn States) -> Result<Breaker, Refusal> {
    let key = trip.scope.key();
    let mut scope: ScopeState = load(states, domain::SCOPE, &key)?.unwrap_or_default();
    scope.open.push(trip.breaker_id.clone());
    save(states, domain::SCOPE, &key, 0, record.seq, &scope)?;
    count(states, record.seq, |c| {
        c.breakers += 1;
        c.breakers_open += 1;
    })?;
    match &trip.scope {
        Scope::Task { task: id, .. } => task::breaker_changed(record, id, true, false, states)?,
        Scope::Mission { mission: id, .. } => {
            mission::breaker_changed(record, id, Some(MissionState::Halted), false, states)?;
        }
        _ => {}
    }
    let stopped = agent::standing_changed(record, &trip.scope, states)?;
    Ok(Breaker {
        row: BreakerRow {
            id: trip.breaker_id.to_string(),
            handle: handle('b', &trip.breaker_id),
            trigger: trip.trigger.as_str().to_owned(),
            scope: trip.scope.to_string(),
            scope_kind: trip.scope.kind().to_owned(),
            project: trip.scope.project().map(ToString::to_string),
            state: "open".to_owned(),
            reason: trip.reason.clone(),
            agent: trip.agent.as_ref().map(ToString::to_string),
            opened_at: rfc3339(record.recorded_at),
            opened_seq: record.seq,
            stopped: merged(&stopped, &trip.agents),
            ..BreakerRow::default()
        },
        scope: trip.scope.clone(),
        trips: Vec::new(),
        proof: Vec::new(),
        needs: needs(trip.trigger, &trip.scope),
        goal_hash: goal_hash(&record.body),
        opened_us: record.recorded_at,
        refused_after_us: Vec::new(),
    })
}

fn merged(stopped: &[AgentId], named: &[AgentId]) -> Vec<String> {
    let mut all: Vec<String> = stopped
        .iter()
        .chain(named)
        .map(ToString::to_string)
        .collect();
    all.sort();
    all.dedup();
    all
}

pub(super) fn goal_hash(envelope: &str) -> String {
    let envelope: serde_json::Value = serde_json::from_str(envelope).unwrap_or_default();
    envelope
        .get("goal_hash")
        .and_then(|hash| hash.as_str())
        .unwrap_or_default()
        .to_owned()
}

pub(super) fn was_reset(
    record: &Record,
    reset: &Reset,
    states: &mut dyn States,
) -> Result<(), Refusal> {
    use_nonce(states, record, &reset.nonce)?;
    let Some(mut breaker) = load::<Breaker>(states, domain::BREAKER, reset.breaker_id.as_str())?
    else {
        return Ok(());
    };
    if breaker.row.state == "closed" {
        return Ok(());
    }
    let key = breaker.scope.key();
    let mut scope: ScopeState = load(states, domain::SCOPE, &key)?.unwrap_or_default();
    scope.open.retain(|id| *id != reset.breaker_id);
    scope
        .permits
        .retain(|permit| permit.breaker_id != reset.breaker_id);
    let still_open = !scope.open.is_empty();
    save(states, domain::SCOPE, &key, 0, record.seq, &scope)?;
    match &breaker.scope {
        Scope::Task { task: id, .. } => {
            task::breaker_changed(record, id, still_open, true, states)?;
        }
        Scope::Mission { mission: id, .. } => {
            let to = (!still_open).then(|| reset.to.unwrap_or(MissionState::Active));
            mission::breaker_changed(record, id, to, true, states)?;
        }
        _ => {}
    }
    agent::standing_changed(record, &breaker.scope, states)?;
    "closed".clone_into(&mut breaker.row.state);
    breaker.row.closed_at = Some(rfc3339(record.recorded_at));
    breaker.row.closed_by = reset
        .approval
        .as_ref()
        .map(|approval| approval.principal.clone());
    breaker.row.reset_id = Some(record.id.to_string());
    count(states, record.seq, |c| {
        c.breakers_open = c.breakers_open.saturating_sub(1);
    })?;
    keep(states, record, &breaker)
}

pub(super) fn permitted(
    record: &Record,
    permit: &Permit,
    states: &mut dyn States,
) -> Result<(), Refusal> {
    use_nonce(states, record, &permit.nonce)?;
    let key = permit.scope.key();
    let mut scope: ScopeState = load(states, domain::SCOPE, &key)?.unwrap_or_default();
    scope.permits.push(PermitState {
        id: record.id.clone(),
        breaker_id: permit.breaker_id.clone(),
        agent: permit.agent.clone(),
        until_us: record.recorded_at + i64::from(permit.minutes) * 60_000_000,
    });
    save(states, domain::SCOPE, &key, 0, record.seq, &scope)
}

pub(super) fn permit_expired(
    record: &Record,
    body: &PermitExpired,
    states: &mut dyn States,
) -> Result<(), Refusal> {
    each_scope(record, states, |scope| {
        let before = scope.permits.len();
        scope.permits.retain(|permit| permit.id != body.permit_id);
        scope.permits.len() != before
    })
}

/// Running deadlines move with a jump of the clock (spec 1.1).
pub(super) fn clock_jumped(
    record: &Record,
    jump: &ClockJump,
    states: &mut dyn States,
) -> Result<(), Refusal> {
    each_scope(record, states, |scope| {
        for permit in &mut scope.permits {
            permit.until_us = permit.until_us.saturating_add(jump.shift_us);
        }
        !scope.permits.is_empty()
    })
}

/// Only open breakers have permits, so the scopes are found through them.
fn each_scope(
    record: &Record,
    states: &mut dyn States,
    mut change: impl FnMut(&mut ScopeState) -> bool,
) -> Result<(), Refusal> {
    let mut seen = std::collections::BTreeSet::new();
    for offset in 0.. {
        let Some(body) = states.list(domain::BREAKER, 1, offset)?.pop() else {
            break;
        };
        let breaker: Breaker = domain::read_state(domain::BREAKER, "", &body)?;
        if breaker.row.state != "open" {
            break;
        }
        let key = breaker.scope.key();
        if !seen.insert(key.clone()) {
            continue;
        }
        let mut scope: ScopeState = load(states, domain::SCOPE, &key)?.unwrap_or_default();
        if change(&mut scope) {
            save(states, domain::SCOPE, &key, 0, record.seq, &scope)?;
        }
    }
    Ok(())
}

/// An agent was really refused by this breaker.
pub(super) fn refused(
    record: &Record,
    id: &RecordId,
    agent: &AgentId,
    states: &mut dyn States,
) -> Result<(), Refusal> {
    let Some(mut breaker) = load::<Breaker>(states, domain::BREAKER, id.as_str())? else {
        return Ok(());
    };
    breaker.row.refused += 1;
    if !breaker.refused_after_us.iter().any(|(who, _)| who == agent) {
        let after = record.recorded_at.saturating_sub(breaker.opened_us);
        breaker.refused_after_us.push((agent.clone(), after));
    }
    keep(states, record, &breaker)
}

/// A nonce is used once (spec 7.1).
pub(super) fn use_nonce(
    states: &mut dyn States,
    record: &Record,
    nonce: &str,
) -> Result<(), Refusal> {
    save(states, domain::NONCE, nonce, 0, record.seq, &record.id)
}

/// Open breakers first, newest first.
fn keep(states: &mut dyn States, record: &Record, breaker: &Breaker) -> Result<(), Refusal> {
    let open = breaker.row.state == "open";
    let seq = if open {
        breaker.row.opened_seq
    } else {
        record.seq
    };
    save(
        states,
        domain::BREAKER,
        &breaker.row.id,
        i64::from(open),
        seq,
        breaker,
    )
}
