use super::*;
use crate::contract::tool::Act;

fn read(event: &str, tool: Option<&str>, input: &Value, extra: &Value) -> HookEvent {
    let payload = json!({"hook_event_name": event, "tool_name": tool, "tool_input": input,
        "session_id": "2026_7d", "cwd": "/p", "extra": extra});
    let wire = Hermes.read(Some(event), payload.to_string().as_bytes());
    wire.unwrap().event
}

fn about(event: &str, extra: &Value) -> HookEvent {
    read(event, None, &Value::Null, extra)
}

#[test]
fn tool_calls_are_read_with_what_they_may_do() {
    let patch = "*** Begin Patch\n*** Update File: a\n*** Move to: b\n*** End Patch";
    for (tool, input, act) in [
        (
            "terminal",
            json!({"command": "make"}),
            Act::Shell("make".to_owned()),
        ),
        (
            "write_file",
            json!({"path": "a", "content": "x"}),
            Act::Edit(vec!["a".to_owned()]),
        ),
        (
            "patch",
            json!({"mode": "replace", "path": "a"}),
            Act::Edit(vec!["a".to_owned()]),
        ),
        (
            "patch",
            json!({"mode": "patch", "patch": patch}),
            Act::Edit(vec!["a".to_owned(), "b".to_owned()]),
        ),
        ("read_file", json!({"path": "a"}), Act::Read),
        ("execute_code", json!({"code": "x"}), Act::Other),
    ] {
        let extra = json!({"tool_call_id": "call_1", "turn_id": "2026_7d:t:1"});
        let HookEvent::Before(call) = read("pre_tool_call", Some(tool), &input, &extra) else {
            panic!("{tool} is no call")
        };
        assert_eq!(
            (call.act, call.call_id.as_deref()),
            (act, Some("call_1")),
            "{tool}"
        );
        assert_eq!(call.caller.agent().as_str(), "hermes:2026_7d");
    }
}

#[test]
fn a_result_is_json_in_a_text() {
    let after = |result: Value, status: &str| {
        let extra = json!({"result": result.to_string(), "status": status, "tool_call_id": "c"});
        read(
            "post_tool_call",
            Some("terminal"),
            &json!({"command": "make"}),
            &extra,
        )
    };
    for (result, status, outcome, code, text) in [
        (
            json!({"output": "fine", "exit_code": 0, "error": null}),
            "ok",
            CallOutcome::Done,
            Some(0),
            "fine",
        ),
        (
            json!({"output": "oops", "exit_code": 3, "error": null}),
            "ok",
            CallOutcome::Failed,
            Some(3),
            "oops",
        ),
        (
            json!({"output": "a", "exit_code": 1, "error": "b"}),
            "error",
            CallOutcome::Failed,
            Some(1),
            "a\nb",
        ),
        (
            json!({"bytes_written": 5}),
            "ok",
            CallOutcome::Done,
            None,
            "",
        ),
        (json!({"output": "x"}), "", CallOutcome::Unknown, None, "x"),
    ] {
        let HookEvent::After(got) = after(result.clone(), status) else {
            panic!("no result: {result}")
        };
        assert_eq!(
            (got.outcome, got.exit_code, got.text.as_str()),
            (outcome, code, text),
            "{result}"
        );
    }
    assert_eq!(
        after(json!({"error": "Watchfloor: no"}), "blocked"),
        HookEvent::Ignored
    );
    for state in ["pending_approval", "approval_required", "blocked"] {
        let waiting = after(
            json!({"output": "", "exit_code": -1, "status": state}),
            "error",
        );
        assert!(
            matches!(waiting, HookEvent::Waits(w) if w.text == "terminal make"),
            "{state}"
        );
    }
}

#[test]
fn turns_prompts_and_approvals_are_told_apart() {
    let first = about(
        "pre_llm_call",
        &json!({"user_message": "go", "is_first_turn": true, "platform": "cli"}),
    );
    assert!(matches!(first, HookEvent::Prompt(prompt) if prompt.first));
    for extra in [
        json!({"user_message": "go", "platform": "subagent"}),
        json!({"user_message": "Watchfloor: this turn cannot end yet"}),
    ] {
        assert_eq!(about("pre_llm_call", &extra), HookEvent::Ignored);
    }
    let end = about(
        "pre_verify",
        &json!({"attempt": 1, "final_response": "done", "changed_paths": ["a"]}),
    );
    assert!(matches!(end, HookEvent::TurnEnd(end) if end.again));
    // The end of a conversation's run is not that of its session.
    assert_eq!(
        about("on_session_end", &json!({"completed": true})),
        HookEvent::Ignored
    );
    assert!(matches!(
        about("on_session_finalize", &json!({})),
        HookEvent::End(_)
    ));
}

#[test]
fn an_approval_names_its_turn_alone() {
    let read = |surface: &str, event: &str| {
        let payload = json!({"hook_event_name": event, "tool_name": null, "tool_input": null, "session_id": "",
            "cwd": "/p", "extra": {"command": "rm -r x", "surface": surface, "turn_id": "2026_7d:t:1", "tool_call_id": "c"}});
        Hermes
            .read(None, payload.to_string().as_bytes())
            .unwrap()
            .event
    };
    let HookEvent::Waits(waits) = read("cli", "pre_approval_request") else {
        panic!("no wait")
    };
    assert_eq!(waits.caller.agent().as_str(), "hermes:2026_7d");
    assert_eq!(
        (waits.kind, waits.text.as_str()),
        (WaitKind::Permission, "rm -r x")
    );
    // A model decides there, and no person.
    assert_eq!(read("smart", "pre_approval_request"), HookEvent::Ignored);
    assert!(matches!(
        read("cli", "post_approval_response"),
        HookEvent::WaitsNoMore(_)
    ));
}

#[test]
fn every_answer_is_json() {
    let tell = HookAnswer::Tell("words".to_owned());
    let refuse = HookAnswer::Refuse("why".to_owned());
    assert_eq!(Hermes.write("pre_tool_call", &HookAnswer::Allow), "{}");
    assert_eq!(
        Hermes.write("pre_llm_call", &tell),
        r#"{"context":"words"}"#
    );
    assert_eq!(Hermes.write("post_tool_call", &tell), "{}");
    for event in ["pre_tool_call", "pre_verify"] {
        assert_eq!(
            Hermes.write(event, &refuse),
            r#"{"decision":"block","reason":"why"}"#
        );
    }
}
