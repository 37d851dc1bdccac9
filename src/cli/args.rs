//! Verbs and flags: one definition feeds the parser, the help and the tests of the documentation.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

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
    /// Only the answer, no remarks.
    #[arg(long, short, global = true, env = "WATCHFLOOR_QUIET", value_parser = clap::builder::FalseyValueParser::new())]
    pub quiet: bool,
    /// The console shows everything and writes nothing.
    #[arg(long, global = true)]
    pub readonly: bool,
}

/// The verbs.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum Command {
    /// Make the store.
    #[command(after_help = "Example: watchfloor init")]
    Init,
    /// A fleet of scripted agents on a temporary store, and the console on it.
    #[command(after_help = "Example: watchfloor demo --headless --seconds 10")]
    Demo {
        /// Without the console; prints what happened.
        #[arg(long)]
        headless: bool,
        /// For how many seconds, headless.
        #[arg(long, default_value_t = 20, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=3600))]
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
    /// Circuit breakers.
    Breaker {
        /// What to do.
        #[command(subcommand)]
        verb: BreakerVerb,
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
    /// Called by an agent program's hook.
    #[command(after_help = "Example: watchfloor hook claude PreToolUse < payload.json")]
    Hook {
        /// claude or pi.
        harness: String,
        /// The event, where the payload does not name it.
        event: Option<String>,
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

/// Verbs of the ledger.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
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

/// Verbs of the gate.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
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
#[command(defer = true)]
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
#[command(defer = true)]
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

/// Verbs of breakers.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum BreakerVerb {
    /// List breakers, newest last.
    #[command(after_help = "Example: watchfloor breaker list")]
    List {
        /// How many, and from where.
        #[command(flatten)]
        range: Range,
    },
    /// Show one breaker, and what its reset lacks.
    #[command(after_help = "Example: watchfloor breaker show b-41c9")]
    Show {
        /// Its id or handle.
        id: String,
    },
    /// Open a breaker by hand.
    #[command(
        after_help = "Example: watchfloor breaker trip --trigger git --scope mission:M-3 --reason \"force-push seen\""
    )]
    Trip {
        /// retry, oscillation, state, git, prod, secret, regression, ssh, disk, `approval_identity`, persistence or manual.
        #[arg(long)]
        trigger: String,
        /// fleet, project, mission:ID, task:ID or agent:ID.
        #[arg(long)]
        scope: String,
        /// Why.
        #[arg(long)]
        reason: String,
    },
    /// Let one agent work under an open breaker for some minutes. Signed.
    #[command(
        after_help = "Example: watchfloor breaker permit b-41c9 --agent claude:1234 --minutes 15 --cause \"repairs the script\""
    )]
    Permit {
        /// Its id or handle.
        id: String,
        /// For how many minutes.
        #[arg(long)]
        minutes: u32,
        /// Why.
        #[arg(long, default_value = "to repair the cause")]
        cause: String,
        /// Who signs.
        #[arg(long = "as", value_name = "PRINCIPAL")]
        principal: Option<String>,
    },
    /// Close a breaker. Signed.
    #[command(
        after_help = "Example: watchfloor breaker reset b-41c9 --cause \"the script printed its environment\" --fix \"masked\" --evidence scripts/deploy.sh --to active"
    )]
    Reset {
        /// Its id or handle.
        id: String,
        /// What was wrong.
        #[arg(long, default_value = "")]
        cause: String,
        /// What was done about it.
        #[arg(long, default_value = "")]
        fix: String,
        /// What shows it: files or receipts.
        #[arg(long)]
        evidence: Vec<String>,
        /// Where a mission goes: active, blocked or escalated.
        #[arg(long)]
        to: Option<String>,
        /// Say what is lacking; sign nothing.
        #[arg(long)]
        check: bool,
        /// Who signs.
        #[arg(long = "as", value_name = "PRINCIPAL")]
        principal: Option<String>,
    },
}

/// Verbs of limits.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum LimitsVerb {
    /// Show the limits.
    #[command(after_help = "Example: watchfloor limits show")]
    Show,
}

/// Verbs of identities.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum IdentityVerb {
    /// Make the first identity: a key behind a passphrase.
    #[command(after_help = "Example: watchfloor identity init")]
    Init {
        /// Its name; by default user@host.
        #[arg(long, value_name = "PRINCIPAL")]
        name: Option<String>,
        /// human or lead.
        #[arg(long, default_value = "human")]
        role: String,
    },
    /// Add another identity, approved by a human.
    #[command(
        after_help = "Example: watchfloor identity add lead@desk --role lead --public-key lead.pub"
    )]
    Add {
        /// Its name.
        name: String,
        /// human or lead.
        #[arg(long)]
        role: String,
        /// Its public key, when the private one lies elsewhere.
        #[arg(long, value_name = "FILE")]
        public_key: Option<PathBuf>,
        /// Who approves.
        #[arg(long = "as", value_name = "PRINCIPAL")]
        principal: Option<String>,
    },
    /// List the identities.
    #[command(after_help = "Example: watchfloor identity list")]
    List,
    /// Revoke an identity, approved by a human.
    #[command(
        after_help = "Example: watchfloor identity revoke lead@desk --reason \"left the team\""
    )]
    Revoke {
        /// Its name.
        name: String,
        /// Why.
        #[arg(long)]
        reason: String,
        /// Who approves.
        #[arg(long = "as", value_name = "PRINCIPAL")]
        principal: Option<String>,
    },
}

/// Verbs of receipts.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum ReceiptVerb {
    /// Check the shape of a receipt. Needs no store.
    #[command(after_help = "Example: watchfloor receipt validate receipt.json --json")]
    Validate {
        /// A file, or - for standard input.
        file: String,
        /// A catalogue in place of the shipped one.
        #[arg(long, value_name = "FILE")]
        catalog: Option<PathBuf>,
    },
    /// Check the parents of a receipt against the store.
    #[command(after_help = "Example: watchfloor receipt resolve r-19d2")]
    Resolve {
        /// An id, a handle, a file, or - for standard input.
        target: String,
        /// A catalogue in place of the shipped one.
        #[arg(long, value_name = "FILE")]
        catalog: Option<PathBuf>,
    },
    /// Take receipts that other tools wrote.
    #[command(after_help = "Example: watchfloor receipt ingest receipts/")]
    Ingest {
        /// A file, a folder, or - for standard input.
        source: String,
        /// A catalogue in place of the shipped one.
        #[arg(long, value_name = "FILE")]
        catalog: Option<PathBuf>,
    },
    /// Show one receipt, or the bytes that were signed, or the signature.
    #[command(after_help = "Example: watchfloor receipt show r-19d2 --signed > signed.json")]
    Show {
        /// Its id or handle.
        id: String,
        /// The signed bytes.
        #[arg(long, conflicts_with = "signature")]
        signed: bool,
        /// The signature.
        #[arg(long)]
        signature: bool,
        /// The stored bytes.
        #[arg(long, conflicts_with_all = ["signed", "signature"])]
        raw: bool,
    },
    /// List receipts, newest last.
    #[command(after_help = "Example: watchfloor receipt list")]
    List {
        /// How many, and from where.
        #[command(flatten)]
        range: Range,
    },
}

/// Verbs of failure signatures.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
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

/// Verbs of schemas.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum SchemaVerb {
    /// List the schemas.
    #[command(after_help = "Example: watchfloor schema list")]
    List,
    /// Print one schema.
    #[command(after_help = "Example: watchfloor schema show watchfloor.attempt.v1")]
    Show {
        /// Its name.
        name: String,
    },
}
