//! `mission new | list | show | move`, `task list | show` (spec 3.7).

use serde::{Deserialize, Serialize};

use crate::contract::breaker::Trigger;
use crate::contract::event::{MISSION_MOVED, MISSION_NEW, MissionMoved, MissionNew};
use crate::contract::goal::Goal;
use crate::contract::ids::{MissionId, TaskId};
use crate::contract::mission::MissionState;
use crate::contract::refusal::{Code, Refusal};
use crate::contract::row::{MissionRow, TaskRow};
use crate::contract::scope::Scope;
use crate::journal::{Durability, Journal};
use crate::ops::flags::Flags;
use crate::rules::mission::{Consequence, Forbidden, How, Mover, transition};

use super::context::Context;
use super::domain::{self, Mission, Task};
use super::records::event;
use super::store::{list as rows, load, not_found};
use super::trip::{self, Wanted};
use super::{gate, keyed};

/// What `mission new` and `mission move` answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// The mission.
    pub mission: String,
    /// Its state.
    pub state: String,
    /// Hash of its goal packet.
    pub goal_hash: String,
    /// Position of the record.
    pub seq: u64,
}

/// Makes a mission with a goal packet.
///
/// # Errors
/// It exists already, or the store fails.
pub fn new(
    context: &Context,
    id: &MissionId,
    goal: &Goal,
    journal: &mut impl Journal,
) -> Result<Answer, Refusal> {
    let request = serde_json::to_vec(goal).unwrap_or_default();
    journal.write(Durability::Full, |write| {
        keyed::once(context, "mission new", &request, write, |write| {
            let key = domain::in_project(&context.project, id.as_str());
            if load::<Mission>(write, domain::MISSION, &key)?.is_some() {
                let cause = format!("mission {id} exists; a changed goal is a new mission");
                return Err(Refusal::new(
                    Code::KeyConflict,
                    cause,
                    format!("watchfloor mission show {id}"),
                ));
            }
            let goal_hash = goal.hash().to_string();
            let body = MissionNew {
                schema: MISSION_NEW.to_owned(),
                mission_id: id.clone(),
                goal: goal.clone(),
                goal_hash: goal_hash.clone(),
            };
            let record = write.append(event(
                context,
                MISSION_NEW,
                None,
                context.agent.clone(),
                &body,
            )?)?;
            Ok(Answer {
                mission: id.to_string(),
                state: MissionState::Planned.as_str().to_owned(),
                goal_hash,
                seq: record.seq,
            })
        })
    })
}

/// Moves a mission. An agent's forbidden move trips `state`; a person's is refused.
///
/// # Errors
/// The transition is forbidden, a breaker is open in scope, or the store fails.
pub fn go(
    context: &Context,
    id: &MissionId,
    to: MissionState,
    reason: &str,
    journal: &mut impl Journal,
    flags: &Flags,
) -> Result<Answer, Refusal> {
    let request = format!("{id}\u{1f}{}\u{1f}{reason}", to.as_str());
    let moved = journal.write(Durability::Full, |write| {
        keyed::once(
            context,
            "mission move",
            request.as_bytes(),
            write,
            |write| {
                let key = domain::in_project(&context.project, id.as_str());
                let mission: Mission = load(write, domain::MISSION, &key)?
                    .ok_or_else(|| not_found("mission", id.as_str(), "watchfloor mission list"))?;
                let place = context.place(None, Some(id), context.agent.as_ref());
                gate::refuse_when_stopped(&place, write)?;
                if let Err(why) = moves(mission.state, to, !reason.trim().is_empty()) {
                    let mover = if context.agent.is_some() || context.inside_agent {
                        Mover::Agent
                    } else {
                        Mover::Person
                    };
                    let trips = why.means(mover) == Consequence::TripsState;
                    return forbidden(
                        context,
                        id,
                        &mission,
                        to,
                        &why.to_string(),
                        trips.then_some(flags),
                        write,
                    );
                }
                let body = MissionMoved {
                    schema: MISSION_MOVED.to_owned(),
                    mission_id: id.clone(),
                    from: mission.state,
                    to,
                    reason: reason.to_owned(),
                };
                let record = write.append(event(
                    context,
                    MISSION_MOVED,
                    None,
                    context.agent.clone(),
                    &body,
                )?)?;
                Ok(Ok(Answer {
                    mission: id.to_string(),
                    state: to.as_str().to_owned(),
                    goal_hash: mission.row.goal_hash,
                    seq: record.seq,
                }))
            },
        )
    })?;
    moved.map_err(|cause: String| {
        Refusal::new(
            Code::TransitionForbidden,
            cause,
            format!("watchfloor mission show {id}"),
        )
    })
}

