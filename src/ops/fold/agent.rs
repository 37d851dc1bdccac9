//! Folds what agents do, and who is stopped.

use crate::contract::attempt::Attempt;
use crate::contract::event::{CallRefused, Plan};
use crate::contract::ids::{AgentId, MissionId, ProjectId, RecordId, TaskId, handle};
use crate::contract::observed::{LAMP_GATED, LAMP_OBSERVED};
use crate::contract::record::Record;
use crate::contract::refusal::Refusal;
use crate::contract::row::AgentRow;
use crate::contract::safety::Outcome;
use crate::contract::scope::{Place, Scope};
use crate::contract::time::rfc3339;
use crate::contract::tool::{AgentSeen, GONE, ToolSeen};
use crate::journal::States;
use crate::ops::domain::{self, Agent, PlanState, ProcessState};

use super::{breaker, count, hooked, load, save, session};

/// How many results the sparkline of an agent keeps.
pub(super) const SPARK: usize = 12;

pub(super) fn attempted(
    record: &Record,
    attempt: &Attempt,
    states: &mut dyn States,
) -> Result<(), Refusal> {
    let mut agent = open(states, record, &attempt.agent)?;
    let row = &mut agent.row;
    place(states, record, row, (&attempt.mission_id, &attempt.task_id))?;
    row.attempts += 1;
    let failed = attempt.result == Outcome::Fail;
    row.failures += u64::from(failed);
    row.spark.push(u8::from(failed));
    if row.spark.len() > SPARK {
        row.spark.remove(0);
    }
    let what = format!(
        "{} {}: {}",
        attempt.role.as_str(),
        attempt.result.as_str(),
        attempt.strategy
    );
    row.last_action = one_line(&what);
    keep(states, record, &attempt.agent, &mut agent)
}

pub(super) fn planned(
    record: &Record,
    plan: &Plan,
    state: PlanState,
    states: &mut dyn States,
) -> Result<(), Refusal> {
    let mut agent = open(states, record, &plan.agent)?;
    place(
        states,
        record,
        &mut agent.row,
        (&plan.mission_id, &plan.task_id),
    )?;
    agent.row.last_action = one_line(&format!("plans: {}", plan.strategy));
    agent.cycle.plan(&plan.strategy);
    agent.plan = Some(state);
    keep(states, record, &plan.agent, &mut agent)
}

pub(super) fn used_tool(
    record: &Record,
    seen: &ToolSeen,
    states: &mut dyn States,
) -> Result<(), Refusal> {
    let mut agent = open(states, record, &seen.agent)?;
    gated(&mut agent);
    hooked::held(&mut agent);
    agent.row.harness.clone_from(&seen.harness);
    place(
        states,
        record,
        &mut agent.row,
        (&seen.mission_id, &seen.task_id),
    )?;
    agent.row.last_action = one_line(&seen.action);
    session::went_on(&mut agent, seen.call_id.as_deref(), states)?;
    if !seen.files.is_empty() {
        agent.cycle.edit(&seen.files);
    }
    if let Some(check) = &seen.check {
        agent.cycle.check(check);
    }
    keep(states, record, &seen.agent, &mut agent)
}

pub(super) fn seen(
    record: &Record,
    seen: &AgentSeen,
    states: &mut dyn States,
) -> Result<(), Refusal> {
    let mut agent = open(states, record, &seen.agent)?;
    gated(&mut agent);
    agent.row.harness.clone_from(&seen.harness);
    place(
        states,
        record,
        &mut agent.row,
        (&seen.mission_id, &seen.task_id),
    )?;
    agent.row.pid = seen.pid.or(agent.row.pid);
    if seen.worktree.is_some() {
        agent.worktree.clone_from(&seen.worktree);
    }
    if let Some(tree) = &seen.tree {
        agent.cycle.begin(tree);
    }
    if let (Some(pid), Some(started)) = (seen.pid, seen.started) {
        let key = domain::process_key(&seen.host, pid, started);
        save(states, domain::PROCESS, &key, 0, record.seq, &seen.agent)?;
        agent.process = Some(ProcessState {
            host: seen.host.clone(),
            pid,
            started,
        });
        if states.get(domain::PROCESS, domain::ANY)?.is_none() {
            save(states, domain::PROCESS, domain::ANY, 0, record.seq, &true)?;
        }
    }
    let (ended, what) = match seen.moment.as_str() {
        "end" => (true, "session ended"),
        GONE => (true, domain::PROCESS_GONE),
        _ => (false, "session started"),
    };
    what.clone_into(&mut agent.row.last_action);
    if ended {
        session::went_on(&mut agent, None, states)?;
        set_state(states, record, &mut agent.row, "ended", None)?;
        return save(
            states,
            domain::AGENT,
            seen.agent.as_str(),
            0,
            record.seq,
            &stamped(agent, record),
        );
    }
    keep(states, record, &seen.agent, &mut agent)
}

