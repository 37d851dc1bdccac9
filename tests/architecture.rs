//! The borders that `ARCHITECTURE.md` draws, kept by reading its tables and the sources.

#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::collections::BTreeMap;
use std::fs;

mod support;

use support::{Source, blank, line_of, root, sources};

/// Longest file without its tests, in lines.
const LONGEST: usize = 400;

/// The rows of the table in `ARCHITECTURE.md` whose head is this one, cell by cell.
fn table(head: &str) -> Vec<Vec<String>> {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let mut lines = text.lines().skip_while(|line| *line != head);
    assert!(
        lines.next().is_some(),
        "ARCHITECTURE.md has no table {head}"
    );
    lines
        .skip(1)
        .take_while(|line| line.starts_with('|'))
        .map(|line| {
            let cells = line.trim_matches('|').split('|');
            cells.map(|cell| cell.trim().to_owned()).collect()
        })
        .collect()
}

fn list(cell: &str) -> Vec<String> {
    cell.split(',')
        .map(|name| name.trim().trim_matches('`').to_owned())
        .filter(|name| !name.is_empty())
        .collect()
}

/// Which rooms each room may use.
fn rooms() -> BTreeMap<String, Vec<String>> {
    table("| room | may use rooms |")
        .into_iter()
        .filter(|row| row[1] != "everything")
        .map(|row| (row[0].clone(), list(&row[1])))
        .collect()
}

/// The room of a file and how deep its module lies below the crate.
fn place(path: &str) -> Option<(&str, usize)> {
    let inside = path.strip_prefix("src/")?;
    let room = inside.split(['/', '.']).next()?;
    let depth = inside.split('/').count() - usize::from(inside.ends_with("/mod.rs"));
    Some((room, depth))
}

/// Every name that follows the crate's root in a text, with its byte: `crate::x`,
/// `crate::{x, y}`, and as many `super::` as lead there.
fn roots(code: &str, depth: usize) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let climb = "super::".repeat(depth);
    for lead in ["crate::", &climb] {
        for (at, _) in code.match_indices(lead) {
            let before = code[..at].chars().next_back().unwrap_or(' ');
            if before.is_alphanumeric() || before == '_' || before == ':' {
                continue;
            }
            let rest = &code[at + lead.len()..];
            if let Some(group) = rest.strip_prefix('{') {
                found.extend(heads(group).into_iter().map(|name| (at, name)));
            } else {
                found.push((at, word(rest)));
            }
        }
    }
    found
}

fn word(text: &str) -> String {
    text.trim_start()
        .chars()
        .take_while(|c| c.is_alphanumeric() || *c == '_')
        .collect()
}

