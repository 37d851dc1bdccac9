//! Chords, and which command a chord means where the person is.

use std::collections::BTreeMap;
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

impl Chord {
    /// Reads what its `Display` writes: `Ctrl-d`, `Space`, `PgUp`, `R`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut rest = text;
        let mut chord = Self::of(Key::Esc);
        while let Some((word, after)) = rest.split_once('-').filter(|(_, after)| !after.is_empty())
        {
            match word {
                "Ctrl" if !chord.ctrl => chord.ctrl = true,
                "Alt" if !chord.alt => chord.alt = true,
                "Shift" if after == "Tab" => break,
                _ => return None,
            }
            rest = after;
        }
        let mut chars = rest.chars();
        chord.key = match (chars.next()?, chars.next()) {
            (c, None) if !c.is_control() => Key::Char(c),
            _ => match rest {
                "Space" => Key::Char(' '),
                "Enter" => Key::Enter,
                "Esc" => Key::Esc,
                "Tab" => Key::Tab,
                "Shift-Tab" => Key::BackTab,
                "Backspace" => Key::Backspace,
                "Delete" => Key::Delete,
                "Left" => Key::Left,
                "Right" => Key::Right,
                "Up" => Key::Up,
                "Down" => Key::Down,
                "Home" => Key::Home,
                "End" => Key::End,
                "PgUp" => Key::PageUp,
                "PgDn" => Key::PageDown,
                _ => return None,
            },
        };
        Some(chord)
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

/// Which scopes are heard together: every place in which a person can be.
pub const PLACES: [&[Scope]; 9] = [
    &[Scope::Body, Scope::Move, Scope::Watch, Scope::Always],
    &[Scope::Move, Scope::Watch, Scope::Always],
    &[Scope::Filter, Scope::Always],
    &[Scope::Form, Scope::Always],
    &[Scope::Palette, Scope::Always],
    &[Scope::Triage, Scope::Always],
    &[Scope::Answer, Scope::Triage, Scope::Always],
    &[Scope::Going, Scope::Move, Scope::Always],
    &[Scope::Diff, Scope::Move, Scope::Always],
];

/// The scopes that are heard where the person is, the nearest first.
#[must_use]
pub fn heard(model: &Model) -> &'static [Scope] {
    PLACES[match &model.overlay {
        None if model.typing => 2,
        None => 0,
        Some(Overlay::Help { .. } | Overlay::Panes { .. }) => 1,
        Some(Overlay::Form(_)) => 3,
        Some(Overlay::Palette(_)) => 4,
        Some(Overlay::Triage(triage)) if triage.on_answer => 6,
        Some(Overlay::Triage(_)) => 5,
        Some(Overlay::Going(_)) => 7,
        Some(Overlay::Diff(_)) => 8,
    }]
}

/// The command that a chord means here.
#[must_use]
pub fn command(model: &Model, chord: Chord) -> Option<&'static Command> {
    let keys = &model.start.keys;
    heard(model).iter().find_map(|scope| {
        let mut means = COMMANDS
            .iter()
            .filter(|c| c.scope == *scope && keys.of(c).contains(&chord));
        let here = means.clone().find(|c| c.panes.contains(&model.pane));
        here.or_else(|| means.find(|c| c.panes.is_empty()))
    })
}

/// What the keys mean: the table, and what the configuration puts in its place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyMap {
    set: BTreeMap<&'static str, Vec<Chord>>,
}

impl KeyMap {
    /// The keys of a command.
    #[must_use]
    pub fn of(&self, command: &Command) -> &[Chord] {
        self.set
            .get(command.name)
            .map_or(command.chords, Vec::as_slice)
    }

    /// The last key of a command, by its name, as a person presses it: where a pane has a number
    /// and a letter, the letter.
    #[must_use]
    pub fn named(&self, name: &str) -> String {
        let command = COMMANDS.iter().find(|command| command.name == name);
        let chord = command.and_then(|command| self.of(command).last());
        chord.map(ToString::to_string).unwrap_or_default()
    }

