//! Claude Code's hooks: payloads as its settings' `command` hooks receive them.

use serde_json::json;

use crate::contract::refusal::Refusal;
use crate::contract::tool::{CallOutcome, HookAnswer, HookEvent, Prompt, ToolResult, WaitKind};

use super::command::{self, Payload};
use super::tools::{Tools, is_ours, texts};
use super::{Dialect, Wire};

/// The dialect.
pub(super) struct Claude;

const NAME: &str = "claude";
const BEFORE: &str = "PreToolUse";
/// A command in the text of a skill runs before the model reads it, and is no tool call of its own.
const SKILL: &str = "PreSkillShellCommand";

const TOOLS: Tools = Tools {
    shell: &["Bash"],
    edit: &["Edit", "Write", "MultiEdit", "NotebookEdit"],
    patch: &[],
    read: &[
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
    ],
};

impl Dialect for Claude {
    fn read(&self, event: Option<&str>, payload: &[u8]) -> Result<Wire, Refusal> {
        command::wire(event, payload, &[BEFORE, SKILL], event_of)
    }

    fn write(&self, event: &str, answer: &HookAnswer) -> String {
        match answer {
            HookAnswer::Allow => String::new(),
            HookAnswer::Refuse(reason) if self.refusable(event) => json!({"hookSpecificOutput": {
                "hookEventName": event,
                "permissionDecision": "deny",
                "permissionDecisionReason": reason,
            }})
            .to_string(),
            HookAnswer::Refuse(reason) => command::block(reason),
            HookAnswer::Tell(words) => match event {
                BEFORE | "PostToolUse" | "PostToolUseFailure" | "UserPromptSubmit"
                | "SessionStart" | "SubagentStart" => command::context(event, words),
                _ => command::notice(words),
            },
        }
    }

    fn refusable(&self, event: &str) -> bool {
        matches!(event, BEFORE | SKILL)
    }

    fn events(&self) -> &'static [&'static str] {
        &[
            "SessionStart",
            "UserPromptSubmit",
            "PreToolUse",
            "PreSkillShellCommand",
            "PermissionRequest",
            "PermissionDenied",
            "PostToolUse",
            "PostToolUseFailure",
            "Notification",
            "Elicitation",
            "ElicitationResult",
            "SubagentStart",
            "SubagentStop",
            "Stop",
            "SessionEnd",
        ]
    }
}

fn event_of(name: &str, payload: &Payload) -> HookEvent {
    let caller = || payload.caller(NAME);
    let after = |outcome, exit_code, text| {
        HookEvent::After(ToolResult {
            call: payload.call(NAME, &TOOLS),
            outcome,
            exit_code,
            text,
        })
    };
    match name {
        "SessionStart" | "SubagentStart" => HookEvent::Start(caller()),
        "SessionEnd" => HookEvent::End(caller()),
        "UserPromptSubmit" if typed(payload) => HookEvent::Prompt(Prompt {
            caller: caller(),
            first: false,
        }),
        BEFORE | SKILL => HookEvent::Before(payload.call(NAME, &TOOLS)),
        "PostToolUse" => after(
            CallOutcome::Done,
            (payload.tool_name == "Bash").then_some(0),
            texts(&payload.tool_response),
        ),
        "PostToolUseFailure" if payload.is_interrupt => HookEvent::Ignored,
        "PostToolUseFailure" => {
            let error = texts(&payload.error);
            if no_permission(&error) {
                return payload.waits(NAME, WaitKind::Permission, &payload.asks_for());
            }
            after(CallOutcome::Failed, exit_code(&error), error)
        }
        "PermissionRequest" | "PermissionDenied" => {
            payload.waits(NAME, WaitKind::Permission, &payload.asks_for())
        }
        "Notification" => notified(payload),
        "Elicitation" => {
            let server = payload.mcp_server_name.as_str().unwrap_or_default();
            let words = payload.message.as_str().unwrap_or_default();
            payload.waits(NAME, WaitKind::Question, format!("{server} {words}").trim())
        }
        "ElicitationResult" => HookEvent::WaitsNoMore(caller()),
        "Stop" | "SubagentStop" => payload.turn_end(NAME),
        _ => HookEvent::Ignored,
    }
}

/// Notes that tell of a wait. That a turn ended a while ago is none.
fn notified(payload: &Payload) -> HookEvent {
    let words = payload.message.as_str().unwrap_or_default();
    match payload.notification_type.as_str().unwrap_or_default() {
        "permission_prompt" | "worker_permission_prompt" => {
            payload.waits(NAME, WaitKind::Permission, words)
        }
        "elicitation_dialog" | "agent_needs_input" => {
            payload.waits(NAME, WaitKind::Question, words)
        }
        "elicitation_complete" | "elicitation_response" => {
            HookEvent::WaitsNoMore(payload.caller(NAME))
        }
        // Older versions name no type.
        "" if words.contains("needs your permission") => {
            payload.waits(NAME, WaitKind::Permission, words)
        }
        _ => HookEvent::Ignored,
    }
}

/// Whether a call did not run because nobody had permitted it.
fn no_permission(error: &str) -> bool {
    const BEGINNINGS: [&str; 4] = [
        "Permission to use ",
        "The user doesn't want to ",
        "Claude requested permissions to ",
        "This command requires approval",
    ];
    BEGINNINGS.iter().any(|words| error.starts_with(words))
}

/// Whether a person may have typed a prompt. Claude Code sends its own notes the same way: what a
/// background task came to, a notice of another session, a teammate's message. Each is one
/// element with a hyphen in its name, such as `<task-notification>`, and newer versions name
/// their source. A subagent has no person.
fn typed(payload: &Payload) -> bool {
    let by_person = match payload.source.as_str() {
        Some(source) => matches!(source, "user" | "sdk"),
        None => true,
    };
    let words = payload.prompt.as_str().unwrap_or_default().trim_start();
    let element = words.strip_prefix('<').and_then(|rest| {
        let name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        rest.split_once(|c: char| !name(c))
    });
    by_person
        && payload.caller(NAME).subagent.is_none()
        && !is_ours(words)
        && !element.is_some_and(|(name, _)| name.contains('-'))
}

/// `Exit code 3` stands in the first line of a failed command.
fn exit_code(error: &str) -> Option<i32> {
    let first = error.lines().next()?.trim();
    first.strip_prefix("Exit code ")?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::tool::Act;

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
        assert!(result.failed());
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
    fn a_command_in_the_text_of_a_skill_is_a_call_that_can_be_refused() {
        let payload = r#"{"session_id":"s","hook_event_name":"PreSkillShellCommand","tool_name":"Bash",
            "tool_input":{"command":"make"},"tool_use_id":"t1","command_name":"mine"}"#;
        let HookEvent::Before(call) = read(payload) else {
            panic!("no call")
        };
        assert_eq!(call.act, Act::Shell("make".to_owned()));
        let said = Claude.write(SKILL, &HookAnswer::Refuse("no".to_owned()));
        let said: serde_json::Value = serde_json::from_str(&said).unwrap();
        assert_eq!(said["hookSpecificOutput"]["hookEventName"], SKILL);
        assert_eq!(said["hookSpecificOutput"]["permissionDecision"], "deny");
        let called_for = |event| Claude.read(Some(event), payload.as_bytes()).is_ok();
        assert!(called_for(SKILL) && !called_for(BEFORE));
        let nameless = r#"{"session_id":"s","hook_event_name":"PreSkillShellCommand"}"#;
        assert!(Claude.read(None, nameless.as_bytes()).is_err());
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
