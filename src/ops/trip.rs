//! Opening a breaker (spec 3.6): STOP first, in the flag file, then SAVE.

use crate::contract::breaker::{TRIP, Trigger, Trip};
use crate::contract::ids::{AgentId, RecordId};
use crate::contract::refusal::Refusal;
use crate::contract::scope::Scope;
use crate::journal::flags::Flag;
use crate::journal::{Read, Write};

use super::context::Context;
use super::domain::{self, Agent, Breaker, ScopeState};
use super::flags::Flags;
use super::records::{Receipt, fresh_id, goal_hash, receipt};
use super::store::load;

/// A breaker that a verb wants to open.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// What opens it.
    pub trigger: Trigger,
    /// What it covers.
    pub scope: Scope,
    /// Signature or rule.
    pub key: Option<String>,
    /// Why.
    pub reason: String,
    /// Who caused it.
    pub agent: Option<AgentId>,
    /// Records that prove it.
    pub proof: Vec<RecordId>,
    /// An id chosen before, by a stop that could not write yet.
    pub breaker_id: Option<RecordId>,
}

/// A breaker that was opened or hit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tripped {
    /// The breaker.
    pub breaker_id: RecordId,
    /// The receipt.
    pub receipt_id: RecordId,
    /// Its position.
    pub seq: u64,
}

/// Opens the breakers that one entry wants. Those of one scope become one breaker; a hit on an
/// open breaker with the same key is added to it. The flags are set before anything is saved.
///
/// # Errors
/// The store fails. The flags then stand all the same.
pub fn open(
    context: &Context,
    flags: &Flags,
    wanted: &[Wanted],
    write: &mut dyn Write,
) -> Result<Vec<Tripped>, Refusal> {
    let mut chosen: Vec<(Scope, RecordId)> = Vec::new();
    let mut plan = Vec::new();
    for want in wanted {
        let known = chosen
            .iter()
            .find(|(scope, _)| *scope == want.scope)
            .map(|(_, id)| id.clone());
        let (id, fresh) = match known {
            Some(id) => (id, false),
            None => match open_with_key(want, write)? {
                Some(id) => (id, false),
                None => (want.breaker_id.clone().unwrap_or_else(fresh_id), true),
            },
        };
        chosen.push((want.scope.clone(), id.clone()));
        plan.push((want, id, fresh));
    }
    let now = write.now()?;
    let mut crews: Vec<(Scope, Vec<AgentId>)> = Vec::new();
    for want in wanted {
        if !crews.iter().any(|(scope, _)| *scope == want.scope) {
            crews.push((want.scope.clone(), agents_in(&want.scope, write)?));
        }
    }
    let crew = |scope: &Scope| -> &[AgentId] {
        let found = crews.iter().find(|(known, _)| known == scope);
        found.map_or(&[], |(_, agents)| agents)
    };
    let mut raised = Vec::new();
    for (want, id, fresh) in &plan {
        if *fresh {
            raised.extend(flags_of(want, id, now.utc_us, crew(&want.scope)));
        }
    }
    if !raised.is_empty() {
        // A flag file that is missing or damaged counts as failing: hooks then refuse by themselves.
        drop(flags.raise(&raised, &fallback(context, &raised)));
    }
    let mut done = Vec::new();
    for (want, id, _) in plan {
        done.push(save(context, want, id, crew(&want.scope), write)?);
    }
    Ok(done)
}

/// Where a flag goes when no slot is free: the project's, then the fleet's.
#[must_use]
pub fn fallback(context: &Context, raised: &[Flag]) -> Vec<Flag> {
    let Some(first) = raised.first() else {
        return Vec::new();
    };
    let wider = [
        Scope::Project {
            project: context.project.clone(),
        },
        Scope::Fleet,
    ];
    wider
        .iter()
        .map(|scope| {
            Flag::new(
                scope,
                first.trigger,
                first.at_us,
                &first.breaker_id(),
                &first.reason,
            )
        })
        .collect()
}

/// A flag for a scope, and for each session that is known to work in it.
fn flags_of(want: &Wanted, id: &RecordId, at_us: i64, crew: &[AgentId]) -> Vec<Flag> {
    let mut flags = vec![Flag::new(
        &want.scope,
        want.trigger,
        at_us,
        id,
        &want.reason,
    )];
    for agent in crew {
        let agent = agent.clone();
        flags.push(Flag::new(
            &Scope::Session { agent },
            want.trigger,
            at_us,
            id,
            &want.reason,
        ));
    }
    flags
}

/// The agents registered in a task or mission; wider scopes are known without them.
fn agents_in(scope: &Scope, read: &dyn Read) -> Result<Vec<AgentId>, Refusal> {
    let inside = |row: &crate::contract::row::AgentRow| match scope {
        Scope::Task { project, task } => {
            row.project == project.as_str() && row.task == task.as_str()
        }
        Scope::Mission { project, mission } => {
            row.project == project.as_str() && row.mission == mission.as_str()
        }
        _ => false,
    };
    if !matches!(scope, Scope::Task { .. } | Scope::Mission { .. }) {
        return Ok(Vec::new());
    }
    let mut agents = Vec::new();
    for body in read.states_with(domain::AGENT, &domain::mark(scope))? {
        let agent: Agent = domain::read_state(domain::AGENT, "", &body)?;
        if agent.row.state != "ended" && inside(&agent.row) {
            agents.push(AgentId::new(agent.row.agent));
        }
    }
    Ok(agents)
}

fn open_with_key(want: &Wanted, read: &dyn Read) -> Result<Option<RecordId>, Refusal> {
    let scope: ScopeState = load(read, domain::SCOPE, &want.scope.key())?.unwrap_or_default();
    for id in scope.open {
        let Some(breaker) = load::<Breaker>(read, domain::BREAKER, id.as_str())? else {
            continue;
        };
        if breaker
            .trips
            .iter()
            .any(|trip| trip.trigger == want.trigger && trip.key == want.key)
        {
            return Ok(Some(id));
        }
    }
    Ok(None)
}

fn save(
    context: &Context,
    want: &Wanted,
    breaker_id: RecordId,
    crew: &[AgentId],
    write: &mut dyn Write,
) -> Result<Tripped, Refusal> {
    let first = load::<Breaker>(write, domain::BREAKER, breaker_id.as_str())?.is_none();
    let trip = Trip {
        schema: TRIP.to_owned(),
        breaker_id: breaker_id.clone(),
        trigger: want.trigger,
        scope: want.scope.clone(),
        key: want.key.clone(),
        reason: want.reason.clone(),
        agent: want.agent.clone(),
        proof: want.proof.clone(),
        agents: crew.to_vec(),
        at_seq: write.head()?.seq,
    };
    let goal_hash = goal_hash(&want.scope, write)?;
    let id = if first {
        breaker_id.clone()
    } else {
        fresh_id()
    };
    let record = receipt(
        context,
        write,
        Receipt {
            id,
            goal_hash,
            parents: Vec::new(),
            scope: &want.scope,
            agent: want.agent.clone(),
        },
        &trip,
    )?;
    Ok(Tripped {
        breaker_id,
        receipt_id: record.id,
        seq: record.seq,
    })
}
