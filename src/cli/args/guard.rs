//! Verbs of the guard.

use clap::Subcommand;

/// Verbs of the guard.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum GuardVerb {
    /// Say what would become of a tool call: exit 0 on allow, else 1.
    #[command(after_help = "Example: echo 'git push -f' | watchfloor guard check --tool Bash -")]
    Check {
        /// A file with the tool's input, or - for standard input: a JSON object, or a bare command.
        file: String,
        /// The tool, as the agent program calls it.
        #[arg(long, value_name = "NAME")]
        tool: String,
        /// Say what else was understood, and what a grant could open.
        #[arg(long)]
        explain: bool,
    },
    /// The guard's rules.
    Rules {
        /// What to do.
        #[command(subcommand)]
        verb: GuardRulesVerb,
    },
}

/// Verbs of the guard's rules.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum GuardRulesVerb {
    /// Hold each rule against its own examples: exit 0 when all hold, else 1.
    #[command(after_help = "Example: watchfloor guard rules check guard.toml")]
    Check {
        /// Files of rules; without one `guard.toml` of the configuration folder.
        files: Vec<String>,
    },
}
