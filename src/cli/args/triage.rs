//! Verbs of failure codes.

use std::path::PathBuf;

use clap::Subcommand;

use super::Range;

/// Verbs of failure codes.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum TriageVerb {
    /// Say what a failure is called. Writes nothing and needs no store.
    #[command(
        after_help = "Example: watchfloor triage classify \"bind: address already in use\" --json"
    )]
    Classify {
        /// The failure's text, or - for standard input.
        #[arg(allow_hyphen_values = true, value_parser = failure)]
        text: String,
        /// Only entries of this layer.
        #[arg(long)]
        layer: Option<String>,
        /// A catalogue in place of the user's and the shipped one.
        #[arg(long, value_name = "FILE")]
        catalog: Option<PathBuf>,
    },
    /// Record a signal that a component passes itself, and count it where nobody knows it.
    #[command(
        after_help = "Example: watchfloor triage observe \"scheduler lost its lease\" --layer scheduler"
    )]
    Observe {
        /// The signal, or - for standard input.
        #[arg(allow_hyphen_values = true, value_parser = failure)]
        text: String,
        /// The component's layer.
        #[arg(long)]
        layer: Option<String>,
    },
    /// Show a catalogue entry, or a minted code and all that is known of it.
    #[command(after_help = "Example: watchfloor triage show disk_full")]
    Show {
        /// The code.
        code: String,
    },
    /// List minted codes, newest last.
    #[command(after_help = "Example: watchfloor triage list")]
    List {
        /// How many, and from where.
        #[command(flatten)]
        range: Range,
    },
    /// List minted codes that a person must settle, newest last.
    #[command(after_help = "Example: watchfloor triage due")]
    Due {
        /// How many, and from where.
        #[command(flatten)]
        range: Range,
    },
    /// Say that a minted code is a failure that the catalogue knows. Signed.
    #[command(
        after_help = "Example: watchfloor triage alias build_unclassified_0a1b2c3d --to disk_full"
    )]
    Alias {
        /// The minted code.
        code: String,
        /// The catalogue entry.
        #[arg(long)]
        to: String,
        /// Why.
        #[arg(long, default_value = "")]
        reason: String,
        /// Say what it would change; sign nothing.
        #[arg(long)]
        check: bool,
        /// Who signs.
        #[arg(long = "as", value_name = "PRINCIPAL")]
        principal: Option<String>,
    },
    /// Make a minted code an entry of the user's catalogue. Signed.
    #[command(
        after_help = "Example: watchfloor triage promote build_unclassified_0a1b2c3d --file entry.json"
    )]
    Promote {
        /// The minted code.
        code: String,
        /// One catalogue entry as JSON, or - for standard input.
        #[arg(long)]
        file: String,
        /// Why.
        #[arg(long, default_value = "")]
        reason: String,
        /// Say what it would change; sign nothing.
        #[arg(long)]
        check: bool,
        /// Who signs.
        #[arg(long = "as", value_name = "PRINCIPAL")]
        principal: Option<String>,
    },
    /// Say what an alias or a promotion would change. Signs and writes nothing.
    #[command(
        after_help = "Example: watchfloor triage preview build_unclassified_0a1b2c3d --file entry.json"
    )]
    Preview {
        /// The minted code.
        code: String,
        /// The catalogue entry of an alias.
        #[arg(long, required_unless_present = "file", conflicts_with = "file")]
        to: Option<String>,
        /// The entry of a promotion as JSON, or - for standard input.
        #[arg(long)]
        file: Option<String>,
    },
    /// Take an alias or a promotion back, by its receipt. Signed.
    #[command(after_help = "Example: watchfloor triage undo r-19d2")]
    Undo {
        /// The receipt, by id or handle.
        receipt: String,
        /// Who signs.
        #[arg(long = "as", value_name = "PRINCIPAL")]
        principal: Option<String>,
    },
    /// Write the user's catalogue file anew from the receipts.
    #[command(after_help = "Example: watchfloor triage render")]
    Render {
        /// Move a file that was edited by hand aside first.
        #[arg(long)]
        replace: bool,
    },
}

/// A failure's text. It may begin with a dash, and one word that looks like a flag is meant as one.
fn failure(text: &str) -> Result<String, String> {
    let name = text.trim_start_matches('-');
    let dashes = text.len() - name.len();
    let named = name.starts_with(|c: char| c.is_ascii_lowercase());
    if (1..=2).contains(&dashes) && named && !text.contains(char::is_whitespace) {
        return Err(
            "the verb has no such flag; a text like that is read from standard input, by -"
                .to_owned(),
        );
    }
    Ok(text.to_owned())
}
