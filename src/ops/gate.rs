//! `gate check` (spec 3.3): asked before a retry, a transition, a completion.

use serde::Serialize;

use crate::contract::event::{GATE_ANSWERED, GateAnswered};
use crate::contract::ids::{AgentId, MissionId, ProjectId, TaskId};
use crate::contract::refusal::{Code, Refusal};
use crate::contract::row::default_mission;
use crate::contract::safety::{Verdict, WorkRole};
use crate::contract::scope::Place;
use crate::journal::flags::Flag;
use crate::journal::{Durability, Journal, Read};
use crate::ops::flags::Flags;
use crate::rules::ledger::{GateCounts, GateFacts, Question};

use super::context::Context;
use super::domain::{self, Agent, Breaker, Mission, Task};
use super::records::observation;
use super::store::{around, load};

/// What the gate answers.
#[derive(Clone, Debug, Serialize)]
pub struct Answer {
    /// The verdict.
    pub verdict: Verdict,
    /// The rule that gave it.
    pub rule: String,
    /// What was counted.
    pub counts: GateCounts,
    /// Attempts or trip receipts that prove it.
    pub proof: Vec<String>,
    /// Handle of the open breaker, when one refuses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub breaker: Option<String>,
}

/// A question to the gate.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The task.
    pub task: TaskId,
    /// As what.
    pub role: WorkRole,
    /// With which strategy.
    pub strategy: String,
    /// Who, when named.
    pub agent: Option<AgentId>,
}

/// Asks the gate. The flags are read before anything else. When a named agent is let through to
/// work, the moment is noted once, so that a step that becomes due later is not held against it.
///
/// # Errors
/// The store fails.
pub fn check(
    context: &Context,
    asked: &Asked,
    journal: &mut impl Journal,
    flags: &Flags,
) -> Result<Answer, Refusal> {
    let table = flags.load();
    let (answer, begins) = journal.read(|read| {
        let task: Option<Task> = load(
            read,
            domain::TASK,
            &domain::in_project(&context.project, asked.task.as_str()),
        )?;
        let mission = place_mission(context, asked, task.as_ref(), read)?;
        let place = context.place(Some(&asked.task), Some(&mission), asked.agent.as_ref());
        let mut answer = answer(context, asked, &place, task.as_ref(), read)?;
        // A stop whose receipt could not be written yet stops all the same.
        let stopped = match &table {
            Ok(table) => unrecorded(&table.hits(&place.scopes()), read)?.is_some(),
            Err(_) => true,
        };
        if stopped && answer.verdict != Verdict::BreakerOpen {
            answer.verdict = Verdict::BreakerOpen;
            "stop flag".clone_into(&mut answer.rule);
        }
        let begins = answer.verdict == Verdict::Allow
            && asked.role != WorkRole::Checker
            && task.is_some_and(|task| {
                asked
                    .agent
                    .as_ref()
                    .is_some_and(|agent| !task.ledger.has_begun(agent))
            });
        Ok((answer, begins))
    })?;
    if begins {
        note_beginning(context, asked, journal)?;
    }
    Ok(answer)
}

fn note_beginning(
    context: &Context,
    asked: &Asked,
    journal: &mut impl Journal,
) -> Result<(), Refusal> {
    let Some(agent) = &asked.agent else {
        return Ok(());
    };
    let body = GateAnswered {
        schema: GATE_ANSWERED.to_owned(),
        task_id: asked.task.clone(),
        agent: agent.clone(),
        strategy: asked.strategy.clone(),
    };
    journal.write(Durability::Normal, |write| {
        write.append(observation(
            context,
            GATE_ANSWERED,
            Some(asked.task.clone()),
            Some(agent.clone()),
            &body,
        )?)?;
        Ok(())
    })
}

fn place_mission(
    context: &Context,
    asked: &Asked,
    task: Option<&Task>,
    read: &dyn Read,
) -> Result<MissionId, Refusal> {
    if let (None, Some(task)) = (&context.mission, task) {
        return Ok(MissionId::new(task.row.mission.clone()));
    }
    match &asked.agent {
        Some(agent) => super::attempt::mission_of(context, &asked.task, agent, read),
        None => Ok(context
            .mission
            .clone()
            .unwrap_or_else(|| default_mission(None, &asked.task))),
    }
}

