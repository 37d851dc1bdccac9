//! Answers of the executor. What the store holds is shown only from here.

use crate::console::backend::{PaneKind, Snapshot};
use crate::console::effect::Effect;
use crate::console::event::{Refused, Reply};
use crate::console::form::{Facts, Form, Subject, Written, opened};
use crate::console::keymap::KeyMap;
use crate::console::model::{Model, Overlay};
use crate::contract::event::CALL_REFUSED;
use crate::contract::guard::Grantable;
use crate::contract::refusal::Code;

use super::act::say;
use super::{going, moving, windows};

/// Takes an answer in.
pub fn apply(model: &mut Model, reply: Reply, effects: &mut Vec<Effect>) {
    match reply {
        Reply::Status { outcome, .. } => match outcome {
            Ok(snapshot) => status(model, *snapshot, effects),
            Err(refused) => model.trouble = Some(refused),
        },
        Reply::Detail { kind, id, outcome } => {
            if model.detail.asked.as_ref() == Some(&(kind, id.clone())) {
                model.detail.loaded = Some(((kind, id), outcome));
            }
        }
        Reply::Form { subject, outcome } => form(model, &subject, outcome),
        Reply::Preview { draft, outcome } => {
            if let Some(Overlay::Form(form)) = &mut model.overlay
                && form.previewed.as_ref() == Some(&*draft)
            {
                match outcome {
                    Ok(preview) => form.preview = Some(preview),
                    Err(refused) => form.message = Some(refused.line()),
                }
            }
        }
        Reply::Meaning { text, outcome } => {
            if let Some(Overlay::Triage(triage)) = &mut model.overlay
                && triage.asked == text
            {
                triage.answer = Some((text, outcome));
            }
        }
        Reply::Submitted { written, refused } => submitted(model, written, refused),
        Reply::Ways { agent, outcome } => going::found(model, &agent, outcome, effects),
        Reply::Diff { agent, outcome } => going::read(model, &agent, outcome),
        Reply::Jump(Ok(jumped)) => windows::jumped(model, &jumped, effects),
        Reply::Jump(Err(refused)) => say(model, refused.line(), true),
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
    new.handoffs = new.handoffs.or_else(|| old.handoffs.take());
    new.breakers = new.breakers.or_else(|| old.breakers.take());
    new.tasks = new.tasks.or_else(|| old.tasks.take());
    new.codes = new.codes.or_else(|| old.codes.take());
    new.receipts = new.receipts.or_else(|| old.receipts.take());
    if new.agents.is_none() {
        new.held = std::mem::take(&mut old.held);
    }
    new.agents = new.agents.or_else(|| old.agents.take());
    new.log = new.log.or_else(|| old.log.take());
    model.snapshot = new;
    // What somebody else closed needs no mark any more.
    for row in model.snapshot.breakers.iter().flat_map(|page| &page.rows) {
        if row.state != "open" {
            model.lists[PaneKind::Breakers.index()]
                .marks
                .remove(&row.id);
        }
    }
    let log_now = model.snapshot.log.as_ref().map_or(0, |p| p.total);
    moving::keep_place(model, log_now.saturating_sub(log_before));
    if moved
        && model.plan().detail.is_some()
        && let Some((kind, id)) = model.detail.asked.clone()
        // A record never changes.
        && match kind {
            // But a grant may have become of a refused call.
            PaneKind::Log => model.record(&id).is_some_and(|row| row.schema == CALL_REFUSED),
            kind => kind != PaneKind::Receipts,
        }
    {
        effects.push(Effect::OpenDetail { kind, id });
    }
}

fn form(model: &mut Model, subject: &Subject, outcome: Result<Facts, Refused>) {
    let Some(Overlay::Form(form)) = &mut model.overlay else {
        return;
    };
    if form.subject != *subject || form.sending {
        return;
    }
    match outcome {
        Ok(facts) => {
            form.adopt(facts);
            restore(model);
        }
        // Nothing that could be granted: an empty form would only hide why.
        Err(refused) if form.facts.is_none() && matches!(subject, Subject::Grant(..)) => {
            model.overlay = None;
            say(model, refused.line(), true);
        }
        Err(refused) => form.message = Some(refused.line()),
    }
}

/// The form of a grant is known by its call only once that was found: what was typed for it before
/// is there again then.
fn restore(model: &mut Model) {
    let Some(Overlay::Form(form)) = &model.overlay else {
        return;
    };
    let (subject, checked_us) = (form.subject.clone(), form.checked_us);
    let facts = form.facts.clone();
    if form.draft_of().is_some() {
        return;
    }
    let Some(draft) = model.take_draft(&subject) else {
        return;
    };
    let mut again = Form::again(draft, checked_us);
    if let Some(facts) = facts {
        again.adopt(facts);
    }
    model.overlay = Some(Overlay::Form(Box::new(again)));
}

/// What was granted, and what stands in its way still.
fn granted(form: &Form, handle: &str, keys: &KeyMap) -> Option<String> {
    let (what, minutes) = (form.opens()?, form.minutes()?);
    let what = match what {
        Grantable::Call(_) => "this call once".to_owned(),
        other => opened(other),
    };
    let mut said = format!("{handle} lets {what} through, for {minutes} min");
    if let Some(Facts::Grant(facts)) = &form.facts
        && let Some(breaker) = facts.breakers.first()
    {
        let (pane, reset) = (keys.named("pane.breakers"), keys.named("reset"));
        said = format!(
            "{said}; breaker {} must be reset too: {pane}, then {reset}",
            breaker.handle
        );
    }
    Some(said)
}

/// What was signed, or why not. What was not written keeps its form.
fn submitted(model: &mut Model, written: Vec<Written>, refused: Option<Refused>) {
    let Some(Overlay::Form(form)) = &mut model.overlay else {
        return;
    };
    form.sending = false;
    form.sealed = false;
    let done: Vec<&Written> = written
        .iter()
        .filter(|part| part.lacks.is_empty() && part.receipt.is_some())
        .collect();
    let receipts: Vec<String> = done
        .iter()
        .map(|part| {
            let receipt = part.receipt.as_deref().unwrap_or_default();
            format!("{} receipt {receipt}", part.handle)
        })
        .collect();
    let all = refused.is_none() && done.len() == written.len();
    if !done.is_empty() {
        if let Subject::Reset(ids) = &mut form.subject {
            let finished: Vec<&str> = done.iter().map(|part| part.id.as_str()).collect();
            ids.retain(|id| !finished.contains(&id.as_str()));
            model.lists[PaneKind::Breakers.index()]
                .marks
                .retain(|id| !finished.contains(&id.as_str()));
        }
        // The operator wants to see the effect of what was written.
        if model.paused {
            model.paused = false;
            model.missed = 0;
        }
        model.asked = None;
    }
    if all {
        let sent = match &form.subject {
            Subject::Message(to) => done
                .first()
                .map(|part| format!("{} lies in the inbox of {to}", part.handle)),
            Subject::Pause(agent) => done.first().map(|part| {
                format!(
                    "{agent} is stopped by {}; x leads to its reset",
                    part.handle
                )
            }),
            Subject::Grant(..) => done
                .first()
                .and_then(|part| granted(form, &part.handle, &model.start.keys)),
            _ => None,
        };
        model.overlay = None;
        if let Some(text) = sent {
            say(model, text, false);
            return;
        }
        say(model, format!("written: {}", receipts.join(", ")), false);
        return;
    }
    let before = if receipts.is_empty() {
        "Nothing was written".to_owned()
    } else {
        format!("Written: {}. The rest was not", receipts.join(", "))
    };
    if let Some(refused) = refused {
        let wrong = refused.code == Code::PassphraseWrong.as_str();
        form.message = Some(if wrong {
            format!("That passphrase does not open the key. {before}; type it again.")
        } else {
            format!("{before}: {}", refused.line())
        });
        form.focus = form.resume();
        return;
    }
    let mut lacking = Vec::new();
    for part in written.into_iter().filter(|part| !part.lacks.is_empty()) {
        lacking.push(format!("{}: {}", part.handle, part.lacks.join(", ")));
        if let Some(Facts::Reset(forms)) = &mut form.facts
            && let Some(own) = forms.iter_mut().find(|own| own.breaker.id == part.id)
        {
            own.checks = part.checks;
        }
    }
    form.message = Some(format!("{before}. Still lacking: {}.", lacking.join("; ")));
    form.focus = form.resume();
}