/// The first word of each part of a `{…}` group.
fn heads(group: &str) -> Vec<String> {
    let mut names = vec![word(group)];
    let mut depth = 0;
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => names.push(word(&group[at + 1..])),
            _ => {}
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

fn report(faults: &[String]) {
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

fn edges(source: &Source, rooms: &BTreeMap<String, Vec<String>>) -> Vec<String> {
    let Some((room, depth)) = place(&source.path) else {
        return Vec::new();
    };
    let Some(allowed) = rooms.get(room) else {
        return Vec::new();
    };
    roots(&source.code, depth)
        .into_iter()
        .filter(|(_, name)| name != room && !allowed.contains(name))
        .map(|(at, name)| {
            let line = line_of(&source.code, at);
            format!("{}:{line}: {room} may not use {name}", source.path)
        })
        .collect()
}

#[test]
fn rooms_keep_their_borders() {
    let rooms = rooms();
    let faults: Vec<String> = sources().iter().flat_map(|s| edges(s, &rooms)).collect();
    report(&faults);
}

#[test]
fn every_room_is_in_the_table() {
    let rooms = rooms();
    let table = table("| room | may use rooms |").into_iter();
    let everywhere: Vec<String> = table
        .filter(|row| row[1] == "everything")
        .flat_map(|row| list(&row[0]))
        .collect();
    let mut faults = Vec::new();
    for source in sources() {
        let room = place(&source.path).unwrap().0;
        if !everywhere.iter().any(|name| name == room) && !rooms.contains_key(room) {
            faults.push(format!(
                "{}: the room {room} is not in the table",
                source.path
            ));
        }
    }
    report(&faults);
}

#[test]
fn rooms_name_nothing_that_is_not_theirs() {
    let never: BTreeMap<String, Vec<String>> = table("| room | never |")
        .into_iter()
        .map(|row| (row[0].clone(), list(&row[1])))
        .collect();
    let exceptions = table("| file | may | why |");
    let may = |path: &str, name: &String| {
        exceptions.iter().any(|row| {
            list(&row[0]).iter().any(|file| file == path) && list(&row[1]).contains(name)
        })
    };
    let mut faults = Vec::new();
    for source in sources() {
        let room = place(&source.path).unwrap().0;
        for name in never.get(room).map_or(&[][..], Vec::as_slice) {
            for at in named(&source.code, name) {
                if !may(&source.path, name) {
                    let line = line_of(&source.code, at);
                    faults.push(format!(
                        "{}:{line}: {room} may not name {name}",
                        source.path
                    ));
                }
            }
        }
    }
    for row in &exceptions {
        for file in list(&row[0]) {
            assert!(
                root().join(&file).is_file(),
                "no file {file} to be excepted"
            );
        }
    }
    report(&faults);
}

/// Where a path is named: as it stands, or its last part in a group, `std::{env, fs}`.
fn named(code: &str, name: &str) -> Vec<usize> {
    let whole = |at: usize, length: usize| {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        !code[..at].ends_with(is_word) && !code[at + length..].starts_with(is_word)
    };
    let mut found: Vec<usize> = code
        .match_indices(name)
        .map(|(at, _)| at)
        .filter(|at| whole(*at, name.len()))
        .collect();
    if let Some((front, last)) = name.rsplit_once("::") {
        let open = format!("{front}::{{");
        for (at, _) in code.match_indices(&open) {
            if heads(&code[at + open.len()..])
                .iter()
                .any(|head| head == last)
            {
                found.push(at);
            }
        }
    }
    found
}

#[test]
fn files_are_short() {
    let mut faults = Vec::new();
    for source in sources() {
        let lines = source.text.lines().count() - source.test_lines().len();
        if lines > LONGEST {
            faults.push(format!(
                "{}: {lines} lines without tests, {LONGEST} at most",
                source.path
            ));
        }
    }
    report(&faults);
}

#[test]
fn nothing_unwraps_outside_tests() {
    let mut faults = Vec::new();
    for source in sources() {
        for call in [".unwrap()", ".unwrap_err()", ".expect(", ".expect_err("] {
            for (at, _) in source.code.match_indices(call) {
                if source.code[..at].ends_with("self") {
                    continue; // A method of the project's own.
                }
                let line = line_of(&source.code, at);
                faults.push(format!("{}:{line}: {call} outside tests", source.path));
            }
        }
    }
    report(&faults);
}

#[test]
fn invariants_name_tests_that_exist() {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let (_, section) = text.split_once("## Invariants").unwrap();
    let numbered = |line: &&str| line.starts_with(|c: char| c.is_ascii_digit());
    let count = section.lines().filter(numbered).count();
    assert!((1..=10).contains(&count), "{count} invariants");
    let tests: Vec<&str> = section
        .split('`')
        .filter(|span| span.contains(".rs::"))
        .collect();
    assert!(tests.len() >= count);
    for test in tests {
        let (file, name) = test.split_once("::").unwrap();
        let source =
            fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{test}: {error}"));
        assert!(
            source.contains(&format!("fn {name}(")),
            "{test} does not exist"
        );
    }
}

#[test]
fn the_reader_of_sources_sees_code_only() {
    let text = "use crate::{rules::a, journal::{b, c}, self as d};\n// crate::ops\nlet s = \"crate::ops\";\nlet c = '\"'; let r = r#\"crate::cli\"#; /* crate::demo */ fn f<'a>() {}\nuse super::super::console;\n";
    let code = blank(text);
    assert_eq!(code.len(), text.len());
    let names: Vec<String> = roots(&code, 2).into_iter().map(|(_, name)| name).collect();
    assert_eq!(names, ["rules", "journal", "self", "console"]);
    assert_eq!(roots(&code, 3).len(), 3);
    assert_eq!(named("use std::{env, io}; std::fs::read", "std::env"), [4]);
    assert_eq!(
        named("use std::{env, io}; std::fs::read", "std::fs").len(),
        1
    );
    assert_eq!(
        named("my_std::env std::envy", "std::env"),
        Vec::<usize>::new()
    );
    assert_eq!(place("src/rules/a/b.rs"), Some(("rules", 3)));
    assert_eq!(place("src/rules/mod.rs"), Some(("rules", 1)));
    assert_eq!(place("src/main.rs"), Some(("main", 1)));
}

#[test]
fn a_forbidden_edge_is_found_with_its_line() {
    let text = "//! Doc.\nuse crate::contract::ids;\nuse crate::journal::Page;\n";
    let source = Source {
        path: "src/rules/gate.rs".into(),
        text: text.into(),
        code: blank(text),
    };
    assert_eq!(
        edges(&source, &rooms()),
        ["src/rules/gate.rs:3: rules may not use journal"]
    );
}
