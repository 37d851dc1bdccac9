//! What each command does.

use crate::console::backend::PaneKind;
use crate::console::commands::{
    Command, Id, code_target, decide_target, grant_target, message_target, reset_targets,
};
use crate::console::effect::Effect;
use crate::console::form::Subject;
use crate::console::model::{Focus, Message, Model, Overlay, STOP_WITHIN_US};

use super::{edit, form, go, going, moving, windows};

/// Why the receipt of the emergency stop says that it was made.
const STOP_REASON: &str = "emergency stop by the operator at the console";

/// Runs a command, or says why it is not possible now.
pub fn act(model: &mut Model, command: &Command, armed: Option<i64>, effects: &mut Vec<Effect>) {
    if let Some(reason) = (command.disabled_reason)(model) {
        // Esc at the outermost place is a habit, not a mistake.
        if command.id != Id::Back {
            say(model, format!("{}: {reason}", command.title), true);
        }
        return;
    }
    let rows = moving::page(model);
    match command.id {
        Id::Quit => effects.push(Effect::Quit),
        Id::Suspend => suspend(model, effects),
        Id::Repaint => effects.push(Effect::Repaint),
        Id::Help => {
            let open = matches!(model.overlay, Some(Overlay::Help { .. }));
            model.overlay = (!open).then_some(Overlay::Help { scroll: 0 });
        }
        Id::Panes => {
            model.overlay = Some(Overlay::Panes {
                chosen: model.pane.index(),
            });
        }
        Id::Pane(pane) => go(model, pane),
        Id::NextPane => go(model, neighbour(model.pane, 1)),
        Id::PreviousPane => go(model, neighbour(model.pane, PaneKind::ALL.len() - 1)),
        Id::Pause => pause(model),
        Id::Stop => stop(model, armed, effects),
        Id::Up => moving::by(model, -1),
        Id::Down => moving::by(model, 1),
        Id::HalfUp => moving::by(model, -(rows / 2).max(1)),
        Id::HalfDown => moving::by(model, (rows / 2).max(1)),
        Id::PageUp => moving::by(model, -rows),
        Id::PageDown => moving::by(model, rows),
        Id::Home => moving::home(model),
        Id::End => moving::end(model),
        Id::Open => open(model, effects),
        Id::Back => back(model, effects),
        Id::Filter => {
            model.typing = true;
            model.focus = Focus::List;
        }
        Id::Follow => {
            model.follow = !model.follow;
            if model.follow {
                edit::restart(model);
            }
        }
        Id::Reset => open_form(model, reset_targets(model).map(Subject::Reset), effects),
        Id::Decide => open_form(model, decide_target(model).map(Subject::Decide), effects),
        Id::Grant => {
            let of = grant_target(model).map(|(kind, id)| Subject::Grant(kind, id));
            open_form(model, of, effects);
        }
        Id::Alias => open_form(model, code_target(model).map(Subject::Alias), effects),
        Id::Promote => open_form(model, code_target(model).map(Subject::Promote), effects),
        Id::Message => open_form(model, message_target(model).map(Subject::Message), effects),
        Id::Sort => sort(model),
        Id::Mark => mark(model),
        Id::Copy => windows::copy_selected(model, effects),
        Id::PauseAgent => pause_agent(model, effects),
        Id::Jump => {
            if let Some((_, agent)) = model.target() {
                going::open(model, agent, effects);
            }
        }
        Id::Go(way) => going::go(model, way, effects),
        Id::DiffAgain => going::again(model, effects),
        Id::DiffNext => going::to_file(model, true),
        Id::DiffPrevious => going::to_file(model, false),
        Id::Palette => windows::open_palette(model),
        Id::PaletteUp => windows::palette_by(model, -1),
        Id::PaletteDown => windows::palette_by(model, 1),
        Id::PaletteRun => windows::palette_run(model, armed, effects),
        Id::PaletteClose | Id::TriageClose => model.overlay = None,
        Id::Triage => windows::open_triage(model, effects),
        Id::TriageTurn => {
            if let Some(Overlay::Triage(triage)) = &mut model.overlay {
                triage.on_answer = !triage.on_answer;
            }
        }
        Id::TriageCopy => windows::copy_command(model, effects),
        Id::FormNext => form::step(model, true),
        Id::FormPrevious => form::step(model, false),
        Id::FormDown => form::vertical(model, 1),
        Id::FormUp => form::vertical(model, -1),
        Id::FormConfirm => form::confirm(model, effects),
        Id::FormCancel => form::cancel(model, effects),
        Id::FilterKeep => model.typing = false,
        Id::FilterClear => {
            model.typing = false;
            model.list_mut().filter.reset();
            edit::restart(model);
        }
    }
}

/// Puts a line at the foot.
pub fn say(model: &mut Model, text: String, bad: bool) {
    model.message = Some(Message { text, bad });
}

