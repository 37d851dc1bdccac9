//! Plain tables for a person, with agent text made harmless.

use unicode_width::UnicodeWidthStr;

/// Agent text on one line: control characters, escape sequences and direction marks are shown,
/// never obeyed.
#[must_use]
pub fn plain(text: &str) -> String {
    crate::contract::text::neutral(text)
}

/// The same of a text of several lines, which stay lines.
#[must_use]
pub fn lines(text: &str) -> String {
    let shown: Vec<String> = text.split('\n').map(plain).collect();
    shown.join("\n")
}

/// Columns under their headings, two spaces apart. The last one is not padded.
#[must_use]
pub fn table(headings: &[&str], rows: &[Vec<String>]) -> String {
    let rows: Vec<Vec<String>> = rows
        .iter()
        .map(|row| row.iter().map(|cell| cut(&plain(cell))).collect())
        .collect();
    let width = |at: usize| {
        let cells = rows
            .iter()
            .filter_map(|row: &Vec<String>| row.get(at))
            .map(|cell| cell.width());
        cells.chain([headings[at].width()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..headings.len()).map(width).collect();
    let mut text = line(
        &headings.iter().map(|h| (*h).to_owned()).collect::<Vec<_>>(),
        &widths,
    );
    for row in &rows {
        text.push_str(&line(row, &widths));
    }
    text
}

fn line(cells: &[String], widths: &[usize]) -> String {
    let mut text = String::new();
    for (at, cell) in cells.iter().enumerate() {
        text.push_str(cell);
        if at + 1 < cells.len() {
            let pad = widths
                .get(at)
                .copied()
                .unwrap_or(0)
                .saturating_sub(cell.width());
            text.extend(std::iter::repeat_n(' ', pad + 2));
        }
    }
    format!("{}\n", text.trim_end())
}

fn cut(text: &str) -> String {
    const LONGEST: usize = 80;
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    let kept: String = text.chars().take(LONGEST - 1).collect();
    format!("{kept}…")
}