fn answer(
    context: &Context,
    asked: &Asked,
    place: &Place,
    task: Option<&Task>,
    read: &dyn Read,
) -> Result<Answer, Refusal> {
    let standing = around(place, read)?;
    let mission = match &place.mission {
        Some(id) => load::<Mission>(
            read,
            domain::MISSION,
            &domain::in_project(&context.project, id.as_str()),
        )?,
        None => None,
    };
    let facts = GateFacts {
        breaker_open: standing.stopped(),
        permit: standing.permitted(),
        mission_tries: mission.map_or(0, |m| u32::try_from(m.row.tries).unwrap_or(u32::MAX)),
    };
    let question = Question {
        role: asked.role,
        strategy: asked.strategy.clone(),
        agent: asked.agent.clone(),
    };
    let empty = Task::default();
    let ledger = &task.unwrap_or(&empty).ledger;
    let answer = ledger.gate(&question, &facts, &context.limits);
    let mut proof: Vec<String> = answer.proof.iter().map(ToString::to_string).collect();
    let mut handle = None;
    if answer.verdict == Verdict::BreakerOpen
        && let Some(id) = standing.blocking.first()
    {
        let breaker: Option<Breaker> = load(read, domain::BREAKER, id.as_str())?;
        if let Some(breaker) = breaker {
            proof = breaker
                .trips
                .iter()
                .map(|trip| trip.receipt_id.to_string())
                .collect();
            handle = Some(breaker.row.handle);
        }
    }
    Ok(Answer {
        verdict: answer.verdict,
        rule: answer.rule.to_owned(),
        counts: answer.counts,
        proof,
        breaker: handle,
    })
}

/// The first of these flags whose breaker the journal does not know: a stop without a receipt.
/// What the journal knows it tells better than a flag, whose slot may stand for a wider scope
/// when the file was full.
///
/// # Errors
/// The store fails.
pub fn unrecorded(flags: &[Flag], read: &dyn Read) -> Result<Option<Flag>, Refusal> {
    for flag in flags {
        if load::<Breaker>(read, domain::BREAKER, flag.breaker_id().as_str())?.is_none() {
            return Ok(Some(flag.clone()));
        }
    }
    Ok(None)
}

/// Refuses a plan, a claim, a transition or a completion while a breaker is open in scope.
///
/// # Errors
/// A breaker is open, or the store fails.
pub fn refuse_when_stopped(place: &Place, read: &dyn Read) -> Result<(), Refusal> {
    let standing = around(place, read)?;
    let Some(id) = standing.blocking.first() else {
        return Ok(());
    };
    let breaker: Option<Breaker> = load(read, domain::BREAKER, id.as_str())?;
    Err(stopped(breaker.as_ref()))
}

/// The same for an agent whose call names no task or mission: where it works by what it recorded
/// counts too, so that a server or a bare verb is no way around a breaker.
///
/// # Errors
/// As [`refuse_when_stopped`].
pub fn refuse_agent_when_stopped(
    context: &Context,
    agent: &AgentId,
    read: &dyn Read,
) -> Result<(), Refusal> {
    let (task, mission) = (context.task.as_ref(), context.mission.as_ref());
    refuse_when_stopped(&context.place(task, mission, Some(agent)), read)?;
    let Some(known) = load::<Agent>(read, domain::AGENT, agent.as_str())? else {
        return Ok(());
    };
    let row = known.row;
    let place = Place {
        project: ProjectId::new(row.project),
        mission: (!row.mission.is_empty()).then(|| MissionId::new(row.mission)),
        task: (!row.task.is_empty()).then(|| TaskId::new(row.task)),
        agent: Some(agent.clone()),
    };
    refuse_when_stopped(&place, read)
}

/// The refusal of an open breaker.
#[must_use]
pub fn stopped(breaker: Option<&Breaker>) -> Refusal {
    let Some(breaker) = breaker else {
        return Refusal::new(
            Code::BreakerOpen,
            "a stop is in force here",
            "watchfloor breaker list",
        );
    };
    let row = &breaker.row;
    let cause = format!(
        "breaker {} ({}) is open on {}: {}",
        row.handle,
        row.triggers.join(", "),
        row.scope,
        row.reason
    );
    Refusal::new(
        Code::BreakerOpen,
        cause,
        format!("watchfloor breaker show {}", row.handle),
    )
}
