//! What ties a session to handoffs: what it holds, what it asked, what waits for it.

use crate::contract::ids::AgentId;
use crate::contract::refusal::{Exit, Refusal};
use crate::contract::row::Counts;
use crate::journal::{Read, Write};
use crate::ops::context::Context;
use crate::ops::domain::{self, Handoff, ProcessState};
use crate::ops::store::{list, load};
use crate::rules::handoff::{Command, Lease};

use super::case::Case;
use super::live::{Sight, running, running_counts};

/// Answered entries that are looked through for those of one asker, at most.
const ANSWERED: usize = 200;

/// The handoffs of one agent.
#[derive(Clone, Debug, Default)]
pub struct Ties {
    /// Entries that it holds and has not answered.
    pub held: Vec<Handoff>,
    /// Entries that it asked and that run.
    pub asked: Vec<Handoff>,
    /// Open entries of others.
    pub open: usize,
}

/// What ties an agent to the entries that run now.
///
/// # Errors
/// The store fails.
pub fn ties(agent: &AgentId, read: &dyn Read) -> Result<Ties, Refusal> {
    let mut ties = Ties::default();
    let all = running(read)?;
    if all.is_empty() {
        return Ok(ties);
    }
    let sight = Sight::of(read)?;
    for mut handoff in all {
        sight.see(&mut handoff);
        if handoff.entry.state().is_terminal() {
            continue;
        }
        let claim = handoff.entry.claim();
        if claim.is_some_and(|claim| claim.holder == *agent) {
            ties.held.push(handoff);
        } else if handoff.entry.asker.as_ref() == Some(agent) {
            ties.asked.push(handoff);
        } else if claim.is_none() {
            ties.open += 1;
        }
    }
    Ok(ties)
}

/// Answered entries of an asker that has not told what it did with the answer.
///
/// # Errors
/// The store fails.
pub fn answered(agent: &AgentId, read: &dyn Read) -> Result<Vec<Handoff>, Refusal> {
    let counts: Counts = load(read, domain::COUNT, domain::ALL)?.unwrap_or_default();
    let unused = usize::try_from(counts.handoffs_unused).unwrap_or(usize::MAX);
    if unused == 0 {
        return Ok(Vec::new());
    }
    let (escalated, running) = running_counts(read)?;
    let mut all: Vec<Handoff> = list(
        read,
        domain::HANDOFF,
        unused.min(ANSWERED),
        escalated.saturating_add(running),
    )?;
    all.retain(|handoff| handoff.entry.asker.as_ref() == Some(agent) && handoff.entry.is_unused());
    Ok(all)
}

/// Lends an entry the priority of somebody who waits, for as long as a lease lasts (spec 4.3).
///
/// # Errors
/// The store fails.
pub fn lend(
    context: &Context,
    id: &str,
    agent: &AgentId,
    process: Option<&ProcessState>,
    write: &mut dyn Write,
) -> Result<(), Refusal> {
    let lease = Lease {
        agent: agent.clone(),
        host: process.map_or_else(|| context.host.clone(), |process| process.host.clone()),
        pid: process.map_or(0, |process| process.pid),
        started: process.map_or(0, |process| process.started),
        until_us: 0,
    };
    let lent = Case::open(context, id, write).and_then(|case| {
        case.decide(&Command::Wait {
            lease: lease.clone(),
        })?;
        case.wait(&lease, write).map(drop)
    });
    match lent {
        // It ended in between.
        Err(refusal) if refusal.code.exit() == Exit::Refused => Ok(()),
        lent => lent,
    }
}
