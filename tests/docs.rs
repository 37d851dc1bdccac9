//! What the documents and the refusals tell a person to type exists, and their snippets hold.

#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

mod support;

use support::{line_of, root, sources};

/// Verbs that take a second word.
const NOUNS: [&str; 14] = [
    "attempt",
    "breaker",
    "gate",
    "grant",
    "guard",
    "handoff",
    "identity",
    "inbox",
    "limits",
    "mission",
    "receipt",
    "schema",
    "signature",
    "triage",
];

/// A command line found somewhere: where, and its words after the program.
struct Line {
    place: String,
    words: Vec<String>,
}

fn documents() -> Vec<(PathBuf, String)> {
    let mut paths: Vec<PathBuf> = [
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
    ]
    .iter()
    .map(|name| root().join(name))
    .collect();
    for entry in fs::read_dir(root().join("docs")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ext| ext == "md") {
            paths.push(path);
        }
    }
    paths.sort();
    paths
        .into_iter()
        .map(|path| {
            let text = fs::read_to_string(&path).unwrap();
            (path, text)
        })
        .collect()
}

/// The fenced blocks of a language, with the line they begin in.
fn blocks<'a>(text: &'a str, language: &str) -> Vec<(usize, &'a str)> {
    let open = format!("```{language}\n");
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = text[from..].find(&open) {
        let start = from + at + open.len();
        let end = text[start..]
            .find("\n```")
            .map_or(text.len(), |end| start + end);
        found.push((line_of(text, start), &text[start..end]));
        from = end;
    }
    found
}

