//! opencode's events, as the plugin under `assets/opencode/` hands them on.

use serde::Deserialize;
use serde_json::Value;

use crate::contract::refusal::Refusal;
use crate::contract::tool::{
    CallOutcome, Caller, HookAnswer, HookEvent, Prompt, ToolCall, ToolResult, TurnEnd, WaitKind,
    Waits,
};

use super::command::event_name;
use super::extension::{self, named};
use super::tools::{Tools, call_id, content, is_ours, number, text};
use super::wire::{or_default, parse};
use super::{Dialect, Wire};

/// The dialect.
pub(super) struct Opencode;

const NAME: &str = "opencode";
const BEFORE: &str = "tool.execute.before";

const TOOLS: Tools = Tools {
    shell: &["bash", "shell"],
    edit: &["edit", "write", "multiedit"],
    patch: &["patch", "apply_patch"],
    read: &[
        "read",
        "glob",
        "grep",
        "list",
        "ls",
        "webfetch",
        "websearch",
        "codesearch",
        "todowrite",
        "todoread",
        "question",
        "skill",
        "task",
        "plan_enter",
        "plan_exit",
        "invalid",
        "list_mcp_resources",
        "list_mcp_resource_templates",
        "read_mcp_resource",
    ],
};

/// What is read of an event; all else is left alone.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Payload {
    #[serde(rename = "type", deserialize_with = "or_default")]
    kind: String,
    #[serde(deserialize_with = "or_default")]
    cwd: String,
    pid: Option<u32>,
    /// The session that started this one, where it is a subagent's.
    parent_id: Option<String>,
    input: Value,
    output: Value,
    event: Value,
}

impl Payload {
    fn properties(&self) -> &Value {
        &self.event["properties"]
    }

    fn session(&self) -> String {
        let properties = self.properties();
        let named = [&self.input, properties, &properties["part"]]
            .into_iter()
            .find_map(|of| text(of, &["sessionID"]));
        let info = || text(&properties["info"], &["id"]);
        named.or_else(info).unwrap_or_default()
    }

    fn caller(&self) -> Caller {
        let session = self.session();
        let parent = self.parent_id.clone();
        let parent = parent.or_else(|| text(&self.properties()["info"], &["parentID"]));
        let (session, subagent) = match parent.filter(|id| !id.is_empty() && *id != session) {
            Some(parent) => (parent, Some(session)),
            None => (session, None),
        };
        Caller {
            harness: NAME.to_owned(),
            session,
            subagent,
            cwd: self.cwd.clone(),
        }
    }

    fn call(&self, arguments: &Value) -> ToolCall {
        let tool = text(&self.input, &["tool"]).unwrap_or_default();
        let id = text(&self.input, &["callID"]);
        self.call_of(tool, id.as_deref(), arguments)
    }

    fn call_of(&self, tool: String, id: Option<&str>, arguments: &Value) -> ToolCall {
        ToolCall {
            caller: self.caller(),
            call_id: Some(call_id(id, &self.session(), &tool, arguments)),
            act: TOOLS.act(&tool, arguments),
            input: arguments.to_string(),
            tool,
        }
    }

    fn waits(&self, kind: WaitKind, call_id: Option<String>, words: &str) -> HookEvent {
        HookEvent::Waits(Waits {
            caller: self.caller(),
            kind,
            call_id,
            text: words.to_owned(),
        })
    }
}

