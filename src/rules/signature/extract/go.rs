//! Go's panics, races and tests.

use super::{Reader, indent};
use crate::rules::signature::shape;

/// How far below a panic its first goroutine may stand, in lines.
const NEAR: usize = 8;

/// Beginnings of functions that are not the project's.
const RUNTIME: [&str; 9] = [
    "runtime.",
    "runtime/",
    "panic(",
    "testing.",
    "reflect.",
    "sync.",
    "internal/",
    "created by",
    "net/http.",
];

pub(super) fn panic(reader: &mut Reader<'_>) -> usize {
    let line = reader.line().trim();
    let Some(message) = line
        .strip_prefix("panic: ")
        .or_else(|| line.strip_prefix("fatal error: "))
    else {
        return 0;
    };
    let Some(at) = (1..=NEAR).find(|by| reader.ahead(*by).starts_with("goroutine ")) else {
        return 0;
    };
    let frames = reader.run(at + 1, usize::MAX, |line| !line.is_empty());
    let (function, file) = frame(reader, at + 1, frames);
    let message = message
        .split_once(" [recovered")
        .map_or(message, |(m, _)| m);
    reader.cause(&["panic", file, function, message]);
    at + 1 + frames
}

/// Function and file of the first frame that is the project's.
fn frame<'a>(reader: &Reader<'a>, from: usize, frames: usize) -> (&'a str, &'a str) {
    for by in from..from + frames {
        let line = reader.ahead(by).trim();
        let runtime = RUNTIME.iter().any(|start| line.starts_with(start));
        if runtime || line.starts_with('/') || shape::placed(line).is_some() {
            continue;
        }
        let place = reader.ahead(by + 1).trim();
        let file = place.rsplit_once(':').map_or(place, |(file, _)| file);
        if shape::is_foreign(file) {
            continue;
        }
        return (called(line), file);
    }
    ("", "")
}

/// The function without its arguments: `store.(*Store).Put(0xc000012345)`.
fn called(line: &str) -> &str {
    let Some(inner) = line.strip_suffix(')') else {
        return line;
    };
    let mut depth = 1_usize;
    for (at, byte) in inner.bytes().enumerate().rev() {
        match byte {
            b')' => depth += 1,
            b'(' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return &line[..at];
        }
    }
    line
}

pub(super) fn race(reader: &mut Reader<'_>) -> usize {
    if reader.line().trim() != "WARNING: DATA RACE" {
        return 0;
    }
    let lines = reader.run(1, 60, |line| !line.starts_with("===="));
    let mut both: Vec<String> = Vec::new();
    for by in 1..=lines {
        let head = reader.ahead(by);
        let access = [
            "Read at",
            "Write at",
            "Previous read at",
            "Previous write at",
        ];
        if access.iter().any(|start| head.starts_with(start)) {
            let (function, file) = frame(reader, by + 1, 6);
            both.push(format!("{function} {file}"));
        }
    }
    both.sort_unstable();
    let both: Vec<&str> = both.iter().map(String::as_str).collect();
    reader.cause(&[&["data race"], both.as_slice()].concat());
    1 + lines
}

/// How many lines of one test's message count.
const MESSAGE: usize = 3;

pub(super) fn test(reader: &mut Reader<'_>) -> usize {
    let line = reader.line();
    let bare = line.trim_start();
    if let Some(name) = bare.strip_prefix("--- FAIL: ") {
        reader.cause(&["test", shape::untimed(name)]);
        return 1;
    }
    if let Some(rest) = bare
        .strip_prefix("FAIL\t")
        .or_else(|| bare.strip_prefix("FAIL "))
    {
        // Only what was said above; a package that did not build or could not be read is more.
        let package = rest.split_whitespace().next().unwrap_or_default();
        let counted = package.contains('.') && !shape::is_file(package)
            || rest.contains("[build failed]")
            || rest.contains("[setup failed]");
        return usize::from(counted);
    }
    if indent(line) < 4 {
        return 0;
    }
    let Some(placed) = shape::placed(line) else {
        return 0;
    };
    if shape::extension(placed.file) != "go" || placed.column {
        return 0;
    }
    let deeper = indent(line);
    let more = reader.run(1, usize::MAX, |line| {
        indent(line) > deeper && !line.trim_start().starts_with("---")
    });
    let mut message = vec![placed.rest];
    for by in 1..=more {
        let line = reader.ahead(by).trim();
        // The fields of an assertion library; its trace and the test's name say nothing new.
        let fields = ["Error Trace:", "Test:", "Messages:"];
        if !line.is_empty() && !fields.iter().any(|field| line.starts_with(field)) {
            message.push(line);
        }
    }
    message.retain(|line| !line.is_empty() && shape::placed(line).is_none());
    message.truncate(MESSAGE);
    let file = placed.file;
    reader.cause(&["test", file, &message.join(" ")]);
    1 + more
}
