//! Answers of the executor. What the store holds is shown only from here.

use crate::console::backend::{PaneKind, Snapshot};
use crate::console::effect::Effect;
use crate::console::event::{Refused, Reply};
use crate::console::model::{Field, Model, Overlay};
use crate::contract::agent::{ResetAnswer, ResetForm};
use crate::contract::refusal::Code;

use super::act::say;
use super::moving;

/// Takes an answer in.
pub fn apply(model: &mut Model, reply: Reply, effects: &mut Vec<Effect>) {
    match reply {
        Reply::Status { outcome, .. } => match outcome {
            Ok(snapshot) => status(model, snapshot, effects),
            Err(refused) => model.trouble = Some(refused),
        },
        Reply::Detail { kind, id, outcome } => {
            if model.detail.asked.as_ref() == Some(&(kind, id.clone())) {
                model.detail.loaded = Some(((kind, id), outcome));
            }
        }
        Reply::Form {
            breaker_id,
            outcome,
        } => form(model, &breaker_id, outcome),
        Reply::Reset(outcome) => reset(model, outcome),
        Reply::Stop(Ok(text)) => say(model, text, false),
        Reply::Stop(Err(refused)) => {
            say(model, format!("NOT stopped: {}", refused.line()), true);
        }
    }
}

fn status(model: &mut Model, mut new: Snapshot, effects: &mut Vec<Effect>) {
    model.trouble = None;
    model.loaded = true;
    let old = &mut model.snapshot;
    let log_before = old.log.as_ref().map_or(0, |p| p.total);
    let moved = old.seq != new.seq;
    new.breakers = new.breakers.or_else(|| old.breakers.take());
    new.tasks = new.tasks.or_else(|| old.tasks.take());
    new.agents = new.agents.or_else(|| old.agents.take());
    new.log = new.log.or_else(|| old.log.take());
    model.snapshot = new;
    let log_now = model.snapshot.log.as_ref().map_or(0, |p| p.total);
    moving::keep_place(model, log_now.saturating_sub(log_before));
    if moved
        && model.plan().detail.is_some()
        && let Some((kind, id)) = model.detail.asked.clone()
        && kind != PaneKind::Log
    {
        effects.push(Effect::OpenDetail { kind, id });
    }
}

fn form(model: &mut Model, breaker_id: &str, outcome: Result<ResetForm, Refused>) {
    let Some(Overlay::Reset(reset)) = &mut model.overlay else {
        return;
    };
    if reset.breaker_id != breaker_id || reset.sending {
        return;
    }
    match outcome {
        Ok(form) => {
            reset.signer = reset.signer.min(form.signers.len().saturating_sub(1));
            if reset.to.is_some_and(|to| !form.targets.contains(&to)) {
                reset.to = None;
            }
            reset.form = Some(form);
            if !reset.fields().contains(&reset.field) {
                reset.field = Field::Cancel;
            }
        }
        Err(refused) => reset.message = Some(refused.line()),
    }
}

fn reset(model: &mut Model, outcome: Result<ResetAnswer, Refused>) {
    let Some(Overlay::Reset(reset)) = &mut model.overlay else {
        return;
    };
    reset.sending = false;
    reset.sealed = false;
    match outcome {
        Ok(answer) if answer.lacks.is_empty() && answer.receipt_id.is_some() => {
            let receipt = answer.receipt_id.unwrap_or_default();
            model.overlay = None;
            // The operator wants to see the effect of what was written.
            if model.paused {
                model.paused = false;
                model.missed = 0;
            }
            model.asked = None;
            let text = format!("{} is reset; receipt {receipt}", answer.handle);
            say(model, text, false);
        }
        Ok(answer) => {
            if let Some(form) = &mut reset.form {
                form.checks = answer.checks;
            }
            let lacks = answer.lacks.join(", ");
            reset.message = Some(format!("Not reset. Still lacking: {lacks}."));
            reset.field = Field::Cancel;
        }
        Err(refused) => {
            let wrong = refused.code == Code::PassphraseWrong.as_str();
            reset.message = Some(if wrong {
                "That passphrase does not open the key. Nothing was written; type it again."
                    .to_owned()
            } else {
                format!("Nothing was written: {}", refused.line())
            });
            reset.field = if wrong {
                Field::Passphrase
            } else {
                Field::Cancel
            };
        }
    }
}
