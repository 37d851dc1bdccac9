//! Under which name a command that ended closes a cycle (spec 3.1, 6.5).

use crate::contract::signature::Strength;

use super::checks::{base, check_name, check_name_with, collapse, is_merging, peel, waits};
use super::shell::simple_commands;

/// The name under which a command that ended closes a cycle: that of its check, or for any other
/// command that failed with a strong signature its own text. Calls of this product close none, nor
/// does a merge that stops at a conflict, nor waiting for something.
#[must_use]
pub fn closing_name(command: &str, failed: Option<Strength>, more: &[String]) -> Option<String> {
    let ours = |words: &Vec<String>| peel(words).first().is_some_and(|w| base(w) == "watchfloor");
    let strong = failed == Some(Strength::Strong);
    check_name_with(command, more).or_else(|| {
        let commands = simple_commands(command);
        let other = strong
            && !commands.first().is_some_and(ours)
            && !commands.iter().any(|words| is_merging(words))
            && !waits(&commands);
        other.then(|| collapse(command))
    })
}

/// The name under which a command that ran as an agent closes a cycle: that of its check, else its
/// own text.
#[must_use]
pub fn command_name(command: &str) -> String {
    check_name(command).unwrap_or_else(|| collapse(command))
}
