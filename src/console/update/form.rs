//! The reset form: moving in it, leaving it, and the one place that submits it.

use crate::console::effect::Effect;
use crate::console::model::{Field, Model, Overlay, ResetState};
use crate::console::view::layout::Class;
use crate::contract::agent::ResetRequest;
use crate::contract::ids::RecordId;

use super::act::say;

fn reset(model: &mut Model) -> Option<&mut ResetState> {
    match &mut model.overlay {
        Some(Overlay::Reset(reset)) if !reset.sending => Some(reset),
        _ => None,
    }
}

/// To the next or the former field.
pub fn step(model: &mut Model, forward: bool) {
    let Some(reset) = reset(model) else { return };
    let fields = reset.fields();
    let at = fields.iter().position(|f| *f == reset.field).unwrap_or(0);
    let step = if forward { 1 } else { fields.len() - 1 };
    reset.field = fields[(at + step) % fields.len()];
}

/// Left, right or space on what is no text: turns a choice, or moves between the buttons.
pub fn turn(model: &mut Model, by: isize) {
    let Some(reset) = reset(model) else { return };
    match (reset.field, &reset.form) {
        (Field::GoTo, Some(form)) => {
            let at = form.targets.iter().position(|t| Some(*t) == reset.to);
            let count = form.targets.len();
            let next = match at {
                None => 0,
                Some(at) => (at + count).saturating_add_signed(by) % count.max(1),
            };
            reset.to = form.targets.get(next).copied();
        }
        (Field::Signer, Some(form)) => {
            let count = form.signers.len().max(1);
            reset.signer = (reset.signer + count).saturating_add_signed(by) % count;
        }
        (Field::Cancel, _) => reset.field = Field::Reset,
        (Field::Reset, _) => reset.field = Field::Cancel,
        _ => return,
    }
    reset.message = None;
}

/// Enter.
pub fn confirm(model: &mut Model, effects: &mut Vec<Effect>) {
    let unseen = model.plan().class == Class::Tiny;
    let readonly = model.readonly().map(str::to_owned);
    if unseen {
        // What is signed must have been seen.
        say(
            model,
            "Enlarge the terminal to see the form; Esc cancels.".to_owned(),
            true,
        );
        return;
    }
    let Some(form) = reset(model) else { return };
    match form.field {
        Field::Cancel => cancel(model, effects),
        Field::Reset => {
            let lacks = missing(form);
            if let Some(reason) = readonly {
                form.message = Some(format!("Nothing can be written: {reason}."));
            } else if !lacks.is_empty() {
                form.message = Some(format!("Still missing: {}.", lacks.join(", ")));
                form.field = first_missing(form);
            } else {
                effects.push(Effect::SubmitReset(Box::new(request(form))));
                form.sending = true;
                form.sealed = false;
                form.message = Some("Checking, signing and writing the receipt ...".to_owned());
            }
        }
        _ => step(model, true),
    }
}

/// Leaves and writes nothing.
pub fn cancel(model: &mut Model, effects: &mut Vec<Effect>) {
    if reset(model).is_none() {
        return;
    }
    model.overlay = None;
    effects.push(Effect::WipePassphrase);
    say(model, "cancelled; nothing was written".to_owned(), false);
}

/// What is still missing, by the names on the form.
#[must_use]
pub fn missing(form: &ResetState) -> Vec<&'static str> {
    let blank = |text: &str| text.trim().is_empty();
    let mut lacks = Vec::new();
    let Some(read) = &form.form else {
        return vec!["the breaker's facts, which are still being read"];
    };
    if blank(form.cause.value()) {
        lacks.push("cause");
    }
    if blank(form.fix.value()) {
        lacks.push("fixed");
    }
    if evidence(form.evidence.value()).is_empty() {
        lacks.push("evidence");
    }
    if !read.targets.is_empty() && form.to.is_none_or(|to| !read.targets.contains(&to)) {
        lacks.push("go to");
    }
    if read.signers.is_empty() {
        lacks.push("someone with a key who may sign");
    }
    if !form.sealed {
        lacks.push("passphrase");
    }
    lacks
}

fn first_missing(form: &ResetState) -> Field {
    match missing(form).first() {
        Some(&"cause") => Field::Cause,
        Some(&"fixed") => Field::Fix,
        Some(&"evidence") => Field::Evidence,
        Some(&"go to") => Field::GoTo,
        Some(&"passphrase") => Field::Passphrase,
        _ => Field::Cancel,
    }
}

fn evidence(text: &str) -> Vec<String> {
    text.split([',', ' '])
        .filter(|part| !part.is_empty())
        .map(str::to_owned)
        .collect()
}

fn request(form: &ResetState) -> ResetRequest {
    let read = form.form.as_ref();
    ResetRequest {
        breaker_id: RecordId::new(form.breaker_id.clone()),
        cause: form.cause.value().trim().to_owned(),
        fix: form.fix.value().trim().to_owned(),
        evidence: evidence(form.evidence.value()),
        to: form
            .to
            .filter(|to| read.is_some_and(|f| f.targets.contains(to))),
        principal: read.and_then(|f| f.signers.get(form.signer)).cloned(),
    }
}
