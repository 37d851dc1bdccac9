//! Flags that every verb takes.

use std::path::PathBuf;

use clap::Args;

/// Flags of every verb.
#[derive(Clone, Debug, Default, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of its own on the command line"
)]
pub struct Global {
    /// Path of the store.
    #[arg(long, global = true, env = "WATCHFLOOR_STORE", value_name = "PATH")]
    pub store: Option<String>,
    /// The project; by default the git repository of the working directory.
    #[arg(long, global = true, env = "WATCHFLOOR_PROJECT", value_name = "NAME")]
    pub project: Option<String>,
    /// The mission.
    #[arg(long, global = true, env = "WATCHFLOOR_MISSION", value_name = "ID")]
    pub mission: Option<String>,
    /// The calling agent.
    #[arg(long, global = true, env = "WATCHFLOOR_AGENT", value_name = "ID")]
    pub agent: Option<String>,
    /// The task.
    #[arg(long, global = true, env = "WATCHFLOOR_TASK", value_name = "ID")]
    pub task: Option<String>,
    /// The configuration folder.
    #[arg(long, global = true, env = "WATCHFLOOR_CONFIG", value_name = "DIR")]
    pub config: Option<PathBuf>,
    /// Idempotency key: the same call with it again answers the same.
    #[arg(long, global = true, env = "WATCHFLOOR_KEY", value_name = "KEY")]
    pub key: Option<String>,
    /// Answer with one JSON object.
    #[arg(long, global = true)]
    pub json: bool,
    /// No colours.
    #[arg(long, global = true, env = "WATCHFLOOR_NO_COLOR", value_parser = clap::builder::FalseyValueParser::new())]
    pub no_color: bool,
    /// The console's theme: auto, dark, light, high-contrast or mono.
    #[arg(long, global = true, env = "WATCHFLOOR_THEME", value_name = "NAME")]
    pub theme: Option<String>,
    /// Only the answer, no remarks.
    #[arg(long, short, global = true, env = "WATCHFLOOR_QUIET", value_parser = clap::builder::FalseyValueParser::new())]
    pub quiet: bool,
    /// The console shows everything and writes nothing.
    #[arg(long, global = true)]
    pub readonly: bool,
}
