//! Hermes' hooks: payloads as the commands of its `config.yaml` receive them. It reads JSON alone
//! and takes no exit code for a refusal.

use serde_json::{Value, json};

use crate::contract::refusal::Refusal;
use crate::contract::tool::{
    CallOutcome, HookAnswer, HookEvent, Prompt, ToolResult, TurnEnd, WaitKind, Waits,
};

use super::command::{self, Payload};
use super::tools::{Tools, is_ours, number, text, texts};
use super::{Dialect, Wire};

/// The dialect.
pub(super) struct Hermes;

const NAME: &str = "hermes";
const BEFORE: &str = "pre_tool_call";

const TOOLS: Tools = Tools {
    shell: &["terminal"],
    edit: &["write_file"],
    patch: &["patch"],
    read: &[
        "read_file",
        "search_files",
        "web_search",
        "web_extract",
        "x_search",
        "session_search",
        "read_terminal",
        "vision_analyze",
        "video_analyze",
        "browser_snapshot",
        "browser_get_images",
        "browser_vision",
        "todo",
        "clarify",
        "skill_view",
        "skills_list",
        "project_list",
        "kanban_list",
        "kanban_show",
        "kanban_attachments",
        "delegate_task",
    ],
};

impl Dialect for Hermes {
    fn read(&self, event: Option<&str>, payload: &[u8]) -> Result<Wire, Refusal> {
        command::wire(event, payload, &[BEFORE], event_of)
    }

    fn write(&self, event: &str, answer: &HookAnswer) -> String {
        match answer {
            HookAnswer::Refuse(reason) => command::block(reason),
            HookAnswer::Tell(words) if event == "pre_llm_call" => {
                json!({"context": words}).to_string()
            }
            HookAnswer::Allow | HookAnswer::Tell(_) => "{}".to_owned(),
        }
    }

    fn refusable(&self, event: &str) -> bool {
        event == BEFORE
    }

    fn events(&self) -> &'static [&'static str] {
        &[
            "on_session_start",
            "pre_llm_call",
            "pre_tool_call",
            "post_tool_call",
            "pre_approval_request",
            "post_approval_response",
            "pre_verify",
            "on_session_finalize",
        ]
    }
}

fn turn(extra: &Value) -> Option<String> {
    text(extra, &["turn_id"]).filter(|id| !id.is_empty())
}

fn event_of(name: &str, payload: &Payload) -> HookEvent {
    let caller = || payload.caller(NAME);
    let extra = &payload.extra;
    let flag = |key: &str| extra.get(key).and_then(Value::as_bool).unwrap_or_default();
    match name {
        "on_session_start" => HookEvent::Start(caller()),
        "on_session_finalize" => HookEvent::End(caller()),
        "pre_llm_call" if typed(extra) => HookEvent::Prompt(Prompt {
            caller: caller(),
            first: flag("is_first_turn"),
        }),
        BEFORE => HookEvent::Before(payload.call(NAME, &TOOLS)),
        "post_tool_call" => after(payload),
        "pre_approval_request" if text(extra, &["surface"]).as_deref() != Some("smart") => {
            let what = text(extra, &["command", "description"]).unwrap_or_default();
            waits(payload, &what)
        }
        "post_approval_response" => HookEvent::WaitsNoMore(caller()),
        "pre_verify" => HookEvent::TurnEnd(TurnEnd {
            caller: caller(),
            turn: turn(extra),
            again: extra.get("attempt").and_then(Value::as_i64) > Some(0),
        }),
        _ => HookEvent::Ignored,
    }
}

/// A subagent's task comes as a prompt too; no person typed it.
fn typed(extra: &Value) -> bool {
    let words = text(extra, &["user_message"]).unwrap_or_default();
    text(extra, &["platform"]).as_deref() != Some("subagent") && !is_ours(&words)
}

fn waits(payload: &Payload, what: &str) -> HookEvent {
    HookEvent::Waits(Waits {
        caller: payload.caller(NAME),
        kind: WaitKind::Permission,
        call_id: text(&payload.extra, &["tool_call_id"]).filter(|id| !id.is_empty()),
        text: what.to_owned(),
    })
}

fn after(payload: &Payload) -> HookEvent {
    let extra = &payload.extra;
    let result = extra.get("result").unwrap_or(&Value::Null);
    // The result is JSON in a text.
    let told: Value = match result.as_str() {
        Some(text) => serde_json::from_str(text).unwrap_or(Value::Null),
        None => result.clone(),
    };
    let state = text(&told, &["status"]).unwrap_or_default();
    if matches!(
        state.as_str(),
        "pending_approval" | "approval_required" | "blocked"
    ) {
        return waits(payload, &payload.asks_for());
    }
    let status = text(extra, &["status"]).unwrap_or_default();
    let exit_code = number(&told, &["exit_code"]);
    let outcome = match (status.as_str(), exit_code) {
        // A hook refused it: it never ran.
        ("blocked", _) => return HookEvent::Ignored,
        ("error", _) => CallOutcome::Failed,
        (_, Some(code)) => CallOutcome::of_exit(Some(code)),
        ("ok", None) => CallOutcome::Done,
        _ => CallOutcome::Unknown,
    };
    let mut words = match &told {
        Value::Object(_) => ["output", "error"]
            .iter()
            .filter_map(|name| text(&told, &[name]))
            .filter(|text| !text.is_empty())
            .collect::<Vec<_>>()
            .join("\n"),
        _ => texts(result),
    };
    if words.is_empty() {
        words = text(extra, &["error_message"]).unwrap_or_default();
    }
    HookEvent::After(ToolResult {
        call: payload.call(NAME, &TOOLS),
        outcome,
        exit_code,
        text: words,
    })
}

#[cfg(test)]
mod tests;
