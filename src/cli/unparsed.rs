//! Calls whose words are off, as the parser finds them: a refusal with its three parts, as any other
//! (spec 1.4, 9).

use std::ffi::OsString;

use clap::CommandFactory as _;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::contract::refusal::{Code, Refusal};

use super::args::Cli;

/// Writes what the parser says of a call that it could not read: help and version are answers, all
/// else is a refusal. Answers the exit code.
#[must_use]
pub fn unparsed(error: &clap::Error, words: &[OsString]) -> u8 {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            drop(error.print());
            0
        }
        _ => super::refused(&refusal(error, words), wants_json(words)),
    }
}

/// What stands behind `--` is another program's.
fn wants_json(words: &[OsString]) -> bool {
    let mut own = words.iter().skip(1).take_while(|word| *word != "--");
    own.any(|word| word == "--json")
}

fn refusal(error: &clap::Error, words: &[OsString]) -> Refusal {
    let mut tree = Cli::command();
    tree.build();
    let verb = verb(&tree, words);
    let mut path = vec![tree.get_name()];
    path.extend(verb.iter().map(|verb| verb.get_name()));
    let here = path.join(" ");
    let told = match error.kind() {
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand => {
            needs(&here, verb.last().copied())
        }
        _ => cause(&error.to_string()),
    };
    let meant = match error.get(ContextKind::SuggestedSubcommand) {
        Some(ContextValue::Strings(names)) => names.first(),
        Some(ContextValue::String(name)) => Some(name),
        _ => None,
    };
    let next = match meant {
        Some(name) => format!("{here} {name} --help"),
        None => format!("{here} --help"),
    };
    Refusal::new(Code::Usage, told, next)
}

/// A noun without its verb.
fn needs(here: &str, noun: Option<&clap::Command>) -> String {
    let verbs = noun.into_iter().flat_map(clap::Command::get_subcommands);
    let verbs: Vec<&str> = verbs
        .filter(|verb| !verb.is_hide_set())
        .map(clap::Command::get_name)
        .collect();
    format!("{here} needs one of its verbs: {}", verbs.join(", "))
}

/// The parser's words in one line, up to where it tells how the verb is called.
fn cause(text: &str) -> String {
    let parts = text.trim_start_matches("error: ").split("\n\n");
    let parts = parts.take_while(|part| {
        let ends = ["Usage:", "For more information"];
        !ends.iter().any(|end| part.starts_with(end))
    });
    let lines = parts.map(|part| {
        let words: Vec<&str> = part.split_whitespace().collect();
        words.join(" ")
    });
    lines.collect::<Vec<_>>().join("; ")
}

/// The verbs that the words of a call name, outermost first.
fn verb<'t>(tree: &'t clap::Command, words: &[OsString]) -> Vec<&'t clap::Command> {
    let mut verbs: Vec<&clap::Command> = Vec::new();
    let mut words = words.iter().skip(1).map(|word| word.to_string_lossy());
    while let Some(word) = words.next() {
        let here = verbs.last().copied().unwrap_or(tree);
        if word.starts_with('-') {
            if takes_the_next(here, &word) {
                words.next();
            }
        } else if let Some(verb) = here.find_subcommand(word.as_ref()) {
            verbs.push(verb);
        } else {
            break;
        }
    }
    verbs
}

/// Whether a word is a flag whose value is the next word.
fn takes_the_next(verb: &clap::Command, word: &str) -> bool {
    let flag = verb
        .get_arguments()
        .find(|flag| flag.get_long().is_some() && flag.get_long() == word.strip_prefix("--"));
    flag.is_some_and(|flag| flag.get_action().takes_values())
}

#[cfg(test)]
mod tests;
