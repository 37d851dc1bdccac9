//! What a program of `awk` does beside printing.

use super::super::super::call::{Call, Options};
use super::super::super::walk::Walk;

/// Judges the programs of a call: those that stand in files, where that is known, or its first
/// word.
pub(super) fn awk(walk: &mut Walk<'_>, call: &Call, seen: &Options<'_>) {
    let files = seen.values("f", "file");
    if files.is_empty() {
        program(walk, seen.words.first().unwrap_or(&""), seen);
    }
    for file in files {
        if let Some(script) = walk.program(file, &call.stdin) {
            program(walk, &script, seen);
        }
    }
}

/// `awk` may run commands and write files.
fn program(walk: &mut Walk<'_>, script: &str, seen: &Options<'_>) {
    let runs = script.contains("system(")
        || script.contains("| getline")
        || script.contains("|getline")
        || script.contains("| \"")
        || script.contains("|\"");
    if runs {
        for text in super::super::super::code::strings(script) {
            walk.script(&text, "");
        }
        walk.reads = false;
    }
    if script.contains("ENVIRON") && script.contains("print") {
        let out = walk.read_secret("secret.print-env", "awk");
        walk.show(&out);
    }
    walk.reads &= !script.contains('>') || script.contains(">=") || !script.contains("print");
    let mut set = seen.values("v", "assign");
    set.extend(
        seen.words
            .iter()
            .skip(usize::from(seen.values("f", "file").is_empty())),
    );
    for target in targets(script) {
        let path = match target.strip_prefix('"') {
            Some(text) => Some(text),
            // A variable that is set before the program runs.
            None => set
                .iter()
                .filter_map(|pair| pair.split_once('='))
                .find_map(|(name, value)| (name == target).then_some(value)),
        };
        if let Some(path) = path {
            walk.emptying(path);
        }
    }
}

/// Where statements that print write to: a text with its first quote, or a variable's name.
fn targets(script: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut prints, mut depth) = (false, 0usize);
    let mut chars = script.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => {
                while let Some((_, inside)) = chars.next() {
                    match inside {
                        '\\' => drop(chars.next()),
                        '"' => break,
                        _ => {}
                    }
                }
            }
            '{' | '}' | ';' | '\n' => (prints, depth) = (false, 0),
            'p' => prints |= script[at..].starts_with("print"),
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            '>' if depth == 0 && prints => {
                let behind = script[at + 1..].trim_start_matches(['>', ' ']);
                let end = match behind.strip_prefix('"') {
                    Some(text) => text.find('"').map_or(behind.len(), |end| end + 1),
                    None => behind
                        .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                        .unwrap_or(behind.len()),
                };
                if end > 0 {
                    found.push(&behind[..end]);
                    // One statement has one of them.
                    prints = false;
                }
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_it_prints_to_is_told_from_what_it_compares() {
        for (script, want) in [
            ("{print > \"a b\"}", vec!["\"a b"]),
            ("{print $1 >> \"a\"; print >\"b\"}", vec!["\"a", "\"b"]),
            ("{printf(\"%s\", $1)>f}", vec!["f"]),
            ("{if (x > 1) print \"a > b\" > \"c\"}", vec!["\"c"]),
            ("$1 > \"a\" {print}", vec![]),
            ("{print ($1 > \"a\")}", vec![]),
            ("{print \">\\\"\"}", vec![]),
        ] {
            assert_eq!(targets(script), want, "{script}");
        }
    }
}
