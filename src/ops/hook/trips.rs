//! Breakers that the guard opens (spec 3.6). *Prevented*: the call was refused before it ran, the
//! agent's session is stopped, and its mission from the third one of the trigger on. *Happened*:
//! a result, or a refused call that ran all the same, stops more at once.

use crate::contract::breaker::Trigger;
use crate::contract::guard::Judgement;
use crate::contract::refusal::{Code, Refusal};
use crate::contract::scope::Scope;
use crate::contract::secret;
use crate::contract::tool::ToolCall;
use crate::journal::flags::Flag;
use crate::journal::{Durability, Journal, Read, Write};
use crate::ops::context::Context;
use crate::ops::domain::{self, Breaker, Mission, ScopeState};
use crate::ops::flags::Flags;
use crate::ops::records::fresh_id;
use crate::ops::store::{load, utc_us};
use crate::ops::trip::{self, Wanted};

use super::guard::{Sight, trigger_of};
use super::{Stand, register, secrets};

/// From this prevented call of a trigger on, the mission is stopped and not the session alone.
const PREVENTED: u32 = 3;

/// Hits on one breaker that are recorded as such: an agent that goes on asking is refused and
/// counted, and adds no receipt for ever.
const HITS: u64 = 20;

/// What a prevented call stops. Tampering with the approvals is about the whole mission.
fn prevented_scope(context: &Context, trigger: Trigger, stand: &Stand, before: u32) -> Scope {
    if trigger == Trigger::ApprovalIdentity || before + 1 >= PREVENTED {
        return stand.mission_scope(context);
    }
    Scope::Session {
        agent: stand.agent.clone(),
    }
}

/// What stops for something that happened: the task for a conflict, everything for damage, the
/// mission for all else.
fn happened_scope(context: &Context, trigger: Trigger, stand: &Stand) -> Scope {
    match trigger {
        Trigger::Persistence => Scope::Fleet,
        Trigger::Git => Scope::Task {
            project: context.project.clone(),
            task: stand.task.clone(),
        },
        _ => stand.mission_scope(context),
    }
}

/// The call was refused: its breaker opens. Answers what the agent is told.
pub(super) fn prevented(
    context: &Context,
    call: &ToolCall,
    stand: &Stand,
    sight: &Sight,
    flags: &Flags,
    journal: &mut impl Journal,
) -> Result<Refusal, Refusal> {
    let trigger = trigger_of(&sight.judged);
    let cause = cause(&sight.judged);
    let first = register::first_tree(context, stand);
    let scope = journal.write(Durability::Full, |write| {
        register::if_first(context, &call.caller, stand, first.clone(), write)?;
        let key = domain::in_project(&context.project, stand.mission.as_str());
        let mission: Option<Mission> = load(write, domain::MISSION, &key)?;
        let before = mission
            .and_then(|m| m.prevented.get(trigger.as_str()).copied())
            .unwrap_or(0);
        let scope = prevented_scope(context, trigger, stand, before);
        let about = About {
            trigger,
            scope: scope.clone(),
            judged: &sight.judged,
            found: sight.found.as_ref(),
        };
        open(context, &about, stand, flags, write)?;
        Ok(scope)
    })?;
    Ok(Refusal::new(
        Code::GuardTripped,
        format!(
            "{cause}; the call was refused, and breaker {} is open on {scope}",
            trigger.as_str()
        ),
        "watchfloor breaker list",
    ))
}

/// Something that happened.
pub(super) struct Happened<'a> {
    pub(super) judged: &'a Judgement,
    pub(super) found: Option<&'a secrets::Found>,
    /// It was refused before, and ran all the same: the mission is stopped whatever it was.
    pub(super) leaked: bool,
}

