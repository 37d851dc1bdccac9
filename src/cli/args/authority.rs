//! Verbs of breakers, identities, receipts and schemas.

use std::path::PathBuf;

use clap::Subcommand;

use crate::contract::granting::LONGEST_MINUTES;

use super::Range;

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
        #[arg(long, value_parser = clap::value_parser!(u32).range(1..=i64::from(LONGEST_MINUTES)))]
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
    /// Show where a receipt comes from: its parents to any depth, each step with its checks.
    #[command(after_help = "Example: watchfloor receipt graph r-19d2")]
    Graph {
        /// An id or a handle.
        id: String,
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
    /// Take receipts as other tools write them into a folder: new, changed and invalid ones.
    #[command(after_help = "Example: watchfloor receipt watch receipts/")]
    Watch {
        /// The folder; its `*.json` files are looked at.
        folder: String,
        /// Leave after so many seconds.
        #[arg(long, value_name = "N")]
        seconds: Option<u64>,
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
