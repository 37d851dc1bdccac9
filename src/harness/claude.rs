//! Claude Code's hooks: payloads as its settings' `command` hooks receive them.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::contract::refusal::Refusal;
use crate::contract::tool::{Act, Caller, HookAnswer, HookEvent, ToolCall, ToolResult};

use super::{Dialect, Wire, bad_payload};

/// The dialect.
pub(super) struct Claude;

/// What is read of a payload; all else is left alone.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Payload {
    session_id: String,
    cwd: String,
    hook_event_name: String,
    agent_id: Option<String>,
    tool_name: String,
    tool_input: Value,
    tool_use_id: Option<String>,
    tool_response: Value,
    error: String,
    is_interrupt: bool,
    prompt: Value,
}

impl Dialect for Claude {
    fn read(&self, event: Option<&str>, payload: &[u8]) -> Result<Wire, Refusal> {
        let payload: Payload = serde_json::from_slice(payload).map_err(|error| {
            bad_payload(format!("the payload is no JSON object of a hook: {error}"))
        })?;
        let name = if payload.hook_event_name.is_empty() {
            event.unwrap_or_default()
        } else {
            &payload.hook_event_name
        };
        if name.is_empty() || payload.session_id.is_empty() {
            return Err(bad_payload(
                "the payload names no event or no session".to_owned(),
            ));
        }
        Ok(Wire {
            name: name.to_owned(),
            cwd: payload.cwd.clone(),
            pid: None,
            event: event_of(name, &payload),
        })
    }

