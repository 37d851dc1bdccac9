//! What a program of `sed` does with files.

use super::super::call::Call;
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

/// Judges the files that a program names; answers what it reads of secrets.
pub(in super::super) fn named(walk: &mut Walk<'_>, call: &Call) -> String {
    let seen = call.options(&VALUED);
    let mut scripts = seen.values("e", "expression");
    if scripts.is_empty() && seen.values("f", "file").is_empty() {
        scripts.extend(seen.words.first());
    }
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
