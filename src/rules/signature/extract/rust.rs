//! Panics and failing tests of Rust programs.

use super::Reader;

/// How many lines a panic's message may have.
const MESSAGE: usize = 6;

/// How many lines of a test's output stand for it when it did not panic.
const OUTPUT: usize = 3;

/// How far a test's output is looked through, in lines.
const FAR: usize = 200;

pub(super) fn panic(reader: &mut Reader<'_>) -> usize {
    let line = reader.line().trim_start();
    if let Some(rest) = line.strip_prefix("fatal runtime error: ") {
        reader.cause(&["abort", rest.trim_end_matches(", aborting")]);
        return 1;
    }
    let Some(rest) = line.strip_prefix("thread '") else {
        return 0;
    };
    let Some((thread, rest)) = rest.split_once('\'') else {
        return 0;
    };
    if rest.contains("has overflowed its stack") {
        reader.cause(&["panic", thread, "stack overflow"]);
        return 1;
    }
    let Some((_, told)) = rest.split_once("panicked at ") else {
        return 0;
    };
    // Older ones tell message and place in one line.
    if let Some((message, place)) = told.strip_prefix('\'').and_then(|t| t.rsplit_once("', ")) {
        let file = file(place);
        reader.cause(&["panic", thread, file, message]);
        return 1 + frames(reader, 1);
    }
    let lines = reader.run(1, MESSAGE, |line| !ends_message(line));
    let message: Vec<&str> = (1..=lines).map(|by| reader.ahead(by).trim()).collect();
    reader.cause(&["panic", thread, file(told), &message.join(" ")]);
    1 + lines + frames(reader, 1 + lines)
}

fn file(place: &str) -> &str {
    let from = usize::from(place.as_bytes().get(1) == Some(&b':')) * 2;
    let end = place[from..]
        .find(':')
        .map_or(place.len(), |end| end + from);
    &place[..end]
}

fn ends_message(line: &str) -> bool {
    line.is_empty() || line.starts_with("stack backtrace:") || line.starts_with("note: ")
}

/// How many lines of a backtrace follow.
fn frames(reader: &Reader<'_>, from: usize) -> usize {
    let head = usize::from(reader.ahead(from).starts_with("stack backtrace:"));
    let frames = reader.run(from + head, usize::MAX, |line| {
        let line = line.trim_start();
        let numbered = line.trim_start_matches(|c: char| c.is_ascii_digit());
        line.starts_with("at ") || (numbered.len() < line.len() && numbered.starts_with(": "))
    });
    head + frames
}

pub(super) fn test(reader: &mut Reader<'_>) -> usize {
    let line = reader.line().trim();
    if let Some(name) = line.strip_prefix("test ").and_then(failed) {
        reader.cause(&["test", name.0, name.1]);
        return 1;
    }
    if let Some(name) = nextest(line) {
        reader.cause(&["test", name]);
        return 1;
    }
    let output = line.strip_prefix("---- ").and_then(|line| {
        line.strip_suffix(" stdout ----")
            .or_else(|| line.strip_suffix(" stderr ----"))
    });
    output.map_or(0, |name| section(reader, name))
}

/// The name of a test that failed, and what is told in the same line.
fn failed(line: &str) -> Option<(&str, &str)> {
    let (name, verdict) = line.rsplit_once(" ... ")?;
    let told = verdict.strip_prefix("FAILED")?;
    let name = name.split_once(" - ").map_or(name, |(name, _)| name);
    Some((name, told.trim_start_matches([':', ' '])))
}

/// `FAIL [   0.005s] (1/3) demo tests::adds`.
fn nextest(line: &str) -> Option<&str> {
    let mut verdicts = ["FAIL [", "SIGABRT [", "SIGSEGV [", "TIMEOUT ["].iter();
    let rest = verdicts.find_map(|verdict| line.strip_prefix(verdict))?;
    let (_, rest) = rest.split_once("s] ")?;
    rest.rsplit(' ').next()
}

/// What a test said that failed without a panic of its own thread.
fn section(reader: &mut Reader<'_>, name: &str) -> usize {
    let ends = |line: &str| line.starts_with("---- ") || line.starts_with("failures:");
    let lines = reader.run(1, FAR, |line| !ends(line));
    let panics =
        |line: &str| line.contains("panicked at ") || line.contains("overflowed its stack");
    if (1..=lines).any(|by| panics(reader.ahead(by))) {
        return 1;
    }
    let said: Vec<&str> = (1..=lines)
        .map(|by| reader.ahead(by).trim())
        .filter(|line| !line.is_empty() && !line.starts_with("note: run with"))
        .collect();
    let told = |line: &&&str| line.starts_with("Error: ") || line.starts_with("note: ");
    let named: Vec<&str> = said.iter().filter(told).copied().collect();
    let mut said = if named.is_empty() { said } else { named };
    said.truncate(OUTPUT);
    reader.cause(&["test", name, &said.join(" ")]);
    1 + lines
}
