//! The table itself.

use super::reasons::{
    no_agent, no_alias, no_breaker, no_decision, no_diff, no_filter, no_grant, no_jump, no_log,
    no_marks, no_promotion, no_sort, no_terminal, no_transcript, nothing_selected, nothing_to_copy,
    nothing_to_leave, readonly, sending, unanswered,
};
use super::{Command, Danger, Id, Scope};
use crate::console::backend::PaneKind;
use crate::console::keymap::{Chord, Key};
use crate::console::model::Model;
use crate::contract::going::Way;

fn always(_: &Model) -> Option<String> {
    None
}

const fn row(
    id: Id,
    name: &'static str,
    title: &'static str,
    scope: Scope,
    hint: u8,
    chords: &'static [Chord],
    doc: &'static str,
) -> Command {
    Command {
        id,
        name,
        title,
        doc,
        chords,
        scope,
        panes: &[],
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

const fn only(mut command: Command, panes: &'static [PaneKind]) -> Command {
    command.panes = panes;
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
    when(row(Id::Open, "open", "open", Scope::Move, 1, &[k(Key::Enter)], "Go in: show the selected row with all that is known about it."), nothing_selected),
    danger(when(row(Id::Reset, "reset", "reset", Scope::Body, 2, &[c('R')], "Reset the selected breaker, or all marked ones: a form with cause, fix, evidence, machine checks and a signature. Cancel writes nothing."), no_breaker), Danger::Asks),
    danger(when(row(Id::Grant, "grant", "let through", Scope::Body, 3, &[c('G')], "Let through what the guard refused: on an agent its latest refused call, on a breaker the call that opened it, in the Log the refusal. A form: this call once, or its host, path or branch for a while, and a signature. A grant opens no breaker."), no_grant), Danger::Asks),
    danger(when(row(Id::Decide, "decide", "decide", Scope::Body, 2, &[c('d')], "Decide the selected escalated handoff: a form with the thread, the decision and a signature. The asker reads the decision."), no_decision), Danger::Asks),
    danger(when(row(Id::Alias, "alias", "alias", Scope::Body, 3, &[c('a')], "Say which known failure the selected code is: pick an entry of the catalogue by typing, and sign."), no_alias), Danger::Asks),
    only(danger(when(row(Id::Promote, "promote", "promote", Scope::Body, 3, &[c('p')], "In Codes: make the selected code an entry of the catalogue, with a preview of what it would change while you type. Elsewhere p pauses."), no_promotion), Danger::Asks), &[PaneKind::Codes]),
    danger(when(row(Id::Message, "message", "message", Scope::Body, 4, &[c('m')], "Leave the selected agent a line; it reads it at the end of its turn, or when it polls. Nothing is typed into its terminal."), no_agent), Danger::Asks),
    when(row(Id::Filter, "filter", "filter", Scope::Body, 5, &[c('/')], "Keep the rows that match. Words match fuzzily and in any order; !word excludes, 'word is literal."), no_filter),
    when(row(Id::Sort, "sort", "sort", Scope::Body, 8, &[c('s')], "Put the list into its next order; the title says which."), no_sort),
    when(row(Id::Mark, "mark", "mark", Scope::Body, 9, &[c(' ')], "Mark the selected breaker, again to unmark it; R then resets all marked ones with one form and one passphrase, a receipt each."), no_marks),
    danger(when(row(Id::PauseAgent, "agent.pause", "pause it", Scope::Body, 4, &[c('x')], "Pause the selected agent: a form asks why, and its next call that changes something is refused. On a stopped agent it leads to the breaker, whose reset lets it go on."), no_agent), Danger::Asks),
    only(when(row(Id::Jump, "jump", "go to it", Scope::Body, 2, &[c('o')], "In Agents: go to the selected agent. A window tells which ways there are: its terminal pane in tmux or zellij, its transcript, the diff of its working tree."), no_jump), &[PaneKind::Agents]),
    when(row(Id::Copy, "copy", "copy", Scope::Body, 10, &[c('y')], "Copy the id of the selected row, in a detail its text, through the terminal."), nothing_to_copy),
    when(row(Id::Follow, "follow", "follow", Scope::Body, 7, &[c('f')], "Keep the newest record of the Log selected; moving up the list ends it."), no_log),
    row(Id::NextPane, "pane.next", "next pane", Scope::Body, 0, &[k(Key::Tab)], "Go to the next pane."),
    row(Id::PreviousPane, "pane.previous", "previous pane", Scope::Body, 0, &[k(Key::BackTab)], "Go to the pane before."),
    when(row(Id::Back, "back", "back", Scope::Move, 5, &[k(Key::Esc)], "Go out: close the window or the detail, clear the filter and the marks, then back to the Overview."), nothing_to_leave),
    row(Id::Down, "down", "down", Scope::Move, 0, &[c('j'), k(Key::Down)], "One row down."),
    row(Id::Up, "up", "up", Scope::Move, 0, &[c('k'), k(Key::Up)], "One row up."),
    row(Id::HalfDown, "half-down", "half a page down", Scope::Move, 0, &[Chord::ctrl('d')], "Half a page down."),
    row(Id::HalfUp, "half-up", "half a page up", Scope::Move, 0, &[Chord::ctrl('u')], "Half a page up."),
    row(Id::PageDown, "page-down", "page down", Scope::Move, 0, &[k(Key::PageDown)], "A page down."),
    row(Id::PageUp, "page-up", "page up", Scope::Move, 0, &[k(Key::PageUp)], "A page up."),
    row(Id::Home, "first", "first row", Scope::Move, 0, &[k(Key::Home)], "To the first row."),
    row(Id::End, "last", "last row", Scope::Move, 0, &[k(Key::End)], "To the last row."),
    row(Id::Pane(PaneKind::Overview), "pane.overview", "Overview", Scope::Watch, 0, &[c('1')], "What needs you, what is stopped, who is working."),
    row(Id::Pane(PaneKind::Handoffs), "pane.handoffs", "Handoffs", Scope::Watch, 0, &[c('2'), c('h')], "Who asks, who holds it and how long still."),
    row(Id::Pane(PaneKind::Breakers), "pane.breakers", "Breakers", Scope::Watch, 0, &[c('3'), c('b')], "What stopped work, why, and what a reset still lacks."),
    row(Id::Pane(PaneKind::Tasks), "pane.tasks", "Tasks", Scope::Watch, 0, &[c('4'), c('w')], "Tries of each task, and which go round in circles."),
    row(Id::Pane(PaneKind::Codes), "pane.codes", "Codes", Scope::Watch, 0, &[c('5'), c('c')], "Failures that no catalogue entry knows yet."),
    row(Id::Pane(PaneKind::Receipts), "pane.receipts", "Receipts", Scope::Watch, 0, &[c('6'), c('r')], "Decisions, and where each comes from."),
    row(Id::Pane(PaneKind::Agents), "pane.agents", "Agents", Scope::Watch, 0, &[c('7')], "Who works on what, and who is stopped."),
    row(Id::Pane(PaneKind::Log), "pane.log", "Log", Scope::Watch, 0, &[c('8')], "Every record of the journal, newest first."),
    row(Id::Panes, "panes", "panes", Scope::Watch, 0, &[c('0')], "A list of all panes."),
    row(Id::Triage, "triage", "triage", Scope::Watch, 4, &[c('t')], "Type or paste an error: code, cause and next command as you type. On a row with a text it begins with that."),
    row(Id::Palette, "palette", "command", Scope::Watch, 6, &[c(':')], "Every command by its name, with its keys; what is not possible now says why."),
    row(Id::Pause, "pause", "pause", Scope::Watch, 11, &[c('p')], "Hold the screen still while the store changes; again to go on live. In Codes p promotes."),
    danger(when(row(Id::Stop, "stop", "stop all", Scope::Watch, 12, &[c('!')], "Twice within a second: the emergency stop of the whole fleet. The only write that does not ask."), readonly), Danger::Writes),
    row(Id::Help, "help", "help", Scope::Watch, 6, &[c('?')], "This help, made from the table that the keys use."),
    row(Id::Quit, "quit", "quit", Scope::Watch, 6, &[c('q')], "Leave. The agents and the breakers stay as they are."),
    row(Id::FormNext, "form.next", "next field", Scope::Form, 3, &[k(Key::Tab)], "To the next field."),
    row(Id::FormPrevious, "form.previous", "field before", Scope::Form, 4, &[k(Key::BackTab)], "To the field before."),
    row(Id::FormDown, "form.down", "down", Scope::Form, 0, &[k(Key::Down)], "To the next field; while an entry is picked, to the next match."),
    row(Id::FormUp, "form.up", "up", Scope::Form, 0, &[k(Key::Up)], "To the field before; while an entry is picked, to the match before."),
    danger(row(Id::FormConfirm, "form.confirm", "confirm", Scope::Form, 1, &[k(Key::Enter)], "On a field: go on to the next. On Cancel: leave. On the last button: sign and write the receipt."), Danger::Writes),
    when(row(Id::FormCancel, "form.cancel", "cancel, nothing is written", Scope::Form, 2, &[k(Key::Esc)], "Leave the form. Nothing is written, the passphrase is wiped."), sending),
    row(Id::FilterKeep, "filter.keep", "keep the filter", Scope::Filter, 1, &[k(Key::Enter)], "Keep the filter and go back to the list."),
    row(Id::FilterClear, "filter.clear", "clear it", Scope::Filter, 2, &[k(Key::Esc)], "Clear the filter."),
    row(Id::PaletteRun, "palette.run", "run", Scope::Palette, 1, &[k(Key::Enter)], "Run the chosen command, or say why it is not possible now."),
    row(Id::PaletteClose, "palette.close", "close", Scope::Palette, 2, &[k(Key::Esc)], "Close the palette."),
    row(Id::PaletteDown, "palette.down", "next", Scope::Palette, 3, &[k(Key::Down), Chord::ctrl('n')], "To the next command."),
    row(Id::PaletteUp, "palette.up", "before", Scope::Palette, 4, &[k(Key::Up), Chord::ctrl('p')], "To the command before."),
    row(Id::TriageTurn, "triage.turn", "text or answer", Scope::Triage, 2, &[k(Key::Tab), k(Key::Enter)], "From the text to the answer, and back."),
    row(Id::TriageClose, "triage.close", "close", Scope::Triage, 3, &[k(Key::Esc)], "Close the window."),
    when(row(Id::TriageCopy, "triage.copy", "copy the command", Scope::Answer, 1, &[c('y')], "Copy the next command through the terminal."), unanswered),
    when(row(Id::Go(Way::Terminal), "go.terminal", "terminal pane", Scope::Going, 1, &[c('p')], "Bring the pane of tmux or zellij that the agent runs in to the front."), no_terminal),
    when(row(Id::Go(Way::Transcript), "go.transcript", "transcript", Scope::Going, 2, &[c('t')], "Copy the path of its transcript, and tell the time that it has come to."), no_transcript),
    when(row(Id::Go(Way::Diff), "go.diff", "diff", Scope::Going, 3, &[c('d')], "Show what is changed in its working tree against the last commit. No program that the repository names is run."), no_diff),
    row(Id::DiffNext, "diff.next", "next file", Scope::Diff, 1, &[c('n')], "To the next file."),
    row(Id::DiffPrevious, "diff.previous", "file before", Scope::Diff, 2, &[c('N')], "To the file before."),
    row(Id::DiffAgain, "diff.again", "read again", Scope::Diff, 3, &[c('r')], "Read the working tree again."),
    row(Id::Quit, "quit.anywhere", "quit", Scope::Always, 0, &[Chord::ctrl('c')], "Leave, also from a form. Nothing is written."),
    row(Id::Suspend, "suspend", "suspend", Scope::Always, 0, &[Chord::ctrl('z')], "Give the terminal back to the shell; fg comes back to this place."),
    row(Id::Repaint, "repaint", "repaint", Scope::Always, 0, &[Chord::ctrl('l')], "Draw the whole screen again."),
];
