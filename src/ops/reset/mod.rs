//! `breaker reset`, `breaker permit`, `resume` (spec 3.6, 7.1): a person's signed decision.

mod checks;
mod form;
mod present;
mod sign;

use zeroize::Zeroizing;

use crate::contract::agent::{ResetAnswer, ResetRequest};
use crate::contract::breaker::{RESET, Reset, ResetCheck, Trigger};
use crate::contract::fault::Fault;
use crate::contract::mission::MissionState;
use crate::contract::refusal::{Code, Refusal};
use crate::contract::scope::Scope;
use crate::journal::{Journal, Read};
use crate::ops::flags::Flags;

use super::breaker;
use super::context::Context;
use super::domain::Breaker;
use super::paths;

pub use checks::{checks, lacks_now};
pub use form::form;
pub(crate) use form::{proof, stopped};
pub use present::{present, presented_refused};
pub(crate) use sign::sign_as;
pub use sign::{Ask, PermitWish, permit};

/// The states that a reset may send a mission to (spec 3.7).
pub const TARGETS: [MissionState; 3] = [
    MissionState::Active,
    MissionState::Blocked,
    MissionState::Escalated,
];

/// What a reset lacks where nobody here may sign it.
const SIGNER: &str = "signer";

/// What a reset still lacks, without signing anything.
///
/// # Errors
/// There is no such breaker, it is closed, or the store fails.
pub fn check(
    context: &Context,
    request: &ResetRequest,
    journal: &mut impl Journal,
) -> Result<ResetAnswer, Refusal> {
    journal.read(|read| {
        let breaker = breaker::find(read, request.breaker_id.as_str())?;
        refuse_closed(&breaker)?;
        refuse_secret(&breaker, request)?;
        let mut answer = answer(context, &breaker, read)?;
        answer.lacks.extend(
            missing(&breaker, request)
                .into_iter()
                .map(|fault| fault.path),
        );
        if let Err(refusal) = paths::found(context, &request.evidence, read)
            && refusal.code == Code::EvidenceMissing
        {
            answer.lacks.push("evidence_exists".to_owned());
        }
        let principal = request.principal.as_deref();
        if let Err(refusal) = sign::may_sign(context, breaker.needs, principal, read) {
            answer.lacks.push(SIGNER.to_owned());
            answer.checks.push(ResetCheck {
                name: SIGNER.to_owned(),
                holds: false,
                seen: refusal.cause,
            });
        }
        Ok(answer)
    })
}

/// The refusal that a reset would be as it stands; `None` where it lacks nothing.
#[must_use]
pub fn refusal_of(answer: &ResetAnswer) -> Option<Refusal> {
    if answer.lacks.is_empty() {
        return None;
    }
    let seen = |name: &String| {
        let check = answer.checks.iter().find(|check| check.name == *name);
        check.map_or_else(|| name.clone(), |check| format!("{name} ({})", check.seen))
    };
    let lacks: Vec<String> = answer.lacks.iter().map(seen).collect();
    Some(Refusal::new(
        Code::ResetLacks,
        format!("the reset lacks {}", lacks.join(", ")),
        match answer.lacks.as_slice() {
            [one] if one == SIGNER => "watchfloor identity list".to_owned(),
            _ => format!("watchfloor breaker show {}", answer.handle),
        },
    ))
}

/// Resets a breaker: checks everything again, asks for the passphrase, signs, appends, and takes
/// the flags down.
///
/// # Errors
/// Fields are missing, evidence does not exist, a machine check does not hold, the role does not
/// suffice, the passphrase is wrong, the breaker is closed, or the store fails.
pub fn reset(
    context: &Context,
    request: &ResetRequest,
    ask: Ask<'_>,
    journal: &mut impl Journal,
    flags: &Flags,
) -> Result<ResetAnswer, Refusal> {
    let (breaker, payload, checked) = journal.read(|read| prepare(context, request, read))?;
    let signed = sign::sign(
        context,
        &breaker,
        &payload,
        request.principal.as_deref(),
        ask,
        journal,
    )?;
    let record = present(context, &breaker, &signed, RESET, None, journal, flags)?;
    Ok(ResetAnswer {
        state: "closed".to_owned(),
        lacks: Vec::new(),
        checks: checked,
        receipt_id: Some(record.id.to_string()),
        seq: Some(record.seq),
        ..bare(&breaker)
    })
}

type Prepared = (Breaker, serde_json::Value, Vec<ResetCheck>);