pub(super) fn refused(
    record: &Record,
    body: &CallRefused,
    states: &mut dyn States,
) -> Result<(), Refusal> {
    let mut agent = open(states, record, &body.agent)?;
    gated(&mut agent);
    agent.row.refused += 1;
    agent.row.last_action = one_line(&format!("{} refused: {}", body.tool, body.code));
    session::went_on(&mut agent, None, states)?;
    if !body.call.is_empty() {
        hooked::remember(&mut agent, body);
    }
    keep(states, record, &body.agent, &mut agent)?;
    hooked::harness(record, &body.agent, states, |known| {
        known.refused += 1;
        known.refused_seq = record.seq;
    })?;
    count(states, record.seq, |c| c.refused += 1)?;
    match &body.breaker_id {
        Some(id) => breaker::refused(record, id, &body.agent, states),
        None => Ok(()),
    }
}

/// A hook told of the agent. From now on its hooks tell what it does, and its transcript only
/// what they do not.
fn gated(agent: &mut Agent) {
    let row = &mut agent.row;
    if agent.observed.is_some() && row.lamp == LAMP_OBSERVED {
        row.attempts = 0;
        row.failures = 0;
        row.spark.clear();
        row.findings.clear();
        row.signature = None;
        row.failure = None;
    }
    // What was proved of it, or against it, stays.
    if !agent.hooked() {
        LAMP_GATED.clone_into(&mut agent.row.lamp);
    }
}

/// An agent did something with a handoff. That may lie in another project than the agent works in.
pub(super) fn handed(
    record: &Record,
    id: &AgentId,
    action: &str,
    states: &mut dyn States,
) -> Result<(), Refusal> {
    let known: Option<Agent> = load(states, domain::AGENT, id.as_str())?;
    let mut agent = open(states, record, id)?;
    if let Some(known) = known {
        agent.row.project = known.row.project;
    }
    if agent.row.state != "ended" {
        agent.row.last_action = one_line(action);
        return keep(states, record, id, &mut agent);
    }
    Ok(())
}

/// A breaker over this scope opened or closed: every agent in it stands anew.
/// Answers the agents that are stopped now.
pub(super) fn standing_changed(
    record: &Record,
    scope: &Scope,
    states: &mut dyn States,
) -> Result<Vec<AgentId>, Refusal> {
    let mut stopped = Vec::new();
    let bodies = match scope {
        Scope::Session { agent } => states
            .get(domain::AGENT, agent.as_str())?
            .into_iter()
            .collect(),
        wider => states.find(domain::AGENT, &domain::mark(wider))?,
    };
    for body in bodies {
        let mut agent: Agent = domain::read_state(domain::AGENT, "", &body)?;
        if agent.row.state == "ended" || agent.only_observed() || !covers(scope, &agent.row) {
            continue;
        }
        let id = AgentId::new(agent.row.agent.clone());
        let seq = agent.row.last_seq;
        stand(states, record, &id, &mut agent.row)?;
        if agent.row.stopped_by.is_some() {
            stopped.push(id.clone());
        }
        save(states, domain::AGENT, id.as_str(), 0, seq, &agent)?;
    }
    Ok(stopped)
}

/// The mission that an agent works in.
pub(super) fn mission_of(id: &AgentId, states: &dyn States) -> Result<Option<MissionId>, Refusal> {
    let agent: Option<Agent> = load(states, domain::AGENT, id.as_str())?;
    Ok(agent
        .map(|agent| agent.row.mission)
        .filter(|mission| !mission.is_empty())
        .map(MissionId::new))
}

