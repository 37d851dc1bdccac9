//! What the tools of the agent programs do, by their names and inputs as transcripts have them.

use serde_json::Value;

use crate::contract::digest::Digest;
use crate::contract::observed::CallFact;
use crate::contract::tool::Act;

/// Tools that run a command.
const SHELLS: [&str; 11] = [
    "bash",
    "exec_command",
    "execute_command",
    "local_shell",
    "run_command",
    "run_shell_command",
    "shell",
    "shell_command",
    "terminal",
    "unified_exec",
    "user_shell",
];
/// Tools that write files.
const WRITERS: [&str; 14] = [
    "apply_patch",
    "create_file",
    "edit",
    "edit_file",
    "multiedit",
    "multi_edit",
    "notebookedit",
    "patch",
    "replace",
    "str_replace",
    "update_file",
    "write",
    "write_file",
    "write_new_file",
];
/// How they call the file.
const PATHS: [&str; 6] = [
    "file_path",
    "filePath",
    "path",
    "notebook_path",
    "absolute_path",
    "file",
];
/// How they call what they write.
const CONTENTS: [&str; 10] = [
    "content",
    "new_string",
    "newString",
    "new_str",
    "newText",
    "new_source",
    "file_text",
    "text",
    "edits",
    "patch",
];
/// Tools that only read.
const READERS: [&str; 14] = [
    "glob",
    "grep",
    "find",
    "list",
    "list_directory",
    "ls",
    "notebookread",
    "read",
    "read_file",
    "read_many_files",
    "search_file_content",
    "search_files",
    "webfetch",
    "websearch",
];

/// A call by the tool's name and input.
pub(super) fn call(id: &str, tool: &str, input: &Value) -> CallFact {
    let lower = tool.to_lowercase();
    let name = lower.as_str();
    let edits = if WRITERS.contains(&name) {
        edits(input)
    } else {
        Vec::new()
    };
    let act = if SHELLS.contains(&name) {
        Act::Shell(command(input))
    } else if WRITERS.contains(&name) {
        Act::Edit(edits.iter().map(|(file, _)| file.clone()).collect())
    } else if READERS.contains(&name) {
        Act::Read
    } else {
        Act::Other
    };
    CallFact {
        id: id.to_owned(),
        tool: tool.to_owned(),
        act,
        edits,
    }
}

/// The command line of a shell's input: a text, or words of which a shell's own are left out.
pub(super) fn command(input: &Value) -> String {
    let given = ["command", "cmd", "script", "code"]
        .iter()
        .find_map(|key| input.get(key))
        .unwrap_or(input);
    match given {
        Value::String(text) => text.clone(),
        Value::Array(words) => {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            match words.as_slice() {
                [shell, flag, rest @ ..] if is_shell(shell) && flag.starts_with('-') => {
                    rest.join(" ")
                }
                words => words.join(" "),
            }
        }
        _ => String::new(),
    }
}

fn is_shell(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    matches!(name, "bash" | "sh" | "zsh" | "fish" | "dash" | "ksh")
}

/// Files and what is written to them: of a patch in one text every file, of other tools one.
fn edits(input: &Value) -> Vec<(String, String)> {
    let patch = match input {
        Value::String(text) => Some(text.as_str()),
        _ => ["input", "patch", "patchText", "patch_text"]
            .iter()
            .find_map(|key| input.get(key).and_then(Value::as_str)),
    };
    if let Some(patch) = patch {
        let files = patched(patch);
        if !files.is_empty() {
            return files;
        }
    }
    let file = PATHS
        .iter()
        .find_map(|key| input.get(key).and_then(Value::as_str));
    let Some(file) = file else {
        return Vec::new();
    };
    let content: Vec<String> = CONTENTS
        .iter()
        .filter_map(|key| input.get(key).map(Value::to_string))
        .collect();
    vec![(file.to_owned(), digest(&content.join("\n")))]
}

