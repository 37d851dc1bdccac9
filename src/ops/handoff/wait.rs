//! `handoff wait`: waits for the end of an entry, and lends it priority while it does (spec 4.3).

use std::time::{Duration, Instant};

use crate::contract::handoff::{HandoffAnswer, HandoffState};
use crate::contract::ids::AgentId;
use crate::contract::refusal::{Code, Exit, Refusal};
use crate::journal::{Durability, Journal};
use crate::ops::context::Context;
use crate::ops::domain::Handoff;
use crate::ops::process::Process;
use crate::ops::store::{self, Over};
use crate::rules::handoff::{Command, Lease};

use super::case::Case;
use super::live::Sight;
use super::{caller, find, told};

/// How often a lease is renewed; it lasts three times as long.
const RENEW: Duration = Duration::from_secs(10);
/// Who waits for an entry that names nobody, without a name.
const UNNAMED: &str = "unnamed";

/// How somebody waits.
#[derive(Clone, Copy)]
pub struct Waiting<'a> {
    /// The waiting process.
    pub process: Option<Process>,
    /// For how long at most.
    pub patience: Duration,
    /// Whether nobody waits any more.
    pub over: Over<'a>,
}

/// Waits until an entry is answered, parked or decided, or until its asker is asked back. The
/// lease of the waiting process makes the entry `blocking` meanwhile, and ends with the process.
///
/// # Errors
/// The wait ran out, there is no such entry, or the store fails.
pub fn wait(
    context: &Context,
    id: &str,
    waiting: &Waiting<'_>,
    journal: &mut impl Journal,
) -> Result<HandoffAnswer, Refusal> {
    let Waiting {
        process,
        patience,
        over: nobody,
    } = *waiting;
    let until = Instant::now() + patience;
    let (id, who, after) = journal.read(|read| {
        let handoff = find(read, id)?;
        Ok((handoff.row.id, caller(context, read)?, read.head()?.seq))
    })?;
    let mut tail = store::follow(context, after)?;
    let mut renewed: Option<Instant> = None;
    loop {
        let (over, answer) = look(context, &id, who.as_ref(), journal)?;
        if over {
            return Ok(answer);
        }
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() || nobody.is_some_and(|nobody| nobody()) {
            return Err(ran_out(&answer, patience));
        }
        let age = renewed.map(|at| at.elapsed());
        if age.is_none_or(|age| age >= RENEW) {
            renew(context, &id, who.as_ref(), process, journal)?;
            renewed = Some(Instant::now());
            continue;
        }
        let next = RENEW.saturating_sub(age.unwrap_or_default());
        store::rest(&mut tail, left.min(next), nobody)?;
    }
}

/// How it stands, and whether the wait is over. What time has brought is recorded.
fn look(
    context: &Context,
    id: &str,
    who: Option<&AgentId>,
    journal: &mut impl Journal,
) -> Result<(bool, HandoffAnswer), Refusal> {
    let due = journal.read(|read| Ok(Sight::of(read)?.is_due(&find(read, id)?)))?;
    if due {
        journal.write(Durability::Full, |write| {
            Case::open(context, id, write).map(drop)
        })?;
    }
    journal.read(|read| {
        let mut handoff = find(read, id)?;
        Sight::of(read)?.see(&mut handoff);
        let over = is_over(&handoff, who);
        Ok((over, told(&handoff, None, over, read)?))
    })
}

fn is_over(handoff: &Handoff, who: Option<&AgentId>) -> bool {
    match handoff.entry.state() {
        HandoffState::Open => false,
        HandoffState::Resolved | HandoffState::Blocked => true,
        HandoffState::Escalated => !handoff.entry.is_undecided(),
        HandoffState::Claimed => {
            let awaits = handoff.entry.claim().is_some_and(|claim| claim.awaits);
            awaits && handoff.entry.is_asker(who)
        }
    }
}

fn renew(
    context: &Context,
    id: &str,
    who: Option<&AgentId>,
    process: Option<Process>,
    journal: &mut impl Journal,
) -> Result<(), Refusal> {
    let leased = journal.write(Durability::Full, |write| {
        let case = Case::open(context, id, write)?;
        let asker = case.handoff.entry.asker.as_ref();
        let agent = who.or(asker).cloned();
        let lease = Lease {
            agent: agent.unwrap_or_else(|| AgentId::new(UNNAMED)),
            host: context.host.clone(),
            pid: process.map_or(0, |process| process.pid),
            started: process.map_or(0, |process| process.started),
            until_us: 0,
        };
        case.decide(&Command::Wait {
            lease: lease.clone(),
        })?;
        case.wait(&lease, write).map(drop)
    });
    match leased {
        // It ended in between: the next look tells.
        Err(refusal) if refusal.code.exit() == Exit::Refused => Ok(()),
        other => other,
    }
}

fn ran_out(answer: &HandoffAnswer, patience: Duration) -> Refusal {
    let held = match &answer.holder {
        Some(holder) => format!(", held by {holder}"),
        None => String::new(),
    };
    let cause = format!(
        "{} is still {}{held} after {} seconds",
        answer.handle,
        answer.state,
        patience.as_secs()
    );
    let next = format!("watchfloor handoff wait {}", answer.handle);
    Refusal::new(Code::WaitRanOut, cause, next)
}
