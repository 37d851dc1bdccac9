use serde_json::json;

use super::*;
use crate::contract::tool::Act;

/// A payload with the members that every event of Codex has.
fn payload(event: &str, fields: &Value) -> Value {
    let mut all = json!({
        "session_id": "01a2-s", "turn_id": "01a2-t", "transcript_path": null, "cwd": "/p",
        "hook_event_name": event, "model": "gpt-1", "permission_mode": "default",
    });
    for (key, value) in fields.as_object().unwrap() {
        all[key] = value.clone();
    }
    all
}

fn read(event: &str, fields: &Value) -> HookEvent {
    let bytes = payload(event, fields).to_string();
    Codex.read(Some(event), bytes.as_bytes()).unwrap().event
}

#[test]
fn tool_calls_are_read_with_what_they_may_do() {
    let patch = "*** Begin Patch\n*** Update File: a.rs\n@@\n-x\n+y\n*** Add File: b/c.rs\n+z\n*** End Patch";
    for (tool, input, act) in [
        (
            "Bash",
            json!({"command": "make"}),
            Act::Shell("make".to_owned()),
        ),
        (
            "shell",
            json!({"command": ["bash", "-lc", "make"]}),
            Act::Shell("make".to_owned()),
        ),
        (
            "apply_patch",
            json!({"command": patch}),
            Act::Edit(vec!["a.rs".to_owned(), "b/c.rs".to_owned()]),
        ),
        (
            "apply_patch",
            json!(patch),
            Act::Edit(vec!["a.rs".to_owned(), "b/c.rs".to_owned()]),
        ),
        ("update_plan", json!({}), Act::Read),
        ("write_stdin", json!({"chars": "y\n"}), Act::Other),
        (
            "mcp__fleet__fleet_claim",
            json!({"handoff_id": "h-1"}),
            Act::Other,
        ),
        ("mcp__watchfloor__handoff_answer", json!({}), Act::Read),
    ] {
        let fields = json!({"tool_name": tool, "tool_input": input, "tool_use_id": "call_1"});
        let HookEvent::Before(call) = read("PreToolUse", &fields) else {
            panic!("{tool} is no call")
        };
        assert_eq!(
            (call.act, call.call_id.as_deref()),
            (act, Some("call_1")),
            "{tool}"
        );
        assert_eq!(call.caller.agent().as_str(), "codex:01a2-s");
    }
}

#[test]
fn a_code_that_nobody_tells_is_unknown() {
    let after = |response: Value, transcript: Value| {
        let fields = json!({"tool_name": "Bash", "tool_input": {"command": "make"}, "tool_use_id": "call_1",
            "tool_response": response, "transcript_path": transcript});
        let HookEvent::After(result) = read("PostToolUse", &fields) else {
            panic!("no result")
        };
        (result.outcome, result.exit_code, result.text)
    };
    let plain = || json!("error: oops\n");
    assert_eq!(
        after(plain(), Value::Null),
        (CallOutcome::Unknown, None, "error: oops\n".to_owned())
    );
    let gone = json!("/nowhere/rollout.jsonl");
    assert_eq!(after(plain(), gone).0, CallOutcome::Unknown);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rollout.jsonl");
    for (code, outcome) in [(0, CallOutcome::Done), (3, CallOutcome::Failed)] {
        let line = json!({"type": "event_msg", "payload": {"type": "item_completed",
            "item": {"type": "CommandExecution", "id": "call_1", "exit_code": code}}});
        std::fs::write(&path, format!("{line}\n")).unwrap();
        let told = after(plain(), json!(path));
        assert_eq!((told.0, told.1), (outcome, Some(code)));
    }
    let head = json!("Wall time: 1 seconds\nProcess exited with code 2\nOutput:\noops");
    assert_eq!(after(head, Value::Null).1, Some(2));
}

#[test]
fn an_mcp_result_says_itself_whether_it_failed() {
    for (is_error, outcome) in [(false, CallOutcome::Done), (true, CallOutcome::Failed)] {
        let fields = json!({"tool_name": "mcp__fleet__x", "tool_input": {}, "tool_response":
            {"content": [{"type": "text", "text": "said"}], "isError": is_error}});
        let HookEvent::After(result) = read("PostToolUse", &fields) else {
            panic!("no result")
        };
        assert_eq!((result.outcome, result.text.as_str()), (outcome, "said"));
    }
}

#[test]
fn turns_prompts_and_permissions_are_told_apart() {
    let HookEvent::TurnEnd(end) = read("Stop", &json!({"stop_hook_active": true})) else {
        panic!("no end")
    };
    assert_eq!((end.turn.as_deref(), end.again), (Some("01a2-t"), true));
    assert!(matches!(
        read("UserPromptSubmit", &json!({"prompt": "go"})),
        HookEvent::Prompt(_)
    ));
    for words in [
        "<hook_prompt hook_run_id=\"x\">Watchfloor: no</hook_prompt>",
        "Watchfloor: no",
    ] {
        assert_eq!(
            read("UserPromptSubmit", &json!({"prompt": words})),
            HookEvent::Ignored
        );
    }
    let asked = json!({"tool_name": "Bash", "tool_input": {"command": "rm x"}});
    let HookEvent::Waits(waits) = read("PermissionRequest", &asked) else {
        panic!("no wait")
    };
    assert_eq!(
        (waits.kind, waits.text.as_str()),
        (WaitKind::Permission, "Bash rm x")
    );
    assert_eq!(read("PreCompact", &json!({})), HookEvent::Ignored);
    let sub = read(
        "PreToolUse",
        &json!({"tool_name": "Bash", "tool_input": {}, "agent_id": "a9"}),
    );
    assert!(
        matches!(sub, HookEvent::Before(call) if call.caller.agent().as_str() == "codex:01a2-s/a9")
    );
}

#[test]
fn every_answer_has_only_members_that_its_event_knows() {
    let refuse = HookAnswer::Refuse("why".to_owned());
    let tell = HookAnswer::Tell("words".to_owned());
    for event in ["SessionStart", "PreToolUse", "Stop", "Interrupt"] {
        assert_eq!(Codex.write(event, &HookAnswer::Allow), "");
    }
    let json_of = |text: String| serde_json::from_str::<Value>(&text).unwrap();
    assert_eq!(
        json_of(Codex.write("PreToolUse", &refuse)),
        json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "why"}})
    );
    assert_eq!(
        json_of(Codex.write("Stop", &refuse)),
        json!({"decision": "block", "reason": "why"})
    );
    assert_eq!(
        json_of(Codex.write("SessionStart", &tell)),
        json!({"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "words"}})
    );
    for event in ["Stop", "PermissionRequest", "Interrupt", "PreToolUse"] {
        assert_eq!(
            json_of(Codex.write(event, &tell)),
            json!({"systemMessage": "words"}),
            "{event}"
        );
    }
}
