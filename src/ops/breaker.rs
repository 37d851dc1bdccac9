//! `breaker list | show | trip` (spec 3.6). The reset and the permit have files of their own.

use serde::Serialize;

use crate::contract::breaker::Trigger;
use crate::contract::ids::{AgentId, MissionId, RecordId, TaskId};
use crate::contract::refusal::{Code, Refusal};
use crate::contract::row::BreakerRow;
use crate::contract::scope::Scope;
use crate::journal::{Durability, Journal, Read};
use crate::ops::flags::Flags;

use super::context::Context;
use super::domain::{self, Breaker};
use super::keyed;
use super::reset;
use super::store::{list as rows, load, not_found};
use super::trip::{self, Wanted};

/// Breakers, newest last.
#[derive(Clone, Debug, Serialize)]
pub struct Breakers {
    /// The breakers.
    pub breakers: Vec<Shown>,
    /// More lie before them.
    pub more: bool,
}

/// A breaker, and what its reset still lacks.
#[derive(Clone, Debug, Serialize)]
pub struct Shown {
    /// Its row.
    #[serde(flatten)]
    pub row: BreakerRow,
    /// What a reset still lacks, by name; empty for a closed one.
    pub lacks: Vec<String>,
    /// Its trip receipts.
    pub receipts: Vec<String>,
    /// Records that prove it.
    pub proof: Vec<String>,
}

/// Lists breakers.
///
/// # Errors
/// The store fails.
pub fn list(
    context: &Context,
    since: u64,
    limit: usize,
    journal: &mut impl Journal,
) -> Result<Breakers, Refusal> {
    journal.read(|read| {
        let mut all: Vec<Breaker> = rows(read, domain::BREAKER, 100_000, 0)?;
        all.retain(|breaker| breaker.row.opened_seq > since);
        all.sort_by_key(|breaker| std::cmp::Reverse(breaker.row.opened_seq));
        let more = all.len() > limit;
        all.truncate(limit);
        all.reverse();
        let breakers = all
            .into_iter()
            .map(|breaker| shown(context, breaker))
            .collect();
        Ok(Breakers { breakers, more })
    })
}

/// Shows one breaker, by id or handle.
///
/// # Errors
/// There is none, or more than one has the handle.
pub fn show(context: &Context, id: &str, journal: &mut impl Journal) -> Result<Shown, Refusal> {
    journal.read(|read| Ok(shown(context, find(read, id)?)))
}

fn shown(context: &Context, breaker: Breaker) -> Shown {
    let open = breaker.row.state == "open";
    Shown {
        lacks: if open {
            reset::lacks_now(context, &breaker)
        } else {
            Vec::new()
        },
        receipts: breaker
            .trips
            .iter()
            .map(|trip| trip.receipt_id.to_string())
            .collect(),
        proof: breaker.proof.iter().map(ToString::to_string).collect(),
        row: breaker.row,
    }
}

/// A breaker by id, by handle, or by a longer tail of its id.
///
/// # Errors
/// There is none, or more than one fits.
pub fn find(read: &dyn Read, id: &str) -> Result<Breaker, Refusal> {
    if let Some(breaker) = load(read, domain::BREAKER, id)? {
        return Ok(breaker);
    }
    let tail = id.strip_prefix("b-").unwrap_or(id);
    let next = "watchfloor breaker list";
    if tail.chars().count() < crate::contract::ids::HANDLE_TAIL {
        return Err(not_found("breaker", id, next));
    }
    let mut found = Vec::new();
    for record in read.by_tail(tail, 200)? {
        if let Some(breaker) = load::<Breaker>(read, domain::BREAKER, record.id.as_str())? {
            found.push(breaker);
        }
    }
    match found.len() {
        0 => Err(not_found("breaker", id, next)),
        1 => found.pop().ok_or_else(|| not_found("breaker", id, next)),
        _ => {
            let ids: Vec<&str> = found.iter().map(|b| b.row.id.as_str()).collect();
            let cause = format!("{id} names {} breakers: {}", ids.len(), ids.join(", "));
            Err(Refusal::new(Code::HandleAmbiguous, cause, next))
        }
    }
}

