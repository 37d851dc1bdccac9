//! Refusals of handoffs: what is the matter, who holds it, what to run next.

use crate::contract::fault::Fault;
use crate::contract::handoff::{Class, LONGEST_TEXT};
use crate::contract::json::is_blank;
use crate::contract::refusal::{Code, Refusal};
use crate::contract::secret;
use crate::contract::time::rfc3339;
use crate::ops::domain::Handoff;
use crate::rules::handoff::No;

/// What a rule's no means for a person.
pub(super) fn no(handoff: &Handoff, no: &No) -> Refusal {
    let handle = &handoff.row.handle;
    let show = format!("watchfloor handoff show {handle}");
    let asker = match handoff.row.asker.as_str() {
        "" => "a person",
        asker => asker,
    };
    match no {
        No::Held { holder, until_us } => {
            let until = rfc3339(*until_us);
            let cause = format!("{handle} is held by {holder} until {until}");
            Refusal::new(Code::HandoffHeld, cause, show)
        }
        No::Own => {
            let cause = format!("{handle} is {asker}'s own question; another agent must take it");
            let next = format!("watchfloor handoff wait {handle}");
            Refusal::new(Code::HandoffOwn, cause, next)
        }
        No::NotAsker => {
            let cause = format!("{handle} was asked by {asker}, who alone may do this");
            Refusal::new(Code::HandoffNotAsker, cause, show)
        }
        No::Unclaimed => {
            let cause = format!("nobody holds {handle}: who wants to answer claims it first");
            let next = format!("watchfloor handoff claim {handle}");
            Refusal::new(Code::HandoffUnclaimed, cause, next)
        }
        No::Late { agent, epoch } => late(handoff, agent.as_str(), *epoch, ""),
        No::NoSuchEpoch { epoch } => {
            let now = handoff.entry.epoch;
            let cause =
                format!("{handle} never had a claim of yours with epoch {epoch}; it is at {now}");
            Refusal::new(Code::HandoffEpoch, cause, show)
        }
        No::ActionOnly => {
            let cause = format!("{handle} wants an action, which is never answered: escalate it");
            let next = format!(
                "watchfloor handoff escalate {handle} --class {} --reason R",
                Class::Irreversible.as_str()
            );
            Refusal::new(Code::HandoffAction, cause, next)
        }
        No::State { is } => {
            let cause = format!("{handle} is {}", is.as_str());
            Refusal::new(Code::TransitionForbidden, cause, show)
        }
        No::NothingAsked => {
            let cause = format!("no follow-up question of {handle} waits for a reply");
            Refusal::new(Code::TransitionForbidden, cause, show)
        }
        No::Done => {
            let cause = format!("this was done before with {handle}");
            Refusal::new(Code::TransitionForbidden, cause, show)
        }
    }
}

/// The claim behind a call had come to nothing before.
pub(super) fn late(handoff: &Handoff, agent: &str, epoch: u64, kept: &str) -> Refusal {
    let row = &handoff.row;
    let now = match &row.holder {
        Some(holder) => format!("{holder} holds it now, with epoch {}", row.epoch),
        None => format!("it is {}", row.state),
    };
    let cause = format!(
        "claim {epoch} of {agent} on {} has come to nothing: {now}{kept}",
        row.handle
    );
    let next = format!("watchfloor handoff show {}", row.handle);
    Refusal::new(Code::HandoffLate, cause, next)
}

/// Texts that somebody submits: not blank, not endless, without secrets.
pub(super) fn check(verb: &str, texts: &[(&str, &str)]) -> Result<(), Refusal> {
    let next = format!("watchfloor handoff {verb} --help");
    let mut faults = Vec::new();
    for (path, text) in texts {
        if is_blank(text) {
            faults.push(Fault::new("string_too_short", *path, "must not be blank"));
        }
        if text.chars().count() > LONGEST_TEXT {
            let message = format!("must have at most {LONGEST_TEXT} characters");
            faults.push(Fault::new("string_too_long", *path, message));
        }
    }
    if !faults.is_empty() {
        return Err(Refusal::of_faults("the call", faults, next));
    }
    no_secret(verb, texts)
}

/// What others will read must hold no secret.
pub(super) fn no_secret(verb: &str, texts: &[(&str, &str)]) -> Result<(), Refusal> {
    for (path, text) in texts {
        if let Some(hit) = secret::find(text).first() {
            let cause = format!(
                "{path} holds a secret of kind {}; nothing was written",
                hit.kind
            );
            let next = format!("watchfloor handoff {verb} --help");
            return Err(Refusal::new(Code::SecretInRecord, cause, next));
        }
    }
    Ok(())
}
