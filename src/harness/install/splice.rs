//! Changes of a text as pieces put in and taken out, and how they are taken back.

use serde::{Deserialize, Serialize};

/// One piece of a text that is replaced. Positions are bytes of the text before any change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Splice {
    /// Where it begins.
    pub at: usize,
    /// How many bytes go.
    pub remove: usize,
    /// What comes.
    pub insert: String,
}

impl Splice {
    /// Something put in.
    pub fn insert(at: usize, text: impl Into<String>) -> Self {
        Self {
            at,
            remove: 0,
            insert: text.into(),
        }
    }

    /// Something taken out.
    pub fn remove(range: std::ops::Range<usize>) -> Self {
        Self {
            at: range.start,
            remove: range.len(),
            insert: String::new(),
        }
    }
}

/// How one splice is taken back: positions are bytes of the text after all changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Undo {
    at: usize,
    remove: usize,
    insert: String,
}

/// Applies splices, which do not overlap, and answers how they are taken back. Those at one place
/// come in their order.
#[must_use]
pub fn apply(text: &str, mut splices: Vec<Splice>) -> (String, Vec<Undo>) {
    splices.sort_by_key(|splice| splice.at);
    let mut out = String::with_capacity(text.len());
    let mut undo = Vec::new();
    let mut from = 0;
    for splice in splices {
        out.push_str(text.get(from..splice.at).unwrap_or_default());
        let end = splice.at + splice.remove;
        let gone = text.get(splice.at..end).unwrap_or_default();
        from = from.max(end);
        undo.push(Undo {
            at: out.len(),
            remove: splice.insert.len(),
            insert: gone.to_owned(),
        });
        out.push_str(&splice.insert);
    }
    out.push_str(text.get(from..).unwrap_or_default());
    (out, undo)
}

/// Takes splices back. `None` where they do not fit the text.
#[must_use]
pub fn take_back(text: &str, undo: &[Undo]) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for piece in undo {
        out.push_str(text.get(from..piece.at)?);
        out.push_str(&piece.insert);
        from = piece.at.checked_add(piece.remove)?;
    }
    out.push_str(text.get(from..)?);
    Some(out)
}

/// The line of a byte, from 1.
#[must_use]
pub fn line_of(text: &str, at: usize) -> usize {
    let before = text.get(..at).unwrap_or(text);
    before.matches('\n').count() + 1
}

/// Where the line of a byte begins.
#[must_use]
pub fn line_start(text: &str, at: usize) -> usize {
    let before = text.get(..at).unwrap_or(text);
    before.rfind('\n').map_or(0, |end| end + 1)
}

/// Where the line of a byte ends: before its line end, with no carriage return.
#[must_use]
pub fn line_end(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    let line = &rest[..rest.find('\n').unwrap_or(rest.len())];
    at + line.strip_suffix('\r').unwrap_or(line).len()
}

/// The white space that a line begins with.
#[must_use]
pub fn indent_of(text: &str, at: usize) -> &str {
    let line = &text[line_start(text, at)..];
    let end = line.find(|c| c != ' ' && c != '\t').unwrap_or(line.len());
    &line[..end]
}

/// How a text ends its lines.
#[must_use]
pub fn newline(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_spliced_is_taken_back() {
        let text = "one two three";
        let splices = vec![
            Splice::insert(13, "!"),
            Splice::remove(4..7),
            Splice::insert(4, "2"),
            Splice::insert(0, "> "),
        ];
        let (after, undo) = apply(text, splices);
        assert_eq!(after, "> one 2 three!");
        assert_eq!(take_back(&after, &undo).as_deref(), Some(text));
        assert_eq!(take_back("x", &undo), None);
    }

    #[test]
    fn lines_are_found_with_either_end() {
        let text = "a\r\n\tb c\r\nd";
        assert_eq!(newline(text), "\r\n");
        assert_eq!((line_start(text, 5), line_end(text, 5)), (3, 7));
        assert_eq!((line_of(text, 5), indent_of(text, 5)), (2, "\t"));
        assert_eq!(line_end(text, 9), 10);
        assert_eq!(newline("a"), "\n");
    }
}
