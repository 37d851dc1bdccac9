//! Texts in code that are only printed: what looks like a call in them is none.

use std::cmp::Ordering;
use std::ops::Range;

/// Words behind which a text is printed.
const PRINTS: [&str; 7] = [
    "print",
    "puts",
    "echo",
    "say",
    "console.log",
    "print(",
    "console.log(",
];

/// Words of code that may run its texts, or put them into a file.
const USES: [&str; 8] = [
    "eval", "exec", "compile", "Function", "runpy", "open", "stdout", "select",
];

/// How a text lies to a place.
pub(super) fn order(text: &Range<usize>, at: usize) -> Ordering {
    if text.end <= at {
        Ordering::Less
    } else if text.start > at {
        Ordering::Greater
    } else {
        Ordering::Equal
    }
}

/// The texts that are printed, in order, each with its first quote. Only in one line of code whose
/// quotes cannot be mistaken: from a sign on that may begin a pattern, a remark, another kind of
/// quote or a document, nothing is told. Nor of a text that values are put into.
pub(super) fn printed_texts(code: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    if USES.iter().any(|word| code.contains(word)) {
        return found;
    }
    let mut chars = code.char_indices();
    let mut before = ' ';
    let mut from = 0;
    while let Some((at, c)) = chars.next() {
        match c {
            '"' | '\'' => {
                let mistaken = before.is_alphanumeric() || "_$?&@%".contains(before);
                let (mut end, mut values) = (None, false);
                while let Some((inside, sign)) = chars.next() {
                    match sign {
                        '\\' => drop(chars.next()),
                        '{' | '`' | '$' | '@' | '|' => values = true,
                        _ if sign == c => {
                            end = Some(inside);
                            break;
                        }
                        _ => {}
                    }
                }
                let Some(end) = end.filter(|_| !mistaken) else {
                    return found;
                };
                if code[end + 1..].starts_with(['"', '\'']) {
                    return found;
                }
                if !values && PRINTS.contains(&code[from..at].trim()) {
                    found.push(at..end);
                }
                from = end + 1;
            }
            '/' | '#' | '\\' | '`' | '%' | '<' | '\n' | '?' | '|' => return found,
            '-' | '[' if before == c => return found,
            ';' => from = at + 1,
            '(' | '{' | '[' | '!' | ',' | ':' | '=' if quotes(&code[from..at]) => return found,
            _ => {}
        }
        before = if matches!(c, '"' | '\'') { ' ' } else { c };
    }
    found
}

/// Whether a sign behind this code would be a quote: `q(...)`, `s{...}` and their like.
fn quotes(before: &str) -> bool {
    let mut words = before.trim_end().rsplit(|c: char| !c.is_alphanumeric());
    matches!(
        words.next(),
        Some("q" | "qq" | "qw" | "qr" | "qx" | "m" | "s" | "y" | "tr" | "Q" | "W")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_surely_printed_is_left_out() {
        for (code, want) in [
            ("print \"a\"", &["\"a"][..]),
            ("print('a'); puts \"b\"", &["'a", "\"b"]),
            ("x = 'a'; print(x)", &[]),
            ("f('a')", &[]),
            ("print(q('), 'a')", &[]),
            ("s{'}{}; print 'a'", &[]),
            ("print 'a' . f('b')", &["'a"]),
            ("print(f'a')", &[]),
            ("puts \"#{a}\"", &[]),
            ("print '''a'''", &[]),
            ("print 'a", &[]),
            ("# '\nprint 'a'", &[]),
            ("s/'//; print 'a'", &[]),
            ("print 'a'; eval $x", &[]),
        ] {
            let texts = printed_texts(code);
            let said: Vec<&str> = texts.into_iter().map(|text| &code[text]).collect();
            assert_eq!(said, want, "{code}");
        }
    }
}
