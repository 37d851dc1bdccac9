//! Tools of MCP servers and others that nobody here knows: judged by the words of their name and
//! by what their input names.

use serde_json::{Map, Value};

use super::forge;
use super::lex::{self, Fault};
use super::own;
use super::prod::{self, Named, db};
use super::ssh;
use super::text;
use super::tools;
use super::walk::Walk;

/// Words in a tool's name that say it only reads.
const READS: [&str; 34] = [
    "get",
    "list",
    "read",
    "search",
    "fetch",
    "describe",
    "find",
    "show",
    "status",
    "count",
    "view",
    "query",
    "lookup",
    "inspect",
    "check",
    "diff",
    "log",
    "logs",
    "explain",
    "info",
    "download",
    "export",
    "validate",
    "preview",
    "plan",
    "screenshot",
    "snapshot",
    "resolve",
    "wait",
    "docs",
    "ls",
    "tree",
    "select",
    "browse",
];

/// Words that say it changes something.
const CHANGES: [&str; 52] = [
    "create",
    "update",
    "delete",
    "write",
    "edit",
    "put",
    "post",
    "patch",
    "set",
    "add",
    "remove",
    "merge",
    "push",
    "apply",
    "destroy",
    "drop",
    "insert",
    "run",
    "execute",
    "exec",
    "deploy",
    "publish",
    "restart",
    "stop",
    "start",
    "kill",
    "send",
    "move",
    "rename",
    "close",
    "upload",
    "approve",
    "reset",
    "truncate",
    "terminate",
    "scale",
    "rollback",
    "promote",
    "archive",
    "copy",
    "modify",
    "install",
    "uninstall",
    "submit",
    "cancel",
    "enable",
    "disable",
    "grant",
    "revoke",
    "migrate",
    "click",
    "fill",
];

/// Judges such a call.
pub(super) fn judge(walk: &mut Walk<'_>, tool: &str, fields: &Map<String, Value>, size: usize) {
    if size > lex::LONGEST {
        walk.fault(Fault::Large);
        return;
    }
    let name = tool.strip_prefix("mcp__").unwrap_or(tool);
    let action = name.rsplit("__").next().unwrap_or(name);
    let words = words(action);
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    let changes = has(&CHANGES);
    walk.reads = has(&READS) && !changes;
    let lower = name.to_ascii_lowercase();
    if lower.contains("watchfloor") {
        product(walk, action);
        return;
    }
    statements(walk, &words, fields);
    commands(walk, fields);
    files(walk, &words, fields);
    forges(walk, action, fields);
    let destroys = has(&[
        "deploy",
        "publish",
        "promote",
        "rollback",
        "restart",
        "terminate",
        "destroy",
        "apply",
        "scale",
    ]);
    let environment = environment(walk, name, fields);
    let unnamed = has(&["deploy", "publish", "promote", "rollback", "destroy"]);
    let production = environment == Named::Production && (changes || destroys);
    if production || (unnamed && environment != Named::Other) {
        walk.report("prod.tool", tool, None);
    }
    if has(&["secret", "secrets", "credential", "credentials", "password"])
        && has(&["get", "read", "show", "fetch", "access", "reveal"])
    {
        walk.report("secret.print-token", tool, None);
    }
    if has(&["ssh", "sftp", "scp"]) {
        let host = ["host", "hostname", "server"]
            .iter()
            .find_map(|name| fields.get(*name)?.as_str())
            .unwrap_or_default();
        ssh::reach(walk, "ssh.session", &ssh::host(host));
    }
    requests(walk, fields);
}

/// The words of a tool's name: `createIssue`, `create_issue`, `create-issue`.
fn words(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    for c in name.chars().take(200) {
        if !c.is_ascii_alphanumeric()
            || (c.is_ascii_uppercase() && word.ends_with(|last: char| last.is_ascii_lowercase()))
        {
            words.push(std::mem::take(&mut word));
        }
        if c.is_ascii_alphanumeric() {
            word.push(c.to_ascii_lowercase());
        }
    }
    words.push(word);
    words
}

/// Verbs of this product as tools.
fn product(walk: &mut Walk<'_>, action: &str) {
    let args: Vec<String> = action.split(['_', '-']).map(str::to_owned).collect();
    let call = tools::as_call("watchfloor", args);
    own::product(walk, &call);
}

/// All texts in an input, with their names.
fn texts(fields: &Map<String, Value>) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    for (name, value) in fields {
        collect(name, value, 0, &mut found);
    }
    found
}