/// Reads a scope as a person types it: `fleet`, `project`, `mission:ID`, `task:ID`, `agent:ID`.
///
/// # Errors
/// It is none of them.
pub fn scope(context: &Context, text: &str) -> Result<Scope, Refusal> {
    let project = context.project.clone();
    let usage = || {
        let cause = format!("{text} is no scope: fleet, project, mission:ID, task:ID or agent:ID");
        Refusal::new(Code::Usage, cause, "watchfloor breaker trip --help")
    };
    match text.split_once(':') {
        None if text == "fleet" => Ok(Scope::Fleet),
        None if text == "project" => Ok(Scope::Project { project }),
        Some((_, id)) if id.trim().is_empty() => Err(usage()),
        Some(("mission", id)) => Ok(Scope::Mission {
            project,
            mission: MissionId::new(id),
        }),
        Some(("task", id)) => Ok(Scope::Task {
            project,
            task: TaskId::new(id),
        }),
        Some(("agent" | "session", id)) => Ok(Scope::Session {
            agent: AgentId::new(id),
        }),
        Some(("project", id)) => Ok(Scope::Project {
            project: crate::contract::ids::ProjectId::new(id),
        }),
        _ => Err(usage()),
    }
}

/// What a trip by hand answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, serde::Deserialize)]
pub struct TrippedAnswer {
    /// The breaker.
    pub id: String,
    /// Its handle.
    pub handle: String,
    /// Its trigger.
    pub trigger: String,
    /// What it covers.
    pub scope: String,
    /// `open`.
    pub state: String,
    /// What a reset lacks.
    pub lacks: Vec<String>,
    /// The trip receipt.
    pub receipt_id: String,
    /// Its position.
    pub seq: u64,
}

/// Trips a breaker by hand.
///
/// # Errors
/// The store fails; the flag then stands all the same.
pub fn trip(
    context: &Context,
    trigger: Trigger,
    scope: &Scope,
    reason: &str,
    journal: &mut impl Journal,
    flags: &Flags,
) -> Result<TrippedAnswer, Refusal> {
    let wanted = Wanted {
        trigger,
        scope: scope.clone(),
        key: Some("by hand".to_owned()),
        reason: crate::contract::secret::redact(reason).0,
        agent: context.agent.clone(),
        proof: Vec::new(),
        breaker_id: None,
    };
    let request = format!("{}\u{1f}{}\u{1f}{reason}", trigger.as_str(), scope.key());
    journal.write(Durability::Full, |write| {
        keyed::once(
            context,
            "breaker trip",
            request.as_bytes(),
            write,
            |write| {
                let tripped = trip::open(context, flags, std::slice::from_ref(&wanted), write)?;
                let Some(tripped) = tripped.into_iter().next() else {
                    return Err(Refusal::new(
                        Code::Internal,
                        "nothing was tripped",
                        "watchfloor breaker list",
                    ));
                };
                let breaker: Breaker = load(write, domain::BREAKER, tripped.breaker_id.as_str())?
                    .ok_or_else(|| {
                    not_found(
                        "breaker",
                        tripped.breaker_id.as_str(),
                        "watchfloor breaker list",
                    )
                })?;
                let lacks = reset::lacks_now(context, &breaker);
                Ok(TrippedAnswer {
                    id: breaker.row.id,
                    handle: breaker.row.handle,
                    trigger: trigger.as_str().to_owned(),
                    scope: breaker.row.scope,
                    state: breaker.row.state,
                    lacks,
                    receipt_id: tripped.receipt_id.to_string(),
                    seq: tripped.seq,
                })
            },
        )
    })
}

/// The agents whose work a breaker is about: their own approval does not count.
#[must_use]
pub fn workers(breaker: &Breaker) -> Vec<AgentId> {
    let mut workers: Vec<AgentId> = breaker
        .row
        .stopped
        .iter()
        .map(|agent| AgentId::new(agent.clone()))
        .collect();
    workers.extend(
        breaker
            .row
            .agent
            .iter()
            .map(|agent| AgentId::new(agent.clone())),
    );
    workers
}

/// The id of a breaker as the record that opened it.
#[must_use]
pub fn id_of(breaker: &Breaker) -> RecordId {
    RecordId::new(breaker.row.id.clone())
}
