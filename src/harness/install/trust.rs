//! Codex runs a hook only when its hash is trusted, and skips it without a word where it is not.
//! Codex itself says what the hash is: it is asked about a copy of the file in an empty home.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use super::edit::command;
use super::program::Talk;
use super::splice::line_of;
use super::tree::{Fault, Kind, Node};
use super::words::{Writer, written_by};

/// How long Codex may take.
const LIMIT: Duration = Duration::from_secs(30);

/// Where one hook of ours stands in a file of hooks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// The event, as Codex writes it in a key: `pre_tool_use`.
    pub event: String,
    /// Which group of the event.
    pub group: usize,
    /// Which hook of the group.
    pub hook: usize,
}

impl Position {
    /// The key under which its trust is kept, behind the file.
    #[must_use]
    pub fn key(&self, file: &Path) -> String {
        format!(
            "{}:{}:{}:{}",
            file.display(),
            self.event,
            self.group,
            self.hook
        )
    }
}

/// The name of its trust in Codex's configuration.
#[must_use]
pub fn name(position: &Position, file: &Path) -> Vec<String> {
    vec!["hooks".to_owned(), "state".to_owned(), position.key(file)]
}

/// Where hooks of ours stand in a file of hooks.
///
/// # Errors
/// It is no JSON.
pub fn positions(text: &str) -> Result<Vec<Position>, Fault> {
    let mut found = Vec::new();
    let Some(root) = super::json::parse(text)? else {
        return Ok(found);
    };
    let Some(Kind::Map(events)) = member(&root, "hooks").map(|hooks| &hooks.kind) else {
        return Ok(found);
    };
    for event in events {
        let Kind::List(groups) = &event.value.kind else {
            let line = line_of(text, event.span.start);
            return Err(Fault::new(line, format!("{} is no list", event.key)));
        };
        for (at, group) in groups.iter().enumerate() {
            let Some(Kind::List(hooks)) = member(group, "hooks").map(|hooks| &hooks.kind) else {
                continue;
            };
            for (number, hook) in hooks.iter().enumerate() {
                let words = command(&hook.value());
                if written_by(&words, "codex") == Some(Writer::Install) {
                    found.push(Position {
                        event: snake(&event.key),
                        group: at,
                        hook: number,
                    });
                }
            }
        }
    }
    Ok(found)
}

fn member<'n>(node: &'n Node, name: &str) -> Option<&'n Node> {
    let Kind::Map(members) = &node.kind else {
        return None;
    };
    let found = members.iter().find(|member| member.key == name)?;
    Some(&found.value)
}

fn snake(event: &str) -> String {
    let mut snake = String::new();
    for (at, c) in event.chars().enumerate() {
        if c.is_ascii_uppercase() && at > 0 {
            snake.push('_');
        }
        snake.push(c.to_ascii_lowercase());
    }
    snake
}

/// The hash of each hook of ours, in the order of [`positions`]. `None` where Codex does not say:
/// it cannot be run, is too old, or does not take the file.
#[must_use]
pub fn hashes(program: &Path, text: &str, positions: &[Position]) -> Option<Vec<String>> {
    let home = tempfile::tempdir().ok()?;
    // Codex names files by the path behind every link.
    let folder = home.path().canonicalize().ok()?;
    let file = folder.join("hooks.json");
    std::fs::write(&file, text).ok()?;
    let listed = listed(program, &folder)?;
    let hooks = listed.pointer("/result/data")?.as_array()?.iter();
    let hooks: Vec<&Value> = hooks
        .filter_map(|place| place["hooks"].as_array())
        .flatten()
        .collect();
    positions
        .iter()
        .map(|position| {
            let key = position.key(&file);
            let hook = hooks.iter().find(|hook| hook["key"] == key.as_str())?;
            let words = command(&json!({"command": hook["command"]}));
            written_by(&words, "codex")?;
            Some(hook["currentHash"].as_str()?.to_owned())
        })
        .collect()
}

fn listed(program: &Path, home: &Path) -> Option<Value> {
    let mut codex = Command::new(program);
    codex
        .arg("app-server")
        .env("CODEX_HOME", home)
        .env("HOME", home)
        .current_dir(home);
    let mut talk = Talk::start(&mut codex, LIMIT).ok()?;
    let client =
        json!({"clientInfo": {"name": "watchfloor", "version": env!("CARGO_PKG_VERSION")}});
    ask(&mut talk, 1, "initialize", &client)?;
    talk.say(&json!({"method": "initialized"}).to_string())?;
    ask(&mut talk, 2, "hooks/list", &json!({"cwds": [home]}))
}

fn ask(talk: &mut Talk, id: u64, method: &str, params: &Value) -> Option<Value> {
    talk.say(&json!({"id": id, "method": method, "params": params}).to_string())?;
    loop {
        let line: Value = serde_json::from_str(&talk.hear()?).unwrap_or_default();
        if line["id"] == id {
            return line.get("result").is_some().then_some(line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_counted_among_foreign_hooks() {
        let text = r#"{"hooks": {"PreToolUse": [{"hooks": [{"command": "x"}]}, {"hooks": [{"command": "y"},
            {"command": "/w hook codex PreToolUse --installed"}]}], "Stop": [{"hooks": [
            {"command": "/w hook codex Stop --installed"}]}]}}"#;
        let found = positions(text).unwrap();
        let keys: Vec<String> = found.iter().map(|at| at.key(Path::new("/h"))).collect();
        assert_eq!(keys, ["/h:pre_tool_use:1:1", "/h:stop:0:0"]);
        assert!(positions("{\"hooks\": {\"Stop\": 1}}").is_err());
    }

    #[test]
    fn a_program_that_is_no_codex_says_nothing() {
        assert_eq!(hashes(Path::new("/bin/true"), "{}", &[]), None);
        assert_eq!(hashes(Path::new("/no/such"), "{}", &[]), None);
    }
}
