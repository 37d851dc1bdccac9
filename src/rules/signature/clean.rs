//! A text as a terminal would have left it: no escape sequences, no overwritten progress.

use std::borrow::Cow;

use super::CAP;

/// How far from the cut a line end is looked for, in bytes.
const NEAR: usize = 4096;

/// The text, or the head and the tail of one that is too long, cut at line ends where they are
/// near: half a secret is none that could be found.
pub(super) fn capped(text: &str) -> Cow<'_, str> {
    if text.len() <= CAP {
        return Cow::Borrowed(text);
    }
    let mut head = CAP / 2;
    while !text.is_char_boundary(head) {
        head -= 1;
    }
    let mut tail = text.len() - CAP / 2;
    while !text.is_char_boundary(tail) {
        tail += 1;
    }
    let head_end = text[..head].rfind('\n').filter(|end| head - end <= NEAR);
    let tail_start = text[tail..].find('\n').filter(|start| *start <= NEAR);
    let head = &text[..head_end.unwrap_or(head)];
    let tail = &text[tail + tail_start.unwrap_or(0)..];
    Cow::Owned(format!("{head}\n{tail}"))
}

/// Strips escape sequences and control characters, and keeps of each line what stands after
/// its last carriage return.
pub(super) fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for line in text.split('\n') {
        let line = line.trim_end_matches('\r');
        let shown = line.rsplit_once('\r').map_or(line, |(_, last)| last);
        strip(shown, &mut plain);
        plain.push('\n');
    }
    plain
}

/// Where the search stands inside an escape sequence.
#[derive(Clone, Copy)]
enum State {
    Text,
    Escape,
    /// Up to a final byte.
    Sequence,
    /// Up to a bell or the string terminator.
    Command,
}

fn strip(line: &str, plain: &mut String) {
    let begun = plain.len();
    let mut state = State::Text;
    for c in line.chars() {
        state = match (state, c) {
            // A space to a slash announces a character set: one more character belongs to it.
            (_, '\u{1b}') | (State::Escape, ' '..='/') => State::Escape,
            (State::Text | State::Sequence, '\u{9b}') | (State::Escape, '[') => State::Sequence,
            (State::Escape, ']' | 'P' | 'X' | '^' | '_') => State::Command,
            // Back to the first column, for what is written there next.
            (State::Sequence, 'G') => {
                plain.truncate(begun);
                State::Text
            }
            (State::Escape, _)
            | (State::Sequence, '\u{40}'..='\u{7e}')
            | (State::Command, '\u{7}') => State::Text,
            (State::Sequence | State::Command, _) => state,
            (State::Text, c) => {
                put(c, begun, plain);
                State::Text
            }
        };
    }
}

fn put(c: char, begun: usize, plain: &mut String) {
    match c {
        '\t' | '\u{a0}' => plain.push(' '),
        '\u{8}' if plain.len() > begun => {
            plain.pop();
        }
        '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' => {}
        c if c.is_control() => {}
        c => plain.push(c),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_and_overwritten_progress_go() {
        for (text, expected) in [
            ("\u{1b}[31mred\u{1b}[0m x", "red x\n"),
            ("\u{9b}1mbold", "bold\n"),
            ("a\u{1b}]0;title\u{7}b", "ab\n"),
            ("a\u{1b}]8;;http://x\u{1b}\\link", "alink\n"),
            ("a\u{1b}(Bb", "ab\n"),
            ("a\u{1b}Mb", "ab\n"),
            ("a\u{1b}Pq\nb", "a\nb\n"),
            ("a\u{1b}[3", "a\n"),
            ("10%\r50%\rdone\r\nnext", "done\nnext\n"),
            ("a\tb\u{8}c\u{7f}", "a c\n"),
            ("\u{8}a\u{8}\u{8}b\u{feff}\u{200b}", "b\n"),
            ("50%\u{1b}[1Gdone", "done\n"),
            ("a\u{a0}b", "a b\n"),
            ("é\u{1b}[38;5;1mü", "éü\n"),
            ("a\u{1b}[3\u{1b}[1mb", "ab\n"),
            ("a\u{1b}_x\u{1b}\\b\u{1b}^y\u{7}c\u{1b}Xz\u{7}d", "abcd\n"),
        ] {
            assert_eq!(plain(text), expected, "{text:?}");
        }
    }

    #[test]
    fn long_texts_are_cut_at_line_ends() {
        let whole = "x".repeat(CAP);
        assert_eq!(capped(&whole).len(), CAP);
        let long = format!("{whole}y");
        let cut = capped(&long);
        assert_eq!(cut.len(), CAP + 1);
        assert!(cut.ends_with("xy") && cut.as_bytes()[CAP / 2] == b'\n');
        let lines = "one line of text\n".repeat(CAP / 8);
        let cut = capped(&lines);
        assert!(cut.len() <= CAP + 1 && cut.len() > CAP - 100);
        assert!(cut.lines().all(|l| l.is_empty() || l == "one line of text"));
        let wide = "é".repeat(CAP);
        let cut = capped(&wide);
        assert!(cut.chars().all(|c| c == 'é' || c == '\n'));
        let odd = format!("a{}", "é".repeat(CAP));
        assert!(capped(&odd).starts_with("aé"));
        let count = |text: &str| capped(text).matches('b').count();
        let near = format!("{}\n{}", "a".repeat(CAP / 2 - NEAR), "b".repeat(CAP));
        assert_eq!(count(&near), CAP / 2);
        let far = format!("{}\n{}", "a".repeat(CAP / 2 - NEAR - 1), "b".repeat(CAP));
        assert_eq!(count(&far), CAP / 2 + NEAR);
        let near = format!("{}\n{}", "b".repeat(CAP), "a".repeat(CAP / 2 - NEAR - 1));
        assert_eq!(count(&near), CAP / 2);
        let far = format!("{}\n{}", "b".repeat(CAP), "a".repeat(CAP / 2 - NEAR - 2));
        assert_eq!(count(&far), CAP / 2 + NEAR + 1);
    }
}
