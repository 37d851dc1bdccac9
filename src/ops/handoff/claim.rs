//! `handoff next`, `handoff claim`: one atomic step, and one winner.

use crate::contract::handoff::{CLAIMED, Claimed, HandoffAnswer, HandoffState};
use crate::contract::ids::{AgentId, ProjectId};
use crate::contract::refusal::{Code, Refusal};
use crate::journal::{Journal, Read, Write};
use crate::ops::context::Context;
use crate::ops::domain::Handoff;
use crate::ops::gate;
use crate::ops::records::fresh_id;
use crate::rules::handoff::{Command, Step};

use super::case::Case;
use super::live::{Sight, running};
use super::{agent, caller, find, perform, told};

/// Which entries to look for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only of this project.
    pub project: Option<ProjectId>,
    /// Only with all of these tags.
    pub tags: Vec<String>,
}

impl Filter {
    fn takes(&self, handoff: &Handoff) -> bool {
        let row = &handoff.row;
        let here = self
            .project
            .as_ref()
            .is_none_or(|project| project.as_str() == row.project);
        here && self.tags.iter().all(|tag| row.tags.contains(tag))
    }
}

/// Takes an entry. A claim is work: an open breaker refuses it (spec 3.6, NO MUTATION).
///
/// # Errors
/// Somebody holds it, it is the agent's own, it has ended, or a breaker stops the agent.
pub fn claim(
    context: &Context,
    id: &str,
    journal: &mut impl Journal,
) -> Result<HandoffAnswer, Refusal> {
    perform(context, "claim", &[id], journal, |write| {
        let agent = agent(context, "claim", write)?;
        gate::refuse_agent_when_stopped(context, &agent, write)?;
        take(context, id, &agent, write)
    })
}

/// The next entry for the caller: the oldest blocking one, else the oldest; never an own one.
/// With `claim` it is taken in the same step.
///
/// # Errors
/// There is none, or a breaker stops the agent that wants to claim.
pub fn next(
    context: &Context,
    filter: &Filter,
    claim: bool,
    journal: &mut impl Journal,
) -> Result<HandoffAnswer, Refusal> {
    if !claim {
        return journal.read(|read| {
            let agent = caller(context, read)?;
            let found = oldest(filter, agent.as_ref(), read)?;
            let handoff = find(read, &found)?;
            told(&handoff, None, true, read)
        });
    }
    let request = format!("{filter:?}");
    perform(context, "next", &[&request], journal, |write| {
        let agent = agent(context, "next", write)?;
        gate::refuse_agent_when_stopped(context, &agent, write)?;
        let found = oldest(filter, Some(&agent), write)?;
        take(context, &found, &agent, write)
    })
}

fn take(
    context: &Context,
    id: &str,
    agent: &AgentId,
    write: &mut dyn Write,
) -> Result<HandoffAnswer, Refusal> {
    let case = Case::open(context, id, write)?;
    let step = case.decide(&Command::Claim {
        agent: agent.clone(),
    })?;
    let Step::Claimed { holder, epoch } = step else {
        return Err(Refusal::new(
            Code::Internal,
            "a claim took nothing",
            "watchfloor verify --deep",
        ));
    };
    let body = Claimed {
        schema: CLAIMED.to_owned(),
        handoff_id: case.handoff.id(),
        holder,
        epoch,
    };
    let parent = &case.handoff.opened;
    let record = case.receipt(fresh_id(), &[parent], Some(agent), &body, write)?;
    told(&case.handoff, Some(&record), true, write)
}

/// The id of the oldest blocking entry that fits, else of the oldest.
fn oldest(filter: &Filter, agent: Option<&AgentId>, read: &dyn Read) -> Result<String, Refusal> {
    let sight = Sight::of(read)?;
    let mut best: Option<(bool, u64, String)> = None;
    for mut handoff in running(read)? {
        sight.see(&mut handoff);
        let own = agent.is_some() && handoff.entry.asker.as_ref() == agent;
        if own || handoff.entry.state() != HandoffState::Open || !filter.takes(&handoff) {
            continue;
        }
        let waits = handoff.row.priority == "blocking";
        let opened = handoff.thread.first().copied().unwrap_or_default();
        let key = (!waits, opened, handoff.row.id);
        if best.as_ref().is_none_or(|known| key < *known) {
            best = Some(key);
        }
    }
    best.map(|(_, _, id)| id).ok_or_else(|| {
        let among = match &filter.project {
            Some(project) => format!(" in {project}"),
            None => String::new(),
        };
        Refusal::new(
            Code::HandoffNone,
            format!("no open handoff{among} waits for this agent"),
            "watchfloor handoff list --state open",
        )
    })
}
