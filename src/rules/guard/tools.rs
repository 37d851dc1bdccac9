//! Tools of the harnesses: which of them runs a command, reads or writes a file, and with which
//! words.

use serde_json::{Map, Value};

use super::call::Call;
use super::lex::{self, Fault};
use super::mcp;
use super::secrets;
use super::text;
use super::walk::Walk;

/// What a tool does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Shell,
    Read,
    Write,
    /// Looks for names or texts.
    Search,
    /// Changes nothing of note: notes, questions, the web.
    Harmless,
    Other,
}

/// The kind of a tool by the name that a harness gives it.
pub(super) fn kind(tool: &str) -> Kind {
    let name = tool.to_ascii_lowercase();
    match name.as_str() {
        "bash" | "shell" | "sh" | "exec_command" | "run_shell_command" | "terminal"
        | "local_shell" | "container.exec" | "execute_command" | "run_in_terminal"
        | "run_terminal_cmd" | "run_command" | "exec" | "shell_command" | "unified_exec"
        | "write_stdin" | "powershell" | "cmd" | "process" | "execute_bash" | "repl" => Kind::Shell,
        "read" | "read_file" | "read_many_files" | "view" | "notebookread" | "view_image"
        | "cat" | "readfile" | "open_file" | "read_files" => Kind::Read,
        "grep"
        | "glob"
        | "ls"
        | "list_directory"
        | "search_file_content"
        | "grep_search"
        | "find"
        | "search"
        | "search_files"
        | "list_files"
        | "list_dir"
        | "file_search"
        | "codebase_search"
        | "grep_files"
        | "list" => Kind::Search,
        "write"
        | "write_file"
        | "edit"
        | "multiedit"
        | "notebookedit"
        | "replace"
        | "patch"
        | "apply_patch"
        | "create_file"
        | "edit_file"
        | "str_replace_based_edit_tool"
        | "str_replace_editor"
        | "str_replace"
        | "insert"
        | "multi_edit"
        | "update_file"
        | "delete_file"
        | "writefile"
        | "editfile"
        | "apply_diff"
        | "search_replace" => Kind::Write,
        "webfetch"
        | "web_fetch"
        | "websearch"
        | "web_search"
        | "google_web_search"
        | "todowrite"
        | "todoread"
        | "write_todos"
        | "todo"
        | "exitplanmode"
        | "enterplanmode"
        | "askuserquestion"
        | "skill"
        | "bashoutput"
        | "taskoutput"
        | "tasklist"
        | "taskget"
        | "update_plan"
        | "toolsearch"
        | "listmcpresourcestool"
        | "readmcpresourcetool"
        | "list_mcp_resources"
        | "read_mcp_resource"
        | "save_memory"
        | "get_internal_docs"
        | "question"
        | "web_extract"
        | "session_search"
        | "clarify"
        | "lsp" => Kind::Harmless,
        _ => Kind::Other,
    }
}

/// Judges a call.
pub(super) fn judge(walk: &mut Walk<'_>, tool: &str, input: &str) {
    let kind = kind(tool);
    let parsed: Option<Map<String, Value>> = input
        .trim_start()
        .starts_with('{')
        .then(|| serde_json::from_str(input).ok())
        .flatten();
    values(walk, parsed.as_ref(), input);
    match (kind, parsed) {
        (Kind::Shell, Some(fields)) if command_of(&fields).is_some() => shell(walk, &fields),
        (Kind::Shell, Some(fields)) if COMMANDS.iter().any(|name| fields.contains_key(*name)) => {
            walk.unclear("the command is neither a text nor a list");
        }
        (Kind::Shell, _) => script(walk, input),
        (Kind::Harmless, _) => {}
        (Kind::Read, Some(fields)) => read(walk, &fields),
        (Kind::Search, Some(fields)) => search(walk, &fields),
        (Kind::Write, Some(fields)) => write(walk, tool, &fields),
        (Kind::Write, None) if input.contains("*** ") => patched(walk, input),
        (Kind::Other, Some(fields)) => mcp::judge(walk, tool, &fields, input.len()),
        (Kind::Read | Kind::Search, None) => {
            walk.unclear("the input is no object");
            walk.reads = true;
        }
        (Kind::Write | Kind::Other, None) => {
            if !input.trim().is_empty() {
                walk.unclear("the input is no object");
            }
            walk.reads = false;
        }
    }
}

