//! The one table of commands. Keys, the hint line, help, the palette and the documentation are made
//! from it.

mod reasons;
mod table;

use super::backend::PaneKind;
use super::keymap::Chord;
use super::model::Model;
use crate::contract::going::Way;

pub use reasons::{
    code_target, decide_target, grant_target, message_target, pane_of, reset_targets, text_of,
};
pub use table::COMMANDS;

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
    /// In a form.
    Form,
    /// In the command palette.
    Palette,
    /// In the window that tells what a text means.
    Triage,
    /// In the same window, once the text is there.
    Answer,
    /// In the window that tells where one can go from an agent.
    Going,
    /// In the diff of a working tree.
    Diff,
}

impl Scope {
    /// Every scope, in the order of help.
    pub const ALL: [Self; 11] = [
        Self::Body,
        Self::Move,
        Self::Watch,
        Self::Form,
        Self::Filter,
        Self::Palette,
        Self::Triage,
        Self::Answer,
        Self::Going,
        Self::Diff,
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
            Self::Form => "In a form",
            Self::Palette => "In the command palette",
            Self::Triage => "In the triage window",
            Self::Answer => "In the triage window, on the answer",
            Self::Going => "In the window of ways to an agent",
            Self::Diff => "In a diff",
        }
    }

    /// Whether text is typed there, so that a plain character can be no key.
    #[must_use]
    pub fn types(self) -> bool {
        matches!(
            self,
            Self::Always | Self::Filter | Self::Form | Self::Palette | Self::Triage
        )
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
    Grant,
    Decide,
    Alias,
    Promote,
    Message,
    Sort,
    Mark,
    Copy,
    Jump,
    Go(Way),
    DiffAgain,
    DiffNext,
    DiffPrevious,
    /// Stops one agent, or leads to what stops it.
    PauseAgent,
    Follow,
    Palette,
    Triage,
    FormNext,
    FormPrevious,
    FormDown,
    FormUp,
    FormConfirm,
    FormCancel,
    FilterKeep,
    FilterClear,
    PaletteUp,
    PaletteDown,
    PaletteRun,
    PaletteClose,
    TriageTurn,
    TriageCopy,
    TriageClose,
}

/// One row of the table.
pub struct Command {
    /// What it is.
    pub id: Id,
    /// Its name in the configuration.
    pub name: &'static str,
    /// A word or two for the hint line.
    pub title: &'static str,
    /// What it does, in a sentence.
    pub doc: &'static str,
    /// The keys that mean it by default.
    pub chords: &'static [Chord],
    /// Where it is heard.
    pub scope: Scope,
    /// The panes in which its keys mean it; empty where the scope alone tells. Such a key goes
    /// before a key of the same scope or a wider one that means something in every pane.
    pub panes: &'static [PaneKind],
    /// Harm.
    pub danger: Danger,
    /// Its rank in the hint line, from 1; 0 keeps it out.
    pub hint: u8,
    /// Why it is not possible now, when it is not.
    pub disabled_reason: fn(&Model) -> Option<String>,
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::console::keymap::{KeyMap, PLACES};

    #[test]
    fn no_chord_means_two_things_in_one_place() {
        assert_eq!(KeyMap::default().conflicts(), Vec::new());
        for scope in Scope::ALL {
            assert!(PLACES.iter().any(|place| place.contains(&scope)));
        }
    }

    #[test]
    fn names_are_unique() {
        let names: HashSet<&str> = COMMANDS.iter().map(|c| c.name).collect();
        assert_eq!(names.len(), COMMANDS.len());
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
