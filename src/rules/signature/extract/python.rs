//! Python's tracebacks, with the last frame in the project.

use super::{Reader, indent};
use crate::rules::signature::shape;

/// How many lines of a validator's message count.
const DETAILS: usize = 6;

pub(super) fn take(reader: &mut Reader<'_>) -> usize {
    let group = reader.line().trim_start().starts_with(['|', '+']);
    let head = bare(reader.line(), group);
    let headed = head.trim_start() == "Traceback (most recent call last):"
        || head.trim_start() == "Exception Group Traceback (most recent call last):";
    if !headed && frame(head).is_none() {
        return 0;
    }
    let base = if headed {
        indent(head)
    } else {
        indent(head).saturating_sub(2)
    };
    let mut chosen: Option<(&str, &str)> = None;
    let mut by = usize::from(headed);
    while reader.has(by) {
        let line = bare(reader.ahead(by), group);
        if line.is_empty() {
            break;
        }
        if let Some(place) = frame(line) {
            let keeps = chosen.is_some_and(|(file, _)| !shape::is_foreign(file));
            if !(keeps && shape::is_foreign(place.0)) {
                chosen = Some(place);
            }
        } else if indent(line) <= base {
            let (file, function) = chosen.unwrap_or_default();
            return by + raised(reader, line.trim(), file, function, by);
        }
        by += 1;
    }
    // It was cut off before it said what was raised.
    by.max(1)
}

fn bare(line: &str, group: bool) -> &str {
    if !group {
        return line;
    }
    let line = line.trim_start();
    line.trim_start_matches(['|', '+', '-'])
        .strip_prefix(' ')
        .unwrap_or(line)
}

/// File and function of `  File "app.py", line 3, in load`.
fn frame(line: &str) -> Option<(&str, &str)> {
    let rest = line.trim_start().strip_prefix("File \"")?;
    let (file, rest) = rest.split_once("\", line ")?;
    let function = rest
        .split_once(", in ")
        .map_or("", |(_, function)| function);
    Some((file, function.trim()))
}

/// Records what was raised, and answers how many lines that took.
fn raised(reader: &mut Reader<'_>, line: &str, file: &str, function: &str, by: usize) -> usize {
    let (class, message) = line
        .split_once(": ")
        .unwrap_or((line.trim_end_matches(':'), ""));
    if !shape::is_dotted(class) {
        return 0;
    }
    let mut message = message.to_owned();
    let mut taken = 1;
    // A validator says what is wrong in the lines below.
    if message.contains("validation error") {
        let more = reader.run(by + 1, DETAILS, |line| !line.is_empty());
        for detail in 1..=more {
            let line = reader.ahead(by + detail).trim();
            if !line.starts_with("For further information") {
                message.push(' ');
                message.push_str(line);
            }
        }
        taken += more;
    }
    reader.cause(&["raised", class, file, function, &message]);
    taken
}
