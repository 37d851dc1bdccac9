//! What the four harnesses that call commands as hooks send alike: Claude Code, Codex, Gemini CLI
//! and Hermes. Each dialect reads the members that it knows; all else is left alone.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::contract::refusal::Refusal;
use crate::contract::tool::{Caller, HookEvent, ToolCall, TurnEnd, WaitKind, Waits};

use super::tools::{Tools, call_id, text};
use super::wire::{or_default, parse};
use super::{Wire, bad_payload};

/// A payload.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Payload {
    #[serde(deserialize_with = "or_default")]
    pub(super) session_id: String,
    #[serde(deserialize_with = "or_default")]
    pub(super) cwd: String,
    #[serde(deserialize_with = "or_default")]
    pub(super) hook_event_name: String,
    #[serde(deserialize_with = "or_default")]
    pub(super) tool_name: String,
    #[serde(deserialize_with = "or_default")]
    pub(super) stop_hook_active: bool,
    #[serde(deserialize_with = "or_default")]
    pub(super) is_interrupt: bool,
    pub(super) agent_id: Option<String>,
    pub(super) tool_use_id: Option<String>,
    pub(super) transcript_path: Option<String>,
    pub(super) turn_id: Option<String>,
    pub(super) prompt_id: Option<String>,
    pub(super) tool_input: Value,
    pub(super) tool_response: Value,
    pub(super) error: Value,
    pub(super) prompt: Value,
    pub(super) source: Value,
    pub(super) message: Value,
    pub(super) reason: Value,
    pub(super) notification_type: Value,
    pub(super) mcp_server_name: Value,
    pub(super) details: Value,
    pub(super) extra: Value,
}

impl Payload {
    /// Who calls.
    pub(super) fn caller(&self, harness: &str) -> Caller {
        Caller {
            harness: harness.to_owned(),
            session: self.session_id.clone(),
            subagent: self.agent_id.clone().filter(|id| !id.is_empty()),
            cwd: self.cwd.clone(),
        }
    }

    /// The tool call that it is about.
    pub(super) fn call(&self, harness: &str, tools: &Tools) -> ToolCall {
        let told = text(&self.extra, &["tool_call_id"]);
        let given = self.tool_use_id.as_deref().or(told.as_deref());
        let id = call_id(given, &self.session_id, &self.tool_name, &self.tool_input);
        ToolCall {
            caller: self.caller(harness),
            tool: self.tool_name.clone(),
            call_id: Some(id),
            act: tools.act(&self.tool_name, &self.tool_input),
            input: self.tool_input.to_string(),
        }
    }

    /// The end of a turn.
    pub(super) fn turn_end(&self, harness: &str) -> HookEvent {
        let turn = self.turn_id.as_ref().or(self.prompt_id.as_ref());
        HookEvent::TurnEnd(TurnEnd {
            caller: self.caller(harness),
            turn: turn.filter(|id| !id.is_empty()).cloned(),
            again: self.stop_hook_active,
        })
    }

    /// A wait for a person, with the tool that it is about.
    pub(super) fn waits(&self, harness: &str, kind: WaitKind, what: &str) -> HookEvent {
        HookEvent::Waits(Waits {
            caller: self.caller(harness),
            kind,
            call_id: self.tool_use_id.clone().filter(|id| !id.is_empty()),
            text: what.to_owned(),
        })
    }

    /// What a permission is asked for, in a line.
    pub(super) fn asks_for(&self) -> String {
        const NAMES: [&str; 5] = ["command", "cmd", "file_path", "path", "url"];
        let about = text(&self.tool_input, &NAMES).unwrap_or_default();
        format!("{} {about}", self.tool_name).trim().to_owned()
    }
}

/// Reads a payload. `before` are the events that ask whether a tool may run.
///
/// # Errors
/// It cannot be understood, or it is a tool call that names no tool.
pub(super) fn wire(
    event: Option<&str>,
    bytes: &[u8],
    before: &[&str],
    event_of: impl FnOnce(&str, &Payload) -> HookEvent,
) -> Result<Wire, Refusal> {
    let parsed = parse::<Payload>(bytes)?;
    let mut payload = parsed.value;
    let name = event_name(event, &payload.hook_event_name, before)?;
    if payload.session_id.is_empty() {
        // Hermes' approvals name their turn alone, whose id begins with its session's.
        let turn = text(&payload.extra, &["turn_id"]).unwrap_or_default();
        let session = turn.split(':').next().unwrap_or_default();
        session.clone_into(&mut payload.session_id);
    }
    if payload.session_id.is_empty() {
        return Err(bad_payload("the payload names no session".to_owned()));
    }
    if before.contains(&name.as_str()) && payload.tool_name.is_empty() {
        return Err(bad_payload("the payload names no tool".to_owned()));
    }
    Ok(Wire {
        cwd: payload.cwd.clone(),
        pid: None,
        mended: parsed.mended,
        event: event_of(&name, &payload),
        name,
    })
}

/// The event that a payload is about: by its own word, else by the call's. A call for an event
/// that may be refused is not taken for another one.
///
/// # Errors
/// Neither names one, or a payload for one of `before` says that it is something else.
pub(super) fn event_name(
    called: Option<&str>,
    named: &str,
    before: &[&str],
) -> Result<String, Refusal> {
    let called = called.unwrap_or_default();
    let name = if named.is_empty() { called } else { named };
    if name.is_empty() {
        return Err(bad_payload("the payload names no event".to_owned()));
    }
    if before.contains(&called) && name != called {
        let cause = format!("the hook was called for {called}, the payload is of another event");
        return Err(bad_payload(cause));
    }
    Ok(name.to_owned())
}

/// A refusal in the form that most harnesses read.
pub(super) fn block(reason: &str) -> String {
    json!({"decision": "block", "reason": reason}).to_string()
}

/// Something for the model, where an event takes it.
pub(super) fn context(event: &str, words: &str) -> String {
    json!({"hookSpecificOutput": {"hookEventName": event, "additionalContext": words}}).to_string()
}

/// Something for the person at the terminal.
pub(super) fn notice(words: &str) -> String {
    json!({"systemMessage": words}).to_string()
}
