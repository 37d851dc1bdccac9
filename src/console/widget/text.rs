//! Agents' texts made safe to draw, and cut to columns.
//!
//! A text of an agent is hostile: it may hold escape sequences, change the writing direction,
//! hide characters, or be a gigabyte long. Everything drawn goes through here.

use ratatui::buffer::CellWidth;
use ratatui::style::Style;
use ratatui::text::Span;
use unicode_width::UnicodeWidthChar;

/// Combining marks that one character keeps.
const MAX_MARKS: usize = 3;
/// What stands for a character that must not be drawn.
const MARK: char = '\u{fffd}';

/// What is drawn for a character; `None` leaves it out.
fn neutral(c: char) -> Option<char> {
    Some(match c {
        '\n' | '\t' | '\r' | '\u{2028}' | '\u{2029}' => ' ',
        '\0'..='\u{1f}' => char::from_u32(0x2400 + u32::from(c)).unwrap_or(MARK),
        '\u{7f}' => '\u{2421}',
        // They only choose between text and picture, and terminals disagree about the width.
        '\u{fe0e}' | '\u{fe0f}' => return None,
        '\u{80}'..='\u{9f}'
        | '\u{ad}'
        | '\u{34f}'
        | '\u{61c}'
        | '\u{115f}'
        | '\u{1160}'
        | '\u{17b4}'
        | '\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{3164}'
        | '\u{fe00}'..='\u{fe0d}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}' => MARK,
        c => c,
    })
}

/// The first characters of a text, made safe; enough of them for `columns` columns.
fn safe(text: &str, columns: usize) -> String {
    let mut out = String::new();
    let mut marks = 0;
    // Zero-width marks take no column, so the count of characters is bounded as well.
    let budget = columns.saturating_add(1).saturating_mul(MAX_MARKS + 1);
    for c in text.chars().take(budget.saturating_mul(2)) {
        let Some(c) = neutral(c) else { continue };
        if c.width().unwrap_or(0) == 0 {
            marks += 1;
            if marks > MAX_MARKS {
                continue;
            }
        } else {
            marks = 0;
        }
        out.push(c);
    }
    out
}

/// The parts of a safe text that are drawn together, with their columns.
fn parts(safe: &str) -> Vec<(String, usize)> {
    Span::raw(safe)
        .styled_graphemes(Style::new())
        .map(|g| (g.symbol.to_owned(), usize::from(g.symbol.cell_width())))
        .filter(|(_, width)| *width > 0)
        .collect()
}

/// Columns that a text of the product takes. Not for texts of agents.
#[must_use]
pub fn width(text: &str) -> usize {
    parts(text).iter().map(|(_, width)| width).sum()
}

/// A text made safe and at most `columns` wide; what is cut ends in `…`.
#[must_use]
pub fn cut(text: &str, columns: usize) -> String {
    let parts = parts(&safe(text, columns));
    let whole: usize = parts.iter().map(|(_, width)| width).sum();
    if whole <= columns {
        return parts.into_iter().map(|(symbol, _)| symbol).collect();
    }
    let mut out = String::new();
    let mut used = 0;
    for (symbol, width) in parts {
        if used + width + 1 > columns {
            break;
        }
        used += width;
        out.push_str(&symbol);
    }
    if columns > 0 {
        out.push('…');
    }
    out
}

/// A text made safe and exactly `columns` wide.
#[must_use]
pub fn fit(text: &str, columns: usize) -> String {
    let mut out = cut(text, columns);
    let used = width(&out);
    out.extend(std::iter::repeat_n(' ', columns.saturating_sub(used)));
    out
}

/// A text made safe and broken at blanks into at most `rows` lines of `columns`.
#[must_use]
pub fn wrap(text: &str, columns: usize, rows: usize) -> Vec<String> {
    if columns == 0 || rows == 0 {
        return Vec::new();
    }
    let mut lines = Vec::new();
    for line in text.lines() {
        let left = rows - lines.len();
        wrap_line(line, columns, left, &mut lines);
        if lines.len() >= rows {
            break;
        }
    }
    lines
}

