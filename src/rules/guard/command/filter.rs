//! Filters: whether what goes in comes out again, or only names and counts of it.

use super::super::call::{Call, Options};
use super::super::secrets;

/// Whether a filter lets only names through, never the value behind `=`.
pub(super) fn names_only(call: &Call) -> bool {
    let joined = call.args.join(" ");
    match call.name.as_str() {
        "cut" => {
            let seen = call.options(&["-d", "-f", "--delimiter", "--fields"]);
            let by = seen.value("d", "delimiter");
            let field = seen.value("f", "fields");
            matches!(by, Some("=" | ":")) && field == Some("1")
        }
        "awk" | "gawk" | "mawk" => {
            let by = joined.contains("-F=")
                || joined.contains("-F =")
                || joined.contains("-F:")
                || joined.contains("FS=\"=\"");
            by && joined.contains("print $1") && !joined.contains("$0") && !joined.contains("$2")
        }
        "sed" | "gsed" => {
            let script = call.args.iter().find(|arg| !arg.starts_with('-'));
            script.is_some_and(|script| {
                script.starts_with("s/=.*")
                    || script.starts_with("s|=.*")
                    || script.starts_with("s/=\\(.*\\)/")
            })
        }
        "grep" | "egrep" | "ggrep" | "rg" => {
            let seen = call.options(&GREP);
            let patterns = patterns(&seen);
            let start = !patterns.is_empty()
                && !seen.flag("f", "file", 4)
                && patterns.iter().all(|pattern| {
                    pattern.starts_with('^') && !pattern.contains(".*") && !pattern.contains(".+")
                });
            seen.flag("o", "only-matching", 3) && start
        }
        _ => false,
    }
}

/// Flags of `grep` that take a value.
pub(super) const GREP: [&str; 20] = [
    "-e",
    "-f",
    "-m",
    "-A",
    "-B",
    "-C",
    "-d",
    "-D",
    "-g",
    "-t",
    "-T",
    "--regexp",
    "--file",
    "--max-count",
    "--include",
    "--exclude",
    "--exclude-dir",
    "--glob",
    "--type",
    "--color",
];

/// Whether `grep` only says whether, where, or how often.
pub(super) fn counts(call: &Call) -> bool {
    let seen = call.options(&GREP);
    let flags = [
        ("q", "quiet"),
        ("q", "silent"),
        ("c", "count"),
        ("l", "files-with-matches"),
        ("L", "files-without-match"),
        ("", "files"),
        ("", "count-matches"),
    ];
    flags
        .iter()
        .any(|(letter, long)| seen.flag(letter, long, 5))
}

/// The patterns of a `grep`: a line that one of them picks comes out.
fn patterns<'c>(seen: &Options<'c>) -> Vec<&'c str> {
    let mut given = seen.values("e", "regexp");
    if given.is_empty() {
        given.extend(seen.words.first());
    }
    given
}

/// Whether a `grep` lets out only lines of variables whose names are not secret.
pub(super) fn picks_harmless(seen: &Options<'_>) -> bool {
    let patterns = patterns(seen);
    // Other lines come out too, or patterns that stand in a file.
    let more = seen.flag("v", "invert-match", 3)
        || seen.flag("f", "file", 4)
        || [
            ("A", "after-context"),
            ("B", "before-context"),
            ("C", "context"),
        ]
        .iter()
        .any(|(letter, long)| seen.flag(letter, long, 4))
        || seen
            .flags()
            .any(|(name, _)| name.starts_with(|c: char| c.is_ascii_digit()))
        || seen.flag("", "passthru", 4);
    !more && !patterns.is_empty() && patterns.into_iter().all(harmless)
}

/// Whether a pattern picks lines of variables whose names are not secret.
fn harmless(pattern: &str) -> bool {
    let word = pattern.trim_start_matches('^').trim_end_matches('$');
    let name = word.split('=').next().unwrap_or_default();
    let plain = name.len() >= 3
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let lower = name.to_ascii_lowercase();
    let broad = [
        "key",
        "api",
        "aws",
        "auth",
        "github",
        "git",
        "db",
        "database",
        "url",
        "openai",
        "anthropic",
        "stripe",
        "npm",
        "pass",
        "secret",
        "token",
        "cred",
    ];
    plain && !secrets::names_a_secret(name) && !broad.iter().any(|word| lower.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(words: &[&str]) -> bool {
        let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
        names_only(&Call::of(&words, &[], String::new()).unwrap())
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
