//! Diagnostics in one line: compilers, type checkers, linters.

use super::Reader;
use crate::rules::signature::records::Tier;
use crate::rules::signature::shape::{self, Placed};

/// What a diagnostic says besides its place.
struct Said<'a> {
    severity: Option<&'a str>,
    code: &'a str,
    message: &'a str,
}

/// Beginnings of messages that only explain another diagnostic.
const EXPLAIN: [&str; 9] = [
    "required from",
    "required by",
    "in expansion of",
    "candidate",
    "previous ",
    "in instantiation",
    "recursively required",
    "from ",
    "(near initialization",
];

pub(super) fn take(reader: &mut Reader<'_>) -> usize {
    let line = reader.line();
    let bare = line.trim_start();
    let marks = ["[ERROR] ", "e: ", "vet: ", "ERROR in ", "TS Error "];
    let marked = marks.iter().find_map(|mark| bare.strip_prefix(mark));
    let place = marked.unwrap_or(bare);
    let place = place.strip_prefix("file://").unwrap_or(place);
    let Some(placed) = shape::placed(place) else {
        return 0;
    };
    if placed.rest.is_empty() {
        return 0;
    }
    let said = said(placed.rest);
    if EXPLAIN.iter().any(|start| said.message.starts_with(start)) {
        return 1;
    }
    let tier = match said.severity {
        Some("note" | "info" | "remark" | "hint" | "information") => return 1,
        Some("warning" | "W") => Tier::Warned,
        Some(_) => Tier::Cause,
        None => match unsaid(&placed, &said, marked.is_some()) {
            Some(tier) => tier,
            None => return 0,
        },
    };
    let (more, taken) = detail(reader, said.message);
    let message = said.message.trim_end_matches(':');
    reader.put(tier, &[said.code, placed.file, message, &more]);
    1 + taken
}

/// How much a line says that names no severity.
fn unsaid(placed: &Placed<'_>, said: &Said<'_>, marked: bool) -> Option<Tier> {
    let class = said.message.split([':', ' ']).next().unwrap_or_default();
    if class.ends_with("Warning") {
        return Some(Tier::Warned);
    }
    let compiles = [".go", ".hs", ".zig", ".ml", ".nim", ".d", ".sol", ".proto"];
    if marked
        || placed.column
        || !said.code.is_empty()
        || compiles.iter().any(|end| placed.file.ends_with(end))
    {
        return Some(Tier::Cause);
    }
    None
}

fn said(rest: &str) -> Said<'_> {
    let (severity, rest) = severity(rest);
    let mut code = "";
    let mut message = rest;
    if let Some((first, after)) = rest.split_once([':', ' '])
        && shape::is_code(first)
    {
        code = first;
        message = after.trim_start_matches(':').trim_start();
    }
    // The name of a project's file behind a message of C#.
    if let Some((before, project)) = message.rsplit_once(" [")
        && project.ends_with("proj]")
    {
        message = before;
    }
    Said {
        severity,
        code,
        message,
    }
}

fn severity(rest: &str) -> (Option<&str>, &str) {
    const WORDS: [&str; 13] = [
        "fatal error",
        "runtime error",
        "internal compiler error",
        "syntax error",
        "error",
        "warning",
        "note",
        "info",
        "remark",
        "hint",
        "fatal",
        "information",
        "Error",
    ];
    for word in WORDS {
        let Some(after) = rest.strip_prefix(word) else {
            continue;
        };
        if let Some(after) = after.strip_prefix('[')
            && let Some((_, message)) = after.split_once("]:")
        {
            return (Some(word), message.trim_start());
        }
        let after = after.strip_prefix(':').unwrap_or(after);
        if let Some(message) = after.strip_prefix(' ') {
            return (Some(word), message.trim_start());
        }
    }
    (None, rest)
}

/// What stands below and belongs to the message: the symbol that javac did not find, the values
/// that a test expected. And how many lines it took.
fn detail(reader: &Reader<'_>, message: &str) -> (String, usize) {
    let values = message == "Failure";
    let lines = reader.run(1, 5, |line| {
        !line.is_empty() && (line.starts_with(' ') || line.starts_with("[ERROR]  ") || values)
    });
    let mut told: Vec<&str> = Vec::new();
    for by in 1..=lines {
        let line = reader.ahead(by).trim();
        let line = line.strip_prefix("[ERROR]").unwrap_or(line).trim();
        let symbol = line.starts_with("symbol:");
        if symbol || values && !line.starts_with('[') {
            told.push(line);
        }
    }
    let taken = if told.is_empty() { 0 } else { lines };
    (told.join(" "), taken)
}

/// Rows below a file's name: `  1:7  error  message  rule`.
pub(super) fn rows(reader: &mut Reader<'_>) -> usize {
    let line = reader.line().trim_start();
    let place = line.split(' ').next().unwrap_or_default();
    let Some((row, column)) = place.split_once(':') else {
        return 0;
    };
    let numbers = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if !numbers(row) || !numbers(column.trim_end_matches(':')) {
        return 0;
    }
    let rest = line[place.len()..].trim_start();
    let Some((severity, rest)) = rest.split_once(' ') else {
        return 0;
    };
    let tier = match severity.trim_end_matches(':') {
        "error" | "✖" | "✘" | "×" => Tier::Cause,
        "warning" | "⚠" | "‼" => Tier::Warned,
        _ => return 0,
    };
    let (message, rule) = rest.trim().rsplit_once("  ").unwrap_or((rest.trim(), ""));
    let file = reader.file.unwrap_or_default();
    reader.put(tier, &[rule.trim(), file, message.trim()]);
    1
}

/// `In run.sh line 3:` with `^-- SC2086 (info): message` below.
pub(super) fn shellcheck(reader: &mut Reader<'_>) -> usize {
    let line = reader.line();
    if let Some(rest) = line.strip_prefix("In ")
        && let Some((file, number)) = rest.split_once(" line ")
        && number
            .trim_end_matches(':')
            .bytes()
            .all(|b| b.is_ascii_digit())
    {
        reader.about(file);
        return 1;
    }
    let bare = line
        .trim_start()
        .trim_start_matches(['^', '-'])
        .trim_start();
    if bare.len() == line.trim_start().len() {
        return 0;
    }
    let Some((code, message)) = bare.split_once([' ', ':']) else {
        return 0;
    };
    if !shape::is_code(code) {
        return 0;
    }
    let file = reader.file.unwrap_or_default();
    reader.cause(&[code, file, message]);
    1
}
