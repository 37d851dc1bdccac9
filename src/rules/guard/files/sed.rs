//! What a program of `sed` does with files.

use super::super::call::{Call, Options};
use super::super::text::SECRET;
use super::super::walk::Walk;

/// Flags of `sed` that take a value.
pub(in super::super) const VALUED: [&str; 5] = ["-e", "-f", "-l", "--expression", "--file"];

/// A file that a program of `sed` names.
#[derive(Debug, PartialEq, Eq)]
enum Names<'s> {
    Writes(&'s str),
    Reads(&'s str),
}

/// The programs that stand in the call.
pub(in super::super) fn given<'c>(seen: &Options<'c>) -> Vec<&'c str> {
    let mut scripts = seen.values("e", "expression");
    if scripts.is_empty() && seen.values("f", "file").is_empty() {
        scripts.extend(seen.words.first());
    }
    scripts
}

/// All programs: those that stand in the call, and those that stand in files, where that is known.
/// A file that is not known may do anything.
pub(in super::super) fn programs(walk: &mut Walk<'_>, call: &Call) -> Vec<String> {
    let seen = call.options(&VALUED);
    let mut scripts: Vec<String> = given(&seen).into_iter().map(str::to_owned).collect();
    for file in seen.values("f", "file") {
        scripts.extend(walk.program(file, &call.stdin));
    }
    scripts
}

/// Whether a program may write, and whether it runs what it reads.
pub(in super::super) fn runs(walk: &mut Walk<'_>, script: &str) {
    walk.reads &= !script.contains("w ");
    for line in script.lines() {
        let command = line.trim_start_matches(|c: char| c.is_ascii_digit() || ",$ ".contains(c));
        if line.ends_with("/e") || command.starts_with("e ") || line.contains(";e ") {
            walk.unclear("sed runs what it reads");
        }
    }
}

/// Judges the files that programs name; answers what they read of secrets.
pub(in super::super) fn named(walk: &mut Walk<'_>, scripts: &[String]) -> String {
    let mut out = String::new();
    for name in scripts.iter().flat_map(|script| names(script)) {
        match name {
            Names::Writes(path) => walk.emptying(path),
            Names::Reads(path) => {
                let content = walk.file(path);
                if content.contains(SECRET) {
                    out.push_str(&content);
                }
            }
        }
    }
    out
}

/// Whether a program takes the value off every line before it does anything else with it.
pub(in super::super) fn hides(script: &str, extended: bool) -> bool {
    let mut hidden = false;
    for line in script.lines() {
        let mut rest = line;
        while let Some((command, behind)) = command(rest) {
            let always = rest
                .trim_start_matches([' ', '\t', ';'])
                .starts_with(command);
            rest = match command {
                's' => {
                    let flags = sections(behind, 2);
                    let end = flags.find([';', '}', ' ']).unwrap_or(flags.len());
                    if flags[..end].contains(|c| !"gpI".contains(c)) {
                        return false;
                    }
                    hidden |= always && takes_value(behind, extended);
                    if !hidden {
                        return false;
                    }
                    &flags[end..]
                }
                'd' => behind,
                'p' if hidden => behind,
                _ => return false,
            };
        }
    }
    hidden
}

/// Whether a substitution, from its first bar on, is one of all behind `=` by a fixed text.
fn takes_value(text: &str, extended: bool) -> bool {
    let (behind, flags) = (sections(text, 1), sections(text, 2));
    let between = |text: &str, rest: &str| {
        let end = text.len() - rest.len();
        text[..end]
            .chars()
            .next_back()
            .map(|sign| text[..end - sign.len_utf8()].to_owned())
    };
    let pattern = between(text, behind).unwrap_or_default();
    let fixed = between(behind, flags).is_some_and(|text| !text.contains(['&', '\\']));
    let mut signs = pattern.chars();
    signs.next();
    let known = signs.as_str();
    fixed && (matches!(known, "=.*" | "=.*$") || (known == "=\\(.*\\)" && !extended))
}

