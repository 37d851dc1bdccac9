//! How much one line of a failure text says.

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tier {
    /// It names a cause.
    Cause,
    /// It says something.
    Told,
    /// It says nothing about the failure.
    Noise,
}

/// Lower-case texts that only diagnostics have.
const CAUSES: [&str; 26] = [
    "error:",
    "error[",
    "error ts",
    "exception",
    "traceback",
    "panicked",
    "panic:",
    "assert",
    "undefined",
    "undeclared",
    "unresolved",
    "not found",
    "cannot find",
    "no such",
    "fatal error",
    "--- fail",
    "segmentation fault",
    "stack overflow",
    "deadlock",
    "conflict (",
    "[rejected]",
    "sanitizer",
    "expected:",
    "received:",
    "not ok ",
    "fixture",
];

/// First words of lines that tell of progress.
const PROGRESS: [&str; 17] = [
    "Adding",
    "Blocking",
    "Building",
    "Checking",
    "Compiling",
    "Date:",
    "Downloaded",
    "Downloading",
    "Finished",
    "Fresh",
    "Locking",
    "Running",
    "Started:",
    "Updating",
    "note:",
    "hint:",
    "help:",
];

/// Lower-case beginnings of lines that warn of something else or only count what was said.
const ASIDES: [&str; 4] = [
    "warning:",
    "npm warn",
    "error: could not compile",
    "error: aborting due to",
];

/// Words that a line may consist of when it only states the outcome.
const OUTCOME: [&str; 45] = [
    "a",
    "after",
    "and",
    "be",
    "by",
    "child",
    "code",
    "command",
    "completed",
    "did",
    "error",
    "exit",
    "exited",
    "exiting",
    "exits",
    "fail",
    "failed",
    "failure",
    "finished",
    "has",
    "it",
    "job",
    "killed",
    "ms",
    "non",
    "nonzero",
    "out",
    "process",
    "program",
    "returned",
    "s",
    "script",
    "sec",
    "seconds",
    "shell",
    "signal",
    "sigkill",
    "sigterm",
    "status",
    "task",
    "terminated",
    "the",
    "timed",
    "was",
    "with",
];

/// Of these a line needs at least one to state an outcome.
const STATES: [&str; 12] = [
    "exit",
    "exited",
    "exiting",
    "exits",
    "fail",
    "failed",
    "failure",
    "returned",
    "signal",
    "terminated",
    "timed",
    "timeout",
];

/// The outcome that a line states and nothing else: `exit 3`, `signal 9`, `timeout`, or an
/// empty text when it only says that something failed.
pub(super) fn outcome(line: &str) -> Option<String> {
    let lower = line.to_lowercase();
    let mut states = false;
    let mut timed = false;
    let mut signal = false;
    let mut number = None;
    for word in lower.split(|c: char| !c.is_alphanumeric()) {
        states |= STATES.contains(&word);
        timed |= matches!(word, "timed" | "timeout");
        signal |= word == "signal";
        let digits = word.bytes().all(|b| b.is_ascii_digit());
        if word.is_empty() || OUTCOME.contains(&word) || word == "timeout" || word == "zero" {
            continue;
        }
        if !digits && !is_duration(word) {
            return None;
        }
        number = number.or(Some(word));
    }
    let told = match (timed, signal, number) {
        (true, _, _) => "timeout".to_owned(),
        (_, true, Some(number)) => format!("signal {number}"),
        (_, _, Some(number)) => format!("exit {number}"),
        (_, _, None) => String::new(),
    };
    states.then_some(told)
}

fn is_duration(word: &str) -> bool {
    let unit = word.trim_start_matches(|c: char| c.is_ascii_digit());
    unit.len() < word.len() && matches!(unit, "s" | "ms" | "m")
}

/// What a line says.
pub(super) fn tier(line: &str) -> Tier {
    let text = line.trim();
    if is_noise(text) {
        return Tier::Noise;
    }
    let lower = text.to_lowercase();
    let names = CAUSES.iter().any(|cause| lower.contains(cause))
        || text.contains("FAILED")
        || text.starts_with("FAIL ")
        || text.starts_with("E  ")
        || text.starts_with(['✕', '✖', '●', '×'])
        || names_an_error(text)
        || has_place(text);
    if names { Tier::Cause } else { Tier::Told }
}

