//! Gemini CLI's hooks: payloads as the commands of its `settings.json` receive them. Standard
//! output must be JSON, so no opinion is `{}`. Calls have no id: what a payload tells of one is
//! its session, its tool and its input.

use serde_json::{Value, json};

use crate::contract::refusal::Refusal;
use crate::contract::tool::{CallOutcome, HookAnswer, HookEvent, Prompt, ToolResult, WaitKind};

use super::command::{self, Payload};
use super::tools::{Tools, content, is_ours, text};
use super::{Dialect, Wire};

/// The dialect.
pub(super) struct Gemini;

const NAME: &str = "gemini";
const BEFORE: &str = "BeforeTool";

const TOOLS: Tools = Tools {
    shell: &["run_shell_command"],
    edit: &["write_file", "replace", "edit"],
    patch: &["apply_patch"],
    read: &[
        "read_file",
        "read_many_files",
        "list_directory",
        "glob",
        "grep_search",
        "search_file_content",
        "google_web_search",
        "web_fetch",
        "write_todos",
        "ask_user",
        "enter_plan_mode",
        "exit_plan_mode",
        "list_mcp_resources",
        "read_mcp_resource",
        "get_internal_docs",
        "tracker_get_task",
        "tracker_list_tasks",
        "tracker_visualize",
        "complete_task",
    ],
};

impl Dialect for Gemini {
    fn read(&self, event: Option<&str>, payload: &[u8]) -> Result<Wire, Refusal> {
        command::wire(event, payload, &[BEFORE], event_of)
    }

    fn write(&self, event: &str, answer: &HookAnswer) -> String {
        match (event, answer) {
            (_, HookAnswer::Allow) => "{}".to_owned(),
            (_, HookAnswer::Refuse(reason)) => {
                json!({"decision": "deny", "reason": reason}).to_string()
            }
            ("SessionStart" | "BeforeAgent" | "AfterTool", HookAnswer::Tell(words)) => {
                command::context(event, words)
            }
            (_, HookAnswer::Tell(words)) => command::notice(words),
        }
    }

    fn refusable(&self, event: &str) -> bool {
        event == BEFORE
    }

    fn events(&self) -> &'static [&'static str] {
        &[
            "SessionStart",
            "BeforeAgent",
            "BeforeTool",
            "AfterTool",
            "AfterAgent",
            "Notification",
            "SessionEnd",
        ]
    }
}

fn event_of(name: &str, payload: &Payload) -> HookEvent {
    let caller = || payload.caller(NAME);
    match name {
        "SessionStart" => HookEvent::Start(caller()),
        "SessionEnd" => HookEvent::End(caller()),
        // The reason of a refused end comes back as a prompt.
        "BeforeAgent" if !is_ours(payload.prompt.as_str().unwrap_or_default()) => {
            HookEvent::Prompt(Prompt {
                caller: caller(),
                first: false,
            })
        }
        BEFORE => HookEvent::Before(payload.call(NAME, &TOOLS)),
        "AfterTool" => after(payload),
        "AfterAgent" => payload.turn_end(NAME),
        "Notification" => notified(payload),
        _ => HookEvent::Ignored,
    }
}

fn notified(payload: &Payload) -> HookEvent {
    let kind = payload.notification_type.as_str().unwrap_or_default();
    if kind != "ToolPermission" {
        return HookEvent::Ignored;
    }
    let about = text(
        &payload.details,
        &["command", "filePath", "title", "toolName"],
    );
    let said = payload.message.as_str().unwrap_or_default();
    let words = about.map_or_else(|| said.to_owned(), |about| format!("{said} {about}"));
    payload.waits(NAME, WaitKind::Permission, words.trim())
}

fn after(payload: &Payload) -> HookEvent {
    let response = &payload.tool_response;
    let error = response.get("error").filter(|error| !error.is_null());
    let kind = error.and_then(|error| error.get("type")?.as_str());
    // The harness's own policy said no: a person may permit it.
    if matches!(kind, Some("policy_violation")) {
        return payload.waits(NAME, WaitKind::Permission, &payload.asks_for());
    }
    let said = said(&content(response.get("llmContent").unwrap_or(&Value::Null)));
    let shell = TOOLS.shell.contains(&payload.tool_name.as_str());
    let ended = if shell {
        end_of(&said, error.is_some())
    } else if error.is_some() {
        End::of(CallOutcome::Failed)
    } else {
        End::of(CallOutcome::Done)
    };
    HookEvent::After(ToolResult {
        call: payload.call(NAME, &TOOLS),
        outcome: ended.outcome,
        exit_code: ended.code,
        text: if shell { output(&said) } else { said },
    })
}

/// The output of a command, without the words that stand around it: the same failure reads the
/// same, whichever harness tells it.
fn output(text: &str) -> String {
    let Some(mut rest) = text.strip_prefix("Output: ") else {
        return text.to_owned();
    };
    while let Some((before, last)) = rest.rsplit_once('\n') {
        let trailer =
            last.starts_with(CODE) || TRAILERS.iter().any(|known| last.starts_with(known));
        if !trailer {
            break;
        }
        rest = before;
    }
    match rest {
        "(empty)" => String::new(),
        rest => rest.to_owned(),
    }
}

/// The line that tells a code, and those that may stand behind it.
const CODE: &str = "Exit Code: ";
const TRAILERS: [&str; 3] = ["Signal: ", "Background PIDs: ", "Process Group PGID: "];

struct End {
    outcome: CallOutcome,
    code: Option<i32>,
}

impl End {
    fn of(outcome: CallOutcome) -> Self {
        Self {
            outcome,
            code: None,
        }
    }
}

/// The text without the frame that marks it as foreign.
fn said(text: &str) -> String {
    let inner = text.trim().strip_prefix("<untrusted_context>");
    let inner = inner.and_then(|rest| rest.trim_end().strip_suffix("</untrusted_context>"));
    inner.unwrap_or(text).trim_matches('\n').to_owned()
}

/// How a command ended, by the lines that stand behind its output. A code of 0 has no line.
fn end_of(text: &str, error: bool) -> End {
    if !text.starts_with("Output: ") {
        // It was cancelled, ran out of time, or goes on in the background.
        let outcome = if error {
            CallOutcome::Failed
        } else {
            CallOutcome::Unknown
        };
        return End::of(outcome);
    }
    let mut outcome = CallOutcome::Done;
    for line in text.lines().rev() {
        if let Some(code) = line.strip_prefix(CODE) {
            let code = code.trim().parse().ok();
            return End {
                outcome: CallOutcome::of_exit(code.or(Some(1))),
                code,
            };
        }
        if line.starts_with("Signal: ") {
            outcome = CallOutcome::Failed;
        }
        if !TRAILERS.iter().any(|trailer| line.starts_with(trailer)) {
            break;
        }
    }
    if error {
        outcome = CallOutcome::Failed;
    }
    let code = (outcome == CallOutcome::Done).then_some(0);
    End { outcome, code }
}

#[cfg(test)]
mod tests;
