//! Exceptions with frames below them: JavaScript, Java, C#, Ruby, Elixir.

use super::Reader;
use crate::rules::signature::shape;

/// How many lines may stand between an exception and its first frame.
const MESSAGE: usize = 12;

/// How many of them count.
const COUNTED: usize = 4;

/// How far above an exception the file may stand in which it was thrown, in lines.
const PRELUDE: usize = 6;

/// Beginnings of functions that belong to a language or a test suite.
const FOREIGN: [&str; 22] = [
    "java.",
    "javax.",
    "jdk.",
    "sun.",
    "com.sun.",
    "kotlin.",
    "scala.",
    "org.junit.",
    "junit.",
    "org.gradle.",
    "org.apache.maven.",
    "org.testng.",
    "System.",
    "Microsoft.",
    "Xunit.",
    "NUnit.",
    "node:",
    "Module.",
    "processTicksAndRejections",
    "java.base/",
    "new Promise",
    "async Promise.",
];

/// What may stand before the class.
const BEFORE: [&str; 8] = [
    "Uncaught ",
    "Caused by: ",
    "[cause]: ",
    "Unhandled exception. ",
    "Unhandled Exception: ",
    "** (",
    "error: Uncaught (in promise) ",
    "(node) ",
];

pub(super) fn take(reader: &mut Reader<'_>) -> usize {
    let line = reader.line().trim_start();
    if let Some(taken) = ruby(reader, line) {
        return taken;
    }
    let Some((class, message)) = head(line) else {
        return 0;
    };
    // The message may have more lines, but none that begins another exception.
    let between = reader.run(1, MESSAGE, |line| {
        !is_frame(line) && head(line.trim_start()).is_none()
    });
    let has_frames = is_frame(reader.ahead(between + 1)) && !reader.ahead(between + 1).is_empty();
    if !has_frames {
        // A class of its own names a cause; a bare `Error: x` is what any tool says.
        if class == "Error" || class.ends_with("Exit") || class.starts_with("Error[") {
            return 0;
        }
        reader.cause(&["raised", class, message]);
        return 1;
    }
    let frames = reader.run(between + 1, usize::MAX, is_frame);
    let (function, file) = chosen(reader, between + 1, frames);
    let mut said = vec![message];
    for by in 1..=between {
        let line = reader.ahead(by).trim();
        if !line.is_empty() && said.len() <= COUNTED {
            said.push(line);
        }
    }
    let near = reader.at - reader.file_at <= PRELUDE;
    let prelude = reader.file.filter(|file| near && !shape::is_foreign(file));
    let file = if file.is_empty() {
        prelude.unwrap_or_default()
    } else {
        file
    };
    reader.cause(&["raised", class, file, function, &said.join(" ")]);
    1 + between + frames
}

/// Class and message of an exception's first line.
fn head(line: &str) -> Option<(&str, &str)> {
    let bare = BEFORE.iter().find_map(|before| line.strip_prefix(before));
    let bare = bare.unwrap_or(line);
    match bare.strip_prefix("Exception in thread \"") {
        Some(rest) => classed(rest.split_once("\" ").map_or(rest, |(_, rest)| rest)),
        None => classed(bare),
    }
}

/// Class and message of `TypeError [CODE]: message`, or of a class alone.
fn classed(line: &str) -> Option<(&str, &str)> {
    let (class, message) = match line.split_once(": ") {
        Some(pair) => pair,
        None => (line.trim_end_matches([':', ')']), ""),
    };
    let name = class.split_once(" [").map_or(class, |(name, _)| name);
    let name = name.trim_end_matches(')');
    shape::is_thrown(name).then_some((class, message))
}

fn is_frame(line: &str) -> bool {
    let line = line.trim_start();
    let more = line
        .strip_prefix("... ")
        .is_some_and(|rest| rest.ends_with(" more"));
    let at = line.strip_prefix("at ").or_else(|| line.strip_prefix("❯ "));
    let placed = at.is_some_and(|at| {
        at.ends_with(')')
            || at.contains(':')
            || at.ends_with('>')
            || at.contains(" in ")
            || at.ends_with('{')
    });
    more || placed || line.starts_with("from ") && line.contains(":in ")
}

/// Function and file of the first frame that is the project's.
fn chosen<'a>(reader: &Reader<'a>, from: usize, frames: usize) -> (&'a str, &'a str) {
    for by in from..from + frames {
        let line = reader.ahead(by).trim();
        let Some(frame) = line.strip_prefix("at ").or_else(|| line.strip_prefix("❯ ")) else {
            continue;
        };
        let frame = frame.strip_prefix("async ").unwrap_or(frame);
        let foreign = FOREIGN.iter().any(|start| frame.starts_with(start));
        if foreign || shape::is_foreign(frame) {
            continue;
        }
        return read(frame);
    }
    ("", "")
}

/// `f (/w/app.js:1:30)`, `/w/app.js:1:30`, `A.f(A.java:1)`, `N.M(Int32 x) in /w/P.cs:line 12`.
fn read(frame: &str) -> (&str, &str) {
    let frame = frame.trim_end_matches(" {");
    if let Some((function, place)) = frame.split_once(") in ") {
        let function = function.split_once('(').map_or(function, |(name, _)| name);
        let file = place.rsplit_once(":line").map_or(place, |(file, _)| file);
        return (function, file);
    }
    let (function, place) = match frame.strip_suffix(')').and_then(|f| f.rsplit_once('(')) {
        Some((function, place)) => (function.trim_end(), place),
        None => match frame.rsplit_once(' ') {
            Some((function, place)) => (function, place),
            None => ("", frame),
        },
    };
    let place = place.strip_prefix("file://").unwrap_or(place);
    let file = shape::place(place).map_or(place, |(file, _)| file);
    let function = function
        .split_once(" [as ")
        .map_or(function, |(name, _)| name);
    (function, file)
}

/// `app.rb:3:in 'f': message (NoMethodError)`.
fn ruby(reader: &mut Reader<'_>, line: &str) -> Option<usize> {
    let (place, rest) = line.split_once(":in ")?;
    let (file, _) = shape::place(place)?;
    let (function, rest) = rest.split_once(": ")?;
    let (message, class) = rest.strip_suffix(')')?.rsplit_once(" (")?;
    if !shape::is_dotted(class) {
        return None;
    }
    let function = function.trim_matches(['\'', '`']);
    reader.cause(&["raised", class, file, function, message]);
    Some(1 + reader.run(1, usize::MAX, is_frame))
}
