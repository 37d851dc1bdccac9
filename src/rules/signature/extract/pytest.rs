//! What pytest says of failing tests.

use super::Reader;
use crate::rules::signature::shape;

pub(super) fn take(reader: &mut Reader<'_>) -> usize {
    let line = reader.line();
    if let Some(name) = header(line) {
        reader.section = Some(name);
        reader.sections = true;
        return 1;
    }
    if said(line).is_some() {
        return errors(reader);
    }
    if reader.section.is_some()
        && let Some(placed) = shape::placed(line)
        && (placed.rest.is_empty() || shape::is_dotted(placed.rest))
    {
        if !placed.rest.is_empty() && !shape::is_foreign(placed.file) {
            reader.cause(&["pytest", placed.file, placed.rest]);
        }
        return 1;
    }
    summary(reader, line)
}

/// The name in `_____ test_total _____`.
fn header(line: &str) -> Option<&str> {
    let name = line.strip_prefix("__")?.strip_suffix("__")?;
    let name = name.trim_matches('_').trim();
    let spaced = line.contains("_ ") && line.contains(" _");
    (spaced && !name.is_empty()).then_some(name)
}

/// What stands behind the `E` of a line.
fn said(line: &str) -> Option<&str> {
    let rest = line.strip_prefix('E')?;
    // A test that could not be set up is an `E` among the dots, too.
    let said = rest.starts_with("   ") && !rest.ends_with("%]");
    (rest.is_empty() || said).then(|| rest.trim())
}

/// A run of `E` lines: the first says what was wrong, except of a file that cannot be read.
fn errors(reader: &mut Reader<'_>) -> usize {
    let lines = reader.run(0, usize::MAX, |line| said(line).is_some());
    let text: Vec<&str> = (0..lines).filter_map(|by| said(reader.ahead(by))).collect();
    let mut texts = text.iter().filter(|text| !text.is_empty());
    let first = texts.next().copied().unwrap_or_default();
    let section = reader.section.unwrap_or_default();
    if let Some(file) = first.strip_prefix("File \"") {
        let last = texts.next_back().copied().unwrap_or_default();
        let file = file.split_once('"').map_or(file, |(file, _)| file);
        reader.cause(&["pytest", section, file, last]);
    } else {
        reader.cause(&["pytest", section, first]);
    }
    lines
}

/// `FAILED test_app.py::test_total - assert 4 == 3`: its message is cut at the terminal's width,
/// so it counts only where no section tells it.
fn summary(reader: &mut Reader<'_>, line: &str) -> usize {
    let rest = line.strip_prefix("FAILED ");
    let Some(rest) = rest.or_else(|| line.strip_prefix("ERROR ")) else {
        return 0;
    };
    let (test, message) = rest.split_once(" - ").unwrap_or((rest, ""));
    let file = test.split_once("::").map_or(test, |(file, _)| file);
    if !shape::is_file(file) || file.contains(' ') {
        return 0;
    }
    let message = if reader.sections { "" } else { message };
    reader.cause(&["pytest", test, message]);
    1
}
