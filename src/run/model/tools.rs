//! Which of the tools that an agent program offers does what a script asks for, and how that
//! program names the arguments.

use serde_json::{Map, Value, json};

use super::step::{Act, quoted};

/// Names of the tool that runs a command, by agent program.
const SHELL: [&str; 10] = [
    "Bash",          // Claude Code
    "bash",          // pi, opencode
    "exec_command",  // Codex
    "shell_command", // Codex, older
    "shell",
    "local_shell",
    "run_shell_command", // Gemini CLI
    "terminal",          // Hermes
    "developer__shell",
    "execute_command",
];
const READ: [&str; 3] = ["Read", "read", "read_file"];
const WRITE: [&str; 3] = ["Write", "write", "write_file"];
const EDIT: [&str; 5] = ["Edit", "edit", "replace", "patch", "edit_file"];
/// Codex changes files with a patch in a form of its own.
const PATCH: &str = "apply_patch";

/// A tool that is offered.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Tool {
    /// Its name.
    pub name: String,
    /// The JSON Schema of its arguments.
    pub schema: Value,
    /// The group that it lies in, where the format has groups.
    pub space: Option<String>,
    /// It takes one text and no arguments.
    pub free: bool,
}

/// What the model answers.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Deed {
    /// A text.
    Text(String),
    /// A call of a tool.
    Call(Call),
}

/// A call of a tool.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Call {
    /// The tool.
    pub name: String,
    /// The group that it lies in.
    pub space: Option<String>,
    /// Its arguments; a text where the tool takes one text.
    pub args: Value,
}

/// The word that a request gets which asks for no work: a title, a guess, a summary.
pub(super) const WORD: &str = "ok";

/// Whether a request comes from the agent's own loop: it offers a tool that does the work.
pub(super) fn is_main(tools: &[Tool]) -> bool {
    shell(tools).is_some() || tools.len() > 2
}

/// The deed that an act comes to with these tools.
pub(super) fn deed(act: &Act, tools: &[Tool]) -> Deed {
    match act {
        Act::Text(words) => Deed::Text(words.clone()),
        Act::Shell(command) => by_shell(command, tools),
        Act::Read(path) => match one_of(tools, &READ) {
            Some(tool) => call(tool, &[(&PATHS, json!(path))]),
            None => by_shell(&format!("cat {}", quoted(path)), tools),
        },
        Act::Write { path, text } => write(path, text, tools),
        Act::Edit { path, old, new } => edit(path, old, new, tools),
        Act::Call { tool: name, args } => {
            let exact = tools.iter().find(|tool| tool.name == *name);
            match exact.or_else(|| tools.iter().find(|tool| tool.name.ends_with(name.as_str()))) {
                Some(tool) => made(tool, args.clone()),
                None => Deed::Text(format!("No tool {name} is offered.")),
            }
        }
    }
}

const PATHS: [&str; 3] = ["file_path", "filePath", "path"];
const TEXTS: [&str; 2] = ["content", "text"];
const OLD: [&str; 2] = ["old_string", "oldString"];
const NEW: [&str; 2] = ["new_string", "newString"];

fn write(path: &str, text: &str, tools: &[Tool]) -> Deed {
    if let Some(tool) = one_of(tools, &WRITE) {
        return call(tool, &[(&PATHS, json!(path)), (&TEXTS, json!(text))]);
    }
    let added = marked('+', text);
    patch(&format!("*** Add File: {path}\n{added}"), tools).unwrap_or_else(|| {
        by_shell(
            &format!("printf %s {} > {}", quoted(text), quoted(path)),
            tools,
        )
    })
}

fn edit(path: &str, old: &str, new: &str, tools: &[Tool]) -> Deed {
    if let Some(tool) = one_of(tools, &EDIT) {
        if has(tool, "edits") {
            let edits = json!([{"oldText": old, "newText": new}]);
            return call(tool, &[(&PATHS, json!(path)), (&["edits"], edits)]);
        }
        let texts = [
            (&PATHS[..], json!(path)),
            (&OLD, json!(old)),
            (&NEW, json!(new)),
        ];
        return call(tool, &texts);
    }
    let change = format!(
        "*** Update File: {path}\n@@\n{}{}",
        marked('-', old),
        marked('+', new)
    );
    patch(&change, tools).unwrap_or_else(|| Deed::Text("No tool that edits is offered.".to_owned()))
}

