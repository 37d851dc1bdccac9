//! Test suites: unittest, jest, vitest, mocha, `RSpec`, `PHPUnit`, TAP, googletest.

use super::{Reader, indent};
use crate::rules::signature::shape;

/// How many lines of one test's message count.
const MESSAGE: usize = 5;

/// How far a test's message is looked for, in lines.
const FAR: usize = 40;

/// `FAIL: test_x (a.T.test_x)` above a line of dashes or equals signs.
pub(super) fn unittest(reader: &mut Reader<'_>) -> usize {
    let line = reader.line();
    let Some((verdict, name)) = line.split_once(": ") else {
        return 0;
    };
    let ruled = (1..=2).any(|by| reader.ahead(by).starts_with("-----"));
    if !matches!(verdict, "FAIL" | "ERROR") || !ruled {
        return 0;
    }
    reader.cause(&["test", name]);
    1
}

/// Lines that name a failing test or file, with what it says below.
pub(super) fn suite(reader: &mut Reader<'_>) -> usize {
    let line = reader.line().trim();
    if let Some(rest) = line.strip_prefix("FAIL ") {
        let place = shape::untimed(rest.trim_start());
        let file = place.split_once(" > ").map_or(place, |(file, _)| file);
        let file = file.split_once(" [").map_or(file, |(file, _)| file);
        if !file.contains(' ') && (shape::is_file(file) || file.contains('/')) {
            reader.cause(&["test", place]);
            return 1;
        }
        return 0;
    }
    if let Some(name) = line.strip_prefix("FAIL: ") {
        reader.cause(&["test", shape::untimed(name)]);
        return 1;
    }
    if let Some(name) = line.strip_prefix("● ") {
        let summary = name == "Console" || name.starts_with("Validation Warning");
        return if summary { 1 } else { block(reader, name) };
    }
    for mark in ['✕', '✖', '×', '✗', '✘'] {
        if let Some(name) = line.strip_prefix(mark) {
            return marked(reader, name.trim());
        }
    }
    if let Some(name) = line.strip_prefix("[  FAILED  ] ") {
        let name = shape::untimed(name.split_once(',').map_or(name, |(name, _)| name));
        if name.contains('.') {
            reader.cause(&["test", name]);
        }
        return 1;
    }
    numbered(reader, line)
}

/// A test with a mark in front; also the sums that linters write so.
fn marked(reader: &mut Reader<'_>, name: &str) -> usize {
    let sum = ["failing tests:", "failed", "problem", "errors"];
    let counts = name.starts_with(|c: char| c.is_ascii_digit())
        && sum.iter().any(|word| name.contains(word));
    if !counts && !name.is_empty() && name != "failing tests:" {
        reader.cause(&["test", shape::untimed(name)]);
    }
    1
}

/// The message below the name of a test, up to the code or the stack that follows.
fn block(reader: &mut Reader<'_>, name: &str) -> usize {
    let ends = |line: &str| {
        let line = line.trim_start();
        line.starts_with("● ") || line.starts_with("at ") || is_code(line) || is_sum(line)
    };
    let lines = reader.run(1, FAR, |line| !ends(line));
    let message = message(reader, 1, lines);
    reader.cause(&["test", name, &message]);
    1 + lines
}

fn is_sum(line: &str) -> bool {
    line.starts_with("Test Suites:") || line.starts_with("Tests:")
}

/// `> 2 | code`, `    | ^`.
fn is_code(line: &str) -> bool {
    let bare = line.trim_start_matches(['>', ' ']);
    bare.trim_start_matches(|c: char| c.is_ascii_digit())
        .trim_start()
        .starts_with('|')
}

fn message(reader: &Reader<'_>, from: usize, to: usize) -> String {
    let lines = (from..=to).map(|by| reader.ahead(by).trim());
    let told = lines.filter(|line| !line.is_empty() && !is_place(line));
    let told: Vec<&str> = told.take(MESSAGE).collect();
    told.join(" ")
}

/// A line that only says where.
fn is_place(line: &str) -> bool {
    let line = line.trim_start_matches(['#', ' ', '❯']);
    shape::placed(line).is_some_and(|placed| placed.rest.is_empty())
}

