//! Folds what happens to a task: attempts, plans, gate answers, moves.

use crate::contract::attempt::{Attempt, Origin};
use crate::contract::event::{GateAnswered, Plan, TaskMoved};
use crate::contract::ids::{AgentId, MissionId, TaskId};
use crate::contract::mission::TaskState;
use crate::contract::record::Record;
use crate::contract::refusal::Refusal;
use crate::contract::row::TaskRow;
use crate::contract::safety::Outcome;
use crate::contract::scope::Place;
use crate::contract::signature::{SignatureId, Strength};
use crate::contract::time::rfc3339;
use crate::journal::States;
use crate::ops::domain::{self, PlanState, Task};
use crate::rules::ledger::{Entry, Facts, TaskLedger};

use super::{agent, code, count, load, mission, save};

/// The entry that the rules judge.
pub(crate) fn entry_of(attempt: &Attempt) -> Entry {
    let progress = attempt.progress.as_ref();
    Entry {
        role: attempt.role,
        agent: attempt.agent.clone(),
        strategy: attempt.strategy.clone(),
        result: attempt.result,
        files: attempt.change.files.iter().cloned().collect(),
        state: attempt.change.state.clone(),
        signature: attempt.error_signature.clone(),
        weak: attempt.derived.strength == Strength::Weak,
        made: progress.is_some_and(|p| p.made),
        metric: progress.and_then(|p| p.metric.clone()),
        evidence: attempt.derived.evidence.clone(),
        transient: attempt.derived.transient,
        undeclared: attempt.derived.origin == Origin::Undeclared,
    }
}

pub(super) fn attempted(
    record: &Record,
    attempt: &Attempt,
    states: &mut dyn States,
) -> Result<(), Refusal> {
    let place = Place {
        project: record.project.clone(),
        mission: Some(attempt.mission_id.clone()),
        task: Some(attempt.task_id.clone()),
        agent: Some(attempt.agent.clone()),
    };
    let standing = domain::standing(&|d, k| states.get(d, k), &place, &|| Ok(record.recorded_at))?;
    let tries = mission::tries(states, &record.project, &attempt.mission_id)?;
    let mut task = open(
        states,
        record,
        &attempt.task_id,
        &attempt.mission_id,
        &attempt.agent,
    )?;
    let facts = Facts {
        id: record.id.clone(),
        seq: record.seq,
        breaker_open: standing.stopped(),
        permit: standing.permitted(),
        mission_tries: tries,
    };
    // The limits of the moment are in the record, so that the fold gives the same answer for ever.
    let limits = attempt.derived.limits.clone().unwrap_or_default();
    let judged = task.ledger.judge(&entry_of(attempt), &facts, &limits);
    task.row.entries += 1;
    if judged.leak {
        task.row.leaks += 1;
    }
    if attempt.error_signature.is_some() {
        task.row.failure.clone_from(&attempt.derived.failure);
    }
    let counted = judged.counts();
    keep(states, record, &attempt.task_id, &mut task)?;
    mission::worked(
        states,
        record,
        &attempt.mission_id,
        &attempt.task_id,
        &attempt.agent,
        counted,
    )?;
    agent::attempted(record, attempt, states)?;
    if let Some(triage) = &attempt.derived.triage {
        let around = code::Around {
            signature: attempt.error_signature.as_ref().map(SignatureId::as_str),
            ..code::Around::default()
        };
        code::seen(record, triage, around, states)?;
    }
    let failed = attempt.result == Outcome::Fail;
    count(states, record.seq, |c| {
        c.attempts += 1;
        c.failures += u64::from(failed);
        c.leaks += u64::from(judged.leak);
    })
}

pub(super) fn planned(
    record: &Record,
    plan: &Plan,
    states: &mut dyn States,
) -> Result<(), Refusal> {
    let mut task = open(states, record, &plan.task_id, &plan.mission_id, &plan.agent)?;
    task.ledger.begin(&plan.agent, record.seq);
    keep(states, record, &plan.task_id, &mut task)?;
    mission::worked(
        states,
        record,
        &plan.mission_id,
        &plan.task_id,
        &plan.agent,
        false,
    )?;
    let state = PlanState {
        task: plan.task_id.to_string(),
        strategy: plan.strategy.clone(),
    };
    agent::planned(record, plan, state, states)
}

