//! `install` and `uninstall` (spec 6.2): what is written into the files of an agent's program so
//! that it asks before it acts, and how all of it is taken away again, to the byte.

mod agents;
mod apply;
pub mod canary;
pub mod diff;
pub mod doctor;
mod edit;
mod file;
pub mod git;
mod hand;
mod held;
mod json;
mod memory;
mod observe;
mod off;
mod plan;
pub mod program;
mod splice;
mod state;
mod toml;
mod tree;
mod trust;
pub mod verb;
mod words;
mod yaml;

use std::ffi::OsString;
use std::path::PathBuf;

pub use agents::Agent;
pub use agents::codex::trusts as codex_trusts;
pub use apply::{Written, apply};
pub use edit::{Seen, Standing};
pub use memory::Memory;
pub use off::off;
pub use plan::{Change, Plan, plan};
pub use state::{State, state};
pub use words::Call;

use edit::Edit;

/// For which projects something is installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// The project that the call is made in.
    Project,
    /// Every project of the user.
    User,
}

impl Level {
    /// As answers name it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::User => "user",
        }
    }
}

/// Where things lie, and what entries call. Made by the caller, who alone reads the environment.
#[derive(Clone, Debug)]
pub struct Site {
    /// The home folder.
    pub home: PathBuf,
    /// Root of the project.
    pub root: PathBuf,
    /// The folder of configurations, `~/.config` by default.
    pub config_home: PathBuf,
    /// Another folder of Claude Code, where one is set.
    pub claude: Option<PathBuf>,
    /// Another folder of Codex, where one is set.
    pub codex: Option<PathBuf>,
    /// Another folder of pi, where one is set.
    pub pi: Option<PathBuf>,
    /// Another folder of Hermes, where one is set.
    pub hermes: Option<PathBuf>,
    /// Where programs are looked for.
    pub path: Option<OsString>,
    /// Programs that lie elsewhere, by their names.
    pub named: Vec<(String, PathBuf)>,
    /// What entries call.
    pub call: Call,
    /// Whether the MCP server is entered too.
    pub mcp: bool,
    /// The moment, as RFC 3339.
    pub now: String,
    /// What edits are remembered in.
    pub memory: Memory,
}

impl Site {
    /// The folder of Codex. One that is set it names by the path behind every link.
    fn codex(&self) -> PathBuf {
        match self.codex.clone() {
            Some(folder) => folder.canonicalize().unwrap_or(folder),
            None => self.home.join(".codex"),
        }
    }

    /// The program of an agent.
    #[must_use]
    pub fn program(&self, agent: Agent) -> Option<PathBuf> {
        let named = self.named.iter().find(|(name, _)| name == agent.name());
        match named {
            Some((_, file)) => program::runs(file).then(|| file.clone()),
            None => program::find(agent.name(), self.path.as_deref()),
        }
    }
}

/// One file that an install changes.
#[derive(Clone, Debug)]
pub struct Target {
    path: PathBuf,
    edit: Edit,
    private: bool,
}

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Put in what is wanted.
    Install,
    /// Take out what is ours.
    Uninstall,
}