/// `  1) adds numbers:`, as mocha, `RSpec` and `PHPUnit` list what failed.
fn numbered(reader: &mut Reader<'_>, line: &str) -> usize {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    if rest.len() == line.len() || line.len() - rest.len() > 4 {
        return 0;
    }
    let Some(name) = rest.strip_prefix(") ") else {
        return 0;
    };
    let follows = |line: &str| {
        let line = line.trim_start();
        let first = line.split([':', ' ']).next().unwrap_or_default();
        shape::is_thrown(first) || line.starts_with("Failure/Error:") || line.starts_with("Failed ")
    };
    if !(1..=8).any(|by| follows(reader.ahead(by))) {
        return 0;
    }
    // Suites stand above their tests, each further in.
    let mut names = vec![name.trim_end_matches(':')];
    let deeper = indent(reader.line());
    for by in 1..=4 {
        let line = reader.ahead(by);
        if line.is_empty() || follows(line) || indent(line) <= deeper {
            break;
        }
        names.push(line.trim().trim_end_matches(':'));
    }
    reader.cause(&["test", &names.join(" ")]);
    names.len()
}

/// `not ok 1 - adds`, with what its block says.
pub(super) fn tap(reader: &mut Reader<'_>) -> usize {
    let line = reader.line().trim_start();
    let Some(rest) = line.strip_prefix("not ok") else {
        return 0;
    };
    let name = rest.trim_start();
    let name = name
        .trim_start_matches(|c: char| c.is_ascii_digit())
        .trim_start();
    let name = name.strip_prefix("- ").unwrap_or(name);
    let upper = name.to_ascii_uppercase();
    if upper.contains("# TODO") || upper.contains("# SKIP") {
        return 1;
    }
    let name = name.split_once(" # time=").map_or(name, |(name, _)| name);
    let mut said: Vec<&str> = Vec::new();
    let mut lines = 0;
    if reader.ahead(1).trim() == "---" {
        lines = 1 + reader.run(2, FAR, |line| line.trim() != "...");
        let mut inside = false;
        for by in 2..=lines {
            let line = reader.ahead(by).trim();
            let keys = [
                "error:",
                "message:",
                "expected:",
                "actual:",
                "code:",
                "found:",
                "wanted:",
            ];
            let keyed = keys.iter().any(|key| line.starts_with(key));
            let scalar = line.ends_with("|-") || line.ends_with('|');
            if (keyed || inside) && !line.is_empty() && !scalar && said.len() < MESSAGE {
                said.push(line);
            }
            inside = (keyed && scalar) || (inside && !is_key(line));
        }
    }
    reader.cause(&["test", name, &said.join(" ")]);
    1 + lines
}

fn is_key(line: &str) -> bool {
    let key = line.split(':').next().unwrap_or_default();
    !key.is_empty() && key.len() < line.len() && key.bytes().all(|b| b.is_ascii_alphabetic())
}

/// Lines that say what was expected, of suites that write them outside of a block.
pub(super) fn assertion(reader: &mut Reader<'_>) -> usize {
    let line = reader.line().trim();
    let opens = [
        "Failure/Error:",
        "Failed asserting that",
        "expected:",
        "Expected:",
    ];
    if !opens.iter().any(|start| line.starts_with(start)) {
        return 0;
    }
    let ends = |line: &str| {
        let line = line.trim_start();
        line.starts_with("at ") || line.starts_with('#') || is_code(line)
    };
    let lines = reader.run(1, MESSAGE, |line| !ends(line));
    let opens: [&str; 8] = [
        "expected", "Expected", "got:", "Got:", "actual", "Actual", "Received", "but was",
    ];
    let said: Vec<&str> = (1..=lines)
        .map(|by| reader.ahead(by).trim())
        .filter(|line| {
            opens.iter().any(|start| line.starts_with(start))
                || shape::is_thrown(line.trim_end_matches(':'))
        })
        .collect();
    reader.cause(&["assertion", line, &said.join(" ")]);
    1 + lines
}
