//! Time limits without a daemon (spec 1.1): a verb on an aggregate first yields its expiries;
//! `tick` sweeps them all, and reconciles the flag file with the journal.

use serde::Serialize;

use crate::contract::breaker::Trigger;
use crate::contract::event::{PERMIT_EXPIRED, PermitExpired};
use crate::contract::ids::{AgentId, MissionId, ProjectId, RecordId, TaskId};
use crate::contract::refusal::Refusal;
use crate::contract::scope::{Place, Scope};
use crate::journal::flags::{Flag, FlagTable};
use crate::journal::{Durability, Journal, Read, Write};
use crate::ops::flags::Flags;

use super::context::Context;
use super::domain::{self, Agent, Breaker, Mission, ScopeState, Task};
use super::records::event;
use super::store::{deadline, list, load};
use super::trip::{self, Wanted};
use super::{disk, gone, handoff, signed, stop};

/// What a sweep did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Swept {
    /// Permits that ran out.
    pub permits_expired: u64,
    /// Stops whose receipt was written now.
    pub stops_recorded: u64,
    /// Flags of breakers that were reset, taken down now.
    pub flags_cleared: u64,
    /// Flags of open breakers, set again now.
    pub flags_set: u64,
    /// Handoffs whose time limits had passed, recorded now.
    pub handoffs_expired: u64,
    /// Sessions whose process was gone, ended now.
    pub sessions_gone: u64,
    /// Breakers that the sweep opened.
    pub opened: Vec<String>,
}

/// Expires the permits that stand around a place.
///
/// # Errors
/// The store fails.
pub fn permits(context: &Context, place: &Place, write: &mut dyn Write) -> Result<u64, Refusal> {
    let now = deadline(write)?;
    let mut expired = Vec::new();
    for scope in place.scopes() {
        let state: Option<ScopeState> = load(write, domain::SCOPE, &scope.key())?;
        let permits = state.map(|state| state.permits).unwrap_or_default();
        expired.extend(permits.into_iter().filter(|permit| permit.until_us <= now));
    }
    let count = expired.len() as u64;
    for permit in expired {
        let body = PermitExpired {
            schema: PERMIT_EXPIRED.to_owned(),
            permit_id: permit.id,
        };
        write.append(event(
            context,
            PERMIT_EXPIRED,
            None,
            Some(permit.agent),
            &body,
        )?)?;
    }
    Ok(count)
}

/// Sweeps everything once.
///
/// # Errors
/// The store fails.
pub fn tick(
    context: &Context,
    journal: &mut impl Journal,
    flags: &Flags,
) -> Result<Swept, Refusal> {
    let mut swept = reconcile(context, journal, flags)?;
    swept.opened = disk::check(context, flags, journal)?;
    swept.sessions_gone = gone::sweep(context, journal)?;
    swept.handoffs_expired = handoff::expire_all(context, journal)?;
    let due = journal.read(|read| {
        let now = deadline(read)?;
        let open: Vec<Breaker> = open_breakers(read)?;
        let mut due = false;
        for breaker in &open {
            let state: Option<ScopeState> = load(read, domain::SCOPE, &breaker.scope.key())?;
            due |= state
                .is_some_and(|state| state.permits.iter().any(|permit| permit.until_us <= now));
        }
        Ok(due)
    })?;
    if due {
        swept.permits_expired = journal.write(Durability::Full, |write| {
            let mut count = 0;
            for breaker in open_breakers(write)? {
                count += permits(context, &place_of(&breaker.scope, context), write)?;
            }
            Ok(count)
        })?;
    }
    Ok(swept)
}

/// Breakers that are read at a time.
const PAGE: usize = 500;

/// Open breakers, newest first.
///
/// # Errors
/// The store fails.
pub fn open_breakers<R: Read + ?Sized>(read: &R) -> Result<Vec<Breaker>, Refusal> {
    let mut open = Vec::new();
    for offset in (0..).step_by(PAGE) {
        let bodies = read.states(domain::BREAKER, PAGE, offset)?;
        let full = bodies.len() == PAGE;
        for body in bodies {
            let breaker: Breaker = domain::read_state(domain::BREAKER, "", &body)?;
            if breaker.row.state != "open" {
                return Ok(open);
            }
            open.push(breaker);
        }
        if !full {
            break;
        }
    }
    Ok(open)
}

fn place_of(scope: &Scope, context: &Context) -> Place {
    let project = scope
        .project()
        .cloned()
        .unwrap_or_else(|| context.project.clone());
    let mut place = Place {
        project,
        mission: None,
        task: None,
        agent: None,
    };
    match scope {
        Scope::Session { agent } => place.agent = Some(agent.clone()),
        Scope::Task { task, .. } => place.task = Some(task.clone()),
        Scope::Mission { mission, .. } => place.mission = Some(mission.clone()),
        Scope::Project { .. } | Scope::Fleet => {}
    }
    place
}

