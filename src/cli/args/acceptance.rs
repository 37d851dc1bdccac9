//! Flags of the acceptance.

use std::path::PathBuf;

use clap::Args;

/// Who takes part, and for how long.
#[derive(Debug, Args)]
pub struct Acceptance {
    /// The program that asks: pi, codex, claude, gemini, opencode, hermes or plain.
    #[arg(long, default_value = "pi", value_name = "PROGRAM")]
    pub a: String,
    /// The program that answers.
    #[arg(long, default_value = "codex", value_name = "PROGRAM")]
    pub b: String,
    /// Where a program lies; else it is looked for in `WATCHFLOOR_PI` and the like, and on the
    /// search path.
    #[arg(long = "program", value_name = "NAME=PATH", value_parser = named)]
    pub programs: Vec<(String, PathBuf)>,
    /// Leave the homes, the outputs and the store where they are.
    #[arg(long)]
    pub keep: bool,
    /// For how many seconds at most.
    #[arg(long, default_value_t = 300, value_name = "S", value_parser = clap::value_parser!(u64).range(5..=3600))]
    pub seconds: u64,
}

/// A program's name and where it lies.
fn named(text: &str) -> Result<(String, PathBuf), String> {
    let (name, file) = text.split_once('=').ok_or("it is no NAME=PATH")?;
    Ok((name.to_owned(), PathBuf::from(file)))
}
