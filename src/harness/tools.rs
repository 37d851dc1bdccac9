//! What tool calls may do, by the words that are alike in several harnesses.

use serde_json::Value;

use crate::contract::digest::Digest;
use crate::contract::tool::Act;
use crate::ops::hook;

/// How a harness names its tools.
pub(super) struct Tools {
    /// Tools that run a shell command.
    pub(super) shell: &'static [&'static str],
    /// Tools that write the file that their input names.
    pub(super) edit: &'static [&'static str],
    /// Tools that take a patch of one or more files.
    pub(super) patch: &'static [&'static str],
    /// Tools that cannot change files, repositories or systems by themselves. What a subagent
    /// does comes through hooks of its own.
    pub(super) read: &'static [&'static str],
}

impl Tools {
    /// What a call of a tool may do.
    pub(super) fn act(&self, tool: &str, input: &Value) -> Act {
        if self.shell.contains(&tool) {
            return command(input).map_or(Act::Other, Act::Shell);
        }
        if self.patch.contains(&tool) {
            return Act::Edit(patched(input));
        }
        if self.edit.contains(&tool) {
            return Act::Edit(files(input));
        }
        if self.read.contains(&tool) || hook::is_own_tool(tool) {
            return Act::Read;
        }
        Act::Other
    }
}

/// The first member of these names that is a text.
pub(super) fn text(input: &Value, names: &[&str]) -> Option<String> {
    names
        .iter()
        .find_map(|name| input.get(name).and_then(Value::as_str))
        .map(str::to_owned)
}

/// The shell command of an input: a text, or the words of one.
fn command(input: &Value) -> Option<String> {
    let found = ["command", "cmd"].iter().find_map(|name| input.get(name))?;
    match found {
        Value::String(line) => Some(line.clone()),
        Value::Array(words) => {
            let words: Option<Vec<&str>> = words.iter().map(Value::as_str).collect();
            match words?.as_slice() {
                [] => None,
                // A shell with its script: the script is what runs.
                [shell, flag, script]
                    if shell.ends_with("sh") && flag.starts_with('-') && flag.ends_with('c') =>
                {
                    Some((*script).to_owned())
                }
                words => Some(words.join(" ")),
            }
        }
        _ => None,
    }
}

/// The file that an editing call names, or the files of its parts.
fn files(input: &Value) -> Vec<String> {
    const NAMES: [&str; 5] = [
        "file_path",
        "filePath",
        "path",
        "notebook_path",
        "absolute_path",
    ];
    let mut found: Vec<String> = text(input, &NAMES).into_iter().collect();
    for part in input
        .get("edits")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        found.extend(text(part, &NAMES));
    }
    found.sort();
    found.dedup();
    found
}

/// The files of a patch, or the one file where the call replaces a text in it.
fn patched(input: &Value) -> Vec<String> {
    const NAMES: [&str; 6] = [
        "patch",
        "patchText",
        "patch_text",
        "command",
        "input",
        "diff",
    ];
    match input {
        Value::String(patch) => patch_files(patch),
        input => {
            let named = files(input);
            let of_patch = text(input, &NAMES).map(|patch| patch_files(&patch));
            of_patch.filter(|found| !found.is_empty()).unwrap_or(named)
        }
    }
}

/// Files that a patch changes, in both forms that agents write: `*** Update File:` and the
/// headers of a unified diff.
fn patch_files(patch: &str) -> Vec<String> {
    const MARKS: [&str; 4] = [
        "*** Add File:",
        "*** Update File:",
        "*** Delete File:",
        "*** Move to:",
    ];
    let mut found = Vec::new();
    for line in patch.lines() {
        let line = line.trim_end();
        if let Some(name) = MARKS.iter().find_map(|mark| line.strip_prefix(mark)) {
            found.push(name.trim().to_owned());
        } else if let Some(names) = line.strip_prefix("*** Move File:") {
            found.extend(names.split("->").map(|name| name.trim().to_owned()));
        } else if let Some(name) = line
            .strip_prefix("+++ ")
            .or_else(|| line.strip_prefix("--- "))
        {
            let name = name.split('\t').next().unwrap_or_default().trim();
            let name = name
                .strip_prefix("a/")
                .or_else(|| name.strip_prefix("b/"))
                .unwrap_or(name);
            if name != "/dev/null" {
                found.push(name.to_owned());
            }
        }
    }
    found.retain(|name| !name.is_empty());
    found.sort();
    found.dedup();
    found
}

/// Every text of a result, in order.
pub(super) fn texts(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => joined(items.iter()),
        Value::Object(fields) => joined(fields.values()),
        _ => String::new(),
    }
}

fn joined<'v>(values: impl Iterator<Item = &'v Value>) -> String {
    let texts: Vec<String> = values.map(texts).filter(|text| !text.is_empty()).collect();
    texts.join("\n")
}

