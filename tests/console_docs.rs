//! `docs/CONSOLE.md` has the keys that the console has. Run with `WATCHFLOOR_WRITE_DOCS=1` to write
//! its table after a command was added.

#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use watchfloor::console::commands::{COMMANDS, Id, Scope};
use watchfloor::console::theme::Palette;

const BEGIN: &str = "<!-- keys -->\n";
const END: &str = "<!-- /keys -->";

fn path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("docs/CONSOLE.md")
}

/// The tables of all scopes, made from the table of commands.
fn tables() -> String {
    let mut text = String::new();
    for scope in Scope::ALL {
        let of_scope: Vec<_> = COMMANDS.iter().filter(|c| c.scope == scope).collect();
        if of_scope.is_empty() {
            continue;
        }
        let title = scope.title();
        write!(
            text,
            "\n### {title}\n\n| keys | name | what it does |\n|---|---|---|\n"
        )
        .unwrap();
        for command in of_scope {
            let keys: Vec<String> = command
                .chords
                .iter()
                .map(|chord| match command.id {
                    Id::Stop => format!("`{chord}{chord}`"),
                    _ => format!("`{chord}`"),
                })
                .collect();
            let keys = keys.join(" ");
            writeln!(text, "| {keys} | {} | {} |", command.name, command.doc).unwrap();
        }
    }
    text.push('\n');
    text
}

#[test]
fn the_documented_keys_are_those_of_the_table() {
    let text = fs::read_to_string(path()).unwrap();
    let from = text.find(BEGIN).unwrap() + BEGIN.len();
    let to = text.find(END).unwrap();
    let tables = tables();
    if std::env::var_os("WATCHFLOOR_WRITE_DOCS").is_some_and(|value| value == "1") {
        let new = format!("{}{tables}{}", &text[..from], &text[to..]);
        fs::write(path(), new).unwrap();
        return;
    }
    assert_eq!(&text[from..to], tables, "docs/CONSOLE.md is out of date");
}

#[test]
fn the_documented_themes_are_those_that_there_are() {
    let text = fs::read_to_string(path()).unwrap();
    for (name, _) in Palette::NAMES {
        assert!(text.contains(&format!("\n| {name} | ")), "{name}");
    }
}
