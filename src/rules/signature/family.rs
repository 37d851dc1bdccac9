//! What signatures of one family share: everything but quoted names and numbers.

use std::collections::BTreeSet;

/// The canonical text without what is quoted and without numbers that stand alone; codes such
/// as `E0308` stay.
pub(super) fn coarse(canonical: &str) -> String {
    let lines: BTreeSet<String> = canonical.lines().map(line).collect();
    let lines: Vec<String> = lines.into_iter().collect();
    lines.join("\n")
}

fn line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut inside_word = false;
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        if matches!(c, '\'' | '"')
            && !inside_word
            && let Some(end) = after.find(c)
        {
            out.push_str("'…'");
            rest = &after[end + 1..];
            continue;
        }
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let ends = !rest[digits..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
        if digits > 0 && !inside_word && ends {
            out.push('#');
            rest = &rest[digits..];
            continue;
        }
        inside_word = c.is_alphanumeric() || c == '_';
        out.push(c);
        rest = after;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::coarse;

    #[test]
    fn quoted_names_and_numbers_go_and_codes_stay() {
        for (text, expected) in [
            ("E0308|'u16', found \"x y\"", "E0308|'…', found '…'"),
            ("left: 4|don't|7x|a_1|(22)", "left: #|don't|7x|a_1|(#)"),
            ("'open", "'open"),
            ("a 1\na 2\nb", "a #\nb"),
            ("", ""),
        ] {
            assert_eq!(coarse(text), expected, "{text}");
        }
    }
}