/// Words as a shell would split them; what stands in quotes is one word.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in line.chars() {
        match (c, quote) {
            (_, Some(open)) if c == open => quote = None,
            ('\'' | '"', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (' ' | '\t', None) => words.extend(word.take()),
            ('#' | '|' | '>' | '<' | ';', None) if word.is_none() => break,
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// The words after the program, when the line calls this one.
fn call(line: &str) -> Option<Vec<String>> {
    let line = line.trim().trim_start_matches("$ ");
    let line = line.strip_prefix("cargo run --release -- ").map_or_else(
        || line.strip_prefix("watchfloor ").map(str::to_owned),
        |rest| Some(rest.to_owned()),
    )?;
    Some(words(&line))
}

/// Command lines in `sh` blocks, and in code spans that begin with the program's name.
fn documented() -> Vec<Line> {
    let mut lines = Vec::new();
    for (path, text) in documents() {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        for (at, block) in blocks(&text, "sh") {
            for (offset, line) in block.replace("\\\n", "  ").lines().enumerate() {
                // A pipe into the program calls it too.
                for part in line.split(" | ") {
                    lines.extend(call(part).map(|words| Line {
                        place: format!("{name}:{}", at + offset),
                        words,
                    }));
                }
            }
        }
        for (at, line) in text.lines().enumerate() {
            for span in line.split('`').skip(1).step_by(2) {
                lines.extend(call(span).map(|words| Line {
                    place: format!("{name}:{}", at + 1),
                    words,
                }));
            }
        }
    }
    lines
}

/// What refusals in the sources tell a person to run next.
fn next_commands() -> Vec<Line> {
    let mut lines = Vec::new();
    for source in sources() {
        // What an agent may call under a stop is told there by examples, each by itself.
        if source.path.ends_with("rules/guarded.rs") {
            continue;
        }
        let tests = source.test_lines();
        for (at, _) in source.text.match_indices("\"watchfloor ") {
            if tests.contains(&line_of(&source.text, at)) {
                continue;
            }
            let rest = &source.text[at + 1..];
            let end = rest.find(['"', '{', '\\']).unwrap_or(rest.len());
            lines.extend(call(&rest[..end]).map(|words| Line {
                place: format!("{}:{}", source.path, line_of(&source.text, at)),
                words,
            }));
        }
    }
    lines
}

/// The verb of a line: the words that choose what runs.
fn verb(words: &[String]) -> Vec<String> {
    let plain = |word: &&String| {
        !word.is_empty()
            && word.chars().all(|c| c.is_ascii_lowercase() || c == '-')
            && !word.starts_with('-')
    };
    let depth = match words.first() {
        Some(first) if NOUNS.contains(&first.as_str()) => 2,
        Some(first) if first == "task" => 2,
        _ => 1,
    };
    words
        .iter()
        .take(depth)
        .take_while(plain)
        .cloned()
        .collect()
}

fn help(verb: &[String]) -> Result<String, String> {
    let output = Command::new(env!("CARGO_BIN_EXE_watchfloor"))
        .args(verb)
        .arg("--help")
        .output()
        .unwrap();
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

/// Whether the command line is built at all: without it there is nothing to compare with.
fn is_built() -> bool {
    help(&[]).is_ok_and(|text| !text.is_empty())
}

fn check(lines: Vec<Line>) {
    if !is_built() {
        eprintln!("the binary has no command line yet: nothing to compare with");
        return;
    }
    let mut faults = Vec::new();
    let mut seen = BTreeSet::new();
    for line in lines {
        let verb = verb(&line.words);
        let flags: Vec<&String> = line
            .words
            .iter()
            .filter(|word| word.starts_with("--"))
            .collect();
        if !seen.insert((
            verb.clone(),
            flags.iter().map(|f| (*f).clone()).collect::<Vec<_>>(),
        )) {
            continue;
        }
        match help(&verb) {
            Err(said) => faults.push(format!("{}: {}: {said}", line.place, verb.join(" "))),
            Ok(text) => {
                for flag in flags {
                    let flag = flag.split('=').next().unwrap_or(flag);
                    if flag != "--help" && flag != "--" && !text.contains(flag) {
                        faults.push(format!("{}: {} has no {flag}", line.place, verb.join(" ")));
                    }
                }
            }
        }
    }
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

#[test]
fn documented_commands_exist() {
    let lines = documented();
    assert!(
        lines.len() > 20,
        "only {} command lines were found",
        lines.len()
    );
    check(lines);
}

#[test]
fn next_commands_exist() {
    let lines = next_commands();
    assert!(!lines.is_empty());
    check(lines);
}

#[test]
fn json_in_documents_is_json() {
    for (path, text) in documents() {
        for (at, block) in blocks(&text, "json") {
            let parsed = serde_json::from_str::<serde_json::Value>(block);
            assert!(parsed.is_ok(), "{}:{at}: {parsed:?}", path.display());
        }
    }
}

#[test]
fn links_lead_somewhere() {
    for (path, text) in documents() {
        for (at, _) in text.match_indices("](") {
            let rest = &text[at + 2..];
            let target = &rest[..rest.find(')').unwrap_or(0)];
            let file = target.split('#').next().unwrap_or("");
            if file.is_empty() || file.contains("://") {
                continue;
            }
            let there = path.parent().unwrap().join(file);
            assert!(
                there.exists(),
                "{}:{}: {target}",
                path.display(),
                line_of(&text, at)
            );
        }
    }
}

#[test]
fn command_lines_are_read_as_a_shell_reads_them() {
    let read = |line: &str| call(line).map(|words| verb(&words).join(" "));
    assert_eq!(
        read("watchfloor gate check --task T"),
        Some("gate check".into())
    );
    assert_eq!(read("cargo run --release -- demo"), Some("demo".into()));
    assert_eq!(
        read("watchfloor hook claude PreToolUse"),
        Some("hook".into())
    );
    assert_eq!(read("watchfloor task list # all"), Some("task list".into()));
    assert_eq!(read("watchfloor receipt VERB"), Some("receipt".into()));
    assert_eq!(read("watchfloord"), None);
    assert_eq!(words("a 'b c' \"d\" > out"), ["a", "b c", "d"]);
}
