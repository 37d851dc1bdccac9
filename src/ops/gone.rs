//! Sessions whose process is gone without a word (spec 1.1, 6.1): killed, or on a host that went
//! down. Nobody ends such a session but who looks: a sweep does.

use crate::contract::ids::{AgentId, MissionId, ProjectId, TaskId};
use crate::contract::refusal::Refusal;
use crate::contract::row::AgentRow;
use crate::contract::tool::{AGENT_SEEN, AgentSeen, GONE};
use crate::journal::{Durability, Journal};

use super::context::Context;
use super::domain::{self, Agent, ProcessState};
use super::process::may_live;
use super::records::observation;
use super::store::load;

/// Agents that are read at a time.
const PAGE: usize = 500;

/// Whether the process that a session told is gone. Of one that told none, or of another host's,
/// this host cannot say so.
fn is_gone(context: &Context, agent: &Agent) -> bool {
    let dead = |told: &ProcessState| !may_live(&context.host, &told.host, told.pid, told.started);
    // What was only observed is followed by its transcript.
    let gated = agent.row.state != "ended" && !agent.only_observed();
    gated && agent.process.as_ref().is_some_and(dead)
}

/// The row of an agent as it stands now: a session whose process is gone has ended, although no
/// record says so yet.
#[must_use]
pub fn effective(context: &Context, agent: Agent) -> AgentRow {
    let gone = is_gone(context, &agent);
    let mut row = agent.row;
    if gone {
        "ended".clone_into(&mut row.state);
        row.stopped_by = None;
        domain::PROCESS_GONE.clone_into(&mut row.last_action);
    }
    row
}

/// Records the end of each session whose process is gone. Answers how many there were.
///
/// # Errors
/// The store fails.
pub fn sweep(context: &Context, journal: &mut impl Journal) -> Result<u64, Refusal> {
    let gone = journal.read(|read| {
        let mut gone = Vec::new();
        for offset in (0..).step_by(PAGE) {
            let bodies = read.states(domain::AGENT, PAGE, offset)?;
            for body in &bodies {
                let agent: Agent = domain::read_state(domain::AGENT, "", body)?;
                if is_gone(context, &agent) {
                    gone.push(AgentId::new(agent.row.agent));
                }
            }
            if bodies.len() < PAGE {
                break;
            }
        }
        Ok(gone)
    })?;
    if gone.is_empty() {
        return Ok(0);
    }
    journal.write(Durability::Normal, |write| {
        let mut ended = 0;
        for id in &gone {
            // It may have begun anew since it was read.
            let known: Option<Agent> = load(write, domain::AGENT, id.as_str())?;
            let Some(agent) = known.filter(|agent| is_gone(context, agent)) else {
                continue;
            };
            let (there, body) = last_seen(context, id, &agent);
            let task = Some(body.task_id.clone());
            write.append(observation(
                &there,
                AGENT_SEEN,
                task,
                Some(id.clone()),
                &body,
            )?)?;
            ended += 1;
        }
        Ok(ended)
    })
}

/// What is recorded of the end: where the session worked, and that nobody saw it end.
fn last_seen(context: &Context, id: &AgentId, agent: &Agent) -> (Context, AgentSeen) {
    let row = &agent.row;
    let there = Context {
        project: ProjectId::new(row.project.clone()),
        ..context.clone()
    };
    let body = AgentSeen {
        schema: AGENT_SEEN.to_owned(),
        agent: id.clone(),
        harness: row.harness.clone(),
        mission_id: MissionId::new(row.mission.clone()),
        task_id: TaskId::new(row.task.clone()),
        host: context.host.clone(),
        pid: None,
        started: None,
        moment: GONE.to_owned(),
        worktree: None,
        tree: None,
    };
    (there, body)
}