/// It happened: what it stops is stopped at once. Answers what the agent is told.
pub(super) fn happened(
    context: &Context,
    stand: &Stand,
    happened: &Happened<'_>,
    flags: &Flags,
    write: &mut dyn Write,
) -> Result<String, Refusal> {
    let trigger = trigger_of(happened.judged);
    let scope = match happened_scope(context, trigger, stand) {
        Scope::Task { .. } if happened.leaked => stand.mission_scope(context),
        scope => scope,
    };
    let about = About {
        trigger,
        scope: scope.clone(),
        judged: happened.judged,
        found: happened.found,
    };
    open(context, &about, stand, flags, write)?;
    Ok(format!(
        "{}; breaker {} is open on {scope}: stop changing things. See: watchfloor breaker list",
        cause(happened.judged),
        trigger.as_str()
    ))
}

/// The store cannot be asked: the session's flag is set all the same, and its receipt follows
/// when the store answers again. Answers whether the flag stands.
pub(super) fn stop_without_store(
    context: &Context,
    call: &ToolCall,
    sight: &Sight,
    flags: &Flags,
) -> bool {
    // What was tried before may have set the flag before it failed.
    let Ok(table) = flags.load() else {
        return false;
    };
    let Some(flag) = flag_of(call, sight, table.flags()) else {
        return true;
    };
    let raised = std::slice::from_ref(&flag);
    flags
        .raise(raised, &trip::fallback(context, raised))
        .is_ok()
}

/// The refusal of a call whose session was stopped by its flag alone.
pub(super) fn stopped_without_store(sight: &Sight, failed: &Refusal) -> Refusal {
    let cause = format!(
        "{}; the call was refused and the session is stopped: its stop flag is set, and breaker {} \
         opens once the store answers ({failed})",
        cause(&sight.judged),
        trigger_of(&sight.judged).as_str()
    );
    Refusal::new(Code::GuardTripped, cause, "watchfloor status")
}

/// The flag of a session that the guard stops while the store does not answer; `None` where one
/// of the same trigger stands.
fn flag_of(call: &ToolCall, sight: &Sight, flagged: &[Flag]) -> Option<Flag> {
    let trigger = trigger_of(&sight.judged);
    let scope = Scope::Session {
        agent: call.caller.agent(),
    };
    let stands = |flag: &&Flag| flag.trigger == trigger && flag.digest == scope.digest();
    if flagged.iter().any(|flag| stands(&flag)) {
        return None;
    }
    let reason = cause(&sight.judged);
    Some(Flag::new(&scope, trigger, utc_us(), &fresh_id(), &reason))
}

fn cause(judged: &Judgement) -> String {
    let reason = secret::redact(&judged.reason).0;
    match &judged.rule {
        Some(rule) => format!("{reason} ({rule})"),
        None => reason,
    }
}

struct About<'a> {
    trigger: Trigger,
    scope: Scope,
    judged: &'a Judgement,
    found: Option<&'a secrets::Found>,
}

fn open(
    context: &Context,
    about: &About<'_>,
    stand: &Stand,
    flags: &Flags,
    write: &mut dyn Write,
) -> Result<(), Refusal> {
    let key = about.judged.rule.clone().unwrap_or_default();
    if is_full(about, &key, write)? {
        return Ok(());
    }
    let id = fresh_id();
    let mut reason = cause(about.judged);
    if let Some(found) = about.found {
        reason = format!("{reason} (mark {})", found.mark(&id));
    }
    let want = Wanted {
        trigger: about.trigger,
        scope: about.scope.clone(),
        key: Some(key),
        reason,
        agent: Some(stand.agent.clone()),
        proof: Vec::new(),
        breaker_id: Some(id),
    };
    trip::open(context, flags, &[want], write)?;
    Ok(())
}

/// Whether the breaker that this would hit has had enough of it.
fn is_full(about: &About<'_>, key: &str, read: &dyn Read) -> Result<bool, Refusal> {
    let scope: ScopeState = load(read, domain::SCOPE, &about.scope.key())?.unwrap_or_default();
    for id in scope.open {
        let breaker: Option<Breaker> = load(read, domain::BREAKER, id.as_str())?;
        let hit = breaker.is_some_and(|breaker| {
            let same = |trip: &domain::TripRef| {
                trip.trigger == about.trigger && trip.key.as_deref() == Some(key)
            };
            breaker.row.hits >= HITS && breaker.trips.iter().any(same)
        });
        if hit {
            return Ok(true);
        }
    }
    Ok(false)
}
