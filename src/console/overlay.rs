//! The windows above the panes, as the model keeps them.

use tui_input::Input;

use crate::contract::going::{DiffLine, TreeDiff, Way, WayRow};

use super::backend::Meaning;
use super::event::Refused;
use super::form::Form;

/// A window above the panes.
#[derive(Clone, Debug)]
pub enum Overlay {
    /// The keys that work, made from the command table.
    Help {
        /// Lines above the screen.
        scroll: usize,
    },
    /// The list of all panes.
    Panes {
        /// The chosen one.
        chosen: usize,
    },
    /// A form that leads to a signature.
    Form(Box<Form>),
    /// Every command by its name.
    Palette(Palette),
    /// What a text means.
    Triage(Box<Triage>),
    /// Where one can go from an agent.
    Going(Box<Going>),
    /// The diff of an agent's working tree.
    Diff(Box<DiffView>),
}

/// The ways to an agent.
#[derive(Clone, Debug)]
pub struct Going {
    /// The agent.
    pub agent: String,
    /// The chosen one.
    pub chosen: usize,
    /// The one that was asked for while the ways were still looked for.
    pub wanted: Option<Way>,
    /// The ways; absent until they were looked for.
    pub ways: Option<Result<Vec<WayRow>, Refused>>,
}

impl Going {
    /// One of the ways, when they were looked for.
    #[must_use]
    pub fn way(&self, way: Way) -> Option<&WayRow> {
        let ways = self.ways.as_ref()?.as_ref().ok()?;
        ways.iter().find(|row| row.way == way)
    }
}

/// The diff of an agent's working tree.
#[derive(Clone, Debug)]
pub struct DiffView {
    /// The agent.
    pub agent: String,
    /// Lines above the screen.
    pub scroll: usize,
    /// It is being read, for the first time or again.
    pub reading: bool,
    /// What was read last.
    pub read: Option<Result<TreeDiff, Refused>>,
}

impl DiffView {
    /// The lines that were read.
    #[must_use]
    pub fn lines(&self) -> &[DiffLine] {
        match &self.read {
            Some(Ok(diff)) => &diff.lines,
            _ => &[],
        }
    }
}

/// The command palette.
#[derive(Clone, Debug, Default)]
pub struct Palette {
    /// What was typed.
    pub input: Input,
    /// The chosen one among the matches.
    pub chosen: usize,
}

/// The window that tells what a text means.
#[derive(Clone, Debug, Default)]
pub struct Triage {
    /// The text.
    pub input: Input,
    /// Whether the answer has the keys, and not the text.
    pub on_answer: bool,
    /// Whether the text is still the row's: what is typed or pasted then takes its place.
    pub of_row: bool,
    /// The text that was asked about last.
    pub asked: String,
    /// What it means, and for which text.
    pub answer: Option<(String, Result<Meaning, Refused>)>,
}

impl Triage {
    /// The next command, when the text that is there has one.
    #[must_use]
    pub fn command(&self) -> Option<&str> {
        let command = match &self.answer {
            Some((text, Ok(meaning))) if text == self.input.value() => &meaning.next_command,
            _ => return None,
        };
        (!command.is_empty()).then_some(command)
    }
}
