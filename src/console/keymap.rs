//! Chords, and which command a chord means where the person is.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::commands::{COMMANDS, Command, Scope};
use super::model::{Model, Overlay};

/// A key without its modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Key {
    /// A character; capital letters stand for themselves.
    Char(char),
    /// Enter.
    Enter,
    /// Escape.
    Esc,
    /// Tab.
    Tab,
    /// Shift and Tab.
    BackTab,
    /// Backspace.
    Backspace,
    /// Delete.
    Delete,
    /// Arrow left.
    Left,
    /// Arrow right.
    Right,
    /// Arrow up.
    Up,
    /// Arrow down.
    Down,
    /// Home.
    Home,
    /// End.
    End,
    /// Page up.
    PageUp,
    /// Page down.
    PageDown,
}

/// A key with its modifiers. Shift is part of the character.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Chord {
    /// The key.
    pub key: Key,
    /// Control was held.
    #[serde(default)]
    pub ctrl: bool,
    /// Alt was held.
    #[serde(default)]
    pub alt: bool,
}

impl Chord {
    /// A key alone.
    #[must_use]
    pub const fn of(key: Key) -> Self {
        Self {
            key,
            ctrl: false,
            alt: false,
        }
    }

    /// A character alone.
    #[must_use]
    pub const fn char(c: char) -> Self {
        Self::of(Key::Char(c))
    }

    /// A character with Control.
    #[must_use]
    pub const fn ctrl(c: char) -> Self {
        Self {
            key: Key::Char(c),
            ctrl: true,
            alt: false,
        }
    }

    /// The character that it types, when it types one.
    #[must_use]
    pub fn typed(self) -> Option<char> {
        match self.key {
            Key::Char(c) if !self.ctrl && !self.alt => Some(c),
            _ => None,
        }
    }
}

impl fmt::Display for Chord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.ctrl {
            f.write_str("Ctrl-")?;
        }
        if self.alt {
            f.write_str("Alt-")?;
        }
        match self.key {
            Key::Char(' ') => f.write_str("Space"),
            Key::Char(c) => write!(f, "{c}"),
            Key::BackTab => f.write_str("Shift-Tab"),
            Key::PageUp => f.write_str("PgUp"),
            Key::PageDown => f.write_str("PgDn"),
            key => write!(f, "{key:?}"),
        }
    }
}

/// The scopes that are heard where the person is, the nearest first.
#[must_use]
pub fn heard(model: &Model) -> &'static [Scope] {
    match &model.overlay {
        Some(Overlay::Reset(_)) => &[Scope::Form, Scope::Always],
        Some(Overlay::Help { .. } | Overlay::Panes { .. }) => {
            &[Scope::Move, Scope::Watch, Scope::Always]
        }
        None if model.typing => &[Scope::Filter, Scope::Always],
        None => &[Scope::Body, Scope::Move, Scope::Watch, Scope::Always],
    }
}

/// The command that a chord means here.
#[must_use]
pub fn command(model: &Model, chord: Chord) -> Option<&'static Command> {
    heard(model).iter().find_map(|scope| {
        COMMANDS
            .iter()
            .find(|c| c.scope == *scope && c.chords.contains(&chord))
    })
}