fn covers(scope: &Scope, row: &AgentRow) -> bool {
    let in_project = scope
        .project()
        .is_none_or(|project| project.as_str() == row.project);
    in_project
        && match scope {
            Scope::Session { agent } => agent.as_str() == row.agent,
            Scope::Task { task, .. } => task.as_str() == row.task,
            Scope::Mission { mission, .. } => mission.as_str() == row.mission,
            Scope::Project { .. } | Scope::Fleet => true,
        }
}

pub(super) fn open(
    states: &mut dyn States,
    record: &Record,
    id: &AgentId,
) -> Result<Agent, Refusal> {
    let mut agent = if let Some(agent) = load::<Agent>(states, domain::AGENT, id.as_str())? {
        agent
    } else {
        count(states, record.seq, |c| c.agents += 1)?;
        let row = AgentRow {
            agent: id.to_string(),
            state: "working".to_owned(),
            project: record.project.to_string(),
            ..AgentRow::default()
        };
        Agent {
            row,
            ..Agent::default()
        }
    };
    if agent.row.state != "stopped" {
        record.project.as_str().clone_into(&mut agent.row.project);
    }
    Ok(agent)
}

/// Puts an agent where it works. One that is stopped stays where it is stopped, so that it is seen
/// as that whatever else it records, until the breaker that stops it closes.
pub(super) fn place(
    states: &dyn States,
    record: &Record,
    row: &mut AgentRow,
    (mission, task): (&MissionId, &TaskId),
) -> Result<(), Refusal> {
    if row.state == "stopped" && !standing_of(states, record, row)?.blocking.is_empty() {
        return Ok(());
    }
    record.project.as_str().clone_into(&mut row.project);
    mission.as_str().clone_into(&mut row.mission);
    task.as_str().clone_into(&mut row.task);
    Ok(())
}

pub(super) fn keep(
    states: &mut dyn States,
    record: &Record,
    id: &AgentId,
    agent: &mut Agent,
) -> Result<(), Refusal> {
    stand(states, record, id, &mut agent.row)?;
    agent.row.last_at = rfc3339(record.recorded_at);
    agent.row.last_seq = record.seq;
    save(states, domain::AGENT, id.as_str(), 0, record.seq, agent)
}

fn stamped(mut agent: Agent, record: &Record) -> Agent {
    agent.row.last_at = rfc3339(record.recorded_at);
    agent.row.last_seq = record.seq;
    agent
}

fn stand(
    states: &mut dyn States,
    record: &Record,
    id: &AgentId,
    row: &mut AgentRow,
) -> Result<(), Refusal> {
    id.as_str().clone_into(&mut row.agent);
    match standing_of(states, record, row)?.blocking.first() {
        Some(breaker) => set_state(states, record, row, "stopped", Some(breaker)),
        None => set_state(states, record, row, "working", None),
    }
}

/// What stops an agent where its row says that it works.
fn standing_of(
    states: &dyn States,
    record: &Record,
    row: &AgentRow,
) -> Result<domain::Standing, Refusal> {
    let place = Place {
        project: ProjectId::new(row.project.clone()),
        mission: (!row.mission.is_empty()).then(|| MissionId::new(row.mission.clone())),
        task: (!row.task.is_empty()).then(|| TaskId::new(row.task.clone())),
        agent: Some(AgentId::new(row.agent.clone())),
    };
    domain::standing(&|d, k| states.get(d, k), &place, &|| Ok(record.recorded_at))
}

fn set_state(
    states: &mut dyn States,
    record: &Record,
    row: &mut AgentRow,
    to: &str,
    by: Option<&RecordId>,
) -> Result<(), Refusal> {
    let (before, after) = (row.state == "stopped", to == "stopped");
    to.clone_into(&mut row.state);
    row.stopped_by = by.map(|id| handle('b', id));
    count(states, record.seq, |c| match (before, after) {
        (false, true) => c.stopped += 1,
        (true, false) => c.stopped = c.stopped.saturating_sub(1),
        _ => {}
    })
}

/// The first line, cut: rows hold what fits a line.
pub(super) fn one_line(text: &str) -> String {
    text.lines()
        .next()
        .unwrap_or_default()
        .chars()
        .take(160)
        .collect()
}