/// Suspends; a passphrase does not outlive it.
pub fn suspend(model: &mut Model, effects: &mut Vec<Effect>) {
    if let Some(Overlay::Form(form)) = &mut model.overlay {
        form.sealed = false;
    }
    effects.push(Effect::WipePassphrase);
    effects.push(Effect::Suspend);
}

fn open_form(model: &mut Model, of: Result<Subject, String>, effects: &mut Vec<Effect>) {
    match of {
        Ok(subject) => form::open(model, subject, effects),
        Err(reason) => say(model, reason, true),
    }
}

/// To the next order of the list.
fn sort(model: &mut Model) {
    let sorts = model.pane.sorts();
    let at = sorts.iter().position(|sort| *sort == model.list().sort);
    let next = at.map_or(0, |at| (at + 1) % sorts.len());
    model.list_mut().sort = sorts[next];
    edit::restart(model);
    say(model, format!("sorted by {}", sorts[next].title()), false);
}

/// Marks the selected row, or takes its mark away, and goes on to the next.
fn mark(model: &mut Model) {
    let Some((_, id)) = model.target() else {
        return;
    };
    let marks = &mut model.list_mut().marks;
    if !marks.remove(&id) {
        marks.insert(id);
    }
    let count = marks.len();
    moving::by(model, 1);
    say(model, format!("{count} marked"), false);
}

fn neighbour(pane: PaneKind, step: usize) -> PaneKind {
    PaneKind::ALL[(pane.index() + step) % PaneKind::ALL.len()]
}

/// Asks why an agent is to be stopped; of one that is, goes to its breaker.
fn pause_agent(model: &mut Model, effects: &mut Vec<Effect>) {
    let target = message_target(model);
    let by = target.as_ref().ok().and_then(|id| {
        let page = model.snapshot.agents.as_ref()?;
        page.rows
            .iter()
            .find(|row| row.agent == *id)?
            .stopped_by
            .clone()
    });
    let Some(handle) = by else {
        return open_form(model, target.map(Subject::Pause), effects);
    };
    go(model, PaneKind::Breakers);
    model.list_mut().filter = handle.clone().into();
    edit::restart(model);
    let key = model.start.keys.named("reset");
    say(model, format!("{handle} stops it; {key} resets it"), false);
}

fn pause(model: &mut Model) {
    model.paused = !model.paused;
    model.missed = 0;
    if !model.paused {
        // What came meanwhile is read by the next settling.
        model.asked = None;
    }
}

fn stop(model: &mut Model, armed: Option<i64>, effects: &mut Vec<Effect>) {
    let now = model.now_us();
    if armed.is_some_and(|at| (0..=STOP_WITHIN_US).contains(&(now - at))) {
        say(model, "stopping the whole fleet ...".to_owned(), false);
        effects.push(Effect::Stop {
            reason: STOP_REASON.to_owned(),
        });
    } else {
        model.stop_armed_us = Some(now);
        let key = model.start.keys.named("stop");
        let text = format!("Press {key} again within 1 second to stop every agent of the fleet.");
        say(model, text, true);
    }
}

fn open(model: &mut Model, effects: &mut Vec<Effect>) {
    match model.overlay {
        Some(Overlay::Going(_)) => going::go_chosen(model, effects),
        Some(Overlay::Panes { chosen }) => {
            go(model, PaneKind::ALL[chosen.min(PaneKind::ALL.len() - 1)]);
        }
        Some(_) => model.overlay = None,
        None if model.pane == PaneKind::Overview => open_item(model),
        None => model.focus = Focus::Detail,
    }
}

/// From an item of the Overview to its row in its own pane.
fn open_item(model: &mut Model) {
    let Some((kind, id)) = model.target() else {
        return;
    };
    go(model, kind);
    model.list_mut().filter.reset();
    let limit = usize::from(model.start.size.1) * 2;
    // The Overview holds the first rows of each list, so a row's place there is its place here.
    let place = (0..limit).find(|at| model.row_id(*at).is_some_and(|(_, row)| row == id));
    if let Some(at) = place {
        moving::select(model, at);
        model.focus = Focus::Detail;
    } else {
        say(
            model,
            "that row is further down this list".to_owned(),
            false,
        );
    }
}

fn back(model: &mut Model, effects: &mut Vec<Effect>) {
    match model.overlay.take() {
        Some(Overlay::Diff(open)) if open.reading => {
            effects.push(Effect::CancelDiff);
            return;
        }
        Some(_) => return,
        None => {}
    }
    if model.focus == Focus::Detail {
        model.focus = Focus::List;
    } else if !model.list().filter.value().is_empty() {
        model.list_mut().filter.reset();
        edit::restart(model);
    } else if !model.list().marks.is_empty() {
        model.list_mut().marks.clear();
    } else {
        go(model, PaneKind::Overview);
    }
}