fn wrap_line(line: &str, columns: usize, rows: usize, lines: &mut Vec<String>) {
    let parts = parts(&safe(line, columns.saturating_mul(rows)));
    let mut from = 0;
    let mut made = 0;
    while made < rows {
        let mut used = 0;
        let mut to = from;
        let mut blank = None;
        while to < parts.len() && used + parts[to].1 <= columns {
            used += parts[to].1;
            if parts[to].0 == " " {
                blank = Some(to);
            }
            to += 1;
        }
        if to < parts.len() && to == from {
            // A wide character in one column.
            to += 1;
            from = to;
            continue;
        }
        let (end, next) = match blank {
            Some(at) if to < parts.len() && parts[to].0 != " " && at > from => (at, at + 1),
            _ if to < parts.len() && parts[to].0 == " " => (to, to + 1),
            _ => (to, to),
        };
        lines.push(parts[from..end].iter().map(|(s, _)| s.as_str()).collect());
        made += 1;
        from = next;
        if from >= parts.len() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_could_deceive_is_shown() {
        assert_eq!(cut("\u{1b}[31mred\u{7}", 20), "␛[31mred␇");
        assert_eq!(cut("a\u{202e}b\u{200b}c\u{2066}d", 20), "a�b�c�d");
        assert_eq!(cut("one\ntwo\tthree", 20), "one two three");
        assert_eq!(cut("tag\u{e0041}\u{e007f}", 20), "tag��");
    }

    #[test]
    fn wide_characters_keep_columns() {
        assert_eq!(fit("日本語", 5), "日本…");
        assert_eq!(fit("日本語", 4), "日… ");
        assert_eq!(width(&fit("👩\u{200d}💻 e\u{301}", 10)), 10);
        assert_eq!(fit("", 3), "   ");
        assert_eq!(fit("abc", 0), "");
    }

    #[test]
    fn piles_of_marks_are_cut() {
        let pile = format!("e{}x", "\u{301}".repeat(500));
        assert_eq!(
            cut(&pile, 10).chars().filter(|c| *c == '\u{301}').count(),
            3
        );
    }

    #[test]
    fn long_texts_cost_nothing() {
        let long = "y".repeat(64 << 20);
        assert_eq!(cut(&long, 4), "yyy…");
        assert_eq!(wrap(&long, 4, 2), ["yyyy", "yyyy"]);
    }

    #[test]
    fn lines_break_at_blanks() {
        assert_eq!(
            wrap("which port does staging use?", 12, 9),
            ["which port", "does staging", "use?"]
        );
        assert_eq!(wrap("abcdef", 3, 9), ["abc", "def"]);
        assert_eq!(wrap("a\n\nb", 3, 9), ["a", "", "b"]);
        assert_eq!(wrap("日本", 1, 9), Vec::<String>::from([String::new()]));
    }

    fn hostile() -> impl Strategy<Value = String> {
        let c = prop_oneof![
            any::<char>(),
            proptest::char::range('\0', '\u{a0}'),
            proptest::char::range('\u{2000}', '\u{2070}'),
            proptest::char::range('\u{300}', '\u{36f}'),
            proptest::char::range('\u{1f1e6}', '\u{1f64f}'),
        ];
        proptest::collection::vec(c, 0..200).prop_map(|v| v.into_iter().collect())
    }

    fn is_safe(text: &str) -> bool {
        !text.chars().any(|c| {
            c.is_control()
                || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
        })
    }

    proptest! {
        #[test]
        fn any_text_is_safe_and_keeps_its_width(text in hostile(), columns in 0usize..60) {
            let cut = cut(&text, columns);
            prop_assert!(is_safe(&cut));
            prop_assert!(width(&cut) <= columns);
            prop_assert_eq!(width(&fit(&text, columns)), columns);
        }

        #[test]
        fn any_text_wraps_inside_its_columns(text in hostile(), columns in 0usize..30, rows in 0usize..10) {
            let lines = wrap(&text, columns, rows);
            prop_assert!(lines.len() <= rows);
            for line in lines {
                prop_assert!(is_safe(&line));
                prop_assert!(width(&line) <= columns);
            }
        }
    }
}
