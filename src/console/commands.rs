//! The one table of commands. Keys, the hint line and `?` help are made from it.

use super::backend::PaneKind;
use super::keymap::{Chord, Key};
use super::model::{Focus, Model, Overlay};
use super::view::overview;

/// Where a command is heard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// Everywhere, also while text is typed.
    Always,
    /// Everywhere but while text is typed.
    Watch,
    /// In lists, details and windows that scroll.
    Move,
    /// In the panes.
    Body,
    /// While the filter is typed.
    Filter,
    /// In the reset form.
    Form,
}

impl Scope {
    /// Every scope, in the order of help.
    pub const ALL: [Self; 6] = [
        Self::Body,
        Self::Move,
        Self::Watch,
        Self::Form,
        Self::Filter,
        Self::Always,
    ];

    /// Its heading in help.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Always => "Everywhere",
            Self::Watch => "Panes and fleet",
            Self::Move => "Moving",
            Self::Body => "In a pane",
            Self::Filter => "While typing a filter",
            Self::Form => "In the reset form",
        }
    }
}

/// How much harm a command can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Danger {
    /// Changes nothing but the screen.
    None,
    /// Leads to a write that asks first.
    Asks,
    /// Writes.
    Writes,
}

/// What a command is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each has its doc in the table")]
pub enum Id {
    Quit,
    Suspend,
    Repaint,
    Help,
    Panes,
    Pane(PaneKind),
    NextPane,
    PreviousPane,
    Pause,
    Stop,
    Up,
    Down,
    HalfUp,
    HalfDown,
    PageUp,
    PageDown,
    Home,
    End,
    Open,
    Back,
    Filter,
    Reset,
    Follow,
    FormNext,
    FormPrevious,
    FormConfirm,
    FormCancel,
    FilterKeep,
    FilterClear,
}

/// One row of the table.
pub struct Command {
    /// What it is.
    pub id: Id,
    /// A word or two for the hint line.
    pub title: &'static str,
    /// What it does, in a sentence.
    pub doc: &'static str,
    /// The keys that mean it by default.
    pub chords: &'static [Chord],
    /// Where it is heard.
    pub scope: Scope,
    /// Harm.
    pub danger: Danger,
    /// Its rank in the hint line, from 1; 0 keeps it out.
    pub hint: u8,
    /// Why it is not possible now, when it is not.
    pub disabled_reason: fn(&Model) -> Option<String>,
}

fn always(_: &Model) -> Option<String> {
    None
}

const fn row(
    id: Id,
    title: &'static str,
    scope: Scope,
    hint: u8,
    chords: &'static [Chord],
    doc: &'static str,
) -> Command {
    Command {
        id,
        title,
        doc,
        chords,
        scope,
        danger: Danger::None,
        hint,
        disabled_reason: always,
    }
}

const fn when(mut command: Command, reason: fn(&Model) -> Option<String>) -> Command {
    command.disabled_reason = reason;
    command
}

const fn danger(mut command: Command, danger: Danger) -> Command {
    command.danger = danger;
    command
}

const fn k(key: Key) -> Chord {
    Chord::of(key)
}
const fn c(char: char) -> Chord {
    Chord::char(char)
}

