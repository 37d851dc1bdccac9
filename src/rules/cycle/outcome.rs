//! What the end of a shell line says of the check in it, and failures that are none of a check.

use super::checks::{after_options, base, checks, peel};
use super::shell::joined_commands;
use crate::rules::signature::failing_tests;

/// Whether a line may end well although the check in it failed: what follows the check decides.
///
/// ```
/// use watchfloor::rules::cycle::hides_exit;
/// assert!(hides_exit("cargo test 2>&1 | tail -20"));
/// assert!(hides_exit("make; echo done"));
/// assert!(!hides_exit("cd web && npm test && git commit -qm x"));
/// ```
#[must_use]
pub fn hides_exit(command: &str) -> bool {
    let commands = joined_commands(command);
    let last = commands.len().saturating_sub(1);
    let piped = !command.contains("pipefail");
    let mut seen = false;
    commands.iter().enumerate().any(|(at, one)| {
        seen |= checks(peel(&one.words));
        let then = one.then.trim_matches([')', '(']);
        let hides = match then {
            "&&" => false,
            "|" | "|&" => piped,
            _ => true,
        };
        seen && at < last && hides
    })
}

/// Git's verbs that stop at a conflict: what is resolved there is another change each time.
const MERGING: [&str; 7] = [
    "merge",
    "rebase",
    "cherry-pick",
    "pull",
    "am",
    "revert",
    "stash",
];

/// Whether a command merges.
pub(super) fn is_merging(words: &[String]) -> bool {
    let words = peel(words);
    words.first().is_some_and(|word| base(word) == "git") && {
        let verb = after_options(&words[1..], &["-C", "-c"], 0).first();
        verb.is_some_and(|verb| MERGING.contains(&verb.as_str()))
    }
}

/// Programs that ask how something stands that goes on elsewhere, and the verb with which they do.
const WAITING: [(&str, &str); 15] = [
    ("sleep", ""),
    ("gh", "run"),
    ("gh", "pr"),
    ("glab", "ci"),
    ("kubectl", "wait"),
    ("kubectl", "get"),
    ("kubectl", "rollout"),
    ("docker", "inspect"),
    ("docker", "wait"),
    ("curl", ""),
    ("wget", ""),
    ("nc", ""),
    ("ping", ""),
    ("pg_isready", ""),
    ("systemctl", "is-active"),
];

/// Whether a line waits for something: then its failure says no more than that it is not there
/// yet (spec 3.1, waiting and polling are observations).
pub(super) fn waits(commands: &[Vec<String>]) -> bool {
    commands.iter().any(|words| {
        let words = peel(words);
        let Some((program, rest)) = words.split_first() else {
            return false;
        };
        let told = |(name, verb): &(&str, &str)| {
            let fits = verb.is_empty() || rest.iter().any(|word| word == verb);
            base(program) == *name && fits
        };
        WAITING.iter().any(told)
    })
}

/// What a script says while what it asks about goes on.
const PENDING: [&str; 10] = [
    "still running",
    "still pending",
    "in progress",
    "not ready",
    "not finished",
    "not done yet",
    "is pending",
    "status: pending",
    "status: running",
    "queued",
];

/// Longest answer to such a question, in bytes.
const ANSWER: usize = 2_000;

/// Whether a failing command says no more than that something is not there yet. A test run that
/// failed says more.
#[must_use]
pub fn is_pending(text: &str) -> bool {
    if text.len() > ANSWER || failing_tests(text).is_some() {
        return false;
    }
    let text = text.to_ascii_lowercase();
    PENDING.iter().any(|words| text.contains(words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_that_it_goes_on_is_no_failure() {
        for (text, pending) in [
            ("job 17: still running (42%)", true),
            ("Status: PENDING", true),
            ("deployment web is not ready: 1/3", true),
            ("1 failed, 3 passed: queued in 0.1s", false),
            ("error: expected `;`", false),
            ("", false),
        ] {
            assert_eq!(is_pending(text), pending, "{text}");
        }
        assert!(!is_pending(&"queued ".repeat(1_000)));
    }

    #[test]
    fn what_follows_a_check_may_hide_how_it_ended() {
        for (line, hidden) in [
            ("cargo test", false),
            ("cargo test;", false),
            ("cargo test | tail", true),
            ("(cargo test) | tail", true),
            ("cargo test |& tee log", true),
            ("set -o pipefail; cargo test | tail", false),
            ("cargo test || true", true),
            ("cargo test; echo $?", true),
            ("cargo test\necho done", true),
            ("cargo test && git commit -qm x", false),
            ("cargo test && echo ok || echo no", true),
            ("cd a; cargo test", false),
            ("git log | head; cargo test", false),
            ("cargo test > log 2>&1", false),
            ("echo a | grep b", false),
        ] {
            assert_eq!(hides_exit(line), hidden, "{line}");
        }
    }
}