impl Dialect for Opencode {
    fn read(&self, event: Option<&str>, payload: &[u8]) -> Result<Wire, Refusal> {
        let parsed = parse::<Payload>(payload)?;
        let payload = parsed.value;
        let kind = payload.kind.strip_prefix("event:").unwrap_or(&payload.kind);
        let name = event_name(event, kind, &[BEFORE])?;
        let tool = text(&payload.input, &["tool"]).unwrap_or_default();
        named(&payload.session(), name == BEFORE, &tool)?;
        Ok(Wire {
            cwd: payload.cwd.clone(),
            pid: payload.pid,
            mended: parsed.mended,
            event: event_of(&name, &payload),
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
            "session.created",
            "chat.message",
            "tool.execute.before",
            "tool.execute.after",
            "message.part.updated",
            "permission.asked",
            "permission.replied",
            "question.asked",
            "question.replied",
            "question.rejected",
            "session.idle",
            "session.deleted",
        ]
    }
}

fn event_of(name: &str, payload: &Payload) -> HookEvent {
    let properties = payload.properties();
    match name {
        "session.created" => HookEvent::Start(payload.caller()),
        "session.deleted" => HookEvent::End(payload.caller()),
        "chat.message" => prompt(payload),
        BEFORE => HookEvent::Before(payload.call(&payload.output["args"])),
        "tool.execute.after" => HookEvent::After(result(payload)),
        "message.part.updated" => failed_part(payload, &properties["part"]),
        "session.idle" => HookEvent::TurnEnd(TurnEnd {
            caller: payload.caller(),
            turn: None,
            again: false,
        }),
        "permission.asked" => {
            let kind = text(properties, &["permission", "type"]).unwrap_or_default();
            let about = text(
                &properties["metadata"],
                &["command", "filepath", "description"],
            );
            let words = format!("{kind} {}", about.unwrap_or_default());
            let id = text(&properties["tool"], &["callID"]);
            payload.waits(WaitKind::Permission, id, words.trim())
        }
        "question.asked" => {
            let question = text(&properties["questions"][0], &["question", "header"]);
            let id = text(&properties["tool"], &["callID"]);
            payload.waits(WaitKind::Question, id, &question.unwrap_or_default())
        }
        "permission.replied" | "question.replied" | "question.rejected" => {
            HookEvent::WaitsNoMore(payload.caller())
        }
        _ => HookEvent::Ignored,
    }
}

/// What a subagent is told comes the same way as what a person types.
fn prompt(payload: &Payload) -> HookEvent {
    let caller = payload.caller();
    let words = content(&payload.output["parts"]);
    let typed = words.trim_start_matches('"');
    if caller.subagent.is_some() || is_ours(typed) {
        return HookEvent::Ignored;
    }
    HookEvent::Prompt(Prompt {
        caller,
        first: false,
    })
}

fn result(payload: &Payload) -> ToolResult {
    let call = payload.call(&payload.input["args"]);
    let output = &payload.output;
    let exit_code = number(&output["metadata"], &["exit"]);
    let shell = TOOLS.shell.contains(&call.tool.as_str());
    let outcome = match output.get("isError").and_then(Value::as_bool) {
        Some(true) => CallOutcome::Failed,
        // A command that was ended before it could say how it went has no code.
        None if shell => CallOutcome::of_exit(exit_code),
        _ => CallOutcome::Done,
    };
    let said = text(output, &["output"]).unwrap_or_else(|| content(&output["content"]));
    ToolResult {
        call,
        outcome,
        exit_code,
        text: said,
    }
}

/// A tool that failed by an error has no call of `tool.execute.after`: its part of the message
/// says so. Ours are refusals; a permission that was not given is no failure.
fn failed_part(payload: &Payload, part: &Value) -> HookEvent {
    let state = &part["state"];
    let is = |of: &Value, key: &str, word: &str| text(of, &[key]).as_deref() == Some(word);
    if !is(part, "type", "tool") || !is(state, "status", "error") {
        return HookEvent::Ignored;
    }
    let error = text(state, &["error"]).unwrap_or_default();
    if error.contains("Watchfloor: ") || error.contains("Refused: watchfloor") {
        return HookEvent::Ignored;
    }
    let tool = text(part, &["tool"]).unwrap_or_default();
    let id = text(part, &["callID"]);
    if error.contains("rejected permission") || error.contains("prevents you from using") {
        return payload.waits(WaitKind::Permission, id, &tool);
    }
    let broken_off = ["aborted", "interrupted", "dismissed", "QuestionRejected"];
    if broken_off.iter().any(|word| error.contains(word)) {
        return HookEvent::Ignored;
    }
    HookEvent::After(ToolResult {
        call: payload.call_of(tool, id.as_deref(), &state["input"]),
        outcome: CallOutcome::Failed,
        exit_code: None,
        text: error,
    })
}

#[cfg(test)]
mod tests;