    /// Takes `[keys]` of a configuration file: commands by name, and their keys. What cannot be is
    /// left at its default and told, a sentence each.
    #[must_use]
    pub fn configured(wanted: &BTreeMap<String, Vec<String>>, file: &str) -> (Self, Vec<String>) {
        let mut keys = Self::default();
        let mut problems = Vec::new();
        for (name, chords) in wanted {
            let Some(command) = COMMANDS.iter().find(|c| c.name == name) else {
                problems.push(format!("{file}: [keys] {name} is no command"));
                continue;
            };
            match chords.iter().map(|text| own(command, text)).collect() {
                Ok(chords) => {
                    keys.set.insert(command.name, chords);
                }
                Err(problem) => problems.push(format!("{file}: [keys] {name}: {problem}")),
            }
        }
        // Each round takes one of the configured lists back, so this ends.
        while let Some((chord, one, other)) = keys.conflicts().into_iter().next() {
            let back = if keys.set.contains_key(one) {
                one
            } else {
                other
            };
            problems.push(format!(
                "{file}: [keys] {chord} means both {one} and {other}; {back} keeps its default"
            ));
            if keys.set.remove(back).is_none() {
                break;
            }
        }
        (keys, problems)
    }

    /// Keys that mean two commands in one place, with the names of both.
    #[must_use]
    pub fn conflicts(&self) -> Vec<(Chord, &'static str, &'static str)> {
        let mut found = Vec::new();
        for (at, one) in COMMANDS.iter().enumerate() {
            for other in &COMMANDS[at + 1..] {
                if !together(one, other) {
                    continue;
                }
                let shared = self.of(one).iter().find(|c| self.of(other).contains(c));
                if let Some(chord) = shared {
                    found.push((*chord, one.name, other.name));
                }
            }
        }
        found
    }
}

/// Whether both can be meant in one place. A key of some panes only goes before one of all panes.
fn together(one: &Command, other: &Command) -> bool {
    let place = |place: &&[Scope]| place.contains(&one.scope) && place.contains(&other.scope);
    let panes = match (one.panes.is_empty(), other.panes.is_empty()) {
        (true, true) => true,
        (false, false) => one.panes.iter().any(|pane| other.panes.contains(pane)),
        _ => false,
    };
    panes && PLACES.iter().any(place)
}

/// A chord that a command may have.
fn own(command: &Command, text: &str) -> Result<Chord, String> {
    let chord = Chord::parse(text).ok_or_else(|| format!("{text} is no key"))?;
    if command.scope.types() && chord.typed().is_some() {
        return Err(format!("{text} is typed there; take Ctrl or Alt with it"));
    }
    Ok(chord)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn configured(set: &[(&str, &[&str])]) -> (KeyMap, Vec<String>) {
        let wanted = set.iter().map(|(name, keys)| {
            let keys = keys.iter().map(ToString::to_string).collect();
            ((*name).to_owned(), keys)
        });
        KeyMap::configured(&wanted.collect(), "config.toml")
    }

    fn of(keys: &KeyMap, name: &str) -> Vec<String> {
        let command = COMMANDS.iter().find(|c| c.name == name).unwrap();
        keys.of(command).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn every_key_of_the_table_reads_back() {
        for command in COMMANDS {
            for chord in command.chords {
                assert_eq!(Chord::parse(&chord.to_string()), Some(*chord));
            }
        }
        for bad in ["", "ab", "Ctrl-", "Hyper-x", "Ctrl-Ctrl-x"] {
            assert_eq!(Chord::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn keys_can_be_set_and_swapped() {
        let (keys, problems) = configured(&[("reset", &["d"]), ("decide", &["R", "Ctrl-r"])]);
        assert_eq!(problems, Vec::<String>::new());
        assert_eq!(of(&keys, "reset"), ["d"]);
        assert_eq!(of(&keys, "decide"), ["R", "Ctrl-r"]);
        assert_eq!(of(&keys, "quit"), ["q"]);
    }

    #[test]
    fn a_conflict_names_the_file_and_both_commands_and_keeps_the_default() {
        let (keys, problems) = configured(&[("reset", &["q"])]);
        assert_eq!(of(&keys, "reset"), ["R"]);
        assert_eq!(problems.len(), 1);
        for word in ["config.toml", "reset", "quit", " q "] {
            assert!(problems[0].contains(word), "{problems:?}");
        }
        let (keys, problems) = configured(&[("reset", &["z"]), ("decide", &["z"])]);
        assert_eq!(problems.len(), 1);
        assert_eq!(of(&keys, "decide"), ["z"]);
        assert_eq!(of(&keys, "reset"), ["R"]);
    }

    #[test]
    fn what_is_no_key_and_no_command_is_told() {
        let (keys, problems) = configured(&[
            ("fly", &["x"]),
            ("reset", &["banana"]),
            ("form.cancel", &["x"]),
        ]);
        assert_eq!(keys, KeyMap::default());
        assert_eq!(problems.len(), 3, "{problems:?}");
    }
}
