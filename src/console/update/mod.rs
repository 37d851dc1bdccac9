//! `update`: the model after an event, and what it wants done. Pure and deterministic.

mod act;
mod edit;
mod form;
mod going;
mod moving;
mod reply;
#[cfg(test)]
mod tests;
mod want;
mod windows;

use super::backend::PaneKind;
use super::effect::Effect;
use super::event::{Event, Masked, MouseAct, Signal};
use super::keymap::{self, Chord};
use super::model::{Model, Overlay};

pub use want::want;
pub use windows::palette;

/// Rows that one turn of the wheel moves.
const WHEEL_ROWS: isize = 3;

/// Changes the model by one event and returns what is to be done.
pub fn update(model: &mut Model, event: Event) -> Vec<Effect> {
    let mut effects = Vec::new();
    let mut force = false;
    match event {
        Event::Key { chord, at_us } => {
            model.start.now_us = at_us;
            key(model, chord, &mut effects);
        }
        Event::Paste(text) => {
            model.message = None;
            edit::paste(model, &text, &mut effects);
        }
        Event::Mouse(mouse) => match mouse.act {
            MouseAct::Click => moving::click(model, mouse.x, mouse.y, &mut effects),
            MouseAct::ScrollUp => moving::by(model, -WHEEL_ROWS),
            MouseAct::ScrollDown => moving::by(model, WHEEL_ROWS),
        },
        Event::Resize { width, height } => model.start.size = (width, height),
        Event::StoreChanged if model.paused => model.missed += 1,
        Event::StoreChanged => {
            force = true;
            if let Some(Overlay::Form(form)) = &mut model.overlay {
                form.stale = true;
            }
        }
        Event::WatchLost => model.watched = false,
        Event::Tick { at_us } => {
            model.start.now_us = at_us;
            force = tick(model, &mut effects);
        }
        Event::Reply(reply) => reply::apply(model, *reply, &mut effects),
        Event::Signal(Signal::End) => effects.push(Effect::Quit),
        Event::Signal(Signal::Suspend) => act::suspend(model, &mut effects),
        Event::Signal(Signal::Resumed) => {
            effects.push(Effect::Repaint);
            force = true;
        }
        Event::Masked(masked) => {
            if let Some(Overlay::Form(form)) = &mut model.overlay {
                form.sealed = masked == Masked::Edited;
                form.message = None;
            }
        }
    }
    settle(model, force, &mut effects);
    effects
}

/// The effects of the start: the first read.
pub fn start(model: &mut Model) -> Vec<Effect> {
    let mut effects = Vec::new();
    settle(model, true, &mut effects);
    effects
}

fn key(model: &mut Model, chord: Chord, effects: &mut Vec<Effect>) {
    model.message = None;
    let armed = model.stop_armed_us.take();
    match keymap::command(model, chord) {
        Some(command) => act::act(model, command, armed, effects),
        None => edit::key(model, chord, effects),
    }
}

/// Whether rows must be read again.
fn tick(model: &mut Model, effects: &mut Vec<Effect>) -> bool {
    let now = model.now_us();
    if let Some(armed) = model.stop_armed_us
        && now - armed > super::model::STOP_WITHIN_US
    {
        model.stop_armed_us = None;
        model.message = None;
    }
    if let Some(Overlay::Form(form)) = &mut model.overlay
        && !form.sending
        && now >= form.check_due_us()
    {
        form.checked_us = now;
        form.stale = false;
        effects.push(Effect::LoadForm(form.subject.clone()));
    }
    model.blind() && !model.paused
}

/// Keeps selection and rows in step with the screen, and asks for what is missing.
fn settle(model: &mut Model, force: bool, effects: &mut Vec<Effect>) {
    moving::clamp(model);
    let want = want(model);
    let asked = model.asked.as_ref().map(|(want, _)| want);
    if force || asked != Some(&want) {
        model.asked = Some((want.clone(), model.now_us()));
        effects.push(Effect::Refresh(Box::new(want)));
    }
    if model.plan().detail.is_none() {
        return;
    }
    if let Some((kind, id)) = model.target()
        && model.detail.asked.as_ref() != Some(&(kind, id.clone()))
    {
        model.detail.asked = Some((kind, id.clone()));
        model.detail.scroll = 0;
        effects.push(Effect::OpenDetail { kind, id });
    }
}

/// Goes to a pane.
fn go(model: &mut Model, pane: PaneKind) {
    if model.pane != pane {
        model.pane = pane;
        model.focus = super::model::Focus::List;
        model.detail.scroll = 0;
    }
    model.overlay = None;
    model.typing = false;
}
