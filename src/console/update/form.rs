//! Forms: opening, moving in them, leaving them, and the one place that submits them.

use crate::console::effect::Effect;
use crate::console::form::{Content, Form, Name, Subject};
use crate::console::model::{Model, Overlay};
use crate::console::view::layout::Class;

use super::act::say;

fn form(model: &mut Model) -> Option<&mut Form> {
    match &mut model.overlay {
        Some(Overlay::Form(form)) if !form.sending => Some(form),
        _ => None,
    }
}

/// Opens a form.
pub fn open(model: &mut Model, subject: Subject, effects: &mut Vec<Effect>) {
    let now = model.now_us();
    let form = match model.take_draft(&subject) {
        Some(draft) => Form::again(draft, now),
        None => Form::new(subject.clone(), now),
    };
    model.overlay = Some(Overlay::Form(Box::new(form)));
    effects.push(Effect::WipePassphrase);
    effects.push(Effect::LoadForm(subject));
}

/// To the next or the former field.
pub fn step(model: &mut Model, forward: bool) {
    if let Some(form) = form(model) {
        form.step(forward);
    }
}

/// Up or down: to another match where one picks, else to another field.
pub fn vertical(model: &mut Model, by: isize) {
    let Some(form) = form(model) else { return };
    let picks = matches!(
        form.focused().map(|field| &field.content),
        Some(Content::Pick { .. })
    );
    if picks {
        form.turn(by);
        form.message = None;
    } else {
        form.step(by > 0);
    }
}

/// Left, right or space on what is no text.
pub fn turn(model: &mut Model, by: isize, effects: &mut Vec<Effect>) {
    let Some(form) = form(model) else { return };
    if form.turn(by) {
        form.message = None;
    }
    preview(model, effects);
}

/// Puts the focus on a field.
pub fn focus(model: &mut Model, name: Name) {
    if let Some(form) = form(model) {
        form.focus = name;
    }
}

/// After something was typed: asks anew what a draft would change, and starts a list of matches
/// at its best one.
pub fn edited(model: &mut Model, effects: &mut Vec<Effect>) {
    let Some(form) = form(model) else { return };
    form.message = None;
    if let Some(Content::Pick { input, chosen }) = form.focused().map(|field| &mut field.content) {
        *chosen = (!input.value().trim().is_empty()).then_some(0);
    }
    preview(model, effects);
}

fn preview(model: &mut Model, effects: &mut Vec<Effect>) {
    let Some(form) = form(model) else { return };
    let Some(draft) = form.draft() else { return };
    if form.previewed.as_ref() != Some(&draft) {
        form.previewed = Some(draft.clone());
        effects.push(Effect::Preview(draft));
    }
}

/// Enter.
pub fn confirm(model: &mut Model, effects: &mut Vec<Effect>) {
    let unseen = model.plan().class == Class::Tiny;
    let readonly = model.readonly().map(str::to_owned);
    if unseen {
        // What is signed must have been seen.
        let text = "Enlarge the terminal to see the form; Esc cancels.";
        say(model, text.to_owned(), true);
        return;
    }
    let Some(form) = form(model) else { return };
    match form.focus {
        Name::Cancel => cancel(model, effects),
        Name::Reason if matches!(form.subject, Subject::Pause(_)) => {
            submit(form, readonly, effects);
        }
        // There is but one line: Enter on it sends.
        Name::Submit | Name::Message => submit(form, readonly, effects),
        _ => form.step(true),
    }
}

fn submit(form: &mut Form, readonly: Option<String>, effects: &mut Vec<Effect>) {
    let lacks = form.missing();
    if let Some(reason) = readonly {
        form.message = Some(format!("Nothing can be written: {reason}."));
    } else if let Some((first, _)) = lacks.first() {
        let names: Vec<&str> = lacks.iter().map(|(_, name)| *name).collect();
        form.message = Some(format!("Still missing: {}.", names.join(", ")));
        form.focus = *first;
    } else if let Some(submission) = form.submission() {
        effects.push(Effect::Submit(Box::new(submission)));
        form.sending = true;
        form.sealed = false;
        let doing = if form.subject.signed() {
            "Checking, signing and writing the receipt ..."
        } else {
            "Sending ..."
        };
        form.message = Some(doing.to_owned());
    }
}

/// Leaves and writes nothing. What was typed comes back when the form is opened again: the key after
/// a refused passphrase is easily one too many.
pub fn cancel(model: &mut Model, effects: &mut Vec<Effect>) {
    let Some(left) = form(model) else { return };
    let draft = left.draft_of();
    model.overlay = None;
    effects.push(Effect::WipePassphrase);
    let mut said = "cancelled; nothing was written".to_owned();
    if let Some(draft) = draft {
        said.push_str("; opened again, the form has what was typed");
        model.keep_draft(draft);
    }
    say(model, said, false);
}