pub(super) fn began(
    record: &Record,
    seen: &GateAnswered,
    states: &mut dyn States,
) -> Result<(), Refusal> {
    let key = domain::in_project(&record.project, seen.task_id.as_str());
    let Some(mut task) = load::<Task>(states, domain::TASK, &key)? else {
        return Ok(());
    };
    task.ledger.begin(&seen.agent, record.seq);
    save(
        states,
        domain::TASK,
        &key,
        rank(&task.row),
        task.row.last_seq,
        &task,
    )
}

pub(super) fn moved(
    record: &Record,
    body: &TaskMoved,
    states: &mut dyn States,
) -> Result<(), Refusal> {
    let key = domain::in_project(&record.project, body.task_id.as_str());
    let Some(mut task) = load::<Task>(states, domain::TASK, &key)? else {
        return Ok(());
    };
    set_state(states, record, &mut task, body.to)?;
    keep(states, record, &body.task_id, &mut task)
}

/// A breaker over the task opened or closed.
pub(super) fn breaker_changed(
    record: &Record,
    task_id: &TaskId,
    open: bool,
    was_reset: bool,
    states: &mut dyn States,
) -> Result<(), Refusal> {
    let key = domain::in_project(&record.project, task_id.as_str());
    let Some(mut task) = load::<Task>(states, domain::TASK, &key)? else {
        return Ok(());
    };
    if was_reset {
        task.ledger.reset();
    }
    set_state(
        states,
        record,
        &mut task,
        if open {
            TaskState::Escalated
        } else {
            TaskState::Open
        },
    )?;
    keep(states, record, task_id, &mut task)
}

fn open(
    states: &mut dyn States,
    record: &Record,
    task_id: &TaskId,
    mission: &MissionId,
    agent: &AgentId,
) -> Result<Task, Refusal> {
    let key = domain::in_project(&record.project, task_id.as_str());
    let mut task = if let Some(task) = load::<Task>(states, domain::TASK, &key)? {
        task
    } else {
        count(states, record.seq, |c| c.tasks += 1)?;
        let row = TaskRow {
            task: task_id.to_string(),
            project: record.project.to_string(),
            state: TaskState::Open.as_str().to_owned(),
            ..TaskRow::default()
        };
        Task {
            row,
            ledger: TaskLedger::default(),
        }
    };
    mission.as_str().clone_into(&mut task.row.mission);
    agent.as_str().clone_into(&mut task.row.agent);
    Ok(task)
}

fn keep(
    states: &mut dyn States,
    record: &Record,
    task_id: &TaskId,
    task: &mut Task,
) -> Result<(), Refusal> {
    let due_before = task.row.due.is_some();
    let row = &mut task.row;
    let ledger = &task.ledger;
    let summary = ledger.summary();
    row.due = summary.due.map(|due| due.as_str().to_owned());
    row.tries = summary.tries;
    row.failing = summary.failing;
    row.repairs = summary.repairs;
    row.same = summary.same;
    row.signature = summary.signature.map(|signature| signature.to_string());
    row.lanes = summary.lanes;
    let churn = summary.churn;
    row.churn = churn.as_ref().map_or(0, |(_, tries)| *tries);
    row.churn_file = churn.map(|(file, _)| file);
    row.last_at = rfc3339(record.recorded_at);
    row.last_seq = record.seq;
    let due_now = row.due.is_some();
    let key = domain::in_project(&record.project, task_id.as_str());
    save(
        states,
        domain::TASK,
        &key,
        rank(&task.row),
        record.seq,
        task,
    )?;
    if due_before == due_now {
        return Ok(());
    }
    count(states, record.seq, |c| {
        c.due = if due_now {
            c.due + 1
        } else {
            c.due.saturating_sub(1)
        }
    })
}

fn set_state(
    states: &mut dyn States,
    record: &Record,
    task: &mut Task,
    to: TaskState,
) -> Result<(), Refusal> {
    let escalated = TaskState::Escalated.as_str();
    let (before, after) = (task.row.state == escalated, to == TaskState::Escalated);
    to.as_str().clone_into(&mut task.row.state);
    count(states, record.seq, |c| match (before, after) {
        (false, true) => c.escalated += 1,
        (true, false) => c.escalated = c.escalated.saturating_sub(1),
        _ => {}
    })
}

/// Escalated tasks first, then those with a due step.
fn rank(row: &TaskRow) -> i64 {
    match (row.state.as_str(), row.due.is_some()) {
        ("escalated", _) => 2,
        (_, true) => 1,
        _ => 0,
    }
}