/// Secrets in what is handed to a tool, whatever it does.
fn values(walk: &mut Walk<'_>, fields: Option<&Map<String, Value>>, input: &str) {
    let found = secrets::find(input).or_else(|| {
        let mut found = None;
        if let Some(fields) = fields {
            let mut left = 4096;
            for (name, value) in fields {
                found = found.or_else(|| in_value(name, value, &mut left));
            }
        }
        found
    });
    if let Some(rule) = found {
        walk.report(rule, "", None);
    }
}

fn in_value(name: &str, value: &Value, left: &mut usize) -> Option<&'static str> {
    *left = left.checked_sub(1)?;
    match value {
        Value::String(text) if text.contains(['\\', '"', '\n']) || text.len() < 512 => {
            secrets::find(text).or_else(|| secrets::find_generic(&format!("{name}={text}")))
        }
        Value::Array(items) => items.iter().find_map(|item| in_value(name, item, left)),
        Value::Object(fields) => fields
            .iter()
            .find_map(|(name, value)| in_value(name, value, left)),
        _ => None,
    }
}

/// Names of fields that hold a command.
const COMMANDS: [&str; 7] = [
    "command", "cmd", "script", "commands", "chars", "input", "code",
];

/// The command of a shell's input.
fn command_of(fields: &Map<String, Value>) -> Option<&Value> {
    COMMANDS
        .iter()
        .find_map(|name| fields.get(*name))
        .filter(|value| value.is_string() || value.is_array())
}

fn shell(walk: &mut Walk<'_>, fields: &Map<String, Value>) {
    let folder = [
        "workdir",
        "cwd",
        "directory",
        "dir_path",
        "working_directory",
    ];
    if let Some(folder) = folder
        .iter()
        .find_map(|name| fields.get(*name)?.as_str())
        .filter(|folder| !folder.is_empty())
    {
        walk.places.go(folder);
    }
    match command_of(fields) {
        Some(Value::String(line)) => script(walk, line),
        Some(Value::Array(words)) => {
            let words: Option<Vec<String>> = words
                .iter()
                .map(|word| word.as_str().map(|word| text::clean(word).into_owned()))
                .collect();
            match words {
                Some(words) if words.iter().map(String::len).sum::<usize>() <= lex::LONGEST => {
                    let out = walk.command(&words, &[], String::new());
                    walk.show(&out);
                }
                Some(_) => walk.fault(Fault::Large),
                None => walk.unclear("the command is no list of words"),
            }
        }
        _ => walk.unclear("the command is not there"),
    }
}

fn script(walk: &mut Walk<'_>, line: &str) {
    walk.shown(&text::clean(line));
}

/// Names of fields that hold paths.
const PATHS: [&str; 16] = [
    "file_path",
    "path",
    "filePath",
    "absolute_path",
    "notebook_path",
    "paths",
    "file",
    "filename",
    "files",
    "target_file",
    "file_paths",
    "include",
    "source",
    "destination",
    "target",
    "uri",
];

