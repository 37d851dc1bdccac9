//! Verbs of handoffs.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::Range;

/// Verbs of handoffs.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum HandoffVerb {
    /// Ask: what, what was tried already, and what the answer must hold.
    #[command(
        after_help = "Example: watchfloor handoff open --agent a1 --question \"which port does staging use?\" --tried \"read deploy/*.yml\" --needed \"host and port\"\nOr a JSON object: watchfloor handoff open entry.json"
    )]
    Open(Open),
    /// The entry that waits the longest: one that an agent waits for first, never an own one.
    #[command(after_help = "Example: watchfloor handoff next --claim --agent b1 --tag db")]
    Next {
        /// Take it in the same step.
        #[arg(long)]
        claim: bool,
        /// Only entries with this tag.
        #[arg(long = "tag", value_name = "TAG")]
        tags: Vec<String>,
    },
    /// Take an entry: one agent holds it for 10 minutes.
    #[command(after_help = "Example: watchfloor handoff claim h-7f3a --agent b1")]
    Claim {
        /// The entry, by id or handle.
        id: String,
    },
    /// Ask the asker back, once.
    #[command(
        after_help = "Example: watchfloor handoff ask h-7f3a --agent b1 --question \"which region?\""
    )]
    Ask {
        /// The entry, by id or handle.
        id: String,
        /// The question.
        #[arg(long, default_value = "")]
        question: String,
        /// The claim.
        #[command(flatten)]
        epoch: Epoch,
    },
    /// Tell the holder more; the first reply starts the claim's clock anew.
    #[command(after_help = "Example: watchfloor handoff reply h-7f3a --agent a1 --text \"eu-1\"")]
    Reply {
        /// The entry, by id or handle.
        id: String,
        /// The reply.
        #[arg(long, default_value = "")]
        text: String,
    },
    /// Answer an entry that you hold.
    #[command(
        after_help = "Example: watchfloor handoff answer h-7f3a --agent b1 --text \"staging listens on 8443\""
    )]
    Answer {
        /// The entry, by id or handle.
        id: String,
        /// The answer.
        #[arg(long, default_value = "")]
        text: String,
        /// The claim.
        #[command(flatten)]
        epoch: Epoch,
    },
    /// Give an entry back; the second time it is parked.
    #[command(after_help = "Example: watchfloor handoff release h-7f3a --agent b1")]
    Release {
        /// The entry, by id or handle.
        id: String,
        /// The claim.
        #[command(flatten)]
        epoch: Epoch,
    },
    /// Hand an entry to a person.
    #[command(
        after_help = "Example: watchfloor handoff escalate h-7f3a --agent b1 --class credentials --reason \"the token is a person's\""
    )]
    Escalate {
        /// The entry, by id or handle.
        id: String,
        /// money, `outward_effect`, irreversible, credentials or `priority_scope`.
        #[arg(long)]
        class: Option<String>,
        /// Why.
        #[arg(long, default_value = "")]
        reason: String,
        /// The claim.
        #[command(flatten)]
        epoch: Epoch,
    },
    /// Park an entry: nobody can help, or it is no longer needed.
    #[command(
        after_help = "Example: watchfloor handoff block h-7f3a --agent b1 --reason \"nobody here knows staging\""
    )]
    Block {
        /// The entry, by id or handle.
        id: String,
        /// Why.
        #[arg(long, default_value = "")]
        reason: String,
        /// The claim.
        #[command(flatten)]
        epoch: Epoch,
    },
    /// Tell what became of an answer.
    #[command(
        after_help = "Example: watchfloor handoff use h-7f3a --agent a1 --evidence deploy/staging.yml"
    )]
    Use {
        /// The entry, by id or handle.
        id: String,
        /// A file of the project or a receipt of the store that shows it.
        #[arg(long, value_name = "FILE|RECEIPT")]
        evidence: Vec<String>,
        /// What was done with it.
        #[arg(long)]
        text: Option<String>,
    },
    /// Decide an escalated entry: a person's signature.
    #[command(after_help = "Example: watchfloor handoff decide h-7f3a --text \"yes, once\"")]
    Decide {
        /// The entry, by id or handle.
        id: String,
        /// The decision.
        #[arg(long, default_value = "")]
        text: String,
        /// Who signs.
        #[arg(long = "as", value_name = "PRINCIPAL")]
        principal: Option<String>,
    },
    /// Wait for the answer, a question back, or a decision; meanwhile the entry is blocking.
    #[command(after_help = "Example: watchfloor handoff wait h-7f3a --agent a1 --timeout 300")]
    Wait {
        /// The entry, by id or handle.
        id: String,
        /// For how many seconds at most.
        #[arg(long, default_value_t = 600, value_name = "S", value_parser = clap::value_parser!(u64).range(0..=86_400))]
        timeout: u64,
    },
    /// Show an entry in full: its thread, late hints, and what failed in its task.
    #[command(after_help = "Example: watchfloor handoff show h-7f3a")]
    Show {
        /// The entry, by id or handle.
        id: String,
    },
    /// List entries, newest last: who holds what right now with --state claimed.
    #[command(after_help = "Example: watchfloor handoff list --state claimed")]
    List {
        /// open, claimed, resolved, blocked or escalated.
        #[arg(long)]
        state: Option<String>,
        /// Only entries with this tag.
        #[arg(long = "tag", value_name = "TAG")]
        tags: Vec<String>,
        /// How many, and from where.
        #[command(flatten)]
        range: Range,
    },
    /// Take in what waits on another tool's board; that is read and never changed.
    #[command(
        after_help = "Example: watchfloor handoff import ~/.hermes/kanban.db\nOr the lines of beads: watchfloor handoff import .beads/issues.jsonl"
    )]
    Import {
        /// A Hermes kanban database, or the JSON Lines of beads.
        file: PathBuf,
    },
    /// Every record about an entry, oldest first.
    #[command(after_help = "Example: watchfloor handoff log h-7f3a")]
    Log {
        /// The entry, by id or handle.
        id: String,
    },
}

/// A new entry.
#[derive(Debug, Args)]
pub struct Open {
    /// A JSON object: a file, or - for standard input. Flags fill what it leaves out.
    pub file: Option<String>,
    /// What is asked.
    #[arg(long)]
    pub question: Option<String>,
    /// What was tried already.
    #[arg(long)]
    pub tried: Option<String>,
    /// What the answer must hold.
    #[arg(long)]
    pub needed: Option<String>,
    /// A word to filter by; may stand several times.
    #[arg(long = "tag", value_name = "TAG")]
    pub tags: Vec<String>,
    /// answer, or action, which may only be escalated.
    #[arg(long)]
    pub wants: Option<String>,
}

/// Which claim a holder speaks with.
#[derive(Clone, Copy, Debug, Args)]
pub struct Epoch {
    /// The claim's epoch; by default the one of the agent's last claim.
    #[arg(long, value_name = "N")]
    pub epoch: Option<u64>,
}
