use serde_json::json;

use super::*;
use crate::contract::tool::Act;

fn read(payload: &Value) -> HookEvent {
    let wire = Opencode.read(None, payload.to_string().as_bytes());
    wire.unwrap().event
}

fn event(kind: &str, properties: &Value) -> HookEvent {
    read(&json!({"type": kind, "cwd": "/p", "event": {"type": kind, "properties": properties}}))
}

#[test]
fn tool_calls_are_read_with_what_they_may_do() {
    let patch = "*** Begin Patch\n*** Add File: a\n+x\n*** Delete File: b\n*** End Patch";
    for (tool, args, act) in [
        (
            "bash",
            json!({"command": "make"}),
            Act::Shell("make".to_owned()),
        ),
        (
            "write",
            json!({"filePath": "a", "content": "x"}),
            Act::Edit(vec!["a".to_owned()]),
        ),
        (
            "edit",
            json!({"filePath": "a", "oldString": "x"}),
            Act::Edit(vec!["a".to_owned()]),
        ),
        (
            "patch",
            json!({"patchText": patch}),
            Act::Edit(vec!["a".to_owned(), "b".to_owned()]),
        ),
        ("read", json!({"filePath": "a"}), Act::Read),
        ("fleet_fleet_claim", json!({}), Act::Other),
        ("watchfloor_handoff_reply", json!({}), Act::Read),
    ] {
        let payload = json!({"type": "tool.execute.before", "cwd": "/p", "pid": 7,
            "input": {"tool": tool, "sessionID": "ses_1", "callID": "call_1"}, "output": {"args": args}});
        let HookEvent::Before(call) = read(&payload) else {
            panic!("{tool} is no call")
        };
        assert_eq!(
            (call.act, call.call_id.as_deref()),
            (act, Some("call_1")),
            "{tool}"
        );
        assert_eq!(call.caller.agent().as_str(), "opencode:ses_1");
    }
}

#[test]
fn results_tell_their_exit() {
    let after = |tool: &str, output: Value| {
        let payload = json!({"type": "tool.execute.after", "cwd": "/p", "output": output,
            "input": {"tool": tool, "sessionID": "ses_1", "callID": "c", "args": {"command": "make"}}});
        let HookEvent::After(result) = read(&payload) else {
            panic!("no result")
        };
        (result.outcome, result.exit_code, result.text)
    };
    let bash = |exit: Value| {
        after(
            "bash",
            json!({"title": "t", "metadata": {"exit": exit}, "output": "said\n"}),
        )
    };
    assert_eq!(
        bash(json!(0)),
        (CallOutcome::Done, Some(0), "said\n".to_owned())
    );
    assert_eq!(
        bash(json!(2)),
        (CallOutcome::Failed, Some(2), "said\n".to_owned())
    );
    assert_eq!(bash(Value::Null).0, CallOutcome::Unknown);
    let mcp = json!({"content": [{"type": "text", "text": "no"}], "isError": true});
    assert_eq!(
        after("fleet_x", mcp),
        (CallOutcome::Failed, None, "no".to_owned())
    );
    assert_eq!(
        after("edit", json!({"output": "ok", "metadata": {}})).0,
        CallOutcome::Done
    );
}

#[test]
fn a_failed_part_is_a_failure_unless_somebody_refused() {
    let part = |status: &str, error: &str| {
        event(
            "message.part.updated",
            &json!({"sessionID": "ses_1", "part": {"type": "tool", "tool": "edit", "callID": "c",
            "sessionID": "ses_1", "state": {"status": status, "input": {"filePath": "a"}, "error": error}}}),
        )
    };
    assert!(
        matches!(part("error", "oldString not found"), HookEvent::After(r) if r.failed() && r.text == "oldString not found")
    );
    assert_eq!(part("completed", ""), HookEvent::Ignored);
    assert_eq!(
        part("error", "Watchfloor: a breaker is open"),
        HookEvent::Ignored
    );
    assert_eq!(part("error", "Tool execution aborted"), HookEvent::Ignored);
    let no = part(
        "error",
        "The user rejected permission to use this specific tool call.",
    );
    assert!(matches!(no, HookEvent::Waits(w) if w.kind == WaitKind::Permission));
}

#[test]
fn subagents_belong_to_the_session_that_started_them() {
    let start = event(
        "session.created",
        &json!({"sessionID": "ses_2", "info": {"id": "ses_2", "parentID": "ses_1"}}),
    );
    assert!(
        matches!(start, HookEvent::Start(caller) if caller.agent().as_str() == "opencode:ses_1/ses_2")
    );
    let payload = json!({"type": "chat.message", "parent_id": "ses_1", "input": {"sessionID": "ses_2"},
        "output": {"parts": [{"type": "text", "text": "look around"}]}});
    assert_eq!(read(&payload), HookEvent::Ignored);
}

#[test]
fn turns_prompts_and_questions_are_told_apart() {
    let prompt = |words: &str| {
        read(
            &json!({"type": "chat.message", "input": {"sessionID": "ses_1"}, "output": {"parts": [{"type": "text", "text": words}]}}),
        )
    };
    assert!(matches!(prompt("go on"), HookEvent::Prompt(_)));
    assert_eq!(
        prompt("Watchfloor: this turn cannot end yet"),
        HookEvent::Ignored
    );
    assert!(matches!(
        event("event:session.idle", &json!({"sessionID": "ses_1"})),
        HookEvent::TurnEnd(_)
    ));
    let asked = event(
        "permission.asked",
        &json!({"id": "per_1", "sessionID": "ses_1", "permission": "bash",
        "metadata": {"command": "rm x"}, "tool": {"callID": "c"}}),
    );
    assert!(
        matches!(asked, HookEvent::Waits(w) if w.kind == WaitKind::Permission && w.text == "bash rm x")
    );
    let asked = event(
        "question.asked",
        &json!({"sessionID": "ses_1", "questions": [{"question": "Which port?"}]}),
    );
    assert!(
        matches!(asked, HookEvent::Waits(w) if w.kind == WaitKind::Question && w.text == "Which port?")
    );
    for kind in [
        "permission.replied",
        "question.replied",
        "question.rejected",
    ] {
        assert!(matches!(
            event(kind, &json!({"sessionID": "ses_1"})),
            HookEvent::WaitsNoMore(_)
        ));
    }
    assert_eq!(
        event("session.updated", &json!({"sessionID": "ses_1"})),
        HookEvent::Ignored
    );
}

#[test]
fn what_names_no_session_or_no_tool_is_unreadable() {
    for payload in [
        json!({"type": "tool.execute.before", "input": {"tool": "bash"}, "output": {}}),
        json!({"type": "tool.execute.before", "input": {"sessionID": "s"}, "output": {}}),
        json!({"input": {"sessionID": "s"}}),
        json!([]),
    ] {
        assert!(
            Opencode.read(None, payload.to_string().as_bytes()).is_err(),
            "{payload}"
        );
    }
    let other =
        json!({"type": "session.idle", "event": {"properties": {"sessionID": "s"}}}).to_string();
    assert!(
        Opencode
            .read(Some("tool.execute.before"), other.as_bytes())
            .is_err()
    );
}
