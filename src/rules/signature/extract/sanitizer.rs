//! Sanitizers, and run-times that say that they cannot go on.

use super::Reader;
use crate::rules::signature::shape;

/// How far the frames of a finding are looked for, in lines.
const FAR: usize = 60;

pub(super) fn take(reader: &mut Reader<'_>) -> usize {
    let line = reader.line();
    if line.starts_with("SUMMARY: ") && line.contains("Sanitizer: ") {
        return 1;
    }
    let Some((before, told)) = line.split_once("Sanitizer: ") else {
        return 0;
    };
    let severity = ["ERROR: ", "WARNING: "]
        .iter()
        .find_map(|severity| before.split_once(severity));
    let Some((_, kind)) = severity else {
        return 0;
    };
    let ends = [" on ", " (", " at pc", " in "];
    let end = ends.iter().filter_map(|end| told.find(end)).min();
    let what = &told[..end.unwrap_or(told.len())];
    let lines = reader.run(1, FAR, |line| !line.trim_end_matches('=').is_empty());
    let mut place = ("", "");
    for by in 1..=lines {
        let Some(frame) = frame(reader.ahead(by)) else {
            continue;
        };
        let hidden = frame.0.starts_with("__") || shape::is_foreign(frame.1);
        if !hidden && shape::is_file(frame.1) {
            place = frame;
            break;
        }
    }
    reader.cause(&[kind, what, place.1, place.0]);
    1
}

/// Function and file of `    #1 0x4c3b in main /w/a.c:3:5`.
fn frame(line: &str) -> Option<(&str, &str)> {
    let rest = line.trim_start().strip_prefix('#')?;
    let (_, rest) = rest.split_once(" in ").or_else(|| rest.split_once(' '))?;
    let (function, place) = rest.split_once(' ').unwrap_or((rest, ""));
    let place = place.trim_start();
    let file = shape::place(place).map_or(place, |(file, _)| file);
    Some((function, file))
}

/// `FATAL ERROR: Reached heap limit ...`, `Fatal error: ...` of a run-time.
pub(super) fn fatal(reader: &mut Reader<'_>) -> usize {
    let line = reader.line().trim_start();
    let fatal = ["FATAL ERROR: ", "Fatal error: ", "PHP Fatal error: "];
    let Some(told) = fatal.iter().find_map(|start| line.strip_prefix(start)) else {
        return 0;
    };
    // Older and newer ones name the function that found it, or do not.
    let message = told.split_once(" Allocation failed").map_or(told, |_| {
        told.rsplit_once("limit ")
            .map_or(told, |(_, message)| message)
    });
    reader.cause(&["fatal", message]);
    1
}
