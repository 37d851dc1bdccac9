//! Folds the grants.

use crate::contract::event::ClockJump;
use crate::contract::grant::{Grant, GrantRevoked, GrantUsed};
use crate::contract::ids::{ProjectId, RecordId};
use crate::contract::record::Record;
use crate::contract::refusal::Refusal;
use crate::journal::States;
use crate::ops::domain::{self, GrantState, Grants};

use super::breaker::use_nonce;
use super::{load, save};

/// Grants of a project that are kept when they are over.
const KEPT: usize = 50;

pub(super) fn granted(
    record: &Record,
    grant: &Grant,
    states: &mut dyn States,
) -> Result<(), Refusal> {
    use_nonce(states, record, &grant.nonce)?;
    let mut all = of_project(&grant.project, states)?;
    let over = |one: &GrantState| !one.runs(record.recorded_at);
    let mut spare = all.grants.iter().filter(|one| over(one)).count();
    all.grants.retain(|one| {
        let goes = over(one) && spare > KEPT;
        spare -= usize::from(goes);
        !goes
    });
    all.grants.push(GrantState {
        id: record.id.clone(),
        opens: grant.opens.clone(),
        until_us: record.recorded_at + i64::from(grant.minutes) * 60_000_000,
        reason: grant.reason.clone(),
        by: grant
            .approval
            .as_ref()
            .map(|approval| approval.principal.clone())
            .unwrap_or_default(),
        ended: None,
        seq: record.seq,
    });
    keep(record, &all, states)
}

pub(super) fn used(
    record: &Record,
    body: &GrantUsed,
    states: &mut dyn States,
) -> Result<(), Refusal> {
    end(record, &body.grant_id, "used", states)
}

pub(super) fn revoked(
    record: &Record,
    body: &GrantRevoked,
    states: &mut dyn States,
) -> Result<(), Refusal> {
    end(record, &body.grant_id, "revoked", states)
}

/// Running deadlines move with a jump of the clock (spec 1.1).
pub(super) fn clock_jumped(
    record: &Record,
    jump: &ClockJump,
    states: &mut dyn States,
) -> Result<(), Refusal> {
    for offset in 0.. {
        let Some(body) = states.list(domain::GRANT, 1, offset)?.pop() else {
            break;
        };
        let mut all: Grants = domain::read_state(domain::GRANT, "", &body)?;
        for one in &mut all.grants {
            one.until_us = one.until_us.saturating_add(jump.shift_us);
        }
        let seq = all.grants.last().map_or(record.seq, |last| last.seq);
        save(states, domain::GRANT, all.project.as_str(), 0, seq, &all)?;
    }
    Ok(())
}

fn end(record: &Record, id: &RecordId, how: &str, states: &mut dyn States) -> Result<(), Refusal> {
    let mut all = of_project(&record.project, states)?;
    for one in &mut all.grants {
        if one.id == *id && one.ended.is_none() {
            one.ended = Some(how.to_owned());
        }
    }
    keep(record, &all, states)
}

fn of_project(project: &ProjectId, states: &dyn States) -> Result<Grants, Refusal> {
    let known: Option<Grants> = load(states, domain::GRANT, project.as_str())?;
    Ok(known.unwrap_or_else(|| Grants {
        project: project.clone(),
        grants: Vec::new(),
    }))
}

fn keep(record: &Record, all: &Grants, states: &mut dyn States) -> Result<(), Refusal> {
    let seq = all.grants.last().map_or(record.seq, |last| last.seq);
    save(states, domain::GRANT, all.project.as_str(), 0, seq, all)
}
