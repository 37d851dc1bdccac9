//! Verbs and flags: one definition feeds the parser, the help and the tests of the documentation.

mod acceptance;
mod authority;
mod global;
mod grant;
mod guard;
mod handoff;
mod inbox;
mod parse;
mod rollout;
mod safety;
mod triage;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

pub use acceptance::Acceptance;
pub use authority::{BreakerVerb, IdentityVerb, ReceiptVerb, SchemaVerb};
pub use global::Global;
pub use grant::{GrantVerb, Opens};
pub use guard::{GuardRulesVerb, GuardVerb};
pub use handoff::{Epoch, HandoffVerb, Open as OpenHandoff};
pub use inbox::InboxVerb;
pub use rollout::{Install, Uninstall};
pub use safety::{AttemptVerb, GateVerb, LimitsVerb, MissionVerb, SignatureVerb, TaskVerb};
pub use triage::TriageVerb;

/// Mission control for fleets of AI coding agents.
#[derive(Debug, Parser)]
#[command(name = "watchfloor", version, about, disable_help_subcommand = true)]
#[command(after_help = "Without a verb the console opens.\nExample: watchfloor init && watchfloor")]
pub struct Cli {
    /// Flags of every verb.
    #[command(flatten)]
    pub global: Global,
    /// The verb; none opens the console.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// The verbs.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum Command {
    /// Make the store.
    #[command(after_help = "Example: watchfloor init")]
    Init,
    /// A fleet of scripted agents on a temporary store, and the console on it.
    #[command(after_help = "Example: watchfloor demo --headless --seconds 60")]
    Demo {
        /// Without the console; prints what happened.
        #[arg(long)]
        headless: bool,
        /// For how many seconds at most, headless; it ends sooner when all has happened.
        #[arg(long, default_value_t = 60, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=3600))]
        seconds: u64,
    },
    /// The state of the fleet at a glance.
    #[command(after_help = "Example: watchfloor status --json")]
    Status,
    /// Records as they are, oldest first.
    #[command(after_help = "Example: watchfloor tail --follow --since 100")]
    Tail {
        /// Wait for more.
        #[arg(long)]
        follow: bool,
        /// Only records after this position.
        #[arg(long, value_name = "SEQ")]
        since: Option<u64>,
        /// At most so many of those that are there.
        #[arg(long, default_value_t = 1000, value_name = "N")]
        limit: usize,
    },
    /// One line an event, in words, for a log: what comes from now on.
    #[command(after_help = "Example: watchfloor watch --since 100 >> fleet.log")]
    Watch {
        /// Begin after this position instead of now.
        #[arg(long, value_name = "SEQ")]
        since: Option<u64>,
        /// End after so many lines.
        #[arg(long, value_name = "N")]
        limit: Option<usize>,
    },
    /// A script that completes verbs and flags in a shell.
    #[command(
        after_help = "Example: watchfloor completions bash > ~/.local/share/bash-completion/completions/watchfloor"
    )]
    Completions {
        /// Which shell.
        shell: clap_complete::Shell,
    },
    /// The manual page; with --dir one page a verb.
    #[command(after_help = "Example: watchfloor man --dir ~/.local/share/man/man1")]
    Man {
        /// Folder for the pages; without it the page goes to standard output.
        #[arg(long, value_name = "DIR")]
        dir: Option<PathBuf>,
    },
    /// Sweep the time limits, and bring stop flags and journal together.
    #[command(after_help = "Example: watchfloor tick")]
    Tick,
    /// Stop the fleet, or a part of it. Needs nothing but the file system.
    #[command(
        after_help = "Example: watchfloor stop --scope mission:M-3 --reason \"wrong branch\""
    )]
    Stop {
        /// fleet, project, mission:ID, task:ID or agent:ID.
        #[arg(long, default_value = "fleet")]
        scope: String,
        /// Why.
        #[arg(long, default_value = "stopped by hand")]
        reason: String,
    },
    /// Lift a stop: a signed reset of it.
    #[command(after_help = "Example: watchfloor resume --reason \"branch corrected\"")]
    Resume {
        /// fleet, project, mission:ID, task:ID or agent:ID.
        #[arg(long, default_value = "fleet")]
        scope: String,
        /// Why it may go on.
        #[arg(long)]
        reason: String,
        /// Who signs.
        #[arg(long = "as", value_name = "PRINCIPAL")]
        principal: Option<String>,
    },
    /// The ledger of attempts.
    Attempt {
        /// What to do.
        #[command(subcommand)]
        verb: AttemptVerb,
    },
    /// The gate before a retry, a transition, a completion.
    Gate {
        /// What to do.
        #[command(subcommand)]
        verb: GateVerb,
    },
    /// The guard: what becomes of a tool call.
    Guard {
        /// What to do.
        #[command(subcommand)]
        verb: GuardVerb,
    },
    /// Tasks.
    Task {
        /// What to do.
        #[command(subcommand)]
        verb: TaskVerb,
    },
    /// Missions and their goals.
    Mission {
        /// What to do.
        #[command(subcommand)]
        verb: MissionVerb,
    },
    /// Handoffs: one agent is stuck, another answers.
    Handoff {
        /// What to do.
        #[command(subcommand)]
        verb: HandoffVerb,
    },
    /// Messages between agents, read at the end of a turn.
    Inbox {
        /// What to do.
        #[command(subcommand)]
        verb: InboxVerb,
    },
    /// Circuit breakers.
    Breaker {
        /// What to do.
        #[command(subcommand)]
        verb: BreakerVerb,
    },
    /// What a person lets through although the guard refuses it.
    Grant {
        /// What to do.
        #[command(subcommand)]
        verb: GrantVerb,
    },
    /// The limits in force.
    Limits {
        /// What to do.
        #[command(subcommand)]
        verb: LimitsVerb,
    },
    /// Who may approve.
    Identity {
        /// What to do.
        #[command(subcommand)]
        verb: IdentityVerb,
    },
    /// Receipts: enveloped decisions.
    Receipt {
        /// What to do.
        #[command(subcommand)]
        verb: ReceiptVerb,
    },
    /// Failure codes: what a failure is called, and what a new one is.
    Triage {
        /// What to do.
        #[command(subcommand)]
        verb: TriageVerb,
    },
    /// Signatures of failures.
    Signature {
        /// What to do.
        #[command(subcommand)]
        verb: SignatureVerb,
    },
    /// JSON Schemas of everything that crosses a boundary.
    Schema {
        /// What to do.
        #[command(subcommand)]
        verb: SchemaVerb,
    },
    /// Check the chain of records; with --deep the projections too.
    #[command(after_help = "Example: watchfloor verify --deep")]
    Verify {
        /// Rebuild the projections beside the store and compare them.
        #[arg(long)]
        deep: bool,
    },
    /// Make the projections anew from the records.
    #[command(after_help = "Example: watchfloor rebuild")]
    Rebuild,
    /// Agents of this machine, read from their own transcripts: observed, not gated.
    #[command(
        after_help = "Without a flag it follows them and records what changes, as the console does.\nExample: watchfloor observe --list"
    )]
    Observe {
        /// Only tell what is found; write nothing. Needs no store.
        #[arg(long, conflicts_with = "once")]
        list: bool,
        /// Record what is found, and end.
        #[arg(long)]
        once: bool,
        /// Sessions that were written to in the last N hours.
        #[arg(long, env = "WATCHFLOOR_OBSERVE_HOURS", value_name = "N")]
        hours: Option<u64>,
    },
    /// Called by an agent program's hook.
    #[command(after_help = "Example: watchfloor hook claude PreToolUse < payload.json")]
    Hook {
        /// claude, codex, gemini, hermes, opencode or pi; git, for its own hooks.
        harness: String,
        /// The event, where the payload does not name it.
        event: Option<String>,
        /// Marks an entry that `install` wrote.
        #[arg(long, hide = true)]
        installed: bool,
    },
    /// Make an agent's program ask before it acts; shows what it writes, and asks first.
    #[command(after_help = "Example: watchfloor install claude")]
    Install(Install),
    /// Take out what `install` wrote, to the byte.
    #[command(after_help = "Example: watchfloor uninstall claude --yes")]
    Uninstall(Uninstall),
    /// Per agent's program: found, version, installed, trusted, and whether its stops hold.
    #[command(after_help = "Example: watchfloor doctor --prove claude")]
    Doctor {
        /// Make this program call a tool under a stop, in an empty home, and see what happens.
        #[arg(long, value_name = "HARNESS")]
        prove: Option<String>,
    },
    /// Run a command as an agent: watched, ended when a breaker opens, its exit recorded.
    #[command(
        after_help = "Example: watchfloor exec --task T-12 -- cargo test\nAs the check of another agent: aider --test-cmd \"watchfloor exec --task T-12 -- pytest -q\""
    )]
    Exec {
        /// The command and its words.
        #[arg(last = true, required = true, value_name = "CMD")]
        command: Vec<OsString>,
    },
    /// Prove the handoff between two real agent programs, point by point, on a temporary store.
    #[command(
        after_help = "Example: watchfloor acceptance --a pi --b codex\nWhere a program lies elsewhere: watchfloor acceptance --program pi=/opt/pi/bin/pi"
    )]
    Acceptance(Acceptance),
    /// A plain process in the place of an agent program.
    #[command(hide = true)]
    PlainAgent {
        /// Where its model listens.
        #[arg(long)]
        model: String,
        /// What it is told first.
        prompt: String,
    },
    /// The MCP server on standard input and output, for one session of an agent's program.
    #[command(
        after_help = "Example: watchfloor mcp\nAn entry of an agent's program: {\"command\": \"watchfloor\", \"args\": [\"mcp\"]}\nWho calls is told by the hook of the session above it, or by WATCHFLOOR_AGENT in the entry's environment."
    )]
    Mcp {
        /// Marks an entry that `install` wrote.
        #[arg(long, hide = true)]
        installed: bool,
    },
    /// Open the store, read its position, and exit: what a read costs at the least.
    #[command(hide = true)]
    FloorRead,
    /// Hash what `verify` hashes: what it costs at the least, in microseconds of processor time.
    #[command(hide = true)]
    FloorHash,
    /// One scripted agent of the demo.
    #[command(hide = true)]
    DemoAgent {
        /// Its name.
        name: String,
    },
}

/// Which part of a list.
#[derive(Clone, Copy, Debug, Args)]
pub struct Range {
    /// At most so many.
    #[arg(long, default_value_t = 1000, value_name = "N")]
    pub limit: usize,
    /// Only what was recorded after this position.
    #[arg(long, default_value_t = 0, value_name = "SEQ")]
    pub since: u64,
}
