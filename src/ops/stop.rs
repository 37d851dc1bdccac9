//! `stop` and `resume` (spec 3.6). A stop needs nothing but the file system.

use serde::Serialize;

use crate::contract::breaker::Trigger;
use crate::contract::ids::RecordId;
use crate::contract::refusal::{Code, Refusal};
use crate::contract::scope::Scope;
use crate::journal::flags::Flag;
use crate::journal::{Durability, Journal, Read};
use crate::ops::flags::Flags;

use super::context::Context;
use super::domain::Breaker;
use super::records::fresh_id;
use super::store;
use super::sweep::open_breakers;
use super::trip::{self, Wanted};

/// How long a stop waits for the store, in milliseconds, before it leaves the receipt to others.
const PATIENCE_MS: u64 = 1_500;

/// The key of a stop: a further one of the same scope is a hit of the one that stands.
pub const KEY: &str = "stop";

/// What a stop answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Stopped {
    /// The flag stands: the next hook call and gate refuse.
    pub flag: bool,
    /// Why it does not: hooks then refuse what changes things, wherever it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unflagged: Option<String>,
    /// The receipt is in the journal.
    pub recorded: bool,
    /// The breaker.
    pub id: String,
    /// Its handle.
    pub handle: String,
    /// What was stopped.
    pub scope: String,
    /// Why it is not recorded yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
}

/// Stops a scope: the flag first, then, if the store can write, the receipt.
///
/// # Errors
/// The flag could not be set and nothing was recorded either.
pub fn stop(
    context: &Context,
    scope: &Scope,
    reason: &str,
    utc_us: i64,
) -> Result<Stopped, Refusal> {
    raise(context, Trigger::Manual, scope, KEY, reason, utc_us)
}

/// Opens a breaker as a stop does: the flag first, then, if the store can write, the receipt.
///
/// # Errors
/// The flag could not be set and nothing was recorded either.
pub fn raise(
    context: &Context,
    trigger: Trigger,
    scope: &Scope,
    key: &str,
    reason: &str,
    utc_us: i64,
) -> Result<Stopped, Refusal> {
    let reason = crate::contract::secret::redact(reason).0;
    let flags = Flags::for_a_stop(context);
    let id = fresh_id();
    let flag = Flag::new(scope, trigger, utc_us, &id, &reason);
    let raised = std::slice::from_ref(&flag);
    let set = flags.raise(raised, &trip::fallback(context, raised));
    let wanted = Wanted {
        trigger,
        scope: scope.clone(),
        key: Some(key.to_owned()),
        reason,
        agent: context.agent.clone(),
        proof: Vec::new(),
        breaker_id: Some(id.clone()),
    };
    let recorded = record(context, &flags, wanted);
    if let (Err(flag), Err(_)) = (&set, &recorded) {
        return Err(flag.clone());
    }
    let id = match &recorded {
        Ok(known) if *known != id => {
            // It was added to the stop that stands, whose own flag is set.
            drop(flags.clear(&id));
            known.clone()
        }
        _ => id,
    };
    // Recording it may have mended the file and set the flag.
    let unflagged = set
        .err()
        .filter(|_| recorded.is_err() || flags.load().is_err());
    Ok(Stopped {
        flag: unflagged.is_none(),
        unflagged: unflagged
            .map(|refusal| format!("{}; next: {}", refusal.cause, refusal.next_command)),
        recorded: recorded.is_ok(),
        handle: crate::contract::ids::handle('b', &id),
        id: id.to_string(),
        scope: scope.to_string(),
        cause: recorded.err().map(|refusal| refusal.to_string()),
    })
}

/// Answers the breaker that the stop belongs to.
fn record(context: &Context, flags: &Flags, wanted: Wanted) -> Result<RecordId, Refusal> {
    let mut journal = store::open(context)?;
    journal.set_patience(std::time::Duration::from_millis(PATIENCE_MS))?;
    let fresh = wanted.breaker_id.clone();
    let tripped = journal.write(Durability::Full, |write| {
        trip::open(context, flags, &[wanted], write)
    })?;
    let known = tripped.into_iter().next().map(|trip| trip.breaker_id);
    Ok(known.or(fresh).unwrap_or_else(fresh_id))
}

/// The open breaker that `resume` resets: the manual one of the scope, newest first.
///
/// # Errors
/// None is open there.
pub fn manual(read: &dyn Read, scope: &Scope) -> Result<Breaker, Refusal> {
    let manual = |breaker: &Breaker| {
        breaker
            .trips
            .iter()
            .any(|trip| trip.trigger == Trigger::Manual)
    };
    open_breakers(read)?
        .into_iter()
        .find(|breaker| breaker.scope == *scope && manual(breaker))
        .ok_or_else(|| {
            let cause = format!("no stop is in force on {scope}");
            Refusal::new(Code::BreakerClosed, cause, "watchfloor breaker list")
        })
}
