//! Session files and databases of the agent programs, followed without any installation
//! (spec 6.4): one file a format, a row in, strict moments out. Nothing of theirs is ever
//! written, and one row that cannot be read hides no other.

mod alive;
mod base;
mod claude;
mod codex;
mod find;
mod follow;
mod gemini;
mod hermes;
mod lines;
mod objects;
mod observer;
mod opencode;
mod pi;
mod row;
mod threads;
mod tools;
mod track;
mod watch;

pub use observer::Observer;
pub use watch::{Guard, watch};

use serde_json::Value;

use crate::contract::observed::Moment;

/// A format whose rows are JSON objects.
trait Format: Send {
    /// Reads one row; of one that is not known nothing comes.
    fn read(&mut self, row: &Value, moments: &mut Vec<Moment>);
}

/// The formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Claude,
    Codex,
    Gemini,
    /// An older Gemini's: one document.
    GeminiWhole,
    Pi,
    Opencode,
    Hermes,
    /// Codex's database beside its files.
    Threads,
}

impl Kind {
    fn harness(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex | Self::Threads => "codex",
            Self::Gemini | Self::GeminiWhole => "gemini",
            Self::Pi => "pi",
            Self::Opencode => "opencode",
            Self::Hermes => "hermes",
        }
    }

    /// The reader of a file's rows.
    fn format(self) -> Box<dyn Format> {
        match self {
            Self::Codex | Self::Threads => Box::new(codex::Codex),
            Self::Gemini | Self::GeminiWhole => Box::<gemini::Gemini>::default(),
            Self::Pi => Box::new(pi::Pi),
            Self::Claude | Self::Opencode | Self::Hermes => Box::new(claude::Claude),
        }
    }

    /// The reader of a database's rows.
    fn keeping(self) -> Option<Box<dyn base::Keeping>> {
        match self {
            Self::Opencode => Some(Box::<opencode::Opencode>::default()),
            Self::Hermes => Some(Box::<hermes::Hermes>::default()),
            Self::Threads => Some(Box::new(threads::Threads)),
            _ => None,
        }
    }
}