    fn write(&self, event: &str, answer: &HookAnswer) -> String {
        match answer {
            HookAnswer::Allow => String::new(),
            HookAnswer::Refuse(reason) if event == "PreToolUse" => json!({"hookSpecificOutput": {
                "hookEventName": event,
                "permissionDecision": "deny",
                "permissionDecisionReason": reason,
            }})
            .to_string(),
            HookAnswer::Refuse(reason) => json!({"decision": "block", "reason": reason}).to_string(),
            HookAnswer::Tell(text) => match event {
                "PreToolUse" | "PostToolUse" | "PostToolUseFailure" | "UserPromptSubmit" | "SessionStart" => {
                    json!({"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}).to_string()
                }
                _ => json!({"systemMessage": text}).to_string(),
            },
        }
    }

    fn refusable(&self, event: &str) -> bool {
        event == "PreToolUse"
    }
}

fn event_of(name: &str, payload: &Payload) -> HookEvent {
    let caller = Caller {
        harness: "claude".to_owned(),
        session: payload.session_id.clone(),
        subagent: payload.agent_id.clone().filter(|id| !id.is_empty()),
        cwd: payload.cwd.clone(),
    };
    match name {
        "SessionStart" => HookEvent::Start(caller),
        "SessionEnd" => HookEvent::End(caller),
        "UserPromptSubmit" if typed(payload) => HookEvent::Prompt(caller),
        "PreToolUse" => HookEvent::Before(call(caller, payload)),
        "PostToolUse" => HookEvent::After(ToolResult {
            call: call(caller, payload),
            failed: false,
            exit_code: shell(payload).then_some(0),
            text: text_of(&payload.tool_response),
        }),
        "PostToolUseFailure" if payload.is_interrupt => HookEvent::Ignored,
        "PostToolUseFailure" => HookEvent::After(ToolResult {
            call: call(caller, payload),
            failed: true,
            exit_code: exit_code(&payload.error),
            text: payload.error.clone(),
        }),
        _ => HookEvent::Ignored,
    }
}

/// Whether a person may have typed a prompt. Claude Code sends its own notes the same way: what a
/// background task came to, a notice of another session, a teammate's message. Each is one
/// element with a hyphen in its name, such as `<task-notification>`. A subagent has no person.
fn typed(payload: &Payload) -> bool {
    let subagent = payload.agent_id.as_ref().is_some_and(|id| !id.is_empty());
    let text = payload.prompt.as_str().unwrap_or_default().trim_start();
    let element = text.strip_prefix('<').and_then(|rest| {
        let name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        rest.split_once(|c: char| !name(c))
    });
    !subagent && !element.is_some_and(|(name, _)| name.contains('-'))
}

fn shell(payload: &Payload) -> bool {
    payload.tool_name == "Bash"
}

fn call(caller: Caller, payload: &Payload) -> ToolCall {
    ToolCall {
        caller,
        tool: payload.tool_name.clone(),
        call_id: payload.tool_use_id.clone(),
        act: act(&payload.tool_name, &payload.tool_input),
        input: payload.tool_input.to_string(),
    }
}

/// Tools that cannot change files, repositories or systems by themselves. What a subagent does
/// comes through hooks of its own.
const READING: [&str; 19] = [
    "Read",
    "Glob",
    "Grep",
    "LS",
    "NotebookRead",
    "WebFetch",
    "WebSearch",
    "TodoRead",
    "TodoWrite",
    "Agent",
    "Task",
    "TaskOutput",
    "BashOutput",
    "ToolSearch",
    "AskUserQuestion",
    "EnterPlanMode",
    "ExitPlanMode",
    "ListMcpResources",
    "ReadMcpResource",
];

fn act(tool: &str, input: &Value) -> Act {
    let text = |key: &str| input.get(key).and_then(Value::as_str).map(str::to_owned);
    match tool {
        "Bash" => Act::Shell(text("command").unwrap_or_default()),
        "Edit" | "Write" | "MultiEdit" => Act::Edit(text("file_path").into_iter().collect()),
        "NotebookEdit" => Act::Edit(text("notebook_path").into_iter().collect()),
        tool if READING.contains(&tool) => Act::Read,
        _ => Act::Other,
    }
}

/// The texts of a result: of a shell, both streams; of others, every text in it.
fn text_of(response: &Value) -> String {
    match response {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(text_of).collect::<Vec<_>>().join("\n"),
        Value::Object(fields) => {
            let texts = fields.values().map(text_of).filter(|text| !text.is_empty());
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

/// `Exit code 3` stands in the first line of a failed command.
fn exit_code(error: &str) -> Option<i32> {
    error
        .lines()
        .next()?
        .trim()
        .strip_prefix("Exit code ")?
        .trim()
        .parse()
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(payload: &str) -> HookEvent {
        Claude.read(None, payload.as_bytes()).unwrap().event
    }

    #[test]
    fn a_failed_command_is_read_with_its_exit_code() {
        let event = read(
            r#"{"session_id":"s","cwd":"/p","hook_event_name":"PostToolUseFailure","tool_name":"Bash",
            "tool_input":{"command":"make"},"tool_use_id":"t1","error":"Exit code 2\nboom","is_interrupt":false}"#,
        );
        let HookEvent::After(result) = event else {
            panic!("no result: {event:?}")
        };
        assert!(result.failed);
        assert_eq!(result.exit_code, Some(2));
        assert_eq!(result.call.act, Act::Shell("make".to_owned()));
        assert_eq!(result.call.caller.agent().as_str(), "claude:s");
    }

    #[test]
    fn subagents_have_ids_of_their_own() {
        let event = read(
            r#"{"session_id":"s","agent_id":"a9","cwd":"/p","hook_event_name":"PreToolUse","tool_name":"Read","tool_input":{"file_path":"x"}}"#,
        );
        let HookEvent::Before(call) = event else {
            panic!("no call: {event:?}")
        };
        assert_eq!(call.caller.agent().as_str(), "claude:s/a9");
        assert_eq!(call.act, Act::Read);
    }

    #[test]
    fn only_what_a_person_may_have_typed_is_a_prompt() {
        for (fields, prompt) in [
            (r#""prompt":"go on""#, true),
            (r#""prompt":"<div> is not closed""#, true),
            (r#""prompt":"< task-notification>""#, true),
            (r#""prompt":["go on"]"#, true),
            (r#""agent_id":"","prompt":"go on""#, true),
            (r#""permission_mode":"default""#, true),
            (r#""agent_id":"a9","prompt":"go on""#, false),
            (
                r#""prompt":"<task-notification>\n<task-id>b1</task-id>""#,
                false,
            ),
            (r#""prompt":" <session-notice kind=\"x\">wait""#, false),
            (r#""prompt":"<teammate-message teammate_id=\"a\">""#, false),
        ] {
            let event = read(&format!(
                r#"{{"session_id":"s","hook_event_name":"UserPromptSubmit",{fields}}}"#
            ));
            assert_eq!(matches!(event, HookEvent::Prompt(_)), prompt, "{fields}");
        }
    }

    #[test]
    fn unknown_tools_may_change_things_and_unknown_events_are_nothing() {
        let event = read(
            r#"{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"mcp__x__y","tool_input":{}}"#,
        );
        assert!(matches!(event, HookEvent::Before(call) if call.act == Act::Other));
        assert_eq!(
            read(r#"{"session_id":"s","hook_event_name":"PreCompact"}"#),
            HookEvent::Ignored
        );
        for bad in [
            "",
            "{",
            "[]",
            "null",
            r#"{"hook_event_name":"PreToolUse"}"#,
            r#"{"session_id":"s"}"#,
            r#"{"session_id":7}"#,
        ] {
            assert!(Claude.read(None, bad.as_bytes()).is_err(), "{bad}");
        }
    }
}
