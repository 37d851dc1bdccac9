//! Diagnostics with their place on a line of its own (`--> file:1:2`): rustc, clippy, ruff,
//! miette and those that write like them.

use super::Reader;
use crate::rules::signature::records::Tier;
use crate::rules::signature::shape;

/// How many labels of one diagnostic count.
const LABELS: usize = 3;

/// How far behind the message the place may stand, in lines.
const NEAR: usize = 3;

pub(super) fn take(reader: &mut Reader<'_>) -> usize {
    let head = reader.line().trim_start_matches([' ', '×', 'x', '⚠']);
    if head.starts_with(['|', '=', '-', '^']) {
        return 0;
    }
    let Some(at) = (1..=NEAR).find(|by| pointed(reader.ahead(*by)).is_some()) else {
        return linking(reader, head);
    };
    // What stands between it and its place only continues the message.
    let breaks = |line: &str| line.is_empty() || named(line.trim_start()).is_some();
    if (1..at).any(|by| breaks(reader.ahead(by))) {
        return 0;
    }
    let Some(file) = pointed(reader.ahead(at)) else {
        return 0;
    };
    let near = (at == 1).then_some(("error", "", head));
    let Some((severity, code, message)) = named(head).or(near) else {
        return 0;
    };
    let taken = at + 1 + reader.run(at + 1, usize::MAX, |line| !line.is_empty());
    let label = labels(reader, at, taken);
    let tier = match severity {
        "note" | "help" | "info" => return taken,
        "warning" => Tier::Warned,
        _ => Tier::Cause,
    };
    let file = file.to_owned();
    reader.put(tier, &[code, &file, message, &label]);
    taken
}

/// The file of ` --> src/lib.rs:2:5`, `╭─[src/a.ts:1:2]`.
fn pointed(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let place = ["--> ", "-->", "╭─[", ",-[", "┌─ ", "╭▸ "]
        .iter()
        .find_map(|arrow| line.strip_prefix(arrow))?;
    let place = place.trim_end_matches(']').trim();
    shape::place(place).map(|(file, _)| file)
}

/// Severity, code and message of a first line that names one of the former.
fn named(head: &str) -> Option<(&str, &str, &str)> {
    for severity in ["error", "warning", "note", "help", "info"] {
        let Some(rest) = head.strip_prefix(severity) else {
            continue;
        };
        if let Some(rest) = rest.strip_prefix('[') {
            let (code, message) = rest.split_once("]:")?;
            return Some((severity, code, message));
        }
        let message = rest.strip_prefix(':')?;
        return Some((severity, "", message));
    }
    let (code, message) = head.split_once([' ', ':'])?;
    shape::is_code(code).then_some(("error", code, message))
}

/// What the carets of the diagnostic say, before its notes begin.
fn labels(reader: &mut Reader<'_>, from: usize, to: usize) -> String {
    let mut labels: Vec<&str> = Vec::new();
    for by in from..to {
        let line = reader.ahead(by);
        if line.starts_with("help") || line.starts_with("note") {
            break;
        }
        let label = line.split_once('|').and_then(|(before, code)| {
            let drawn = before.trim().is_empty();
            drawn.then(|| label(code)).flatten()
        });
        if let Some(label) = label.filter(|_| labels.len() < LABELS) {
            labels.push(label);
        }
    }
    labels.sort_unstable();
    labels.join("; ")
}

/// What stands behind the carets of a line in which nothing but rulers stands before them.
fn label(drawn: &str) -> Option<&str> {
    let rest = drawn.trim_start_matches([' ', '|', '_', '-', '~', '+']);
    let rest = rest.strip_prefix('^')?;
    let label = rest.trim_start_matches(['^', '-', ' ', '|', '_']).trim();
    (!label.is_empty()).then_some(label)
}

/// A linker that rustc called: its own lines below say more than that it failed.
fn linking(reader: &mut Reader<'_>, head: &str) -> usize {
    let linking = head.starts_with("error: linking with ");
    if linking {
        let head = head.to_owned();
        reader.told(&[&head]);
    }
    usize::from(linking)
}
