//! Keys and pastes into text fields.

use tui_input::{Input, InputRequest};

use crate::console::keymap::{Chord, Key};
use crate::console::model::{Field, Model, Overlay};

/// Characters that a field takes.
const MAX_CHARS: usize = 2000;

/// A key that no command hears.
pub fn key(model: &mut Model, chord: Chord) {
    if let Some(Overlay::Reset(reset)) = &mut model.overlay {
        if reset.sending {
            return;
        }
        if let Some(input) = reset.input() {
            edit(input, chord);
            reset.message = None;
        } else {
            match chord.key {
                Key::Left => super::form::turn(model, -1),
                Key::Right | Key::Char(' ') => super::form::turn(model, 1),
                // Words into a button would be lost without a word.
                _ if chord.typed().is_some() => {
                    reset.message =
                        Some("Nothing is typed here: Tab goes on to the next field.".to_owned());
                }
                _ => {}
            }
        }
    } else if model.typing {
        edit(&mut model.list_mut().filter, chord);
        restart(model);
    }
}

/// A paste, as one line of text without control characters.
pub fn paste(model: &mut Model, text: &str) {
    let (input, filter) = match &mut model.overlay {
        Some(Overlay::Reset(reset)) if !reset.sending && reset.field != Field::Passphrase => {
            (reset.input(), false)
        }
        None if model.typing => (Some(&mut model.list_mut().filter), true),
        _ => return,
    };
    let Some(input) = input else { return };
    for c in text.chars().take(MAX_CHARS) {
        insert(input, if c.is_control() { ' ' } else { c });
    }
    if filter {
        restart(model);
    }
}

/// A changed filter starts at the first row.
pub fn restart(model: &mut Model) {
    let list = model.list_mut();
    (list.selected, list.offset, list.id) = (0, 0, None);
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
