//! What a build server or a supervisor writes around the lines of others.

use super::Reader;
use crate::rules::signature::shape;

/// The line without a timestamp, a kernel's clock, a service's name or a build server's mark.
pub(super) fn peeled(line: &str) -> &str {
    let mut rest = line;
    if let Some(after) = past_time(rest) {
        rest = after;
    }
    for mark in ["##[error]", "##[warning]", "##[group]", "##[command]"] {
        rest = rest.strip_prefix(mark).unwrap_or(rest);
    }
    past_service(past_step(rest))
}

/// `#12 0.345 `, as image builders number their steps.
fn past_step(line: &str) -> &str {
    let Some(rest) = line.strip_prefix('#') else {
        return line;
    };
    let Some((step, rest)) = rest.split_once(' ') else {
        return line;
    };
    if step.is_empty() || !step.bytes().all(|b| b.is_ascii_digit()) {
        return line;
    }
    let seconds = rest.split_once(' ').filter(|(time, _)| {
        time.contains('.') && time.bytes().all(|b| b.is_ascii_digit() || b == b'.')
    });
    seconds.map_or(rest, |(_, rest)| rest)
}

/// `2026-11-30T10:00:00.1Z `, `2026-11-30 10:00:00,5 `, `[12345.678901] `, `[10:00:00] `.
fn past_time(line: &str) -> Option<&str> {
    let bytes = line.as_bytes();
    let boxed = bytes.first() == Some(&b'[');
    let from = usize::from(boxed);
    if !bytes
        .get(from)
        .is_some_and(|b| b.is_ascii_digit() || *b == b' ')
    {
        return None;
    }
    let inner = &line[from..];
    let dated = inner.len() > 19 && bytes[from + 4] == b'-' && bytes[from + 7] == b'-';
    let first = inner.trim_start();
    let first = if dated && inner.as_bytes()[10] == b' ' {
        inner.get(11..)?
    } else if boxed || dated {
        first
    } else {
        return None;
    };
    let end = first.find(|c: char| if boxed { c == ']' } else { c == ' ' })?;
    let time = &first[..end];
    let timed = time.len() >= 5
        && time.contains([':', '.'])
        && time.bytes().all(|b| {
            b.is_ascii_digit() || matches!(b, b':' | b'.' | b',' | b'-' | b'+' | b'T' | b'Z')
        });
    let rest = &first[end..];
    let rest = if boxed { rest.strip_prefix(']')? } else { rest };
    timed.then(|| rest.strip_prefix(' ').unwrap_or(rest))
}

/// `web-1  | `, as programs that run several services write it.
fn past_service(line: &str) -> &str {
    let Some((service, rest)) = line.split_once(" | ") else {
        return line;
    };
    let service = service.trim_end();
    let numbered = service.ends_with(|c: char| c.is_ascii_digit());
    let named = service.starts_with(|c: char| c.is_ascii_lowercase())
        && service.contains(['-', '_'])
        && service
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'));
    if numbered && named { rest } else { line }
}

/// `::error file=src/a.ts,line=3,col=5::message`.
pub(super) fn take(reader: &mut Reader<'_>) -> usize {
    let Some(command) = reader.line().strip_prefix("::error") else {
        return 0;
    };
    let Some((properties, message)) = command.split_once("::") else {
        return 0;
    };
    if super::outcome::of(message).is_some() {
        return 1;
    }
    let mut properties = properties.trim_start().split(',');
    let file = properties.find_map(|property| property.strip_prefix("file="));
    match file.filter(|file| shape::is_file(file)) {
        Some(file) => reader.cause(&[file, message]),
        None => reader.told(&[message]),
    }
    1
}

#[cfg(test)]
mod tests {
    use super::peeled;

    #[test]
    fn marks_of_others_are_taken_off() {
        for (line, expected) in [
            ("2026-11-30T10:00:00.1234567Z  x: y", " x: y"),
            ("2026-11-30 10:00:00,512 x", "x"),
            ("2026-11-30T10:00:00Z ##[error]x", "x"),
            ("[12345.678901] Out of memory", "Out of memory"),
            ("[   12.678901] Out of memory", "Out of memory"),
            ("[10:00:00] x", "x"),
            ("web-1  |   x", "  x"),
            ("my_db_2 | x", "x"),
            ("1 | x", "1 | x"),
            ("a-1 b | x", "a-1 b | x"),
            ("[1/3] x", "[1/3] x"),
            ("[12345.6", "[12345.6"),
            ("2026-11-30", "2026-11-30"),
            ("12345-78-0 x", "12345-78-0 x"),
            ("é", "é"),
            ("#12 0.345 x", "x"),
            ("#12 ERROR: x", "ERROR: x"),
            ("#1x y", "#1x y"),
            ("# 1 y", "# 1 y"),
            ("2026-11-é0T10:00:00Z x", "2026-11-é0T10:00:00Z x"),
            ("", ""),
        ] {
            assert_eq!(peeled(line), expected, "{line}");
        }
    }
}
