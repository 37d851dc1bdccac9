//! Texts that are only partly known. What a shell would put in is written as a mark, a name and
//! an end, so that a text with unknown parts is still one string; a raw input cannot hold marks.

use std::borrow::Cow;

/// Nothing is known of the value, it may be empty.
pub(super) const UNKNOWN: char = '\u{f8f0}';
/// Ends a marked part.
const END: char = '\u{f8f1}';
/// The value of a secret.
pub(super) const SECRET: char = '\u{f8f2}';
/// Some text that is not empty: a file's name, a file's content.
pub(super) const SOMETHING: char = '\u{f8f3}';
/// What came from the network.
pub(super) const DOWNLOAD: char = '\u{f8f4}';

const MARKS: [char; 5] = [UNKNOWN, END, SECRET, SOMETHING, DOWNLOAD];

/// The raw input, without what could be taken for a mark.
pub(super) fn clean(raw: &str) -> Cow<'_, str> {
    if raw.contains(MARKS) {
        Cow::Owned(raw.replace(MARKS, "\u{fffd}"))
    } else {
        Cow::Borrowed(raw)
    }
}

/// A marked part; the name may hold anything that is one word of a shell.
pub(super) fn marked(mark: char, name: &str) -> String {
    let mut text = String::with_capacity(name.len() + 8);
    text.push(mark);
    text.extend(name.chars().filter(|c| c.is_alphanumeric() || *c == '_'));
    text.push(END);
    text
}

/// Whether every character is known.
pub(super) fn literal(text: &str) -> bool {
    !text.contains(MARKS)
}

/// Whether nothing of it is known.
pub(super) fn wholly_unknown(text: &str) -> bool {
    text.starts_with([UNKNOWN, SECRET, DOWNLOAD]) && known(text).is_empty()
}

/// Only what is known of it; what is not empty stands as a question mark.
pub(super) fn known(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut hidden = false;
    for c in text.chars() {
        match c {
            SOMETHING => {
                hidden = true;
                out.push('?');
            }
            UNKNOWN | SECRET | DOWNLOAD => hidden = true,
            END => hidden = false,
            c if !hidden => out.push(c),
            _ => {}
        }
    }
    out
}

/// The text as a person may read it: marks and names of unknown parts as `$NAME`.
pub(super) fn shown(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            UNKNOWN | SECRET | DOWNLOAD | SOMETHING => out.push('$'),
            END => {}
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
        if out.len() > 80 {
            out.push('…');
            break;
        }
    }
    out
}

/// The words of a text that is split where a shell splits.
pub(super) fn fields(text: &str) -> impl Iterator<Item = &str> {
    text.split([' ', '\t', '\n'])
        .filter(|word| !word.is_empty())
}

/// The last part of a path.
pub(super) fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Whether a name matches a pattern with `*`.
pub(super) fn glob(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else {
        return false;
    };
    let Some(last) = pattern.contains('*').then(|| pattern.rsplit('*').next()) else {
        return rest.is_empty();
    };
    let last = last.unwrap_or_default();
    let mut middle: Vec<&str> = parts.collect();
    middle.pop();
    for part in middle {
        let Some(at) = rest.find(part) else {
            return false;
        };
        rest = &rest[at + part.len()..];
    }
    rest.len() >= last.len() && rest.ends_with(last)
}

/// Whether a name is one that a shell's pattern may stand for; a leading dot stands only for
/// itself.
pub(super) fn stands_for(pattern: &str, name: &str) -> bool {
    if name.starts_with('.') != pattern.starts_with('.') {
        return false;
    }
    let name: Vec<char> = name.chars().collect();
    let mut signs = Vec::new();
    let mut rest = pattern.chars();
    while let Some(c) = rest.next() {
        if c == '[' && rest.as_str().contains(']') {
            // Whatever stands in brackets is one character.
            rest.by_ref().find(|c| *c == ']');
            signs.push('?');
        } else {
            signs.push(c);
        }
    }
    let (mut at, mut sign) = (0, 0);
    let mut again: Option<(usize, usize)> = None;
    while at < name.len() {
        match signs.get(sign) {
            Some('*') => {
                again = Some((at, sign));
                sign += 1;
            }
            Some(c) if *c == '?' || *c == name[at] => {
                at += 1;
                sign += 1;
            }
            _ => {
                let Some((from, star)) = again else {
                    return false;
                };
                again = Some((from + 1, star));
                at = from + 1;
                sign = star + 1;
            }
        }
    }
    signs[sign..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_parts_are_told_from_known_ones() {
        let text = format!("a{}/{}b", marked(UNKNOWN, "X"), marked(SOMETHING, "file"));
        assert_eq!(known(&text), "a/?b");
        assert_eq!(shown(&text), "a$X/$fileb");
        assert!(!literal(&text) && literal("a/b"));
        assert!(wholly_unknown(&marked(UNKNOWN, "X")) && !wholly_unknown(&text));
        assert!(!wholly_unknown("") && !wholly_unknown(&marked(SOMETHING, "x")));
        assert!(literal(&clean(&text)));
    }

    #[test]
    fn what_a_person_reads_is_one_short_line() {
        assert_eq!(shown("a\u{7}b\nc"), "a b c");
        let long = "a".repeat(80);
        assert_eq!(shown(&long), long);
        assert_eq!(shown(&format!("{long}b")), format!("{long}b…"));
        assert_eq!(shown(&format!("{long}bc")), format!("{long}b…"));
    }

    #[test]
    fn stars_match_any_text() {
        for (pattern, name, want) in [
            ("a", "a", true),
            ("a", "ab", false),
            ("a*", "abc", true),
            ("*c", "abc", true),
            ("*b*", "abc", true),
            ("a*c*e", "abcde", true),
            ("a*c", "ab", false),
            ("ab*b", "ab", false),
            ("*", "", true),
        ] {
            assert_eq!(glob(pattern, name), want, "{pattern} {name}");
        }
    }

    #[test]
    fn patterns_stand_for_names_as_in_a_shell() {
        for (pattern, name, want) in [
            (".e*", ".env", true),
            (".en?", ".env", true),
            (".en[a-z]", ".env", true),
            ("*", ".env", false),
            ("*", "env", true),
            ("", "", true),
            ("a*b*c", "aXbYbZc", true),
            ("a*b*c", "aXbYbZ", false),
            (".e?", ".env", false),
            ("*ab", "aaab", true),
            ("*ab", "abac", false),
            ("a?c", "abc", true),
            ("a[bc]d", "abd", true),
            ("a[b", "a[b", true),
            ("env", "env.x", false),
            ("env?", "env", false),
        ] {
            assert_eq!(stands_for(pattern, name), want, "{pattern} {name}");
        }
    }
}
