//! Filters that let only names through, never the value behind the sign that ends a name. What is
//! not surely one of them lets values through.

mod awk;

use std::str::Chars;

use super::super::call::Call;
use super::super::files::sed;
use super::filter::{GREP, patterns};

/// Whether a filter lets only names through, where each of `signs` ends a name.
pub(super) fn only(call: &Call, signs: &str) -> bool {
    let ends = |by: Option<&str>| by.is_some_and(|by| by.len() == 1 && signs.contains(by));
    match call.name.as_str() {
        "cut" => {
            let seen = call.options(&["-d", "-f", "--delimiter", "--fields"]);
            let field = seen.value("f", "fields");
            ends(seen.value("d", "delimiter"))
                && field == Some("1")
                && !seen.flag("", "complement", 2)
        }
        "awk" | "gawk" | "mawk" => awk::only(call, ends),
        "sed" | "gsed" => {
            let seen = call.options(&sed::VALUED);
            let extended = seen.flag("E", "regexp-extended", 1) || seen.flag("r", "", 1);
            ends(Some("="))
                && !seen.flag("f", "file", 2)
                && sed::hides(&sed::given(&seen).join("\n"), extended)
        }
        "grep" | "egrep" | "ggrep" | "rg" => {
            let seen = call.options(&GREP);
            let patterns = patterns(&seen);
            ends(Some("="))
                && seen.flag("o", "only-matching", 3)
                && !seen.flag("f", "file", 4)
                && !seen.flag("", "passthru", 4)
                && !patterns.is_empty()
                && patterns.into_iter().all(before_value)
        }
        _ => false,
    }
}

/// Whether a pattern begins with its line and cannot match past the first `=`.
fn before_value(pattern: &str) -> bool {
    let Some(rest) = pattern.strip_prefix('^') else {
        return false;
    };
    let mut rest = rest.strip_suffix('=').unwrap_or(rest).chars();
    while let Some(c) = rest.next() {
        let fits = match c {
            '\\' => rest.next().is_some_and(|c| "wsbd+?(){}_.-".contains(c)),
            '[' => no_sign(&mut rest),
            // How often a sign of a name stands there, and what holds some together.
            c => c.is_ascii_alphanumeric() || "_-+*?{},() ".contains(c),
        };
        if !fits {
            return false;
        }
    }
    true
}

/// Whether a set, whose rest this takes up to its bracket, cannot stand for `=`.
fn no_sign(rest: &mut Chars<'_>) -> bool {
    let inverted = rest.as_str().starts_with('^');
    if inverted {
        rest.next();
    }
    let mut holds = false;
    let mut before = None;
    while let Some(c) = rest.next() {
        match c {
            ']' => return holds == inverted,
            '\\' => return false,
            // A class of letters, digits or blanks.
            '[' => {
                let known = [
                    "alpha", "alnum", "upper", "lower", "digit", "space", "blank",
                ];
                let class = rest.as_str().strip_prefix(':');
                let Some((name, behind)) = class.and_then(|class| class.split_once(":]")) else {
                    return false;
                };
                if !known.contains(&name) {
                    return false;
                }
                *rest = behind.chars();
            }
            '-' => {
                // A range may go over it.
                let to = rest.clone().next().filter(|to| *to != ']');
                holds |= before
                    .zip(to)
                    .is_some_and(|(from, to)| (from..=to).contains(&'='));
            }
            c => holds |= c == '=',
        }
        before = Some(c);
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(words: &[&str]) -> bool {
        let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
        only(&Call::of(&words, &[], String::new()).unwrap(), "=:")
    }

    #[test]
    fn filters_that_let_names_through_are_told_from_those_that_let_values_through() {
        for words in [
            &["cut", "-d=", "-f1"][..],
            &["cut", "-d", ":", "-f", "1"],
            &["cut", "--delimiter==", "--fields=1"],
            &["awk", "-F=", "{print $1}"],
            &["gawk", "-F", "=", "{print $1}"],
            &["mawk", "-F:", "{print $1}"],
            &["awk", "BEGIN{FS=\"=\"}{print $1}"],
            &["sed", "s/=.*//"],
            &["gsed", "-E", "s|=.*||"],
            &["sed", "s/=\\(.*\\)//"],
            &["grep", "-o", "^[A-Z_]*", ".env"],
            &["egrep", "-oE", "-e", "^[A-Z]+"],
            &["rg", "--only-matching", "^\\w+"],
        ] {
            assert!(names(words), "{words:?}");
        }
        for words in [
            &["cut", "-d=", "-f2"][..],
            &["cut", "-d,", "-f1"],
            &["cut", "-f1"],
            &["awk", "{print $1}"],
            &["awk", "-F,", "{print $1}"],
            &["awk", "-F=", "{print $2}"],
            &["awk", "-F=", "{print $1,$2}"],
            &["awk", "-F=", "{print $1; print $0}"],
            &["awk", "-F=", "{print}"],
            &["sed", "s/A=.*//"],
            &["sed", "-n", "p"],
            &["sed"],
            &["grep", "^[A-Z_]*"],
            &["grep", "-o", "[A-Z]*"],
            &["grep", "-o", "^.*"],
            &["grep", "-o", "^.+"],
            &["grep", "-o", "^A.*"],
            &["grep", "-o"],
            &["tr", "-d", "="],
            &["cat", ".env"],
        ] {
            assert!(!names(words), "{words:?}");
        }
    }
}
