//! Programs of `awk` that print names alone.

use super::super::super::call::Call;
use super::super::output::AWK;

/// Whether a program prints only the first field, up to a sign that `ends` a name.
pub(super) fn only(call: &Call, ends: impl Fn(Option<&str>) -> bool) -> bool {
    let seen = call.options(&AWK);
    let Some((script, words)) = seen.words.split_first() else {
        return false;
    };
    let mut set = seen.values("v", "assign");
    set.extend(words);
    if seen.flag("f", "file", 2) || set.iter().any(|text| divides(text)) {
        return false;
    }
    let compact = script.replace(' ', "");
    let by = seen.value("F", "field-separator");
    // The separator may be told in the program itself, before the first line.
    let (by, body) = match compact.strip_prefix("BEGIN{FS=\"") {
        Some(rest) => match rest.split_once('"') {
            Some((by, body)) => (Some(by), body),
            None => return false,
        },
        None => (by, compact.as_str()),
    };
    ends(by) && !divides(body) && !script.contains("getline") && first_alone(&plain(script))
}

/// Whether a text changes how lines and fields are told apart.
fn divides(text: &str) -> bool {
    let own = text.replace("OFS", "").replace("ORS", "");
    ["FS", "RS", "FPAT", "FIELDWIDTHS"]
        .iter()
        .any(|name| own.contains(name))
}

/// The program with each text as a bare quote and each pattern as a bare bar, without remarks.
fn plain(script: &str) -> String {
    let mut out = String::with_capacity(script.len());
    let mut chars = script.chars();
    while let Some(c) = chars.next() {
        let operand = out.trim_end().chars().next_back();
        let opens = c == '"' || (c == '/' && operand.is_none_or(|c| "(,~!&|{};\n".contains(c)));
        if c == '#' {
            chars.by_ref().find(|c| *c == '\n');
            out.push('\n');
            continue;
        }
        out.push(c);
        while opens && let Some(inside) = chars.next() {
            match inside {
                '\\' => drop(chars.next()),
                inside if inside == c => break,
                _ => {}
            }
        }
    }
    out
}

/// Whether of each line only the first field is asked for, and every line has to be printed by
/// name.
fn first_alone(plain: &str) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let fields = plain.match_indices('$').all(|(at, _)| {
        let behind = plain[at + 1..].strip_prefix('1');
        behind.is_some_and(|rest| !rest.starts_with(word))
    });
    let prints = plain.match_indices("print").all(|(at, found)| {
        let rest = &plain[at + found.len()..];
        let rest = rest.strip_prefix('f').unwrap_or(rest);
        let what = rest.trim_start_matches([' ', '\t', '(']);
        !(what.is_empty() || what.starts_with([';', '}', '>', '|', '\n', ')']))
    });
    fields && prints && acts(plain)
}

/// Whether each pattern has something to do: without that its lines are printed whole.
fn acts(plain: &str) -> bool {
    let (mut depth, mut bare, mut any) = (0usize, false, false);
    for c in plain.chars() {
        match c {
            '{' => {
                depth += 1;
                any = true;
                bare = false;
            }
            '}' => depth = depth.saturating_sub(1),
            '\n' | ';' if depth == 0 && bare => return false,
            c => bare |= depth == 0 && !c.is_whitespace() && c != ';',
        }
    }
    any && !bare
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(words: &[&str]) -> bool {
        let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
        only(&Call::of(&words, &[], String::new()).unwrap(), |by| {
            by == Some("=")
        })
    }

    #[test]
    fn programs_that_print_names_are_told_from_those_that_print_values() {
        for script in [
            "{print $1}",
            "{ print $1 ; }",
            "{print($1)}",
            "{printf \"%s\\n\", $1}",
            "/^[A-Z$]/ {print $1}",
            "!/^#/ && NF {print $1}",
            "$1 ~ /a{2}/ {print $1}",
            "{n = NF / 2; print $1 / n}",
            "{print \"a;}$2\", $1}",
            "{print \"a\\\"$2\", $1}",
            "BEGIN {OFS = \",\"; ORS = \" \"} {print $1, NR}",
            "{print $1} # $2",
            "/a/ {print $1}\n;\n/b/ {if (NR > 2) {print $1}}",
            "{split($1, a); print a[1]}",
        ] {
            assert!(names(&["awk", "-F=", script, ".env"]), "{script}");
        }
        for script in [
            "{print}",
            "{print $1; print}",
            "{print $1;print ;}",
            "{print\n}",
            "{print > \"/dev/stdout\"}",
            "{print | \"cat\"}",
            "{print()}",
            "{printf(}",
            "{print",
            "{print $2}",
            "{n = NF / 2; print $2 / n}",
            "{print $10}",
            "{print $1_}",
            "{print $NF}",
            "{print $ 1}",
            "{print $0}",
            "1",
            "/a/",
            "/a/\n{print $1}",
            "NR;{print $1}",
            "{print $1} NR",
            "{print $1} # a\n1",
            "{getline x; print x}",
            "{RS = \"=\"; print $1}",
            "{FS = \",\"; print $1}",
            "BEGIN {FPAT = \".*\"} {print $1}",
            "BEGIN {FIELDWIDTHS = \"99\"} {print $1}",
            "BEGIN {FS = \",\"} {print $1}",
            "BEGIN {FS = \"=",
            "",
        ] {
            assert!(!names(&["awk", "-F=", script, ".env"]), "{script}");
        }
    }

    #[test]
    fn what_is_set_beside_the_program_counts() {
        for (words, want) in [
            (&["awk", "BEGIN{FS=\"=\"}{print $1}", "x"][..], true),
            (&["awk", "BEGIN { FS = \"=\" } {print $1}", "x"], true),
            (&["awk", "--field-separator", "=", "{print $1}", "x"], true),
            (&["awk", "-F=", "-vn=1", "{print $1}", "x"], true),
            (&["awk", "-F=", "{print $1}", "OFS=,", "x"], true),
            (&["awk", "BEGIN{FS=\",\"}{print $1}", "x"], false),
            (&["awk", "{print $1}", "x"], false),
            (&["awk", "-F=", "-vRS==", "{print $1}", "x"], false),
            (&["awk", "-F=", "{print $1}", "FS=,", "x"], false),
            (&["awk", "-F=", "-f", "x.awk", "{print $1}"], false),
            (&["awk", "-F="], false),
        ] {
            assert_eq!(names(words), want, "{words:?}");
        }
    }
}