/// Brings flag file and journal together (spec 3.6): a flag without a trip receipt gets one; a
/// flag of a closed breaker is taken down; an open breaker without a flag gets it back.
///
/// # Errors
/// The store fails, or the flag file is missing or damaged.
pub fn reconcile(
    context: &Context,
    journal: &mut impl Journal,
    flags: &Flags,
) -> Result<Swept, Refusal> {
    let table = match flags.load() {
        Ok(table) => table,
        Err(_) => repair(journal, flags)?,
    };
    let mut swept = Swept::default();
    let set: Vec<Flag> = table.flags().to_vec();
    let (unknown, closed, missing) = journal.read(|read| compare(&set, read))?;
    for id in &closed {
        flags.clear(id)?;
        swept.flags_cleared += 1;
    }
    if !missing.is_empty() {
        swept.flags_set = missing.len() as u64;
        flags.set(&missing, &trip::fallback(context, &missing))?;
    }
    for flag in unknown {
        let recorded = journal.write(Durability::Full, |write| {
            record_stop(context, flags, &flag, write)
        })?;
        swept.stops_recorded += u64::from(recorded);
    }
    Ok(swept)
}

/// A damaged flag file is written anew: what can still be read of it, and the open breakers.
fn repair(journal: &mut impl Journal, flags: &Flags) -> Result<FlagTable, Refusal> {
    let open = journal.read(|read| open_breakers(read))?;
    flags.repair(&open.iter().map(flag_of).collect::<Vec<_>>())?;
    flags.load()
}

fn flag_of(breaker: &Breaker) -> Flag {
    let trigger = breaker
        .trips
        .first()
        .map_or(Trigger::Manual, |trip| trip.trigger);
    let id = RecordId::new(breaker.row.id.clone());
    Flag::new(
        &breaker.scope,
        trigger,
        breaker.opened_us,
        &id,
        &breaker.row.reason,
    )
}

type Compared = (Vec<Flag>, Vec<RecordId>, Vec<Flag>);

fn compare(set: &[Flag], read: &dyn Read) -> Result<Compared, Refusal> {
    let unknown = unknown(set, read)?;
    let mut closed: Vec<RecordId> = Vec::new();
    for flag in set {
        match load::<Breaker>(read, domain::BREAKER, flag.breaker_id().as_str())? {
            Some(breaker) if breaker.row.state == "open" => {}
            Some(_) if closed.contains(&flag.breaker_id()) => {}
            Some(breaker) if signed::reset_holds(&breaker, read)? => closed.push(flag.breaker_id()),
            // A row says that it is closed, and no signature does: the flag stays.
            Some(_) | None => {}
        }
    }
    let mut missing = Vec::new();
    for breaker in open_breakers(read)? {
        let id = RecordId::new(breaker.row.id.clone());
        if !set.iter().any(|flag| flag.breaker_id() == id) {
            missing.push(flag_of(&breaker));
        }
    }
    Ok((unknown, closed, missing))
}

/// The flags of breakers that the journal does not know, one a breaker.
///
/// # Errors
/// The store fails.
pub(crate) fn unknown(set: &[Flag], read: &dyn Read) -> Result<Vec<Flag>, Refusal> {
    let mut unknown: Vec<Flag> = Vec::new();
    for flag in set {
        if unknown.iter().any(|known| known.breaker == flag.breaker) {
            continue;
        }
        if load::<Breaker>(read, domain::BREAKER, flag.breaker_id().as_str())?.is_none() {
            unknown.push(flag.clone());
        }
    }
    Ok(unknown)
}

fn record_stop(
    context: &Context,
    flags: &Flags,
    flag: &Flag,
    write: &mut dyn Write,
) -> Result<bool, Refusal> {
    if load::<Breaker>(write, domain::BREAKER, flag.breaker_id().as_str())?.is_some() {
        return Ok(false);
    }
    let Some(scope) = scope_of(context, flag, write)? else {
        return Ok(false);
    };
    let wanted = Wanted {
        trigger: flag.trigger,
        scope,
        key: Some(stop::KEY.to_owned()),
        reason: flag.reason.clone(),
        agent: None,
        proof: Vec::new(),
        breaker_id: Some(flag.breaker_id()),
    };
    let tripped = trip::open(context, flags, &[wanted], write)?;
    if tripped
        .iter()
        .all(|trip| trip.breaker_id != flag.breaker_id())
    {
        // It was added to a stop that is known; that one's flag stands.
        flags.clear(&flag.breaker_id())?;
    }
    Ok(true)
}

/// The scope behind a flag's digest: the fleet, or something that the journal knows.
fn scope_of(context: &Context, flag: &Flag, read: &dyn Read) -> Result<Option<Scope>, Refusal> {
    let mut candidates = vec![
        Scope::Fleet,
        Scope::Project {
            project: context.project.clone(),
        },
    ];
    candidates.extend(flag.scope());
    for task in list::<Task>(read, domain::TASK, 10_000, 0)? {
        let project = ProjectId::new(task.row.project);
        candidates.push(Scope::Task {
            project,
            task: TaskId::new(task.row.task),
        });
    }
    for mission in list::<Mission>(read, domain::MISSION, 10_000, 0)? {
        let project = ProjectId::new(mission.row.project);
        candidates.push(Scope::Project {
            project: project.clone(),
        });
        candidates.push(Scope::Mission {
            project,
            mission: MissionId::new(mission.row.mission),
        });
    }
    for agent in list::<Agent>(read, domain::AGENT, 10_000, 0)? {
        candidates.push(Scope::Session {
            agent: AgentId::new(agent.row.agent),
        });
    }
    Ok(candidates
        .into_iter()
        .find(|scope| scope.digest() == flag.digest))
}
