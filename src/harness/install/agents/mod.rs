//! What each agent program reads: its files on either level, its events, its units of time.

mod claude;
pub(super) mod codex;
mod gemini;
mod hermes;
mod opencode;
mod pi;

use std::path::PathBuf;

use serde_json::{Map, Value, json};

use super::edit::{Edit, Entries, Way};
use super::tree::Step;
use super::words::{Call, SERVER};
use super::{Level, Site, Target};

/// How long a hook may take before its harness gives up, in seconds: beyond the own deadline.
const SECONDS: u64 = 10;

/// The programs whose hooks are installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agent {
    /// Claude Code.
    Claude,
    /// `OpenAI` Codex.
    Codex,
    /// Gemini CLI.
    Gemini,
    /// pi.
    Pi,
    /// opencode.
    Opencode,
    /// Hermes Agent.
    Hermes,
}

/// Hooks in groups under their event: Claude Code, Codex, Gemini CLI.
const GROUPED: &[Way] = &[Way::Hooks(&[
    Step::Key("hooks"),
    Step::Any,
    Step::Each,
    Step::Key("hooks"),
    Step::Each,
])];
const SERVER_ALONE: &[Way] = &[Way::Server(&[Step::Key("mcpServers"), Step::Key(SERVER)])];

/// The first line of the file for pi and of the one for opencode.
const MARK: &str = "// Written by `watchfloor install`, taken away by `watchfloor uninstall`.";

impl Agent {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Claude,
        Self::Codex,
        Self::Gemini,
        Self::Pi,
        Self::Opencode,
        Self::Hermes,
    ];

    /// Its name, which is its program's too.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Pi => "pi",
            Self::Opencode => "opencode",
            Self::Hermes => "hermes",
        }
    }

    /// The agent of a name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|agent| agent.name() == name)
    }

    /// Whether it reads anything of a project's own.
    #[must_use]
    pub fn has_projects(self) -> bool {
        self != Self::Hermes
    }

    /// The files that an install changes, but for what trusts the hooks of Codex.
    #[must_use]
    pub fn targets(self, site: &Site, level: Level) -> Vec<Target> {
        let user = level == Level::User;
        match self {
            Self::Claude => claude::targets(site, user),
            Self::Codex => codex::targets(site, user),
            Self::Gemini => gemini::targets(site, user),
            Self::Pi => pi::targets(site, user),
            Self::Opencode => opencode::targets(site, user),
            Self::Hermes => hermes::targets(site),
        }
    }
}

fn target(path: PathBuf, edit: Edit) -> Target {
    Target {
        path,
        edit,
        private: false,
    }
}

fn entries(harness: &'static str, wanted: Value, ways: &'static [Way]) -> Entries {
    Entries {
        harness,
        wanted,
        ways,
    }
}

/// The MCP server as most write it.
fn server(call: &Call) -> Value {
    json!({"command": call.program, "args": call.server()})
}

/// The groups of hooks under their events.
fn grouped(events: &[&str], hook: impl Fn(&str) -> Value, tools: &[&str]) -> Value {
    let groups = events.iter().map(|event| {
        let mut group = Map::new();
        if tools.contains(event) {
            group.insert("matcher".to_owned(), json!("*"));
        }
        group.insert("hooks".to_owned(), json!([hook(event)]));
        ((*event).to_owned(), json!([group]))
    });
    json!({"hooks": groups.collect::<Map<_, _>>()})
}

/// A file of ours that runs inside the agent's program: it calls this program, on this store.
fn inside(harness: &'static str, site: &Site, text: &str) -> Edit {
    let set = |name: &str, value: &str| format!("process.env.{name} ??= {};\n", Value::from(value));
    let mut own = format!("{MARK}\n{}", set("WATCHFLOOR_BIN", &site.call.program));
    for pair in site.call.flags.chunks(2) {
        if let [flag, value] = pair {
            let name = flag.trim_start_matches('-').to_uppercase();
            own.push_str(&set(&format!("WATCHFLOOR_{name}"), value));
        }
    }
    own.push_str(text);
    Edit::Whole {
        harness,
        text: own,
        mark: MARK,
    }
}