fn collect<'v>(name: &'v str, value: &'v Value, depth: usize, found: &mut Vec<(&'v str, &'v str)>) {
    if depth > lex::DEEPEST || found.len() > 1000 {
        return;
    }
    match value {
        Value::String(text) => found.push((name, text)),
        Value::Array(items) => items
            .iter()
            .for_each(|item| collect(name, item, depth + 1, found)),
        Value::Object(fields) => fields
            .iter()
            .for_each(|(name, value)| collect(name, value, depth + 1, found)),
        _ => {}
    }
}

const STATEMENTS: [&str; 5] = ["sql", "query", "statement", "statements", "queries"];

/// What environment the input or the server names; what is written as text does not count.
fn environment(walk: &Walk<'_>, name: &str, fields: &Map<String, Value>) -> Named {
    let data = [
        "content",
        "text",
        "body",
        "message",
        "description",
        "title",
        "prompt",
        "code",
        "comment",
        "old_string",
        "new_string",
    ];
    let mut kinds: Vec<Named> = texts(fields)
        .into_iter()
        .filter(|(name, text)| {
            !data.contains(name) && !STATEMENTS.contains(name) && text.len() <= 256
        })
        .map(|(_, text)| prod::kind(walk, text))
        .collect();
    kinds.push(prod::kind(walk, name));
    if kinds.contains(&Named::Production) {
        Named::Production
    } else if kinds.contains(&Named::Other) {
        Named::Other
    } else {
        Named::Nothing
    }
}

fn statements(walk: &mut Walk<'_>, words: &[String], fields: &Map<String, Value>) {
    let store = words.iter().any(|word| {
        matches!(
            word.as_str(),
            "sql" | "query" | "execute" | "db" | "database"
        )
    });
    for (name, sql) in texts(fields) {
        if !STATEMENTS.contains(&name)
            || (!store && name != "sql")
            || db::only_reads(sql)
            || !looks_like_sql(sql)
        {
            continue;
        }
        walk.reads = false;
        if environment(walk, "", fields) == Named::Production {
            walk.report("prod.db", "", None);
        }
    }
}

/// Whether a text is a statement rather than words to look for.
fn looks_like_sql(text: &str) -> bool {
    let first = text
        .split(|c: char| !c.is_ascii_alphabetic())
        .find(|word| !word.is_empty())
        .unwrap_or_default()
        .to_ascii_lowercase();
    [
        "insert", "update", "delete", "drop", "truncate", "alter", "create", "grant", "revoke",
        "merge", "replace", "copy", "call", "do", "vacuum", "with", "explain", "select", "begin",
        "set",
    ]
    .contains(&first.as_str())
}

fn commands(walk: &mut Walk<'_>, fields: &Map<String, Value>) {
    for name in ["command", "cmd", "script", "shell_command", "shell"] {
        if let Some(line) = fields.get(name).and_then(Value::as_str) {
            let reads = walk.reads;
            walk.reads = true;
            walk.shown(&text::clean(line));
            walk.reads &= reads || walk.found.is_none();
        }
    }
}

fn files(walk: &mut Walk<'_>, words: &[String], fields: &Map<String, Value>) {
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    for path in tools::paths(fields) {
        if path.contains("://") {
            continue;
        }
        if has(&["delete", "remove", "rm", "unlink"])
            && has(&[
                "file",
                "files",
                "directory",
                "dir",
                "folder",
                "path",
                "rm",
                "unlink",
            ])
        {
            walk.deleting(&path, true);
        } else if has(&[
            "write", "edit", "create", "move", "append", "replace", "patch", "insert", "rename",
            "update",
        ]) {
            walk.writing(&path);
        } else if has(&["read", "get", "view", "cat", "open", "fetch", "show"]) {
            let content = walk.file(&path);
            walk.show(&content);
        }
    }
}

