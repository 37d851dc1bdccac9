//! Folds what happens to a mission.

use std::collections::{BTreeMap, BTreeSet};

use crate::contract::event::{MissionMoved, MissionNew, Prompted};
use crate::contract::goal::Goal;
use crate::contract::ids::{AgentId, MissionId, ProjectId, TaskId};
use crate::contract::mission::MissionState;
use crate::contract::record::Record;
use crate::contract::refusal::Refusal;
use crate::contract::row::MissionRow;
use crate::contract::time::rfc3339;
use crate::journal::States;
use crate::ops::domain::{self, Mission};

use super::{count, load, save};

/// The goal of a mission that named none (spec 3): reproducible from its id.
pub(crate) fn generated_goal(mission: &MissionId) -> Goal {
    let id = mission.as_str();
    if let Some(session) = id.strip_prefix("session-") {
        Goal::generated_for_session(session)
    } else {
        Goal::generated_for_task(id.strip_prefix("task-").unwrap_or(id))
    }
}

pub(super) fn tries(
    states: &dyn States,
    project: &ProjectId,
    mission: &MissionId,
) -> Result<u32, Refusal> {
    let key = domain::in_project(project, mission.as_str());
    let mission = load::<Mission>(states, domain::MISSION, &key)?;
    Ok(mission.map_or(0, |m| u32::try_from(m.row.tries).unwrap_or(u32::MAX)))
}

/// Work was recorded in a mission: it exists from its first record on.
pub(super) fn worked(
    states: &mut dyn States,
    record: &Record,
    id: &MissionId,
    task: &TaskId,
    agent: &AgentId,
    counted: bool,
) -> Result<(), Refusal> {
    let mut mission = open(states, record, id)?;
    if counted {
        mission.row.tries += 1;
    }
    if !mission.row.tasks.iter().any(|t| t == task.as_str()) {
        mission.row.tasks.push(task.to_string());
    }
    mission.agents.insert(agent.clone());
    if mission.state == MissionState::Planned {
        mission.state = MissionState::Active;
    }
    keep(states, record, id, &mut mission)
}

pub(super) fn created(
    record: &Record,
    body: &MissionNew,
    states: &mut dyn States,
) -> Result<(), Refusal> {
    let mut mission = open(states, record, &body.mission_id)?;
    mission.row.outcome.clone_from(&body.goal.outcome);
    mission.row.goal_hash.clone_from(&body.goal_hash);
    mission.row.generated = false;
    mission.goal = body.goal.clone();
    mission.state = MissionState::Planned;
    keep(states, record, &body.mission_id, &mut mission)
}

pub(super) fn moved(
    record: &Record,
    body: &MissionMoved,
    states: &mut dyn States,
) -> Result<(), Refusal> {
    let mut mission = open(states, record, &body.mission_id)?;
    mission.state = body.to;
    keep(states, record, &body.mission_id, &mut mission)
}

pub(super) fn prompted(
    record: &Record,
    body: &Prompted,
    states: &mut dyn States,
) -> Result<(), Refusal> {
    let mut mission = open(states, record, &body.mission_id)?;
    if mission.row.generated {
        mission.row.tries = 0;
    }
    mission.agents.insert(body.agent.clone());
    keep(states, record, &body.mission_id, &mut mission)
}

/// A call was refused before it ran, and the session stopped for it.
pub(super) fn prevented(
    record: &Record,
    id: &MissionId,
    trigger: &str,
    states: &mut dyn States,
) -> Result<(), Refusal> {
    let mut mission = open(states, record, id)?;
    *mission.prevented.entry(trigger.to_owned()).or_default() += 1;
    keep(states, record, id, &mut mission)
}

/// A breaker over the mission opened, or its last one closed with this state.
pub(super) fn breaker_changed(
    record: &Record,
    id: &MissionId,
    to: Option<MissionState>,
    was_reset: bool,
    states: &mut dyn States,
) -> Result<(), Refusal> {
    let mut mission = open(states, record, id)?;
    if was_reset {
        mission.row.tries = 0;
        mission.prevented.clear();
    }
    if let Some(to) = to {
        mission.state = to;
    }
    keep(states, record, id, &mut mission)
}

fn open(states: &mut dyn States, record: &Record, id: &MissionId) -> Result<Mission, Refusal> {
    let key = domain::in_project(&record.project, id.as_str());
    if let Some(mission) = load::<Mission>(states, domain::MISSION, &key)? {
        return Ok(mission);
    }
    count(states, record.seq, |c| c.missions += 1)?;
    let goal = generated_goal(id);
    let row = MissionRow {
        mission: id.to_string(),
        project: record.project.to_string(),
        outcome: goal.outcome.clone(),
        goal_hash: goal.hash().to_string(),
        generated: true,
        ..MissionRow::default()
    };
    Ok(Mission {
        row,
        goal,
        state: MissionState::Active,
        agents: BTreeSet::new(),
        prevented: BTreeMap::new(),
    })
}

fn keep(
    states: &mut dyn States,
    record: &Record,
    id: &MissionId,
    mission: &mut Mission,
) -> Result<(), Refusal> {
    mission.state.as_str().clone_into(&mut mission.row.state);
    mission.row.last_at = rfc3339(record.recorded_at);
    mission.row.last_seq = record.seq;
    let key = domain::in_project(&record.project, id.as_str());
    save(states, domain::MISSION, &key, 0, record.seq, mission)
}
