//! Everything that can happen to the console, in one serialisable queue.
//!
//! A tape of events and the model at its start give the same screens again.
//! No event carries a passphrase: a masked field sends [`Masked`] only.

use serde::{Deserialize, Serialize};

use crate::contract::agent::Jumped;
use crate::contract::bench::{DraftEntry, Preview};
use crate::contract::going::{TreeDiff, WayRow};
use crate::contract::refusal::Refusal;

use super::backend::{Known, Meaning, PaneKind, Snapshot, Want};
use super::form::{Facts, Subject, Written};
use super::keymap::Chord;

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// A key was pressed.
    Key {
        /// Which one.
        chord: Chord,
        /// When, in UTC microseconds.
        at_us: i64,
    },
    /// A text was pasted outside of a masked field; at most [`PASTE_CHARS`] of it are kept.
    Paste(String),
    /// The mouse did something.
    Mouse(Mouse),
    /// The terminal has another size.
    Resize {
        /// Columns.
        width: u16,
        /// Rows.
        height: u16,
    },
    /// The journal grew.
    StoreChanged,
    /// The watch over the journal ended; from now on the console asks by itself.
    WatchLost,
    /// The time that the console had asked to be woken at.
    Tick {
        /// UTC microseconds.
        at_us: i64,
    },
    /// The executor's answer to an effect.
    Reply(Box<Reply>),
    /// The operating system sent a signal.
    Signal(Signal),
    /// The masked field became filled or empty. Never what it holds, nor how long it is.
    Masked(Masked),
}

/// Characters of a paste that are kept; no field takes more.
pub const PASTE_CHARS: usize = 4000;

/// What the mouse did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mouse {
    /// Click or wheel.
    pub act: MouseAct,
    /// Column, from 0.
    pub x: u16,
    /// Row, from 0.
    pub y: u16,
}

/// Click or wheel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MouseAct {
    /// The left button went down.
    Click,
    /// The wheel turned up.
    ScrollUp,
    /// The wheel turned down.
    ScrollDown,
}

/// Signals that the console answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Signal {
    /// A signal that ends a program, as SIGTERM does.
    End,
    /// SIGTSTP: give the terminal back and stop.
    Suspend,
    /// The process goes on after a stop.
    Resumed,
}

/// The class of a masked field's content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Masked {
    /// Something was typed.
    Edited,
    /// Nothing is left.
    Cleared,
}

/// The executor's answer to one effect.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    /// To `Refresh`.
    Status {
        /// What had been asked for.
        want: Box<Want>,
        /// What was read.
        outcome: Result<Box<Snapshot>, Refused>,
    },
    /// To `OpenDetail`.
    Detail {
        /// Kind of row.
        kind: PaneKind,
        /// The row.
        id: String,
        /// What was read.
        outcome: Result<Known, Refused>,
    },
    /// To `LoadForm`.
    Form {
        /// What was asked about.
        subject: Subject,
        /// What was read.
        outcome: Result<Facts, Refused>,
    },
    /// To `Preview`.
    Preview {
        /// The entry.
        draft: Box<DraftEntry>,
        /// What it would change.
        outcome: Result<Preview, Refused>,
    },
    /// To `Classify`.
    Meaning {
        /// The text.
        text: String,
        /// What it means.
        outcome: Result<Meaning, Refused>,
    },
    /// To `Submit`: what was written, part by part, and the refusal that ended it.
    Submitted {
        /// What was written before the refusal, or all.
        written: Vec<Written>,
        /// Why it went no further.
        refused: Option<Refused>,
    },
    /// To `Ways`.
    Ways {
        /// The agent.
        agent: String,
        /// The ways to it.
        outcome: Result<Vec<WayRow>, Refused>,
    },
    /// To `Diff`.
    Diff {
        /// The agent.
        agent: String,
        /// What was read.
        outcome: Result<Box<TreeDiff>, Refused>,
    },
    /// To `Jump`.
    Jump(Result<Jumped, Refused>),
    /// To `Stop`.
    Stop(Result<String, Refused>),
}

/// A refusal as the console keeps and replays it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    /// The catalogue code.
    pub code: String,
    /// Why, in a sentence.
    pub cause: String,
    /// What to run next; empty when there is nothing.
    pub next_command: String,
}

impl From<Refusal> for Refused {
    fn from(refusal: Refusal) -> Self {
        Self {
            code: refusal.code.as_str().to_owned(),
            cause: refusal.cause,
            next_command: refusal.next_command,
        }
    }
}

impl Refused {
    /// Cause and next command in one line.
    #[must_use]
    pub fn line(&self) -> String {
        if self.next_command.is_empty() {
            format!("{} ({})", self.cause, self.code)
        } else {
            format!(
                "{} ({}). Next: {}",
                self.cause, self.code, self.next_command
            )
        }
    }
}
