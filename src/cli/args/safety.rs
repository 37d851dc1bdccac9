//! Verbs of the ledger, the gate, tasks, missions, limits and signatures.

use clap::Subcommand;

use super::Range;

/// Verbs of the ledger.
#[derive(Debug, Subcommand)]
pub enum AttemptVerb {
    /// Record an entry: a JSON object, or one a line with --lines.
    #[command(after_help = "Example: watchfloor attempt record attempt.json --json")]
    Record {
        /// A file, or - for standard input.
        file: String,
        /// One object a line; one answer a line.
        #[arg(long)]
        lines: bool,
    },
    /// Say what will be tried next.
    #[command(
        after_help = "Example: watchfloor attempt plan --task T-12 --agent a1 --strategy \"pin the version\" --hypothesis \"a new release broke it\""
    )]
    Plan {
        /// What will be tried.
        #[arg(long)]
        strategy: String,
        /// The assumed cause.
        #[arg(long)]
        hypothesis: String,
    },
    /// List entries, newest last; of one task with --task.
    #[command(after_help = "Example: watchfloor attempt list --task T-12")]
    List {
        /// How many, and from where.
        #[command(flatten)]
        range: Range,
    },
}

/// Verbs of the gate.
#[derive(Debug, Subcommand)]
pub enum GateVerb {
    /// Ask whether work may go on: exit 0 on allow, else 1.
    #[command(
        after_help = "Example: watchfloor gate check --task T-12 --role maker --strategy \"pin the version\" --explain"
    )]
    Check {
        /// maker, checker, debugger or `second_opinion`.
        #[arg(long)]
        role: String,
        /// With which strategy.
        #[arg(long, default_value = "")]
        strategy: String,
        /// Say what was counted, and what proves it.
        #[arg(long)]
        explain: bool,
    },
}

/// Verbs of tasks.
#[derive(Debug, Subcommand)]
pub enum TaskVerb {
    /// List tasks, newest last.
    #[command(after_help = "Example: watchfloor task list")]
    List {
        /// How many, and from where.
        #[command(flatten)]
        range: Range,
    },
    /// Show one task.
    #[command(after_help = "Example: watchfloor task show T-12")]
    Show {
        /// The task.
        id: String,
    },
}

/// Verbs of missions.
#[derive(Debug, Subcommand)]
pub enum MissionVerb {
    /// Make a mission with a goal.
    #[command(
        after_help = "Example: watchfloor mission new M-3 --outcome \"staging answers on port 8080\""
    )]
    New {
        /// Its id.
        id: String,
        /// What shall be.
        #[arg(long, required_unless_present = "goal")]
        outcome: Option<String>,
        /// A whole goal packet: a file, or - for standard input.
        #[arg(long, value_name = "FILE")]
        goal: Option<String>,
    },
    /// List missions, newest last.
    #[command(after_help = "Example: watchfloor mission list")]
    List {
        /// How many, and from where.
        #[command(flatten)]
        range: Range,
    },
    /// Show a mission and its goal.
    #[command(after_help = "Example: watchfloor mission show M-3")]
    Show {
        /// The mission.
        id: String,
    },
    /// Move a mission to another state.
    #[command(
        after_help = "Example: watchfloor mission move M-3 --to checking --reason \"all steps are done\""
    )]
    Move {
        /// The mission.
        id: String,
        /// planned, active, checking, repairing, blocked, escalated or done.
        #[arg(long)]
        to: String,
        /// Why.
        #[arg(long, default_value = "")]
        reason: String,
    },
}

/// Verbs of limits.
#[derive(Debug, Subcommand)]
pub enum LimitsVerb {
    /// Show the limits.
    #[command(after_help = "Example: watchfloor limits show")]
    Show,
}

/// Verbs of failure signatures.
#[derive(Debug, Subcommand)]
pub enum SignatureVerb {
    /// Say what a failure text is read as.
    #[command(after_help = "Example: watchfloor signature explain build.log --exit-code 101")]
    Explain {
        /// A file, or - for standard input.
        file: String,
        /// The working directory that paths in it are relative to.
        #[arg(long, value_name = "DIR")]
        cwd: Option<String>,
        /// The exit code, when known.
        #[arg(long, value_name = "N", allow_negative_numbers = true)]
        exit_code: Option<i32>,
        /// The tool that said it.
        #[arg(long, value_name = "NAME")]
        tool: Option<String>,
    },
}