fn prepare(
    context: &Context,
    request: &ResetRequest,
    read: &dyn Read,
) -> Result<Prepared, Refusal> {
    let breaker = breaker::find(read, request.breaker_id.as_str())?;
    refuse_closed(&breaker)?;
    let next = format!("watchfloor breaker reset {} --check", breaker.row.handle);
    let faults = missing(&breaker, request);
    if !faults.is_empty() {
        return Err(Refusal::of_faults("the reset", faults, next));
    }
    refuse_secret(&breaker, request)?;
    let evidence = paths::found(context, &request.evidence, read)?;
    let checked = checks(context, &breaker, read)?;
    let failing: Vec<String> = checked
        .iter()
        .filter(|c| !c.holds)
        .map(|c| format!("{} ({})", c.name, c.seen))
        .collect();
    if !failing.is_empty() {
        return Err(Refusal::new(
            Code::ResetLacks,
            format!("the reset lacks {}", failing.join(", ")),
            next,
        ));
    }
    let head = read.head()?;
    let reset = Reset {
        schema: RESET.to_owned(),
        breaker_id: breaker::id_of(&breaker),
        trips: breaker
            .trips
            .iter()
            .map(|trip| trip.receipt_id.clone())
            .collect(),
        scope: breaker.scope.clone(),
        cause: request.cause.trim().to_owned(),
        fix: request.fix.trim().to_owned(),
        evidence,
        to: request.to,
        checks: checked.clone(),
        nonce: uuid::Uuid::now_v7().to_string(),
        at_seq: head.seq,
        at_hash: head.hash.to_string(),
        approval: None,
    };
    let payload = serde_json::to_value(&reset).map_err(|error| {
        Refusal::new(
            Code::Internal,
            format!("a reset has no JSON form: {error}"),
            next,
        )
    })?;
    Ok((breaker, payload, checked))
}

/// Faults of the request: all at once.
fn missing(breaker: &Breaker, request: &ResetRequest) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut need = |path: &str, given: bool, message: &str| {
        if !given {
            faults.push(Fault::new("missing", path, message));
        }
    };
    let manual = only_manual(breaker);
    need(
        "cause",
        !request.cause.trim().is_empty(),
        "say what was wrong",
    );
    need(
        "fix",
        !request.fix.trim().is_empty(),
        "say what was done about it",
    );
    let evidence = request.evidence.iter().any(|item| !item.trim().is_empty());
    need(
        "evidence",
        evidence || manual,
        "name a file or receipt that shows it",
    );
    let mission = matches!(breaker.scope, Scope::Mission { .. });
    need(
        "to",
        request.to.is_some() || !mission,
        "choose active, blocked or escalated",
    );
    match request.to {
        Some(_) if !mission => faults.push(Fault::new(
            "extra_forbidden",
            "to",
            "only a mission goes to a state",
        )),
        Some(to) if !TARGETS.contains(&to) => {
            faults.push(Fault::new(
                "literal_error",
                "to",
                "choose active, blocked or escalated",
            ));
        }
        _ => {}
    }
    faults
}

/// A stop by hand was lifted: what it says is cause enough.
fn only_manual(breaker: &Breaker) -> bool {
    breaker
        .trips
        .iter()
        .all(|trip| trip.trigger == Trigger::Manual)
}

fn refuse_secret(breaker: &Breaker, request: &ResetRequest) -> Result<(), Refusal> {
    let evidence = request.evidence.join("\n");
    let words = format!("{}\n{}\n{evidence}", request.cause, request.fix);
    let Some(hit) = crate::contract::secret::find(&words).into_iter().next() else {
        return Ok(());
    };
    let cause = format!("the reset holds a secret of kind {}", hit.kind);
    let next = format!("watchfloor breaker show {}", breaker.row.handle);
    Err(Refusal::new(Code::SecretInRecord, cause, next))
}

fn refuse_closed(breaker: &Breaker) -> Result<(), Refusal> {
    if breaker.row.state == "open" {
        return Ok(());
    }
    let row = &breaker.row;
    let by = row.closed_by.as_deref().unwrap_or("somebody");
    let at = row.closed_at.as_deref().unwrap_or("before");
    let cause = format!("breaker {} was closed by {by} at {at}", row.handle);
    Err(Refusal::new(
        Code::BreakerClosed,
        cause,
        format!("watchfloor breaker show {}", row.handle),
    ))
}

fn answer(context: &Context, breaker: &Breaker, read: &dyn Read) -> Result<ResetAnswer, Refusal> {
    let checked = checks(context, breaker, read)?;
    Ok(ResetAnswer {
        lacks: checked
            .iter()
            .filter(|check| !check.holds)
            .map(|check| check.name.clone())
            .collect(),
        checks: checked,
        ..bare(breaker)
    })
}

fn bare(breaker: &Breaker) -> ResetAnswer {
    ResetAnswer {
        id: breaker.row.id.clone(),
        handle: breaker.row.handle.clone(),
        trigger: breaker.row.trigger.clone(),
        scope: breaker.row.scope.clone(),
        state: breaker.row.state.clone(),
        lacks: Vec::new(),
        checks: Vec::new(),
        receipt_id: None,
        seq: None,
    }
}

/// A passphrase, wiped from memory when it is dropped.
pub type Passphrase = Zeroizing<String>;