/// The texts of MCP's `content`, and of a text alone.
pub(super) fn content(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts = parts
                .iter()
                .filter_map(|part| part.as_str().or_else(|| part.get("text")?.as_str()));
            texts.collect::<Vec<_>>().join("\n")
        }
        Value::Object(fields) => fields.get("content").map(content).unwrap_or_default(),
        _ => String::new(),
    }
}

/// A small whole number, e.g. an exit code.
pub(super) fn number(value: &Value, names: &[&str]) -> Option<i32> {
    let found = names.iter().find_map(|name| value.get(name)?.as_i64())?;
    i32::try_from(found).ok()
}

/// A call's id, or where the harness gives none `~` and a digest of its session, tool and input:
/// what was asked and what was told pair by it, and calls that are alike by their order.
pub(super) fn call_id(given: Option<&str>, session: &str, tool: &str, input: &Value) -> String {
    if let Some(id) = given.filter(|id| !id.is_empty()) {
        return id.to_owned();
    }
    let what = format!("{session}\u{1f}{tool}\u{1f}{input}");
    format!("~{}", &Digest::of(what.as_bytes()).hex()[..16])
}

/// Whether a person may have typed a prompt. Harnesses hand the reason of a refused turn's end on
/// as the next prompt; ours begin with the product's name.
pub(super) fn is_ours(prompt: &str) -> bool {
    prompt.trim_start().starts_with("Watchfloor: ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const TOOLS: Tools = Tools {
        shell: &["sh"],
        edit: &["edit"],
        patch: &["patch"],
        read: &["look"],
    };

    #[test]
    fn a_command_is_a_line_or_its_words() {
        for (input, line) in [
            (json!({"command": "make"}), "make"),
            (json!({"cmd": "make"}), "make"),
            (json!({"command": ["bash", "-lc", "make; ls"]}), "make; ls"),
            (json!({"command": ["git", "status"]}), "git status"),
        ] {
            assert_eq!(TOOLS.act("sh", &input), Act::Shell(line.to_owned()));
        }
        for input in [
            json!({}),
            json!(null),
            json!({"command": 7}),
            json!({"command": [1]}),
        ] {
            assert_eq!(TOOLS.act("sh", &input), Act::Other, "{input}");
        }
    }

    #[test]
    fn every_file_of_a_patch_is_found() {
        let patch = "*** Begin Patch\n*** Add File: n.rs\n+x\n*** Update File: src/a b.rs\n*** Move to: c.rs\n@@\n-x\n+y\n*** Delete File: d.rs\n*** Move File: e.rs -> f.rs\n*** End Patch";
        let all = ["c.rs", "d.rs", "e.rs", "f.rs", "n.rs", "src/a b.rs"];
        for input in [
            json!(patch),
            json!({"patch": patch}),
            json!({"command": patch}),
        ] {
            assert_eq!(
                TOOLS.act("patch", &input),
                Act::Edit(all.map(str::to_owned).to_vec())
            );
        }
        let diff = "--- a/x.c\t2026\n+++ b/x.c\t2026\n@@ -1 +1 @@\n--- /dev/null\n+++ b/y.c\n";
        assert_eq!(
            TOOLS.act("patch", &json!({"patch": diff})),
            Act::Edit(vec!["x.c".to_owned(), "y.c".to_owned()])
        );
        let one = json!({"mode": "replace", "path": "z.c", "old_string": "a"});
        assert_eq!(TOOLS.act("patch", &one), Act::Edit(vec!["z.c".to_owned()]));
        assert_eq!(
            TOOLS.act("patch", &json!({"patch": "nothing"})),
            Act::Edit(vec![])
        );
    }

    #[test]
    fn a_call_without_an_id_is_known_by_what_it_is() {
        let id = |given, session, input: Value| call_id(given, session, "sh", &input);
        assert_eq!(id(Some("c-1"), "s", json!({})), "c-1");
        let one = id(None, "s", json!({"command": "make"}));
        assert!(one.starts_with('~') && one.len() == 17, "{one}");
        assert_eq!(id(Some(""), "s", json!({"command": "make"})), one);
        assert_ne!(id(None, "t", json!({"command": "make"})), one);
        assert_ne!(id(None, "s", json!({"command": "make all"})), one);
    }

    #[test]
    fn own_tools_that_pass_an_open_breaker_are_known_by_any_prefix() {
        for (tool, act) in [
            ("mcp__watchfloor__handoff_answer", Act::Read),
            ("mcp_watchfloor_attempt_record", Act::Read),
            ("watchfloor_status", Act::Read),
            ("mcp__watchfloor__handoff_claim", Act::Other),
            ("mcp__other__handoff_answer", Act::Other),
            ("handoff_answer", Act::Other),
            ("look", Act::Read),
            ("", Act::Other),
        ] {
            assert_eq!(TOOLS.act(tool, &json!({})), act, "{tool}");
        }
    }
}
