//! Verbs of the inbox.

use clap::Subcommand;

use super::Range;

/// Verbs of the inbox.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum InboxVerb {
    /// Leave an agent a message; it reads it at the end of its turn, or when it polls.
    #[command(
        after_help = "Example: watchfloor inbox send --to pi-1 --kind nudge --text \"h-7f3a is answered\" --re h-7f3a"
    )]
    Send {
        /// The agent that it is for. One that was never seen finds it when it comes.
        #[arg(long, value_name = "AGENT")]
        to: String,
        /// question, notification, handoff, completion, nudge or reply.
        #[arg(long, default_value = "notification")]
        kind: String,
        /// What it says: at most 4,000 characters; secrets are taken out.
        #[arg(long)]
        text: String,
        /// What it is about: a message or a handoff, by id or handle.
        #[arg(long, value_name = "ID")]
        re: Option<String>,
    },
    /// What waits for an agent, oldest first. Nothing is acknowledged by it.
    #[command(after_help = "Example: watchfloor inbox read --agent pi-1 --wait 60")]
    Read {
        /// Wait for a message for so many seconds at most.
        #[arg(long, value_name = "S", value_parser = clap::value_parser!(u64).range(0..=86_400))]
        wait: Option<u64>,
        /// At most so many.
        #[arg(long, default_value_t = 100, value_name = "N")]
        limit: usize,
    },
    /// Take a message; of any number of acknowledgements one counts.
    #[command(after_help = "Example: watchfloor inbox ack m-7f3a --agent pi-1")]
    Ack {
        /// The message, by id or handle.
        id: String,
    },
    /// List messages, newest last.
    #[command(after_help = "Example: watchfloor inbox list --to pi-1 --unread")]
    List {
        /// Only those for this agent.
        #[arg(long, value_name = "AGENT")]
        to: Option<String>,
        /// Only those that nobody acknowledged.
        #[arg(long)]
        unread: bool,
        /// How many, and from where.
        #[command(flatten)]
        range: Range,
    },
}
