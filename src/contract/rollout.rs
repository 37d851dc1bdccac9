//! What was rolled out to agents' programs, and what proved that it holds (spec 6.2).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Schema of [`Installed`].
pub const INSTALLED: &str = "watchfloor.installed.v1";
/// Schema of [`Canary`].
pub const CANARY: &str = "watchfloor.canary.v1";

/// Hooks were installed, or taken out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Installed {
    /// Always [`INSTALLED`].
    pub schema: String,
    /// The agent's program, or `git`.
    pub harness: String,
    /// `project` or `user`.
    pub level: String,
    /// `install` or `uninstall`.
    pub action: String,
    /// The files that were changed.
    pub files: Vec<String>,
    /// Digest of the entries that are there now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<String>,
    /// Why it reaches every project without an acceptance on this machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub without_acceptance: Option<String>,
}

/// A canary: a real agent's program was made to call a tool under a stop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Canary {
    /// Always [`CANARY`].
    pub schema: String,
    /// The agent's program.
    pub harness: String,
    /// What it says of its version.
    pub version: String,
    /// Digest of the entries that it ran with.
    pub entry: String,
    /// Whether the call was refused, and did not run.
    pub refused: bool,
    /// What was seen, in a sentence.
    pub seen: String,
}

/// Whether a stop of an agent's program really holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum Lamp {
    /// A call of this version with these entries was really refused.
    Proven,
    /// Nobody has seen that.
    #[default]
    Unproven,
    /// A refused call was seen to run.
    Leaking,
}

impl Lamp {
    /// As it is shown.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Proven => "PROVEN",
            Self::Unproven => "UNPROVEN",
            Self::Leaking => "LEAKING",
        }
    }
}

/// One level of one agent's program, as `doctor` tells it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LevelReport {
    /// `project` or `user`.
    pub level: String,
    /// `installed`, `otherwise` (not just what this version installs), `by hand`, `foreign`
    /// (another file of the same name), `absent` or `unreadable`.
    pub state: String,
    /// The files that are looked at.
    pub files: Vec<String>,
    /// Why a file could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
    /// Whether the program runs the hooks; absent where it asks for no trust, or cannot be asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trusted: Option<bool>,
}

/// One agent's program, as `doctor` tells it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct HarnessReport {
    /// Its name.
    pub harness: String,
    /// Whether its program is on the search path.
    pub found: bool,
    /// Where.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// What it says of its version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Whether hooks are installed that it runs here.
    pub installed: bool,
    /// Level by level.
    pub levels: Vec<LevelReport>,
    /// Whether its stops hold.
    pub lamp: Lamp,
    /// Why the lamp says so.
    pub why: String,
    /// What to run next, where something is to be done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_command: Option<String>,
}

/// Answer of `doctor`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DoctorAnswer {
    /// One a program.
    pub harnesses: Vec<HarnessReport>,
    /// What their hooks cost so far, a line a program and kind of event.
    pub hooks: Vec<HookCost>,
    /// What a canary that was asked for came to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub canary: Option<Canary>,
}

/// What the hooks of one harness cost at one kind of event. Times are in microseconds, from the
/// start of the program to its answer; a share of the calls took no longer than the bound named.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct HookCost {
    /// The harness.
    pub harness: String,
    /// `before` a tool call, `after` one, or `other`.
    pub event: String,
    /// How many calls were counted.
    pub calls: u64,
    /// Half of them took no longer.
    pub p50_us: u64,
    /// 95 of 100 took no longer.
    pub p95_us: u64,
    /// 99 of 100 took no longer.
    pub p99_us: u64,
    /// The longest.
    pub max_us: u64,
}

/// Answer of `install` and `uninstall`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct InstallAnswer {
    /// The agent's program, or `git`.
    pub harness: String,
    /// `project` or `user`.
    pub level: String,
    /// `install`, `uninstall` or `status`.
    pub action: String,
    /// Whether anything was changed.
    pub changed: bool,
    /// The files that it is about.
    pub files: Vec<FileReport>,
    /// The changes in the unified form.
    pub diff: String,
    /// Whether the program trusts the hooks then; absent where it asks for no trust.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trusted: Option<bool>,
    /// The file of the program's own settings in which its hooks are switched off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub switched_off: Option<String>,
    /// Whether it was recorded in the store.
    pub recorded: bool,
    /// What a person should know.
    pub notes: Vec<String>,
}

/// One file of an install.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileReport {
    /// The file.
    pub path: String,
    /// `made`, `changed`, `removed` or `unchanged`; with `status` what stands in it.
    pub state: String,
    /// Where its former bytes were kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backup: Option<String>,
}