/// Each line of a text behind a mark.
fn marked(mark: char, text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        out.push(mark);
        out.push_str(line);
        out.push('\n');
    }
    out
}

fn patch(change: &str, tools: &[Tool]) -> Option<Deed> {
    let tool = tools.iter().find(|tool| tool.name == PATCH)?;
    let text = format!("*** Begin Patch\n{change}*** End Patch\n");
    let args = if tool.free {
        json!(text)
    } else {
        json!({"input": text})
    };
    Some(made(tool, args))
}

fn shell(tools: &[Tool]) -> Option<&Tool> {
    let ends = |tool: &&Tool| {
        let name = tool.name.to_ascii_lowercase();
        name.ends_with("bash") || name.ends_with("shell")
    };
    one_of(tools, &SHELL).or_else(|| tools.iter().find(ends))
}

fn by_shell(command: &str, tools: &[Tool]) -> Deed {
    let Some(tool) = shell(tools) else {
        return Deed::Text("No tool that runs a command is offered.".to_owned());
    };
    let name = ["command", "cmd", "script"]
        .into_iter()
        .find(|name| has(tool, name));
    let name = name.unwrap_or("command");
    let list = tool.schema.pointer(&format!("/properties/{name}/type"));
    let list = list.is_some_and(|kind| kind.to_string().to_ascii_lowercase().contains("array"));
    let command = if list {
        json!(["bash", "-lc", command])
    } else {
        json!(command)
    };
    call(tool, &[(&[name], command)])
}

fn one_of<'t>(tools: &'t [Tool], names: &[&str]) -> Option<&'t Tool> {
    names
        .iter()
        .find_map(|name| tools.iter().find(|tool| tool.name == *name))
}

fn has(tool: &Tool, name: &str) -> bool {
    tool.schema
        .pointer(&format!("/properties/{name}"))
        .is_some()
}

/// A call with these values, each under the first of its names that the tool knows, and with
/// something for everything else that the tool insists on.
fn call(tool: &Tool, values: &[(&[&str], Value)]) -> Deed {
    let mut args = Map::new();
    for (names, value) in values {
        let name = names
            .iter()
            .find(|name| has(tool, name))
            .unwrap_or(&names[0]);
        args.insert((*name).to_owned(), value.clone());
    }
    let required = tool.schema.get("required").and_then(Value::as_array);
    for name in required.into_iter().flatten().filter_map(Value::as_str) {
        if !args.contains_key(name) {
            let schema = tool.schema.pointer(&format!("/properties/{name}"));
            args.insert(name.to_owned(), sample(schema.unwrap_or(&Value::Null)));
        }
    }
    made(tool, Value::Object(args))
}

fn made(tool: &Tool, args: Value) -> Deed {
    Deed::Call(Call {
        name: tool.name.clone(),
        space: tool.space.clone(),
        args,
    })
}

