//! Keys and pastes into text fields.

use tui_input::{Input, InputRequest};

use crate::console::effect::Effect;
use crate::console::form::Name;
use crate::console::keymap::{Chord, Key};
use crate::console::model::{Model, Overlay};

use super::{form, windows};

/// Characters that a field takes.
pub const MAX_CHARS: usize = 2000;

/// A key that no command hears.
pub fn key(model: &mut Model, chord: Chord, effects: &mut Vec<Effect>) {
    match &mut model.overlay {
        Some(Overlay::Form(open)) => {
            if open.sending {
                return;
            }
            if let Some(input) = open.input() {
                edit(input, chord);
                form::edited(model, effects);
            } else {
                match chord.key {
                    Key::Left => form::turn(model, -1, effects),
                    Key::Right | Key::Char(' ') => form::turn(model, 1, effects),
                    // Words into a button would be lost without a word.
                    _ if chord.typed().is_some() => {
                        let said = "Nothing is typed here: Tab goes on to the next field.";
                        open.message = Some(said.to_owned());
                    }
                    _ => {}
                }
            }
        }
        Some(Overlay::Palette(open)) => {
            edit(&mut open.input, chord);
            open.chosen = 0;
        }
        Some(Overlay::Triage(open)) => {
            if open.on_answer && chord.typed().is_none() {
                return;
            }
            // Who types means the text, and another one than the row's.
            if open.on_answer && open.of_row {
                open.input.reset();
            }
            (open.on_answer, open.of_row) = (false, false);
            edit(&mut open.input, chord);
            windows::ask(model, effects);
        }
        None if model.typing => {
            edit(&mut model.list_mut().filter, chord);
            restart(model);
        }
        Some(
            Overlay::Help { .. } | Overlay::Panes { .. } | Overlay::Going(_) | Overlay::Diff(_),
        )
        | None => {}
    }
}

/// A paste, as one line of text without control characters.
pub fn paste(model: &mut Model, text: &str, effects: &mut Vec<Effect>) {
    let whole = match &mut model.overlay {
        Some(Overlay::Form(open)) if !open.sending && open.focus != Name::Passphrase => {
            let Some(input) = open.input() else { return };
            let whole = insert_text(input, text);
            form::edited(model, effects);
            if !whole && let Some(Overlay::Form(open)) = &mut model.overlay {
                open.message = Some(too_long());
            }
            return;
        }
        Some(Overlay::Palette(open)) => {
            open.chosen = 0;
            insert_text(&mut open.input, text)
        }
        Some(Overlay::Triage(open)) => {
            if open.of_row {
                open.input.reset();
            }
            (open.on_answer, open.of_row) = (false, false);
            let whole = insert_text(&mut open.input, text);
            windows::ask(model, effects);
            whole
        }
        None if model.typing => {
            let whole = insert_text(&mut model.list_mut().filter, text);
            restart(model);
            whole
        }
        _ => return,
    };
    if !whole {
        super::act::say(model, too_long(), true);
    }
}

fn too_long() -> String {
    format!("A field takes {MAX_CHARS} characters; the rest of the paste was left out.")
}

/// A changed filter starts at the first row.
pub fn restart(model: &mut Model) {
    let list = model.list_mut();
    (list.selected, list.offset, list.id) = (0, 0, None);
}

/// Puts a text at the cursor in one step, as far as the field takes it. Whether all of it fitted.
pub fn insert_text(input: &mut Input, text: &str) -> bool {
    let before = input.value().chars().count();
    let room = MAX_CHARS.saturating_sub(before);
    let mut chars = text.trim_end_matches(['\r', '\n']).chars();
    let taken: String = chars
        .by_ref()
        .take(room)
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    let whole = chars.next().is_none();
    let cursor = input.cursor().min(before);
    let mut value: String = input.value().chars().take(cursor).collect();
    value.push_str(&taken);
    value.extend(input.value().chars().skip(cursor));
    let at = cursor + taken.chars().count();
    *input = Input::new(value).with_cursor(at);
    whole
}

fn insert(input: &mut Input, c: char) {
    if input.value().chars().count() < MAX_CHARS {
        input.handle(InputRequest::InsertChar(c));
    }
}

fn edit(input: &mut Input, chord: Chord) {
    if let Some(c) = chord.typed() {
        insert(input, c);
        return;
    }
    let request = match (chord.key, chord.ctrl, chord.alt) {
        (Key::Backspace, false, false) | (Key::Char('h'), true, _) => InputRequest::DeletePrevChar,
        (Key::Backspace, ..) | (Key::Char('w'), true, _) => InputRequest::DeletePrevWord,
        (Key::Delete, ..) => InputRequest::DeleteNextChar,
        (Key::Left, true, _) | (Key::Char('b'), _, true) => InputRequest::GoToPrevWord,
        (Key::Right, true, _) | (Key::Char('f'), _, true) => InputRequest::GoToNextWord,
        (Key::Left, ..) => InputRequest::GoToPrevChar,
        (Key::Right, ..) => InputRequest::GoToNextChar,
        (Key::Home, ..) | (Key::Char('a'), true, _) => InputRequest::GoToStart,
        (Key::End, ..) | (Key::Char('e'), true, _) => InputRequest::GoToEnd,
        (Key::Char('u'), true, _) => InputRequest::DeleteFromStart,
        (Key::Char('k'), true, _) => InputRequest::DeleteTillEnd,
        _ => return,
    };
    input.handle(request);
}
