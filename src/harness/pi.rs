//! pi's events, as the extension under `assets/pi/` hands them on: one JSON object on standard
//! input, `{"decision":"block","reason":...}` or `{"tell":...}` on standard output.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::contract::refusal::Refusal;
use crate::contract::tool::{Act, Caller, HookAnswer, HookEvent, ToolCall, ToolResult};

use super::{Dialect, Wire, bad_payload};

/// The dialect.
pub(super) struct Pi;

/// What is read of an event; all else is left alone.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Payload {
    session_id: String,
    session_file: Option<String>,
    cwd: String,
    pid: Option<u32>,
    #[serde(rename = "type")]
    kind: String,
    #[serde(rename = "toolName")]
    tool_name: String,
    #[serde(rename = "toolCallId")]
    call_id: Option<String>,
    input: Value,
    content: Value,
    #[serde(rename = "structuredContent")]
    structured: Value,
    #[serde(rename = "isError")]
    is_error: bool,
    /// Who sent an input: `interactive`, `rpc` or `extension`; older versions do not tell.
    source: Option<String>,
}

impl Dialect for Pi {
    fn read(&self, event: Option<&str>, payload: &[u8]) -> Result<Wire, Refusal> {
        let payload: Payload = serde_json::from_slice(payload)
            .map_err(|error| bad_payload(format!("the event is no JSON object of pi: {error}")))?;
        let name = if payload.kind.is_empty() {
            event.unwrap_or_default()
        } else {
            &payload.kind
        };
        let session = session(&payload);
        if name.is_empty() || session.is_empty() {
            return Err(bad_payload(
                "the event names no type or no session".to_owned(),
            ));
        }
        let event = event_of(name, &session, &payload);
        Ok(Wire {
            name: name.to_owned(),
            cwd: payload.cwd.clone(),
            pid: payload.pid,
            event,
        })
    }

    fn write(&self, _event: &str, answer: &HookAnswer) -> String {
        match answer {
            HookAnswer::Allow => "{}".to_owned(),
            HookAnswer::Refuse(reason) => {
                json!({"decision": "block", "reason": reason}).to_string()
            }
            HookAnswer::Tell(text) => json!({"tell": text}).to_string(),
        }
    }

    fn refusable(&self, event: &str) -> bool {
        event == "tool_call"
    }
}

/// A session without a file has an id all the same; older versions tell the file alone.
fn session(payload: &Payload) -> String {
    if !payload.session_id.is_empty() {
        return payload.session_id.clone();
    }
    let file = payload.session_file.as_deref().unwrap_or_default();
    let name = file.rsplit('/').next().unwrap_or_default();
    name.trim_end_matches(".jsonl")
        .rsplit('_')
        .next()
        .unwrap_or_default()
        .to_owned()
}

fn event_of(name: &str, session: &str, payload: &Payload) -> HookEvent {
    let caller = Caller {
        harness: "pi".to_owned(),
        session: session.to_owned(),
        subagent: None,
        cwd: payload.cwd.clone(),
    };
    match name {
        "session_start" => HookEvent::Start(caller),
        "session_shutdown" => HookEvent::End(caller),
        "input" if typed(payload) => HookEvent::Prompt(caller),
        "tool_call" => HookEvent::Before(call(caller, payload)),
        "tool_result" => HookEvent::After(ToolResult {
            call: call(caller, payload),
            failed: payload.is_error,
            exit_code: exit_code(&payload.structured),
            text: text_of(&payload.content),
        }),
        _ => HookEvent::Ignored,
    }
}

/// Whether a person typed an input. What an extension sends, or a program that drives pi, is
/// nobody's prompt: a loop that tells itself to go on would count as a person for ever.
fn typed(payload: &Payload) -> bool {
    payload
        .source
        .as_deref()
        .is_none_or(|source| source == "interactive")
}

fn call(caller: Caller, payload: &Payload) -> ToolCall {
    ToolCall {
        caller,
        tool: payload.tool_name.clone(),
        call_id: payload.call_id.clone(),
        act: act(&payload.tool_name, &payload.input),
        input: payload.input.to_string(),
    }
}

fn act(tool: &str, input: &Value) -> Act {
    let text = |key: &str| input.get(key).and_then(Value::as_str).map(str::to_owned);
    match tool {
        "bash" => Act::Shell(text("command").unwrap_or_default()),
        "edit" | "write" => Act::Edit(
            text("path")
                .or_else(|| text("file_path"))
                .into_iter()
                .collect(),
        ),
        "read" | "grep" | "find" | "ls" => Act::Read,
        _ => Act::Other,
    }
}

fn exit_code(structured: &Value) -> Option<i32> {
    let code = structured
        .get("exit_code")
        .or_else(|| structured.get("exitCode"))?;
    i32::try_from(code.as_i64()?).ok()
}

fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts = parts
                .iter()
                .filter_map(|part| part.get("text").and_then(Value::as_str));
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_command_is_read_with_its_exit_code() {
        let payload = r#"{"hook":"pi","cwd":"/p","session_id":"s","type":"tool_result","toolName":"bash","toolCallId":"c",
            "input":{"command":"make"},"content":[{"type":"text","text":"oops"}],
            "structuredContent":{"output":"oops","exit_code":3},"isError":true}"#;
        let event = Pi
            .read(Some("tool_result"), payload.as_bytes())
            .unwrap()
            .event;
        let HookEvent::After(result) = event else {
            panic!("no result: {event:?}")
        };
        assert_eq!(
            (result.failed, result.exit_code, result.text.as_str()),
            (true, Some(3), "oops")
        );
    }

    #[test]
    fn only_what_a_person_typed_is_a_prompt() {
        for (source, prompt) in [
            (r#""source":"interactive","#, true),
            (
                r#""source":"interactive","streamingBehavior":"followUp","#,
                true,
            ),
            ("", true),
            (r#""source":"extension","#, false),
            (
                r#""source":"extension","streamingBehavior":"followUp","#,
                false,
            ),
            (r#""source":"rpc","#, false),
            (r#""source":"something later","#, false),
        ] {
            let payload =
                format!(r#"{{"cwd":"/p","session_id":"s",{source}"type":"input","text":"go on"}}"#);
            let event = Pi.read(None, payload.as_bytes()).unwrap().event;
            assert_eq!(matches!(event, HookEvent::Prompt(_)), prompt, "{source}");
            assert!(prompt || event == HookEvent::Ignored, "{source}");
        }
    }

    #[test]
    fn a_session_is_told_by_its_file_too() {
        let payload = r#"{"cwd":"/p","session_file":"/h/2026_01a2.jsonl","type":"tool_call","toolName":"write","input":{"path":"a"}}"#;
        let event = Pi.read(None, payload.as_bytes()).unwrap().event;
        let HookEvent::Before(call) = event else {
            panic!("no call: {event:?}")
        };
        assert_eq!(call.caller.session, "01a2");
        assert_eq!(call.act, Act::Edit(vec!["a".to_owned()]));
        assert_eq!(Pi.write("tool_call", &HookAnswer::Allow), "{}");
    }
}
