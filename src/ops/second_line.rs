//! The second line (spec 6.2): what git asks before a commit or a push. The stops are the same as
//! for a tool call; what cannot be answered is refused.

use crate::contract::event::{CALL_REFUSED, CallRefused};
use crate::contract::ids::{AgentId, MissionId, RecordId, TaskId};
use crate::contract::refusal::{Code, Refusal};
use crate::contract::scope::Place;
use crate::journal::{Durability, Journal, Read};

use super::context::Context;
use super::domain::{self, Agent, Breaker};
use super::gate;
use super::records::observation;
use super::store::{self, around, list, load};

/// How many breakers are looked through for a caller whose session is not known.
const BREAKERS: usize = 10_000;

/// Whether a commit or a push may go on.
///
/// # Errors
/// A stop is in force where the caller stands, or nobody can tell.
pub fn check(context: &Context, hook: &str) -> Result<(), Refusal> {
    let table = store::flags(context).load()?;
    let mut journal = store::open_readonly(context)?;
    let (agent, refusal) = journal.read(|read| {
        let agent = match store::session_behind(context, read)? {
            Some(agent) => Some(agent),
            None => context.agent.clone(),
        };
        let place = place(context, agent.as_ref(), read)?;
        let standing = around(&place, read)?;
        if let Some(id) = standing.blocking.first() {
            return Ok((agent, Some(by_breaker(id, read)?)));
        }
        if let Some(flag) = gate::unrecorded(&table.hits(&place.scopes()), read)? {
            let cause = format!(
                "a {} stop is in force: {}",
                flag.trigger.as_str(),
                flag.reason
            );
            let refusal = Refusal::new(Code::BreakerOpen, cause, "watchfloor breaker list");
            return Ok((agent, Some((refusal, None))));
        }
        let unknown = agent.is_none() && context.inside_agent;
        Ok((
            agent,
            if unknown {
                anywhere(context, read)?
            } else {
                None
            },
        ))
    })?;
    let Some((refusal, breaker)) = refusal else {
        return Ok(());
    };
    if let Some(agent) = agent {
        // A refusal stands even when it cannot be recorded.
        drop(record(context, hook, agent, &refusal, breaker));
    }
    Err(refusal)
}

type Stopped = (Refusal, Option<RecordId>);

fn by_breaker(id: &RecordId, read: &dyn Read) -> Result<Stopped, Refusal> {
    let breaker: Option<Breaker> = load(read, domain::BREAKER, id.as_str())?;
    Ok((gate::stopped(breaker.as_ref()), Some(id.clone())))
}

/// Where a caller stands; with no agent in the project alone.
fn place(context: &Context, agent: Option<&AgentId>, read: &dyn Read) -> Result<Place, Refusal> {
    let known: Option<Agent> = match agent {
        Some(agent) => load(read, domain::AGENT, agent.as_str())?,
        None => None,
    };
    let row = known.map(|known| known.row).unwrap_or_default();
    let named = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let task = context.task.clone().or(named(&row.task).map(TaskId::new));
    let mission = context
        .mission
        .clone()
        .or(named(&row.mission).map(MissionId::new));
    Ok(context.place(task.as_ref(), mission.as_ref(), agent))
}

/// An agent whose session nobody knows may be the one that any stop in its project means.
fn anywhere(context: &Context, read: &dyn Read) -> Result<Option<Stopped>, Refusal> {
    let breakers: Vec<Breaker> = list(read, domain::BREAKER, BREAKERS, 0)?;
    let here = breakers.into_iter().find(|breaker| {
        let project = breaker.row.project.as_deref();
        breaker.row.state == "open" && project.is_none_or(|name| name == context.project.as_str())
    });
    Ok(here.map(|breaker| {
        let id = RecordId::new(breaker.row.id.clone());
        (gate::stopped(Some(&breaker)), Some(id))
    }))
}

fn record(
    context: &Context,
    hook: &str,
    agent: AgentId,
    refusal: &Refusal,
    breaker_id: Option<RecordId>,
) -> Result<(), Refusal> {
    let body = CallRefused {
        schema: CALL_REFUSED.to_owned(),
        agent: agent.clone(),
        tool: format!("git {hook}"),
        call_id: None,
        breaker_id,
        code: refusal.code.as_str().to_owned(),
        call: String::new(),
        action: format!("git {hook}"),
        guard: None,
    };
    let mut journal = store::open(context)?;
    journal.write(Durability::Normal, |write| {
        write.append(observation(
            context,
            CALL_REFUSED,
            None,
            Some(agent),
            &body,
        )?)
    })?;
    Ok(())
}
