//! Codex's hooks: payloads as the commands of its `hooks.json` receive them. Its output is read
//! strictly: a member that an event does not know makes Codex drop the whole answer.

mod rollout;

use std::path::Path;

use serde_json::{Value, json};

use crate::contract::refusal::Refusal;
use crate::contract::tool::{CallOutcome, HookAnswer, HookEvent, Prompt, ToolResult, WaitKind};

use super::command::{self, Payload};
use super::tools::{Tools, content, is_ours, number, texts};
use super::{Dialect, Wire};

/// The dialect.
pub(super) struct Codex;

const NAME: &str = "codex";
const BEFORE: &str = "PreToolUse";

/// In its hooks every shell tool is called `Bash`.
const TOOLS: Tools = Tools {
    shell: &[
        "Bash",
        "shell",
        "shell_command",
        "local_shell",
        "exec_command",
        "container.exec",
    ],
    edit: &["Write", "Edit", "write_file"],
    patch: &["apply_patch"],
    read: &[
        "view_image",
        "update_plan",
        "list_mcp_resources",
        "list_mcp_resource_templates",
        "read_mcp_resource",
        "request_user_input",
        "tool_search",
        "web_search",
        "get_context_remaining",
        "read_file",
        "list_dir",
        "grep_files",
        "spawn_agent",
        "wait_agent",
        "list_agents",
    ],
};

impl Dialect for Codex {
    fn read(&self, event: Option<&str>, payload: &[u8]) -> Result<Wire, Refusal> {
        command::wire(event, payload, &[BEFORE], event_of)
    }

    fn write(&self, event: &str, answer: &HookAnswer) -> String {
        match (event, answer) {
            (_, HookAnswer::Allow) => String::new(),
            (BEFORE, HookAnswer::Refuse(reason)) => json!({"hookSpecificOutput": {
                "hookEventName": event,
                "permissionDecision": "deny",
                "permissionDecisionReason": reason,
            }})
            .to_string(),
            (_, HookAnswer::Refuse(reason)) => command::block(reason),
            (
                "SessionStart" | "SubagentStart" | "UserPromptSubmit" | "PostToolUse",
                HookAnswer::Tell(words),
            ) => command::context(event, words),
            (_, HookAnswer::Tell(words)) => command::notice(words),
        }
    }

    fn refusable(&self, event: &str) -> bool {
        event == BEFORE
    }

    fn events(&self) -> &'static [&'static str] {
        &[
            "SessionStart",
            "UserPromptSubmit",
            "PreToolUse",
            "PermissionRequest",
            "PostToolUse",
            "SubagentStart",
            "SubagentStop",
            "Stop",
            "SessionEnd",
        ]
    }
}

fn event_of(name: &str, payload: &Payload) -> HookEvent {
    let caller = || payload.caller(NAME);
    match name {
        "SessionStart" | "SubagentStart" => HookEvent::Start(caller()),
        "SessionEnd" => HookEvent::End(caller()),
        "UserPromptSubmit" if typed(payload) => HookEvent::Prompt(Prompt {
            caller: caller(),
            first: false,
        }),
        BEFORE => HookEvent::Before(payload.call(NAME, &TOOLS)),
        "PostToolUse" => HookEvent::After(result(payload)),
        "PermissionRequest" => payload.waits(NAME, WaitKind::Permission, &payload.asks_for()),
        "Stop" | "SubagentStop" => payload.turn_end(NAME),
        _ => HookEvent::Ignored,
    }
}

fn typed(payload: &Payload) -> bool {
    let words = payload.prompt.as_str().unwrap_or_default();
    payload.caller(NAME).subagent.is_none()
        && !is_ours(words)
        && !words.trim_start().starts_with("<hook_prompt")
}

fn result(payload: &Payload) -> ToolResult {
    let call = payload.call(NAME, &TOOLS);
    let response = &payload.tool_response;
    let shell = TOOLS.shell.contains(&payload.tool_name.as_str());
    let exit_code = if shell {
        let told = told_code(response);
        told.or_else(|| {
            let path = Path::new(payload.transcript_path.as_deref()?);
            rollout::exit_code(path, call.call_id.as_deref()?)
        })
    } else {
        None
    };
    let outcome = match response.get("isError").and_then(Value::as_bool) {
        Some(true) => CallOutcome::Failed,
        Some(false) => CallOutcome::Done,
        None if shell => CallOutcome::of_exit(exit_code),
        None => CallOutcome::Unknown,
    };
    let text = match content(response) {
        text if text.is_empty() => texts(response),
        text => text,
    };
    ToolResult {
        call,
        outcome,
        exit_code,
        text,
    }
}

/// The exit code where the response itself tells it: as a member, or in the head that some
/// versions write above the output.
fn told_code(response: &Value) -> Option<i32> {
    if let Some(code) = number(response, &["exit_code", "exitCode"]) {
        return Some(code);
    }
    let metadata = response.get("metadata");
    if let Some(code) = metadata.and_then(|of| number(of, &["exit_code"])) {
        return Some(code);
    }
    rollout::head_code(response.as_str()?)
}

#[cfg(test)]
mod tests;