/// The files of all commands; each line is read once.
fn names(script: &str) -> Vec<Names<'_>> {
    let mut found = Vec::new();
    for line in script.lines() {
        let mut rest = line;
        while let Some((command, behind)) = command(rest) {
            rest = match command {
                's' => {
                    let flags = sections(behind, 2);
                    let end = flags.find([';', '}', 'w']).unwrap_or(flags.len());
                    match flags[end..].strip_prefix('w') {
                        Some(file) => {
                            found.push(Names::Writes(file.trim()));
                            break;
                        }
                        None => &flags[end..],
                    }
                }
                'y' => sections(behind, 2),
                'w' | 'W' => {
                    found.push(Names::Writes(behind.trim()));
                    break;
                }
                'r' | 'R' => {
                    found.push(Names::Reads(behind.trim()));
                    break;
                }
                'a' | 'i' | 'c' | 'e' | '#' => break,
                // The name of a place in the program.
                ':' | 'b' | 't' | 'T' => &behind[behind.find([';', '}']).unwrap_or(behind.len())..],
                _ => behind,
            };
        }
    }
    found
}

/// The next command behind its addresses, and what stands behind it.
fn command(text: &str) -> Option<(char, &str)> {
    let mut rest = text;
    loop {
        let c = rest.chars().next()?;
        let behind = &rest[c.len_utf8()..];
        rest = match c {
            '/' => sections(rest, 1),
            // The sign behind it takes the place of the bar.
            '\\' => sections(behind, 1),
            // Behind a pattern may stand how it is matched.
            'I' | 'M' => behind,
            c if c.is_whitespace() || c.is_ascii_digit() || ";{},$!~+".contains(c) => behind,
            c => return Some((c, behind)),
        };
    }
}

/// What stands behind so many texts that end in the first sign.
fn sections(text: &str, many: usize) -> &str {
    let mut chars = text.char_indices();
    let Some((_, sign)) = chars.next() else {
        return "";
    };
    let mut left = many;
    while let Some((at, c)) = chars.next() {
        if c == '\\' {
            chars.next();
        } else if c == sign {
            left -= 1;
            if left == 0 {
                return &text[at + c.len_utf8()..];
            }
        }
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_every_value_off_is_told_from_what_leaves_some() {
        for script in [
            "s/=.*//",
            "s/=.*$/=***/gp",
            " s|=.*||I; s/A/B/p;p",
            "/^#/d;s,=.*,,",
            "s/=\\(.*\\)//",
            "s/=.*//\n/^$/d",
            "s/=.*//;s/=.*//",
        ] {
            assert!(hides(script, false), "{script}");
        }
        assert!(hides("s/=.*//", true));
        assert!(!hides("s/=\\(.*\\)//", true));
        for script in [
            "s/=.*/&/",
            "s/=\\(.*\\)/\\1/",
            "s/=.*x//",
            "s/A=.*//",
            "s/=.*//2",
            "s/=.*//e",
            "s/=.*//;N",
            "s/=.*//;s/A/B/e",
            "p;s/=.*//",
            "1s/=.*//",
            "/A/s/=.*//",
            "s/A/B/;s/=.*//",
            "s/=.*",
            "s/=.*/",
            "s",
            "/A/d",
            "",
        ] {
            assert!(!hides(script, false), "{script}");
        }
    }

    #[test]
    fn files_are_told_from_patterns_and_texts() {
        for (script, want) in [
            ("w x", vec![Names::Writes("x")]),
            ("/a/,$!W x", vec![Names::Writes("x")]),
            ("\\,a,w x", vec![Names::Writes("x")]),
            ("/a/Iw x", vec![Names::Writes("x")]),
            ("1~2{p;w x\n}", vec![Names::Writes("x")]),
            ("s/a\\/b/c/gw x", vec![Names::Writes("x")]),
            ("s|a|b|g;s/c/d/w x", vec![Names::Writes("x")]),
            ("y/ab/cd/;r x", vec![Names::Reads("x")]),
            ("R x\nw y", vec![Names::Reads("x"), Names::Writes("y")]),
            (":a;N;$!ba;s/a/b/w x", vec![Names::Writes("x")]),
            ("ta;w x", vec![Names::Writes("x")]),
            ("{bw};w x", vec![Names::Writes("x")]),
            ("b w x", vec![]),
            ("s/w x/r y/", vec![]),
            ("/w x/d", vec![]),
            ("a w x", vec![]),
            ("# w x", vec![]),
            ("s/a/b", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(names(script), want, "{script}");
        }
    }
}