/// Something that fits a schema.
pub(super) fn sample(schema: &Value) -> Value {
    let first = schema.get("enum").and_then(|list| list.get(0));
    if let Some(first) = first {
        return first.clone();
    }
    let kind = schema.get("type").map(Value::to_string).unwrap_or_default();
    let kind = kind.to_ascii_lowercase();
    if kind.contains("object") {
        let parts = schema.get("properties").and_then(Value::as_object);
        let parts = parts.into_iter().flatten();
        return Value::Object(parts.map(|(key, one)| (key.clone(), sample(one))).collect());
    }
    if kind.contains("array") {
        return json!([]);
    }
    if kind.contains("bool") {
        return json!(false);
    }
    if kind.contains("int") || kind.contains("number") {
        return json!(10_000);
    }
    json!("a step of a script")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(name: &str, properties: &str) -> Tool {
        let named = properties
            .split(' ')
            .map(|one| (one.to_owned(), json!({"type": "string"})));
        let required: Vec<&str> = properties.split(' ').collect();
        Tool {
            name: name.to_owned(),
            schema: json!({"properties": named.collect::<Map<_, _>>(), "required": required}),
            ..Tool::default()
        }
    }

    fn args(deed: &Deed) -> (&str, String) {
        let Deed::Call(call) = deed else {
            panic!("no call: {deed:?}")
        };
        (&call.name, call.args.to_string())
    }

    #[test]
    fn each_agent_program_gets_a_command_in_its_own_words() {
        let act = Act::Shell("ls".to_owned());
        for (offered, name, wanted) in [
            (
                tool("Bash", "command description"),
                "Bash",
                r#"{"command":"ls","description":"a step of a script"}"#,
            ),
            (tool("bash", "command"), "bash", r#"{"command":"ls"}"#),
            (
                tool("exec_command", "cmd"),
                "exec_command",
                r#"{"cmd":"ls"}"#,
            ),
            (
                tool("run_shell_command", "command"),
                "run_shell_command",
                r#"{"command":"ls"}"#,
            ),
            (
                tool("terminal", "command"),
                "terminal",
                r#"{"command":"ls"}"#,
            ),
        ] {
            let offered = [tool("other", "x"), offered];
            assert!(is_main(&offered));
            assert_eq!(args(&deed(&act, &offered)), (name, wanted.to_owned()));
        }
        let mut list = tool("shell", "command");
        list.schema["properties"]["command"]["type"] = json!("array");
        assert_eq!(
            args(&deed(&act, &[list])).1,
            r#"{"command":["bash","-lc","ls"]}"#
        );
        assert!(matches!(deed(&act, &[]), Deed::Text(_)));
        assert!(!is_main(&[]));
    }

    #[test]
    fn files_are_changed_by_the_tool_that_there_is() {
        let act = Act::Edit {
            path: "a".to_owned(),
            old: "x".to_owned(),
            new: "y".to_owned(),
        };
        for (offered, wanted) in [
            (
                tool("Edit", "file_path old_string new_string"),
                r#"{"file_path":"a","old_string":"x","new_string":"y"}"#,
            ),
            (
                tool("edit", "path edits"),
                r#"{"path":"a","edits":[{"oldText":"x","newText":"y"}]}"#,
            ),
            (
                tool("edit", "filePath oldString newString"),
                r#"{"filePath":"a","oldString":"x","newString":"y"}"#,
            ),
        ] {
            assert_eq!(args(&deed(&act, &[offered])).1, wanted);
        }
        let patch = Tool {
            free: true,
            ..tool("apply_patch", "input")
        };
        let said = deed(&act, &[patch]);
        let text = "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** End Patch\n";
        assert_eq!(args(&said), ("apply_patch", json!(text).to_string()));
        let write = Act::Write {
            path: "a b".to_owned(),
            text: "it's".to_owned(),
        };
        let said = deed(&write, &[tool("bash", "command")]);
        assert_eq!(
            args(&said).1,
            json!({"command": "printf %s 'it'\\''s' > 'a b'"}).to_string()
        );
        let said = deed(&Act::Read("a".to_owned()), &[tool("read_file", "path")]);
        assert_eq!(args(&said), ("read_file", r#"{"path":"a"}"#.to_owned()));
    }

    #[test]
    fn a_servers_tool_is_found_by_the_end_of_its_name() {
        let act = Act::Call {
            tool: "handoff_open".to_owned(),
            args: json!({"question": "q"}),
        };
        let said = deed(&act, &[tool("mcp__watchfloor__handoff_open", "question")]);
        assert_eq!(args(&said).0, "mcp__watchfloor__handoff_open");
        assert!(matches!(
            deed(&act, &[tool("bash", "command")]),
            Deed::Text(_)
        ));
    }
}
