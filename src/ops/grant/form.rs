//! A grant for a refused call (spec 5.1): what its form shows, and its signature.

use crate::authority::Keys;
use crate::contract::breaker::ResetCheck;
use crate::contract::granting::{GrantForm, GrantRequest, InTheWay};
use crate::contract::refusal::{Code, Refusal};
use crate::contract::scope::Place;
use crate::journal::{Journal, Read};
use crate::ops::context::Context;
use crate::ops::domain::{self, Agent, Breaker};
use crate::ops::flags::Flags;
use crate::ops::identity;
use crate::ops::reset::Ask;
use crate::ops::store::{around, deadline, load};
use crate::rules::breaker::{Authority, Decision};

use super::GrantRow;
use super::add::{Wish, add};
use super::refused::{self, Of, Refused};

/// Everything that a grant for a refused call needs, looked at just now.
///
/// # Errors
/// There is no such call, something other than the guard refused it, or the store fails.
pub fn form(
    context: &Context,
    of: Of<'_>,
    journal: &mut impl Journal,
) -> Result<GrantForm, Refusal> {
    journal.read(|read| {
        let found = refused::find(of, read)?;
        let needs = Authority::default().of(Decision::Grant);
        let keys = Keys::new(&context.config);
        let signers = identity::known(read)?
            .into_iter()
            .filter(|signer| !signer.revoked && signer.holds(needs) && keys.has(&signer.principal))
            .map(|signer| signer.principal)
            .collect();
        let agent: Option<Agent> = load(read, domain::AGENT, found.body.agent.as_str())?;
        let now = deadline(read)?;
        let grants = refused::grants(&found, read)?;
        let runs = grants.iter().filter(|(_, runs)| *runs).count();
        Ok(GrantForm {
            opens: refused::opens(&found),
            grants: grants
                .iter()
                .map(|(one, _)| refused::line(one, now))
                .collect(),
            checks: checks(&found, runs, agent.as_ref()),
            breakers: in_the_way(&found, agent.as_ref(), read)?,
            needs,
            signers,
            refused: refused::row(&found),
        })
    })
}

/// Signs a grant for a refused call, in the project that the call was made in.
///
/// # Errors
/// The refusal does not tell of what shall be opened, and as [`add`].
pub fn allow(
    context: &Context,
    request: &GrantRequest,
    ask: Ask<'_>,
    journal: &mut impl Journal,
    flags: &Flags,
) -> Result<GrantRow, Refusal> {
    let found = journal.read(|read| refused::find(Of::Record(&request.refused_id), read))?;
    if !refused::opens(&found).contains(&request.opens) {
        let cause = "the refused call wants something else than this grant would open";
        let next = "watchfloor grant add --help";
        return Err(Refusal::new(Code::TransitionForbidden, cause, next));
    }
    let context = Context {
        project: found.record.project,
        ..context.clone()
    };
    let wish = Wish {
        opens: request.opens.clone(),
        minutes: request.minutes,
        reason: &request.reason,
        principal: request.principal.as_deref(),
    };
    add(&context, &wish, ask, journal, flags)
}

fn checks(found: &Refused, runs: usize, agent: Option<&Agent>) -> Vec<ResetCheck> {
    let check = |name: &str, holds: bool, seen: String| ResetCheck {
        name: name.to_owned(),
        holds,
        seen,
    };
    let record = &found.record;
    let digest = crate::contract::digest::Digest::of(record.body.as_bytes());
    let whole = digest == record.body_sha256;
    let (there, seen) = match agent.map(|agent| agent.row.state.as_str()) {
        Some("ended") => (false, "its session ended: it will not try again".to_owned()),
        Some(state) => (true, format!("it is {state}")),
        None => (false, "nobody knows it any more".to_owned()),
    };
    vec![
        check(
            "refusal_is_recorded",
            whole,
            format!(
                "record {}, its digest {}",
                record.seq,
                if whole { "holds" } else { "does not hold" }
            ),
        ),
        check(
            "no_grant_opens_it_yet",
            runs == 0,
            match runs {
                0 => "none runs".to_owned(),
                n => format!("{n} run already"),
            },
        ),
        check("agent_is_there", there, seen),
    ]
}

/// Open breakers that stop the agent, whatever is granted.
fn in_the_way(
    found: &Refused,
    agent: Option<&Agent>,
    read: &dyn Read,
) -> Result<Vec<InTheWay>, Refusal> {
    let mission = agent.map(|agent| agent.row.mission.clone());
    let place = Place {
        project: found.record.project.clone(),
        mission: mission
            .filter(|mission| !mission.is_empty())
            .map(crate::contract::ids::MissionId::new),
        task: found.record.task.clone(),
        agent: Some(found.body.agent.clone()),
    };
    let mut stop = Vec::new();
    for id in around(&place, read)?.blocking {
        let breaker: Option<Breaker> = load(read, domain::BREAKER, id.as_str())?;
        stop.extend(breaker.map(|breaker| InTheWay {
            handle: breaker.row.handle,
            trigger: breaker.row.trigger,
            scope: breaker.row.scope,
        }));
    }
    Ok(stop)
}