/// The paths of an input.
pub(super) fn paths(fields: &Map<String, Value>) -> Vec<String> {
    let mut found = Vec::new();
    for name in PATHS {
        match fields.get(name) {
            Some(Value::String(path)) => found.push(path.clone()),
            Some(Value::Array(paths)) => {
                for path in paths {
                    match path {
                        Value::String(path) => found.push(path.clone()),
                        Value::Object(fields) => found.extend(
                            ["path", "file_path"]
                                .iter()
                                .find_map(|name| fields.get(*name)?.as_str())
                                .map(str::to_owned),
                        ),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
    found
        .iter()
        .map(|path| text::clean(path.trim_start_matches("file://")).into_owned())
        .collect()
}

fn read(walk: &mut Walk<'_>, fields: &Map<String, Value>) {
    for path in paths(fields) {
        let content = walk.file(&path);
        walk.show(&content);
    }
}

/// A search shows the lines that it finds only where it is told to.
fn search(walk: &mut Walk<'_>, fields: &Map<String, Value>) {
    let content = fields
        .get("output_mode")
        .and_then(Value::as_str)
        .is_none_or(|mode| mode == "content");
    let pattern = fields.contains_key("pattern")
        || fields.contains_key("query")
        || fields.contains_key("regex");
    let named = ["path", "include", "glob", "paths", "file_path"];
    for path in paths(fields).into_iter().chain(
        fields
            .get("glob")
            .and_then(Value::as_str)
            .map(str::to_owned),
    ) {
        if content
            && pattern
            && walk.places.is_secret(&path)
            && named.iter().any(|name| fields.contains_key(*name))
        {
            let found = walk.file(&path);
            walk.show(&found);
        }
    }
}

fn write(walk: &mut Walk<'_>, tool: &str, fields: &Map<String, Value>) {
    let verb = fields
        .get("command")
        .and_then(Value::as_str)
        .unwrap_or_default();
    if verb == "view" {
        read(walk, fields);
        return;
    }
    walk.reads = false;
    let deletes = fields.get("mode").and_then(Value::as_str) == Some("delete")
        || verb == "delete"
        || tool.eq_ignore_ascii_case("delete_file");
    for path in paths(fields) {
        if deletes {
            walk.deleting(&path, true);
        }
        if fields.contains_key("content") && verb.is_empty() || verb == "create" {
            walk.emptying(&path);
        } else {
            walk.writing(&path);
        }
    }
    for name in [
        "input",
        "patch",
        "patchText",
        "diff",
        "patch_text",
        "content",
    ] {
        if let Some(patch) = fields.get(name).and_then(Value::as_str)
            && (name != "content" || patch.starts_with("*** Begin Patch"))
        {
            patched(walk, patch);
        }
    }
}

/// The files that a patch changes.
pub(super) fn patched(walk: &mut Walk<'_>, patch: &str) {
    walk.reads = false;
    for line in patch.lines() {
        let marks = [
            "*** Update File: ",
            "*** Add File: ",
            "*** Move to: ",
            "*** Delete File: ",
        ];
        if let Some(mark) = marks.iter().find(|mark| line.starts_with(**mark)) {
            let path = text::clean(line[mark.len()..].trim()).into_owned();
            if *mark == "*** Delete File: " {
                walk.deleting(&path, false);
            }
            walk.writing(&path);
        } else if let Some(path) = line.strip_prefix("+++ ") {
            let path = path.split('\t').next().unwrap_or_default().trim();
            if path != "/dev/null" {
                walk.writing(&text::clean(path.strip_prefix("b/").unwrap_or(path)));
            }
        }
    }
}

/// A call of a program, for those who hold it against rules.
pub(super) fn as_call(name: &str, args: Vec<String>) -> Call {
    Call {
        name: name.to_owned(),
        path: name.to_owned(),
        args,
        env: Vec::new(),
        stdin: String::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::contract::guard::{GuardOutcome, Policy};
    use crate::rules::guard::judge;

    use super::*;

    #[test]
    fn a_list_of_words_may_be_so_long_together() {
        let said = |words: &[&str]| {
            let input = json!({"command": words}).to_string();
            judge("Bash", &input, &Policy::default()).outcome
        };
        let rest = " ".repeat(lex::LONGEST - 4);
        assert_eq!(said(&["echo", &rest]), GuardOutcome::Allow);
        assert_eq!(said(&["echo", &rest, " "]), GuardOutcome::Indeterminate);
    }

    #[test]
    fn a_tool_that_reads_is_known_by_its_whole_name() {
        let policy = Policy::default();
        for tool in ["Read", "NotebookRead", "view_image"] {
            let said = judge(tool, &json!({"path": "a"}).to_string(), &policy);
            assert!(said.only_reads, "{tool}");
        }
        assert!(!judge("Write", &json!({"path": "a"}).to_string(), &policy).only_reads);
    }
}
