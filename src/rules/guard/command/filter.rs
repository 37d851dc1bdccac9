//! Filters: whether what goes in comes out again, or only counts and harmless lines of it.

use super::super::call::{Call, Options};
use super::super::secrets;

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
pub(super) fn patterns<'c>(seen: &Options<'c>) -> Vec<&'c str> {
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