/// Every command.
#[rustfmt::skip]
pub const COMMANDS: &[Command] = &[
    when(row(Id::Open, "open", Scope::Move, 1, &[k(Key::Enter)], "Go in: show the selected row with all that is known about it."), nothing_selected),
    danger(when(row(Id::Reset, "reset", Scope::Body, 2, &[c('R')], "Reset the selected breaker: a form with cause, fix, evidence, machine checks and a signature. Cancel writes nothing."), no_breaker), Danger::Asks),
    when(row(Id::Filter, "filter", Scope::Body, 3, &[c('/')], "Keep the rows that match. Words match fuzzily and in any order; !word excludes, 'word is literal."), no_filter),
    when(row(Id::Follow, "follow", Scope::Body, 4, &[c('f')], "Keep the newest record of the Log selected; moving up the list ends it."), no_log),
    row(Id::NextPane, "next pane", Scope::Body, 0, &[k(Key::Tab)], "Go to the next pane."),
    row(Id::PreviousPane, "previous pane", Scope::Body, 0, &[k(Key::BackTab)], "Go to the pane before."),
    when(row(Id::Back, "back", Scope::Move, 5, &[k(Key::Esc)], "Go out: close the window or the detail, clear the filter, then back to the Overview."), nothing_to_leave),
    row(Id::Down, "down", Scope::Move, 0, &[c('j'), k(Key::Down)], "One row down."),
    row(Id::Up, "up", Scope::Move, 0, &[c('k'), k(Key::Up)], "One row up."),
    row(Id::HalfDown, "half a page down", Scope::Move, 0, &[Chord::ctrl('d')], "Half a page down."),
    row(Id::HalfUp, "half a page up", Scope::Move, 0, &[Chord::ctrl('u')], "Half a page up."),
    row(Id::PageDown, "page down", Scope::Move, 0, &[k(Key::PageDown)], "A page down."),
    row(Id::PageUp, "page up", Scope::Move, 0, &[k(Key::PageUp)], "A page up."),
    row(Id::Home, "first row", Scope::Move, 0, &[k(Key::Home)], "To the first row."),
    row(Id::End, "last row", Scope::Move, 0, &[k(Key::End)], "To the last row."),
    row(Id::Pane(PaneKind::Overview), "Overview", Scope::Watch, 0, &[c('1')], "What needs you, what is stopped, who is working."),
    row(Id::Pane(PaneKind::Breakers), "Breakers", Scope::Watch, 0, &[c('2'), c('b')], "What stopped work, why, and what a reset still lacks."),
    row(Id::Pane(PaneKind::Tasks), "Tasks", Scope::Watch, 0, &[c('3'), c('w')], "Tries of each task, and which go round in circles."),
    row(Id::Pane(PaneKind::Agents), "Agents", Scope::Watch, 0, &[c('4')], "Who works on what, and who is stopped."),
    row(Id::Pane(PaneKind::Log), "Log", Scope::Watch, 0, &[c('5')], "Every record of the journal, newest first."),
    row(Id::Panes, "panes", Scope::Watch, 0, &[c('0')], "A list of all panes."),
    row(Id::Pause, "pause", Scope::Watch, 7, &[c('p')], "Hold the screen still while the store changes; again to go on live."),
    danger(when(row(Id::Stop, "stop all", Scope::Watch, 6, &[c('!')], "Twice within a second: the emergency stop of the whole fleet. The only write that does not ask."), readonly), Danger::Writes),
    row(Id::Help, "help", Scope::Watch, 8, &[c('?')], "This help, made from the table that the keys use."),
    row(Id::Quit, "quit", Scope::Watch, 9, &[c('q')], "Leave. The agents and the breakers stay as they are."),
    row(Id::FormNext, "next field", Scope::Form, 3, &[k(Key::Tab), k(Key::Down)], "To the next field."),
    row(Id::FormPrevious, "field before", Scope::Form, 4, &[k(Key::BackTab), k(Key::Up)], "To the field before."),
    danger(row(Id::FormConfirm, "confirm", Scope::Form, 1, &[k(Key::Enter)], "On a field: go on to the next. On Cancel: leave. On Reset: sign and write the receipt."), Danger::Writes),
    when(row(Id::FormCancel, "cancel, nothing is written", Scope::Form, 2, &[k(Key::Esc)], "Leave the form. Nothing is written, the passphrase is wiped."), sending),
    row(Id::FilterKeep, "keep the filter", Scope::Filter, 1, &[k(Key::Enter)], "Keep the filter and go back to the list."),
    row(Id::FilterClear, "clear it", Scope::Filter, 2, &[k(Key::Esc)], "Clear the filter."),
    row(Id::Quit, "quit", Scope::Always, 0, &[Chord::ctrl('c')], "Leave, also from a form. Nothing is written."),
    row(Id::Suspend, "suspend", Scope::Always, 0, &[Chord::ctrl('z')], "Give the terminal back to the shell; fg comes back to this place."),
    row(Id::Repaint, "repaint", Scope::Always, 0, &[Chord::ctrl('l')], "Draw the whole screen again."),
];

