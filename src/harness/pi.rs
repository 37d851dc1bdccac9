//! pi's events, as the extension under `assets/pi/` hands them on.

use serde::Deserialize;
use serde_json::Value;

use crate::contract::refusal::Refusal;
use crate::contract::tool::{
    CallOutcome, Caller, HookAnswer, HookEvent, Prompt, ToolCall, ToolResult, TurnEnd, WaitKind,
    Waits,
};

use super::command::event_name;
use super::extension::{self, named};
use super::tools::{Tools, call_id, content, is_ours, number};
use super::wire::parse;
use super::{Dialect, Wire};

/// The dialect.
pub(super) struct Pi;

const NAME: &str = "pi";
const BEFORE: &str = "tool_call";

const TOOLS: Tools = Tools {
    shell: &["bash", "powershell"],
    edit: &["edit", "write"],
    patch: &["apply_patch"],
    read: &["read", "grep", "find", "ls"],
};

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
    /// What was typed.
    text: Value,
    /// How a run came to its end: `completed`, or it did not.
    outcome: Option<String>,
    /// What a person is asked.
    title: Value,
}

impl Dialect for Pi {
    fn read(&self, event: Option<&str>, payload: &[u8]) -> Result<Wire, Refusal> {
        let parsed = parse::<Payload>(payload)?;
        let payload = parsed.value;
        let name = event_name(event, &payload.kind, &[BEFORE])?;
        let session = session(&payload);
        named(&session, name == BEFORE, &payload.tool_name)?;
        Ok(Wire {
            cwd: payload.cwd.clone(),
            pid: payload.pid,
            mended: parsed.mended,
            event: event_of(&name, &session, &payload),
            name,
        })
    }

    fn write(&self, _event: &str, answer: &HookAnswer) -> String {
        extension::write(answer)
    }

    fn refusable(&self, event: &str) -> bool {
        event == BEFORE
    }

    fn events(&self) -> &'static [&'static str] {
        &[
            "session_start",
            "input",
            "tool_call",
            "tool_result",
            "ui_prompt_start",
            "ui_prompt_end",
            "agent_before_settle",
            "session_shutdown",
        ]
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
        harness: NAME.to_owned(),
        session: session.to_owned(),
        subagent: None,
        cwd: payload.cwd.clone(),
    };
    match name {
        "session_start" => HookEvent::Start(caller),
        "session_shutdown" => HookEvent::End(caller),
        "input" if typed(payload) => HookEvent::Prompt(Prompt {
            caller,
            first: false,
        }),
        BEFORE => HookEvent::Before(call(caller, payload)),
        "tool_result" => HookEvent::After(ToolResult {
            call: call(caller, payload),
            outcome: if payload.is_error {
                CallOutcome::Failed
            } else {
                CallOutcome::Done
            },
            exit_code: number(&payload.structured, &["exit_code", "exitCode"]),
            text: content(&payload.content),
        }),
        // What a person broke off, and what an error ended, is over.
        "agent_before_settle" if payload.outcome.as_deref().is_none_or(|o| o == "completed") => {
            HookEvent::TurnEnd(TurnEnd {
                caller,
                turn: None,
                again: false,
            })
        }
        "ui_prompt_start" => HookEvent::Waits(Waits {
            caller,
            kind: WaitKind::Question,
            call_id: None,
            text: payload.title.as_str().unwrap_or_default().to_owned(),
        }),
        "ui_prompt_end" => HookEvent::WaitsNoMore(caller),
        _ => HookEvent::Ignored,
    }
}

/// Whether a person typed an input. What an extension sends, or a program that drives pi, is
/// nobody's prompt: a loop that tells itself to go on would count as a person for ever.
fn typed(payload: &Payload) -> bool {
    let source = payload.source.as_deref();
    source.is_none_or(|source| source == "interactive")
        && !is_ours(payload.text.as_str().unwrap_or_default())
}

fn call(caller: Caller, payload: &Payload) -> ToolCall {
    ToolCall {
        tool: payload.tool_name.clone(),
        call_id: Some(call_id(
            payload.call_id.as_deref(),
            &caller.session,
            &payload.tool_name,
            &payload.input,
        )),
        caller,
        act: TOOLS.act(&payload.tool_name, &payload.input),
        input: payload.input.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::tool::Act;

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
            (result.failed(), result.exit_code, result.text.as_str()),
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
