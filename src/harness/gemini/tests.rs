use super::*;
use crate::contract::tool::Act;

fn read(event: &str, fields: &Value) -> HookEvent {
    let mut all = json!({
        "session_id": "5e57-s", "transcript_path": "/h/chats/s.jsonl", "cwd": "/p",
        "hook_event_name": event, "timestamp": "2026-11-30T17:40:09.001Z",
    });
    for (key, value) in fields.as_object().unwrap() {
        all[key] = value.clone();
    }
    let wire = Gemini.read(Some(event), all.to_string().as_bytes());
    wire.unwrap().event
}

#[test]
fn tool_calls_are_read_with_what_they_may_do() {
    for (tool, input, act) in [
        (
            "run_shell_command",
            json!({"command": "make"}),
            Act::Shell("make".to_owned()),
        ),
        (
            "write_file",
            json!({"file_path": "a", "content": "x"}),
            Act::Edit(vec!["a".to_owned()]),
        ),
        (
            "replace",
            json!({"file_path": "a", "old_string": "x"}),
            Act::Edit(vec!["a".to_owned()]),
        ),
        ("read_file", json!({"absolute_path": "a"}), Act::Read),
        ("save_memory", json!({"fact": "x"}), Act::Other),
        ("mcp_fleet_fleet_claim", json!({}), Act::Other),
        ("mcp_watchfloor_handoff_answer", json!({}), Act::Read),
    ] {
        let fields = json!({"tool_name": tool, "tool_input": input});
        let HookEvent::Before(call) = read("BeforeTool", &fields) else {
            panic!("{tool} is no call")
        };
        assert_eq!(call.act, act, "{tool}");
        let told =
            json!({"tool_name": tool, "tool_input": fields["tool_input"], "tool_response": {}});
        let id = call.call_id.unwrap();
        assert!(
            matches!(read("AfterTool", &told), HookEvent::After(r) if r.call.call_id.as_deref() == Some(&*id))
        );
    }
}

#[test]
fn an_exit_code_is_a_line_behind_the_output() {
    let framed = |text: &str| format!("<untrusted_context>\n{text}\n</untrusted_context>");
    for (text, outcome, code) in [
        (
            "Output: oops\nExit Code: 3\nProcess Group PGID: 19435",
            CallOutcome::Failed,
            Some(3),
        ),
        ("Output: oops\nExit Code: 3", CallOutcome::Failed, Some(3)),
        (
            "Output: fine\nProcess Group PGID: 19435",
            CallOutcome::Done,
            Some(0),
        ),
        ("Output: fine", CallOutcome::Done, Some(0)),
        (
            "Output: Exit Code: 9\nmore\nBackground PIDs: 1, 2\nProcess Group PGID: 7",
            CallOutcome::Done,
            Some(0),
        ),
        (
            "Output: a\nExit Code: 9\nmore\nExit Code: 1\nProcess Group PGID: 7",
            CallOutcome::Failed,
            Some(1),
        ),
        (
            "Output: x\nSignal: 15\nProcess Group PGID: 7",
            CallOutcome::Failed,
            None,
        ),
        (
            "Command moved to background (PID: 7). Output hidden.",
            CallOutcome::Unknown,
            None,
        ),
        (
            "Command was cancelled by user before it could complete.",
            CallOutcome::Unknown,
            None,
        ),
    ] {
        let fields = json!({"tool_name": "run_shell_command", "tool_input": {"command": "make"},
            "tool_response": {"llmContent": framed(text), "returnDisplay": "x"}});
        let HookEvent::After(result) = read("AfterTool", &fields) else {
            panic!("no result")
        };
        assert_eq!(
            (result.outcome, result.exit_code),
            (outcome, code),
            "{text}"
        );
        assert_eq!(result.text, text);
    }
}

#[test]
fn other_tools_fail_by_their_error() {
    let after = |response: Value| {
        read(
            "AfterTool",
            &json!({"tool_name": "replace", "tool_input": {"file_path": "a"}, "tool_response": response}),
        )
    };
    let failed = json!({"llmContent": "no such text", "error": {"type": "edit_no_occurrence_found", "message": "m"}});
    assert!(matches!(after(failed), HookEvent::After(r) if r.failed() && r.text == "no such text"));
    let parts = json!({"llmContent": [{"text": "done"}], "returnDisplay": "done"});
    assert!(
        matches!(after(parts), HookEvent::After(r) if r.outcome == CallOutcome::Done && r.text == "done")
    );
    let denied = json!({"llmContent": "denied", "error": {"type": "policy_violation"}});
    assert!(matches!(after(denied), HookEvent::Waits(w) if w.kind == WaitKind::Permission));
}

#[test]
fn the_reason_of_a_refused_end_is_nobodys_prompt() {
    assert!(matches!(
        read("BeforeAgent", &json!({"prompt": "go"})),
        HookEvent::Prompt(_)
    ));
    let ours = json!({"prompt": "Watchfloor: this turn cannot end yet"});
    assert_eq!(read("BeforeAgent", &ours), HookEvent::Ignored);
    let end = json!({"prompt": "go", "prompt_response": "done", "stop_hook_active": true});
    assert!(
        matches!(read("AfterAgent", &end), HookEvent::TurnEnd(end) if end.again && end.turn.is_none())
    );
}

#[test]
fn only_permissions_are_waits() {
    let asks = json!({"notification_type": "ToolPermission", "message": "Tool run_shell_command requires execution",
        "details": {"type": "exec", "command": "rm x"}});
    let HookEvent::Waits(waits) = read("Notification", &asks) else {
        panic!("no wait")
    };
    assert!(
        waits.text.ends_with("requires execution rm x"),
        "{}",
        waits.text
    );
    assert_eq!(
        read("Notification", &json!({"notification_type": "Other"})),
        HookEvent::Ignored
    );
    for event in ["PreCompress", "BeforeModel", "BeforeToolSelection"] {
        assert_eq!(read(event, &json!({})), HookEvent::Ignored);
    }
}

#[test]
fn every_answer_is_json() {
    let refuse = HookAnswer::Refuse("why".to_owned());
    let tell = HookAnswer::Tell("words".to_owned());
    let json_of =
        |event, answer| serde_json::from_str::<Value>(&Gemini.write(event, answer)).unwrap();
    for event in [
        "BeforeTool",
        "AfterAgent",
        "Notification",
        "PreCompress",
        "SessionEnd",
    ] {
        assert_eq!(json_of(event, &HookAnswer::Allow), json!({}));
    }
    for event in ["BeforeTool", "AfterAgent"] {
        assert_eq!(
            json_of(event, &refuse),
            json!({"decision": "deny", "reason": "why"})
        );
        assert_eq!(json_of(event, &tell), json!({"systemMessage": "words"}));
    }
    assert_eq!(
        json_of("SessionStart", &tell),
        json!({"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "words"}})
    );
}