/// The files of a patch, and the digest of the lines that it leaves in each.
fn patched(patch: &str) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = Vec::new();
    for line in patch.lines() {
        let named = [
            "*** Add File: ",
            "*** Update File: ",
            "*** Delete File: ",
            "+++ b/",
        ]
        .iter()
        .find_map(|lead| line.strip_prefix(lead));
        if let Some(name) = named {
            files.push((name.trim().to_owned(), String::new()));
        } else if let Some((_, text)) = files.last_mut()
            && line.starts_with(['+', ' '])
        {
            text.push_str(&line[1..]);
            text.push('\n');
        }
    }
    for (_, text) in &mut files {
        *text = digest(text);
    }
    files
}

fn digest(text: &str) -> String {
    Digest::of(text.as_bytes()).to_string()
}

/// The exit code that a shell tool says in words: `Exit code 3`, `Exit Code: 3`,
/// `Command exited with code 3`, `Process exited with code 3`. Only the first and the last lines
/// are looked at, because the output itself may say anything.
pub(super) fn exit_code(text: &str) -> Option<i32> {
    let lines: Vec<&str> = text.lines().collect();
    let near = lines.iter().take(6).chain(lines.iter().rev().take(6));
    let mut codes = near.filter_map(|line| {
        let lower = line.trim().to_lowercase();
        let rest = [
            "exit code:",
            "exit code ",
            "command exited with code ",
            "command exited with code: ",
            "process exited with code ",
        ]
        .iter()
        .find_map(|lead| lower.strip_prefix(lead))?;
        rest.trim().parse().ok()
    });
    codes.next()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn tools_are_known_by_name_and_input() {
        let shell = call("1", "exec_command", &json!({"cmd": "make test"}));
        assert_eq!(shell.act, Act::Shell("make test".to_owned()));
        let words = call(
            "1",
            "shell",
            &json!({"command": ["/bin/bash", "-lc", "make test"]}),
        );
        assert_eq!(words.act, Act::Shell("make test".to_owned()));
        let plain = call("1", "shell", &json!({"command": ["git", "status"]}));
        assert_eq!(plain.act, Act::Shell("git status".to_owned()));
        assert_eq!(call("1", "Read", &json!({})).act, Act::Read);
        assert_eq!(call("1", "mcp__x__y", &json!({})).act, Act::Other);
        assert_eq!(
            call("1", "Bash", &json!(null)).act,
            Act::Shell(String::new())
        );
    }

    #[test]
    fn what_is_written_tells_states_apart() {
        let edit = |new: &str| {
            let input = json!({"file_path": "a.rs", "old_string": "x", "new_string": new});
            call("1", "Edit", &input).edits
        };
        assert_eq!(edit("A"), edit("A"));
        assert_ne!(edit("A"), edit("B"));
        assert_eq!(edit("A")[0].0, "a.rs");
        let patch = "*** Begin Patch\n*** Update File: src/a.rs\n@@\n-old\n+new\n*** Add File: b.rs\n+b\n*** End Patch\n";
        let call = call("1", "apply_patch", &json!({"input": patch}));
        assert_eq!(
            call.act,
            Act::Edit(vec!["src/a.rs".to_owned(), "b.rs".to_owned()])
        );
        assert_ne!(call.edits[0].1, call.edits[1].1);
    }

    #[test]
    fn exit_codes_are_read_from_words() {
        for (text, code) in [
            ("Exit code 3\noops", Some(3)),
            ("Output: x\nExit Code: 3\nProcess Group PGID: 1", Some(3)),
            ("(no output)\n\nCommand exited with code 2", Some(2)),
            (
                "Chunk ID: 1\nWall time: 0 s\nProcess exited with code 0\nOutput:\nexit code 9",
                Some(0),
            ),
            ("nothing", None),
            ("Exit code: many", None),
            ("", None),
        ] {
            assert_eq!(exit_code(text), code, "{text}");
        }
    }
}