fn is_noise(text: &str) -> bool {
    let first = text.split(' ').next().unwrap_or_default();
    let lower = text.to_lowercase();
    let frame = text.trim_start_matches(['>', ' ']);
    let frame = frame.trim_start_matches(|c: char| c.is_ascii_digit());
    !text.chars().any(char::is_alphabetic)
        || PROGRESS.contains(&first)
        || ASIDES.iter().any(|aside| lower.starts_with(aside))
        || frame.trim_start().starts_with('|')
        || text.starts_with("= ")
        || text.ends_with("... ok")
        || text.starts_with("--- PASS")
}

/// A word such as `KeyError` or `java.lang.NullPointerError`.
fn names_an_error(text: &str) -> bool {
    let words = text.split(|c: char| !c.is_alphanumeric());
    let mut named = words.filter(|word| word.ends_with("Error") && word.len() > "Error".len());
    named.next().is_some()
}

/// `file.rs:12`, `file.ts(1,7)`, or Python's `File "x.py", line 3`.
fn has_place(text: &str) -> bool {
    text.starts_with("File \"") || text.split_whitespace().any(is_place)
}

fn is_place(word: &str) -> bool {
    let Some(mark) = word.find([':', '(']) else {
        return false;
    };
    let (file, rest) = word.split_at(mark);
    let name = file.rsplit('/').next().unwrap_or_default();
    let extension = name.rsplit_once('.').map(|(_, extension)| extension);
    extension.is_some_and(|e| e.starts_with(|c: char| c.is_ascii_alphabetic()))
        && rest[1..].starts_with(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_only_state_the_outcome_are_read_as_one() {
        for (line, told) in [
            ("Exit code 3", "exit 3"),
            ("Command exited with code 3", "exit 3"),
            ("exit status: 101", "exit 101"),
            ("Error: Process completed with exit code 2.", "exit 2"),
            ("Process exited with non-zero status 1", "exit 1"),
            ("terminated by signal 9 (SIGKILL)", "signal 9"),
            ("Command timed out after 120s", "timeout"),
            ("timeout 5 ms", "timeout"),
            ("timed out after 2m", "timeout"),
            ("FAIL", ""),
            ("command failed", ""),
        ] {
            assert_eq!(outcome(line).as_deref(), Some(told), "{line}");
        }
        for line in [
            "",
            "validation failed",
            "3",
            "the command",
            "exit code 3 in build",
            "exited with code 3x",
            "failed after 5h",
        ] {
            assert_eq!(outcome(line), None, "{line}");
        }
    }

    #[test]
    fn diagnostics_name_a_cause() {
        for line in [
            "error[E0308]: mismatched types",
            "thread 'main' panicked at",
            "KeyError: 'id'",
            " --> src/lib.rs:2:5",
            "src/a.ts(1,7): message",
            "  File \"app.py\", line 3, in load",
            "test a ... FAILED",
            "FAIL ./sum.test.js",
            "E       assert 1 == 2",
            "E       1 == 2",
            "  ✕ adds",
            "raised KeyError",
            "java.lang.NullPointerError at f",
            "at f (/w/app.js:1:30)",
        ] {
            let expected = if line.starts_with("at f") {
                Tier::Told
            } else {
                Tier::Cause
            };
            assert_eq!(tier(line), expected, "{line}");
        }
        for cause in CAUSES {
            assert_eq!(tier(&format!("x {cause} y")), Tier::Cause, "{cause}");
        }
    }

    #[test]
    fn other_lines_tell_something_or_nothing() {
        for line in [
            "npm says no",
            "Error",
            "an Error at f",
            "at 12:30",
            "host.example:x",
            "v1.2:3",
            "plain:3",
            "a.:1",
            "E one",
            "FAILURE",
        ] {
            assert_eq!(tier(line), Tier::Told, "{line}");
        }
        for line in [
            "",
            "-----",
            "12 34",
            "   Compiling demo v0.1.0",
            "2 |     total + 1",
            "  | ^^^ error: here",
            "> 2 | test()",
            "  = note: expected",
            "test a ... ok",
            "--- PASS: TestX",
            "note: run with",
            "npm WARN deprecated",
            "error: could not compile `demo`",
        ] {
            assert_eq!(tier(line), Tier::Noise, "{line}");
        }
    }
}