/// Tools of a forge's server.
fn forges(walk: &mut Walk<'_>, action: &str, fields: &Map<String, Value>) {
    let flat = action.to_ascii_lowercase().replace(['-', '.'], "_");
    let text = |name: &str| fields.get(name).and_then(Value::as_str).unwrap_or_default();
    if flat.contains("merge_pull_request")
        || flat.contains("merge_merge_request")
        || flat.contains("accept_merge_request")
        || flat.contains("mergepullrequest")
    {
        walk.report("git.push-protected", "a request is merged", None);
        return;
    }
    let event = text("event").to_ascii_uppercase();
    if flat.contains("approve_merge_request")
        || flat.contains("approve_pull_request")
        || (flat.contains("review") && event == "APPROVE")
    {
        walk.report("approval.self-approve", "", None);
    }
    if flat.contains("delete_branch") || flat.contains("delete_repository") {
        walk.report("git.remote-delete", text("branch"), None);
    }
    let writes = [
        "push_files",
        "create_or_update_file",
        "delete_file",
        "create_commit",
        "update_ref",
        "update_reference",
        "commit_files",
    ];
    let branch = ["branch", "ref", "branch_name"]
        .iter()
        .map(|name| text(name))
        .find(|text| !text.is_empty())
        .unwrap_or_default();
    let repository = ["repo", "repository", "project_id", "owner", "projectId"]
        .iter()
        .any(|name| fields.contains_key(*name));
    if repository && writes.iter().any(|verb| flat.contains(verb)) {
        forge::writes(walk, branch);
    }
}

/// A request that a tool sends for the model.
fn requests(walk: &mut Walk<'_>, fields: &Map<String, Value>) {
    let text = |name: &str| fields.get(name).and_then(Value::as_str).unwrap_or_default();
    let method = text("method").to_ascii_uppercase();
    let url = text("url");
    if method.is_empty() || url.is_empty() || matches!(method.as_str(), "GET" | "HEAD" | "OPTIONS")
    {
        return;
    }
    walk.reads = false;
    let authority = url
        .split("://")
        .nth(1)
        .unwrap_or(url)
        .split(['/', '?'])
        .next()
        .unwrap_or_default();
    let path = url.split_once(authority).map_or("", |(_, path)| path);
    forge::request(walk, &method, &ssh::host(authority), path, text("body"));
    if prod::kind(walk, authority) == Named::Production {
        walk.report("prod.http", &method, None);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::contract::guard::{GuardOutcome, Policy};
    use crate::rules::guard::judge;

    use super::*;

    fn nested(depth: usize, wrap: impl Fn(Value) -> Value) -> Map<String, Value> {
        let value = (0..depth).fold(json!("x"), |value, _| wrap(value));
        Map::from_iter([("a".to_owned(), value)])
    }

    #[test]
    fn texts_are_looked_for_so_deep_and_no_deeper() {
        let most = lex::DEEPEST;
        assert_eq!(texts(&nested(0, |value| json!([value]))), [("a", "x")]);
        assert_eq!(texts(&nested(most, |value| json!([value]))), [("a", "x")]);
        assert_eq!(texts(&nested(most + 1, |value| json!([value]))), []);
        assert_eq!(
            texts(&nested(most, |value| json!({"b": value}))),
            [("b", "x")]
        );
        assert_eq!(texts(&nested(most + 1, |value| json!({"b": value}))), []);
    }

    #[test]
    fn so_many_texts_are_looked_at_and_no_more() {
        let many = |count: usize| Map::from_iter([("a".to_owned(), json!(vec!["x"; count]))]);
        assert_eq!(texts(&many(1001)).len(), 1001);
        assert_eq!(texts(&many(1002)).len(), 1001);
    }

    #[test]
    fn an_input_that_is_too_long_is_not_read() {
        let said = |size: usize| {
            let empty = json!({"a": ""}).to_string().len();
            let input = json!({"a": " ".repeat(size - empty)}).to_string();
            assert_eq!(input.len(), size);
            judge("mcp__x__get", &input, &Policy::default()).outcome
        };
        assert_eq!(said(lex::LONGEST), GuardOutcome::Allow);
        assert_eq!(said(lex::LONGEST + 1), GuardOutcome::Indeterminate);
        assert_eq!(said(lex::LONGEST + 2), GuardOutcome::Indeterminate);
    }

    #[test]
    fn a_name_and_a_command_say_whether_a_tool_only_reads() {
        for (tool, input, reads) in [
            ("get_x", json!({}), true),
            ("x", json!({}), false),
            ("create_x", json!({}), false),
            ("get_and_delete_x", json!({}), false),
            ("get_x", json!({"command": "ls"}), true),
            ("get_x", json!({"command": "touch x"}), false),
        ] {
            let said = judge(
                &format!("mcp__x__{tool}"),
                &input.to_string(),
                &Policy::default(),
            );
            assert_eq!(said.outcome, GuardOutcome::Allow, "{tool} {input}");
            assert_eq!(said.only_reads, reads, "{tool} {input}");
        }
    }
}