/// A move by its own wish; out of `blocked`, a stated reason is the new knowledge.
fn moves(from: MissionState, to: MissionState, reasoned: bool) -> Result<(), Forbidden> {
    let wished = transition(from, to, How::Agent);
    if wished.is_err() && reasoned && transition(from, to, How::NewKnowledge).is_ok() {
        return Ok(());
    }
    wished
}

fn forbidden(
    context: &Context,
    id: &MissionId,
    mission: &Mission,
    to: MissionState,
    why: &str,
    flags: Option<&Flags>,
    write: &mut dyn crate::journal::Write,
) -> Result<Result<Answer, String>, Refusal> {
    let cause = format!(
        "mission {id} cannot go from {} to {}: {why}",
        mission.state.as_str(),
        to.as_str()
    );
    if let Some(flags) = flags {
        let wanted = Wanted {
            trigger: Trigger::State,
            scope: Scope::Mission {
                project: context.project.clone(),
                mission: id.clone(),
            },
            key: Some(format!("{}->{}", mission.state.as_str(), to.as_str())),
            reason: cause.clone(),
            agent: context.agent.clone(),
            proof: Vec::new(),
            breaker_id: None,
        };
        trip::open(context, flags, &[wanted], write)?;
    }
    Ok(Err(cause))
}

/// Missions, newest last.
#[derive(Clone, Debug, Serialize)]
pub struct Missions {
    /// The missions.
    pub missions: Vec<MissionRow>,
    /// More lie before them.
    pub more: bool,
}

/// Lists missions.
///
/// # Errors
/// The store fails.
pub fn list(since: u64, limit: usize, journal: &mut impl Journal) -> Result<Missions, Refusal> {
    journal.read(|read| {
        let all: Vec<Mission> = rows(read, domain::MISSION, limit.saturating_add(1), 0)?;
        let (missions, more) = newest_last(all.into_iter().map(|m| m.row), limit, |row| {
            row.last_seq > since
        });
        Ok(Missions { missions, more })
    })
}

fn newest_last<T>(
    newest_first: impl Iterator<Item = T>,
    limit: usize,
    keep: impl Fn(&T) -> bool,
) -> (Vec<T>, bool) {
    let mut rows: Vec<T> = newest_first.filter(keep).collect();
    let more = rows.len() > limit;
    rows.truncate(limit);
    rows.reverse();
    (rows, more)
}

/// A mission with its goal.
#[derive(Clone, Debug, Serialize)]
pub struct Shown {
    /// Its row.
    #[serde(flatten)]
    pub row: MissionRow,
    /// Its goal packet.
    pub goal: Goal,
    /// Whether the kept hash is the packet's.
    pub goal_hash_holds: bool,
    /// Who works in it.
    pub agents: Vec<String>,
}

/// Shows a mission; the goal's hash is computed anew.
///
/// # Errors
/// There is none, or the store fails.
pub fn show(
    context: &Context,
    id: &MissionId,
    journal: &mut impl Journal,
) -> Result<Shown, Refusal> {
    journal.read(|read| {
        let key = domain::in_project(&context.project, id.as_str());
        let mission: Mission = load(read, domain::MISSION, &key)?
            .ok_or_else(|| not_found("mission", id.as_str(), "watchfloor mission list"))?;
        Ok(Shown {
            goal_hash_holds: mission.goal.hash().to_string() == mission.row.goal_hash,
            agents: mission.agents.iter().map(ToString::to_string).collect(),
            goal: mission.goal,
            row: mission.row,
        })
    })
}

/// Tasks, newest last.
#[derive(Clone, Debug, Serialize)]
pub struct Tasks {
    /// The tasks.
    pub tasks: Vec<TaskRow>,
    /// More lie before them.
    pub more: bool,
}

/// Lists tasks.
///
/// # Errors
/// The store fails.
pub fn tasks(since: u64, limit: usize, journal: &mut impl Journal) -> Result<Tasks, Refusal> {
    journal.read(|read| {
        let mut all: Vec<Task> = rows(read, domain::TASK, 100_000, 0)?;
        all.sort_by_key(|task| std::cmp::Reverse(task.row.last_seq));
        let (tasks, more) = newest_last(all.into_iter().map(|t| t.row), limit, |row| {
            row.last_seq > since
        });
        Ok(Tasks { tasks, more })
    })
}

/// Shows a task.
///
/// # Errors
/// There is none, or the store fails.
pub fn task(
    context: &Context,
    id: &TaskId,
    journal: &mut impl Journal,
) -> Result<TaskRow, Refusal> {
    journal.read(|read| {
        let key = domain::in_project(&context.project, id.as_str());
        let task: Task = load(read, domain::TASK, &key)?
            .ok_or_else(|| not_found("task", id.as_str(), "watchfloor task list"))?;
        Ok(task.row)
    })
}
