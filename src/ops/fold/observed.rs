//! Folds what was read of agents in their transcripts. It moves no standing: such an agent is
//! never stopped, because nothing stands between it and its next call.

use crate::contract::observed::{LAMP_OBSERVED, Observed};
use crate::contract::record::Record;
use crate::contract::refusal::Refusal;
use crate::contract::row::AgentRow;
use crate::journal::States;
use crate::ops::domain::{self, Agent};

use super::agent::{SPARK, open};
use super::{load, save};

pub(super) fn observed(
    record: &Record,
    seen: &Observed,
    states: &mut dyn States,
) -> Result<(), Refusal> {
    let known: Option<Agent> = load(states, domain::AGENT, seen.agent.as_str())?;
    let mut agent = if let Some(agent) = known {
        agent
    } else {
        let mut agent = open(states, record, &seen.agent)?;
        LAMP_OBSERVED.clone_into(&mut agent.row.lamp);
        agent
    };
    told(&mut agent.row, seen);
    agent.observed = Some(seen.source.clone());
    if agent.only_observed() {
        did(&mut agent.row, seen, record);
    }
    let seq = agent.row.last_seq;
    save(states, domain::AGENT, seen.agent.as_str(), 0, seq, &agent)
}

/// What no hook tells.
fn told(row: &mut AgentRow, seen: &Observed) {
    row.title.clone_from(&seen.title);
    row.model.clone_from(&seen.model);
    row.tokens = seen.tokens;
    row.context = seen.context;
    row.cost_microusd = seen.cost_microusd;
    row.transcript = Some(seen.source.file.clone());
}

/// What hooks would tell.
fn did(row: &mut AgentRow, seen: &Observed, record: &Record) {
    row.harness.clone_from(&seen.harness);
    record.project.as_str().clone_into(&mut row.project);
    seen.mission_id.as_str().clone_into(&mut row.mission);
    seen.task_id.as_str().clone_into(&mut row.task);
    row.state.clone_from(&seen.state);
    row.last_action.clone_from(&seen.action);
    row.last_at.clone_from(&seen.at);
    row.last_seq = record.seq;
    row.pid = seen.pid;
    for failed in seen.steps.iter().filter_map(|step| step.failed) {
        row.attempts += 1;
        row.failures += u64::from(failed);
        row.spark.push(u8::from(failed));
    }
    let over = row.spark.len().saturating_sub(SPARK);
    row.spark.drain(..over);
    row.findings.clone_from(&seen.findings);
    if let Some(failure) = &seen.failure {
        row.signature = Some(failure.signature.to_string());
        row.failure = Some(failure.line.clone());
    }
}
