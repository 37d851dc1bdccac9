//! Agents that are only read about (spec 6.4): what their transcripts tell, judged by the same
//! rules as what hooks see, and recorded as observations. Nothing here gates, trips or stops.

mod loops;
mod record;
mod session;
#[cfg(test)]
mod tests;

use std::path::PathBuf;

pub use crate::journal::foreign::{Cell, Foreign};
pub use record::{Recorded, record, settle};
pub use session::{Life, Session, Who};

/// Where the agent programs keep what they do. The caller reads the environment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Homes {
    /// Claude Code's folder, by default `~/.claude`.
    pub claude: PathBuf,
    /// Codex's, by default `~/.codex`.
    pub codex: PathBuf,
    /// Gemini CLI's, by default `~/.gemini`.
    pub gemini: PathBuf,
    /// pi's, by default `~/.pi/agent`.
    pub pi: PathBuf,
    /// opencode's, by default `~/.local/share/opencode`.
    pub opencode: PathBuf,
    /// Hermes's, by default `~/.hermes`.
    pub hermes: PathBuf,
    /// Sessions that nothing was written to for so long are left alone, in seconds.
    pub recent_s: u64,
}
