//! Secrets in tool calls and results (spec 3.8): only kind, place and a salted fingerprint are kept.

use crate::contract::breaker::Trigger;
use crate::contract::digest::Digest;
use crate::contract::ids::RecordId;
use crate::contract::refusal::{Code, Refusal};
use crate::contract::scope::Scope;
use crate::contract::secret;
use crate::contract::tool::ToolCall;
use crate::journal::{Durability, Journal, Write};
use crate::ops::context::Context;
use crate::ops::domain::{self, Mission};
use crate::ops::flags::Flags;
use crate::ops::store::load;
use crate::ops::trip;

use super::Stand;
use super::before::wanted;

/// A secret that was found: its kind, and its value for the fingerprint alone.
pub(super) struct Found {
    kind: String,
    value: String,
}

/// A secret in the input of a call that has not run.
pub(super) fn prevented(call: &ToolCall) -> Option<Found> {
    first(&call.input)
}

/// A secret in a text.
pub(super) fn first(text: &str) -> Option<Found> {
    let hit = secret::find(text).into_iter().next()?;
    let value = text.get(hit.start..hit.end)?.to_owned();
    Some(Found {
        kind: hit.kind.to_string(),
        value,
    })
}

/// Salted with the breaker's id: the same value leaves another mark each time.
fn fingerprint(salt: &RecordId, value: &str) -> String {
    Digest::of(format!("{salt}\u{1f}{value}").as_bytes()).hex()[..16].to_owned()
}

/// From the third prevented call of a trigger on, the mission is stopped and not the session alone.
const PREVENTED: u32 = 3;

/// The call is refused, and the agent's session stopped.
pub(super) fn trip_prevented(
    context: &Context,
    call: &ToolCall,
    stand: &Stand,
    found: &Found,
    flags: &Flags,
    journal: &mut impl Journal,
) -> Result<Refusal, Refusal> {
    let cause = format!(
        "the input of {} holds a secret of kind {}",
        call.tool, found.kind
    );
    journal.write(Durability::Full, |write| {
        let key = domain::in_project(&context.project, stand.mission.as_str());
        let mission: Option<Mission> = load(write, domain::MISSION, &key)?;
        let before = mission
            .and_then(|m| m.prevented.get(Trigger::Secret.as_str()).copied())
            .unwrap_or(0);
        let scope = if before + 1 >= PREVENTED {
            Scope::Mission {
                project: context.project.clone(),
                mission: stand.mission.clone(),
            }
        } else {
            Scope::Session {
                agent: stand.agent.clone(),
            }
        };
        open(context, scope, &cause, found, stand, flags, write)
    })?;
    Ok(Refusal::new(
        Code::BreakerOpen,
        format!("{cause}; the call was refused and the session is stopped"),
        "watchfloor breaker list",
    ))
}

/// It happened: the mission is stopped at once.
pub(super) fn trip_happened(
    context: &Context,
    call: &ToolCall,
    stand: &Stand,
    found: &Found,
    flags: &Flags,
    write: &mut dyn Write,
) -> Result<String, Refusal> {
    let cause = format!(
        "the result of {} held a secret of kind {}",
        call.tool, found.kind
    );
    let scope = Scope::Mission {
        project: context.project.clone(),
        mission: stand.mission.clone(),
    };
    open(context, scope, &cause, found, stand, flags, write)?;
    Ok(cause)
}

fn open(
    context: &Context,
    scope: Scope,
    cause: &str,
    found: &Found,
    stand: &Stand,
    flags: &Flags,
    write: &mut dyn Write,
) -> Result<(), Refusal> {
    let mut want = wanted(
        Trigger::Secret,
        scope,
        found.kind.clone(),
        cause.to_owned(),
        stand,
    );
    if let Some(salt) = &want.breaker_id {
        want.reason = format!("{cause} (mark {})", fingerprint(salt, &found.value));
    }
    trip::open(context, flags, &[want], write)?;
    Ok(())
}
