//! What a session is told at its start, in three lines: how to hand off, what it holds, what waits
//! for it (spec 6.1).

use crate::contract::ids::AgentId;
use crate::contract::refusal::Refusal;
use crate::journal::Read;
use crate::ops::domain::{self, Agent, Handoff};
use crate::ops::handoff;
use crate::ops::store::load;

/// The three lines.
pub(super) fn lines(agent: &AgentId, read: &dyn Read) -> Result<String, Refusal> {
    let ties = handoff::ties(agent, read)?;
    let answered = handoff::answered(agent, read)?;
    let known: Option<Agent> = load(read, domain::AGENT, agent.as_str())?;
    let stopped = known
        .and_then(|known| known.row.stopped_by)
        .map(|breaker| format!(" Breaker {breaker} stops you: read, and change nothing."))
        .unwrap_or_default();
    Ok([
        "Watchfloor: when you are stuck, hand the question to another agent: \
         watchfloor handoff open --question Q --tried T --needed N, then watchfloor handoff wait ID."
            .to_owned(),
        format!("You are {agent} and hold {}.{stopped}", holding(&ties.held)),
        format!("For you: {}.", waiting(&answered, &ties)),
    ]
    .join("\n"))
}

fn holding(held: &[Handoff]) -> String {
    match held.first() {
        None => "no handoff".to_owned(),
        Some(first) => format!(
            "{}: answer before you finish (watchfloor handoff answer {}), or release",
            handles(held),
            first.row.handle
        ),
    }
}

fn waiting(answered: &[Handoff], ties: &handoff::Ties) -> String {
    let mut parts = Vec::new();
    if let Some(first) = answered.first() {
        parts.push(format!(
            "{} answered, read it with watchfloor handoff show {}",
            handles(answered),
            first.row.handle
        ));
    }
    if !ties.asked.is_empty() {
        parts.push(format!("{} not yet answered", handles(&ties.asked)));
    }
    if ties.open > 0 {
        parts.push(format!(
            "{} open questions of others, take one with watchfloor handoff next --claim",
            ties.open
        ));
    }
    if parts.is_empty() {
        "nothing waits".to_owned()
    } else {
        parts.join("; ")
    }
}

fn handles(all: &[Handoff]) -> String {
    let handles: Vec<&str> = all.iter().map(|one| one.row.handle.as_str()).collect();
    handles.join(", ")
}
