//! Verbs of grants.

use clap::{Args, Subcommand};

use crate::contract::granting::LONGEST_MINUTES;

/// Verbs of grants.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum GrantVerb {
    /// Let one host, path, branch or call through for a while: a human's signature.
    #[command(
        after_help = "Example: watchfloor grant add --host build.example.org --minutes 60 --reason \"release day\""
    )]
    Add {
        /// What is let through.
        #[command(flatten)]
        opens: Opens,
        /// For how many minutes, up to a day.
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(LONGEST_MINUTES)))]
        minutes: u32,
        /// Why.
        #[arg(long)]
        reason: String,
        /// Who signs.
        #[arg(long = "as", value_name = "PRINCIPAL")]
        principal: Option<String>,
    },
    /// The grants of the project, and what became of each.
    #[command(after_help = "Example: watchfloor grant list")]
    List,
    /// Take a grant back before its time.
    #[command(after_help = "Example: watchfloor grant revoke r-19d2 --reason \"done\"")]
    Revoke {
        /// Its id or handle.
        id: String,
        /// Why.
        #[arg(long, default_value = "taken back by hand")]
        reason: String,
    },
}

/// What is let through: exactly one.
#[derive(Clone, Debug, Args)]
#[group(required = true, multiple = false)]
pub struct Opens {
    /// A host that may be reached.
    #[arg(long, value_name = "NAME")]
    pub host: Option<String>,
    /// A path that may be changed, and everything under it.
    #[arg(long, value_name = "PATH")]
    pub path: Option<String>,
    /// A protected branch that may be written.
    #[arg(long, value_name = "NAME")]
    pub branch: Option<String>,
    /// One refused call, by the digest that its refusal named; used up by that call.
    #[arg(long, value_name = "DIGEST")]
    pub call: Option<String>,
}
