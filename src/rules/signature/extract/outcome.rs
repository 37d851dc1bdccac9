//! Lines that only state the outcome.

use super::Reader;

/// Words that a line may consist of when it only states the outcome.
const WORDS: [&str; 51] = [
    "a",
    "after",
    "and",
    "be",
    "bus",
    "by",
    "child",
    "code",
    "command",
    "completed",
    "core",
    "did",
    "dumped",
    "error",
    "exit",
    "exited",
    "exiting",
    "exits",
    "fail",
    "failed",
    "failure",
    "fault",
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
    "segmentation",
    "shell",
    "sigkill",
    "signal",
    "sigterm",
    "status",
    "task",
    "terminated",
    "the",
    "timed",
    "was",
    "with",
    "aborted",
];

/// Of these a line needs at least one to state an outcome.
const STATES: [&str; 15] = [
    "aborted",
    "exit",
    "exited",
    "exiting",
    "exits",
    "fail",
    "failed",
    "failure",
    "fault",
    "killed",
    "returned",
    "signal",
    "terminated",
    "timed",
    "timeout",
];

/// What a shell prints of a process that a signal ended.
const SIGNALS: [(&str, u8); 6] = [
    ("Segmentation fault", 11),
    ("Killed", 9),
    ("Terminated", 15),
    ("Aborted", 6),
    ("Bus error", 7),
    ("Floating point exception", 8),
];

pub(super) fn take(reader: &mut Reader<'_>) -> usize {
    let line = reader.line();
    if wraps(line.trim_start()) {
        return 1;
    }
    let Some(outcome) = of(line) else {
        return 0;
    };
    if !outcome.is_empty() {
        reader.found.outcome.get_or_insert(outcome);
    }
    1
}

/// Lines of cargo that repeat that something failed.
fn wraps(line: &str) -> bool {
    const WRAPS: [&str; 9] = [
        "error: could not compile",
        "error: aborting due to",
        "error: test failed",
        "error: build failed",
        "warning: build failed",
        "process didn't exit successfully",
        "error: command failed with exit code",
        "error Command failed with exit code",
        "For more information about this error",
    ];
    let counts = line.starts_with("error: ") && line.ends_with(" target failed:");
    counts || WRAPS.iter().any(|start| line.starts_with(start))
}

/// The outcome that a line states and nothing else: `exit 3`, `signal 9`, `timeout`, or an
/// empty text when it only says that something failed.
pub(super) fn of(line: &str) -> Option<String> {
    let line = line.trim();
    if line.len() > 120 {
        return None;
    }
    for (name, number) in SIGNALS {
        if let Some(rest) = line.strip_prefix(name)
            && matches!(rest, "" | "." | ": 9" | ": 11" | ": 6" | " (core dumped)")
        {
            return Some(format!("signal {number}"));
        }
    }
    let lower = line.to_ascii_lowercase();
    let mut states = false;
    let mut timed = false;
    let mut signal = false;
    let mut number = None;
    for word in lower.split(|c: char| !c.is_alphanumeric()) {
        if word.is_empty() {
            continue;
        }
        states |= STATES.contains(&word);
        timed |= matches!(word, "timed" | "timeout");
        signal |= word == "signal";
        if WORDS.contains(&word) || word == "timeout" || word == "zero" {
            continue;
        }
        if !word.bytes().all(|b| b.is_ascii_digit()) && !is_duration(word) {
            return None;
        }
        number = number.or(Some(word));
    }
    let code = number.and_then(|number| number.parse::<i32>().ok());
    let told = match (timed, signal, number) {
        (true, _, _) => "timeout".to_owned(),
        (_, true, Some(number)) => format!("signal {number}"),
        (_, _, Some(_)) if code.is_some() => super::super::records::outcome(code.unwrap_or(0)),
        (_, _, Some(number)) => format!("exit {number}"),
        (_, _, None) => String::new(),
    };
    states.then_some(told)
}

fn is_duration(word: &str) -> bool {
    let unit = word.trim_start_matches(|c: char| c.is_ascii_digit());
    unit.len() < word.len() && matches!(unit, "s" | "ms" | "m")
}

/// First words of lines that tell of progress.
const PROGRESS: [&str; 24] = [
    "Adding",
    "Blocking",
    "Building",
    "Checking",
    "Collecting",
    "Compiling",
    "Date:",
    "Downloaded",
    "Downloading",
    "Finished",
    "Fresh",
    "Installing",
    "Locking",
    "Removing",
    "Resolving",
    "Running",
    "Started:",
    "Updating",
    "Using",
    "note:",
    "hint:",
    "help:",
    "info:",
    "warning:",
];

/// Whether a line that no extractor knows may say something about the failure.
pub(super) fn says_something(line: &str) -> bool {
    let text = line.trim();
    let first = text.split(' ').next().unwrap_or_default();
    let frame = text.trim_start_matches(['>', ' ']);
    let frame = frame.trim_start_matches(|c: char| c.is_ascii_digit());
    text.chars().any(char::is_alphabetic)
        && !text.contains("--help")
        && !matches!(first, "Usage:" | "usage:")
        && !PROGRESS.contains(&first)
        && !frame.trim_start().starts_with('|')
        && !text.starts_with("= ")
        && !text.ends_with("... ok")
        && !text.starts_with("--- PASS")
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
            ("exit code 137", "signal 9"),
            ("Error: Process completed with exit code 2.", "exit 2"),
            ("Process exited with non-zero status 1", "exit 1"),
            ("terminated by signal 9 (SIGKILL)", "signal 9"),
            ("Segmentation fault (core dumped)", "signal 11"),
            ("Killed", "signal 9"),
            ("Command timed out after 120s", "timeout"),
            ("timeout 5 ms", "timeout"),
            ("timed out after 2m", "timeout"),
            ("exit 99999999999", "exit 99999999999"),
            ("FAIL", ""),
            ("command failed", ""),
        ] {
            assert_eq!(of(line).as_deref(), Some(told), "{line}");
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
            assert_eq!(of(line), None, "{line}");
        }
    }

    #[test]
    fn progress_and_rules_say_nothing() {
        for line in [
            "-----",
            "12 34",
            "   Compiling demo v0.1.0",
            "2 |     total + 1",
            "> 2 | test()",
            "  = note: expected",
            "test a ... ok",
            "--- PASS: TestX",
            "note: run with",
        ] {
            assert!(!says_something(line), "{line}");
        }
        assert!(says_something("the build broke"));
    }

    #[test]
    fn lines_that_only_keep_a_reader_busy_say_nothing() {
        for line in [
            "the disk is on fire",
            "  x",
            "= x ok",
            "a --- PASS",
            "ok ... okay",
            "Usages: x",
            "x | y",
        ] {
            assert_eq!(says_something(line), line != "= x ok", "{line}");
        }
        for line in [
            "",
            "  ",
            "-----",
            "12 34",
            "Usage: a [b]",
            "usage: a",
            "try a --help",
            "Using x",
            "note: x",
            "warning: x",
            "| x",
            "12 | x",
            "> 12 | x",
            "  |  ^ x",
            "= note: x",
            "test a ... ok",
            "--- PASS: TestA (0.00s)",
        ] {
            assert!(!says_something(line), "{line}");
        }
    }
}
