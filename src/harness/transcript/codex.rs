//! Codex's rollout files: items of the model's side, and events of the program's. Both tell of
//! one command; the first that comes is taken.

use serde_json::Value;

use crate::contract::observed::{Fact, Moment, ReturnFact, SessionFact, TotalsFact};

use super::row::{Out, content, count, parts, text, time};
use super::{Format, tools};

/// The format.
#[derive(Default)]
pub(super) struct Codex;

impl Format for Codex {
    fn read(&mut self, row: &Value, moments: &mut Vec<Moment>) {
        let mut out = Out {
            at_us: time(row, "/timestamp"),
            moments,
        };
        let Some(body) = row.get("payload") else {
            return;
        };
        match text(row, "/type") {
            Some("session_meta") => session(body, &mut out),
            Some("turn_context") => {
                if let Some(model) = text(body, "/model") {
                    out.push(Fact::Model(model.to_owned()));
                }
            }
            Some("token_usage_record") => out.push(Fact::Totals(TotalsFact {
                tokens: count(body, "/thread_token_usage/total_tokens"),
                context: count(body, "/usage/input_tokens"),
                cost_microusd: None,
            })),
            Some("response_item") => item(body, &mut out),
            Some("event_msg") => event(body, &mut out),
            _ => {}
        }
    }
}

fn session(body: &Value, out: &mut Out<'_>) {
    let id = text(body, "/id").map(str::to_owned);
    let root = text(body, "/session_id").map(str::to_owned);
    let below = root.is_some() && root != id;
    out.push(Fact::Session(SessionFact {
        session: root.or_else(|| id.clone()),
        subagent: id.filter(|_| below),
        cwd: text(body, "/cwd").map(str::to_owned),
    }));
}

/// What the model called, and what it was given back.
fn item(body: &Value, out: &mut Out<'_>) {
    let id = text(body, "/call_id").or_else(|| text(body, "/id"));
    let id = id.unwrap_or_default();
    match text(body, "/type") {
        Some("function_call") => {
            let given = text(body, "/arguments").unwrap_or_default();
            let input = serde_json::from_str(given).unwrap_or(Value::Null);
            let name = text(body, "/name").unwrap_or_default();
            out.push(Fact::Called(tools::call(id, name, &input)));
        }
        Some("custom_tool_call") => {
            let input = body.get("input").cloned().unwrap_or_default();
            let name = text(body, "/name").unwrap_or_default();
            out.push(Fact::Called(tools::call(id, name, &input)));
        }
        Some("local_shell_call") => {
            let input = body.get("action").cloned().unwrap_or_default();
            out.push(Fact::Called(tools::call(id, "local_shell", &input)));
        }
        Some("function_call_output" | "custom_tool_call_output") => {
            out.push(Fact::Returned(output(id, body.get("output"))));
        }
        _ => {}
    }
}

/// A result as the model reads it: a text, parts, or JSON in a text.
fn output(id: &str, value: Option<&Value>) -> ReturnFact {
    let said = content(value.and_then(|v| v.get("content")).or(value));
    let inner: Option<Value> = said
        .starts_with('{')
        .then(|| serde_json::from_str(&said).ok())
        .flatten();
    let coded = inner
        .as_ref()
        .and_then(|v| v.pointer("/metadata/exit_code"));
    let code = coded
        .and_then(Value::as_i64)
        .and_then(|code| i32::try_from(code).ok());
    let code = code.or_else(|| tools::exit_code(&said));
    let denied = value.and_then(|v| v.get("success")) == Some(&Value::Bool(false));
    let told = inner
        .as_ref()
        .and_then(|v| text(v, "/output"))
        .unwrap_or(&said);
    let told = told
        .split_once("\nOutput:\n")
        .map_or(told, |(_, rest)| rest);
    ReturnFact {
        id: id.to_owned(),
        failed: denied || code.is_some_and(|code| code != 0),
        exit_code: code,
        text: told.to_owned(),
    }
}

fn event(body: &Value, out: &mut Out<'_>) {
    match text(body, "/type") {
        Some("user_message") => {
            out.said(Fact::Prompt, text(body, "/message").unwrap_or_default());
        }
        Some("agent_message") => {
            out.said(Fact::Spoke, text(body, "/message").unwrap_or_default());
        }
        Some("thread_name_updated") => {
            out.said(Fact::Title, text(body, "/thread_name").unwrap_or_default());
        }
        Some("token_count") if body.get("info").is_some_and(Value::is_object) => {
            out.push(Fact::Totals(TotalsFact {
                tokens: count(body, "/info/total_token_usage/total_tokens"),
                context: count(body, "/info/last_token_usage/input_tokens"),
                cost_microusd: None,
            }));
        }
        Some("exec_command_end" | "patch_apply_end") => {
            let id = text(body, "/call_id").unwrap_or_default();
            out.push(Fact::Returned(ended(id, body)));
        }
        Some("item_completed") => {
            if let Some(item) = body.get("item") {
                completed(item, out);
            }
        }
        Some("task_complete" | "turn_aborted") => out.push(Fact::TurnEnded),
        _ => {}
    }
}

fn completed(item: &Value, out: &mut Out<'_>) {
    let id = text(item, "/id").unwrap_or_default();
    match text(item, "/type") {
        Some("UserMessage") => out.said(Fact::Prompt, &content(item.get("content"))),
        Some("AgentMessage") => out.said(Fact::Spoke, &content(item.get("content"))),
        Some("CommandExecution") => {
            let input = serde_json::json!({"command": item.get("command")});
            out.push(Fact::Called(tools::call(id, "exec_command", &input)));
            out.push(Fact::Returned(ended(id, item)));
        }
        Some("FileChange") => {
            out.push(Fact::Called(changed(id, item)));
            out.push(Fact::Returned(ended(id, item)));
        }
        _ => {}
    }
}

/// How a command or a patch ended, as the program saw it.
fn ended(id: &str, body: &Value) -> ReturnFact {
    let code = body.get("exit_code").and_then(Value::as_i64);
    let code = code.and_then(|code| i32::try_from(code).ok());
    let failed = match code {
        Some(code) => code != 0,
        None => {
            body.get("success") == Some(&Value::Bool(false))
                || text(body, "/status") == Some("failed")
        }
    };
    let said = [
        "/aggregated_output",
        "/formatted_output",
        "/stderr",
        "/stdout",
    ];
    let said = said.iter().find_map(|pointer| text(body, pointer));
    ReturnFact {
        id: id.to_owned(),
        failed,
        exit_code: code,
        text: said.unwrap_or_default().to_owned(),
    }
}

/// The files that a patch changed: a list of objects with paths, or an object by path.
fn changed(id: &str, item: &Value) -> crate::contract::observed::CallFact {
    let mut patch = String::new();
    let mut add = |path: &str, change: &Value| {
        let lines = change.to_string();
        patch.extend(["*** Update File: ", path, "\n+", &lines, "\n"]);
    };
    match item.get("changes") {
        Some(Value::Object(files)) => files.iter().for_each(|(path, change)| add(path, change)),
        changes => {
            for change in parts(changes) {
                add(text(change, "/path").unwrap_or_default(), change);
            }
        }
    }
    tools::call(id, "apply_patch", &Value::String(patch))
}