fn readonly(model: &Model) -> Option<String> {
    model.readonly().map(str::to_owned)
}

fn sending(model: &Model) -> Option<String> {
    match &model.overlay {
        Some(Overlay::Reset(reset)) if reset.sending => {
            Some("the receipt is being written".to_owned())
        }
        _ => None,
    }
}

fn nothing_selected(model: &Model) -> Option<String> {
    match &model.overlay {
        Some(Overlay::Help { .. }) => return Some("help has no rows".to_owned()),
        Some(_) => return None,
        None => {}
    }
    match (model.focus, model.target()) {
        (Focus::Detail, _) => Some("the detail is open".to_owned()),
        (Focus::List, None) => Some("no row is selected".to_owned()),
        (Focus::List, Some(_)) => None,
    }
}

fn nothing_to_leave(model: &Model) -> Option<String> {
    let root = model.overlay.is_none()
        && model.focus == Focus::List
        && model.pane == PaneKind::Overview
        && model.list().filter.value().is_empty();
    root.then(|| "this is the outermost place; q quits".to_owned())
}

fn no_filter(model: &Model) -> Option<String> {
    (model.pane == PaneKind::Overview).then(|| "filter inside a pane, 2 to 5".to_owned())
}

fn no_log(model: &Model) -> Option<String> {
    (model.pane != PaneKind::Log).then(|| "only in the Log, 5".to_owned())
}

fn no_breaker(model: &Model) -> Option<String> {
    reset_target(model).err()
}

/// The breaker that `R` would reset.
///
/// # Errors
/// Why there is none, in words for the hint line.
pub fn reset_target(model: &Model) -> Result<String, String> {
    if let Some(reason) = model.readonly() {
        return Err(reason.to_owned());
    }
    let chosen = match model.pane {
        PaneKind::Overview => overview::items(model)
            .into_iter()
            .nth(model.list().selected)
            .filter(|item| item.kind == PaneKind::Breakers)
            .map(|item| item.id),
        PaneKind::Breakers => model.target().map(|(_, id)| id),
        PaneKind::Tasks | PaneKind::Agents | PaneKind::Log => None,
    };
    let id = chosen.ok_or_else(|| "no breaker is selected; b lists them".to_owned())?;
    match model.breaker(&id) {
        Some(row) if row.state != "open" => Err("that breaker is closed already".to_owned()),
        _ => Ok(id),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::console::keymap::heard;
    use crate::console::model::{ResetState, Start};

    #[test]
    fn no_chord_means_two_things_in_one_place() {
        let body = Model::new(Start::default());
        let mut help = body.clone();
        help.overlay = Some(Overlay::Help { scroll: 0 });
        let mut form = body.clone();
        form.overlay = Some(Overlay::Reset(Box::new(ResetState::new(String::new(), 0))));
        let mut filter = body.clone();
        filter.typing = true;
        for place in [body, help, form, filter] {
            let scopes = heard(&place);
            let mut seen = HashSet::new();
            for command in COMMANDS.iter().filter(|c| scopes.contains(&c.scope)) {
                for chord in command.chords {
                    assert!(seen.insert(*chord), "{chord} twice in {scopes:?}");
                }
            }
        }
    }

    #[test]
    fn every_command_has_a_title_a_doc_and_a_key() {
        for command in COMMANDS {
            assert!(!command.title.is_empty());
            assert!(command.doc.ends_with('.'), "{}", command.title);
            assert!(!command.chords.is_empty(), "{}", command.title);
            assert!(Scope::ALL.contains(&command.scope));
        }
    }
}
