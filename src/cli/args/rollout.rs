//! Verbs that join agents' programs, and tell how they are joined.

use clap::Args;

/// Make an agent's program ask before it acts; shows what it writes, and asks first.
#[derive(Clone, Debug, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of its own on the command line"
)]
pub struct Install {
    /// claude, codex, gemini, pi, opencode, hermes or git.
    pub harness: String,
    /// For every project, instead of this one.
    #[arg(long)]
    pub user: bool,
    /// Write without asking.
    #[arg(long)]
    pub yes: bool,
    /// Only say how things stand.
    #[arg(long, conflicts_with = "yes")]
    pub status: bool,
    /// Leave the MCP server out.
    #[arg(long)]
    pub no_mcp: bool,
    /// The guard only records what it would have refused, for a first week; breakers still stop.
    #[arg(long)]
    pub observe: bool,
    /// Why a user-level install goes without a passed acceptance; recorded.
    #[arg(long, value_name = "REASON")]
    pub without_acceptance: Option<String>,
}

/// Take out what `install` wrote, to the byte.
#[derive(Clone, Debug, Args)]
pub struct Uninstall {
    /// claude, codex, gemini, pi, opencode, hermes or git.
    pub harness: String,
    /// What was installed for every project, instead of this one.
    #[arg(long)]
    pub user: bool,
    /// Write without asking.
    #[arg(long)]
    pub yes: bool,
}
