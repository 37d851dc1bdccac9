//! Agents at work through their servers, beside processes that use the command line.

use std::process::Stdio;

use serde_json::{Value, json};

use crate::client::{Client, Desk, refusal};

fn open(client: &mut Client) -> String {
    let given = json!({"question": "which port?", "tried": "read the files", "needed": "a port",
        "tags": ["db"]});
    let opened = client.call("handoff_open", &given);
    opened["id"].as_str().unwrap().to_owned()
}

#[test]
fn one_session_asks_another_answers_and_the_first_goes_on() {
    let desk = Desk::new();
    std::fs::write(desk.project().join("port.txt"), "8443").unwrap();
    let (mut a, mut b) = (desk.session("a"), desk.session("b"));
    let id = open(&mut a);
    let wait = a.send_call("handoff_wait", &json!({"id": id, "seconds": 300}));
    let taken = b.call("handoff_next", &json!({"claim": true, "tags": ["db"]}));
    assert_eq!((&taken["id"], &taken["holder"]), (&json!(id), &json!("b")));
    assert_eq!(taken["tried"], "read the files");
    b.call(
        "handoff_ask",
        &json!({"id": id, "question": "which region?"}),
    );
    let asked = a.answer(wait);
    assert_eq!(
        asked["result"]["structuredContent"]["follow_up"],
        "which region?"
    );
    a.call("handoff_reply", &json!({"id": id, "text": "eu-1"}));
    let wait = a.send_call("handoff_wait", &json!({"id": id, "seconds": 300}));
    b.call(
        "handoff_answer",
        &json!({"id": id, "text": "8443", "epoch": 1}),
    );
    let answered = a.answer(wait);
    let answered = &answered["result"]["structuredContent"];
    assert_eq!(
        (&answered["state"], &answered["answer"]),
        (&json!("resolved"), &json!("8443"))
    );
    let used = json!({"id": id, "evidence": ["port.txt"], "text": "wrote it down"});
    assert_eq!(a.call("handoff_use", &used)["state"], "resolved");
    assert_eq!(a.call("handoff_show", &json!({"id": id}))["used"], true);
    let list = b.call("handoff_list", &json!({"state": "resolved"}));
    assert_eq!(list["handoffs"][0]["question"], "which port?");
    assert!(desk.run(&["verify", "--deep"]).status.success());
}

#[test]
fn of_servers_that_want_one_entry_one_gets_it() {
    const RIVALS: usize = 8;
    let desk = Desk::new();
    let id = open(&mut desk.session("asker"));
    let mut rivals: Vec<Client> = (0..RIVALS)
        .map(|rival| desk.session(&format!("rival-{rival}")))
        .collect();
    let calls: Vec<u64> = rivals
        .iter_mut()
        .map(|rival| rival.send_call("handoff_claim", &json!({"id": id})))
        .collect();
    let mut holders = Vec::new();
    for (rival, call) in rivals.iter_mut().zip(calls) {
        let answer = rival.answer(call);
        if answer["result"]["isError"] == true {
            assert_eq!(refusal(&answer)["code"], "handoff_held");
        } else {
            holders.push(answer["result"]["structuredContent"]["holder"].clone());
        }
    }
    assert_eq!(holders.len(), 1, "{holders:?}");
}

#[test]
fn a_wait_is_answered_by_another_process_and_can_be_broken_off() {
    let desk = Desk::new();
    let mut a = desk.session("a");
    let id = open(&mut a);
    let wait = a.send_call("handoff_wait", &json!({"id": id, "seconds": 600}));
    // The session stays free for other calls meanwhile, and the entry is blocking.
    let mut shown = Value::Null;
    while shown["priority"] != "blocking" {
        shown = a.call("handoff_show", &json!({"id": id}));
    }
    a.notify(
        "notifications/cancelled",
        &json!({"requestId": wait, "reason": "enough"}),
    );
    let short = a.refused("handoff_wait", &json!({"id": id, "seconds": 0}));
    assert_eq!(short["code"], "wait_ran_out");
    let wait = a.send_call("handoff_wait", &json!({"id": id, "seconds": 600}));
    desk.ok(&["handoff", "claim", &id, "--agent", "b"]);
    desk.ok(&["handoff", "answer", &id, "--agent", "b", "--text", "8443"]);
    let answer = a.answer(wait);
    assert_eq!(
        answer["result"]["structuredContent"]["answer"], "8443",
        "{answer}"
    );
}

#[test]
fn a_breaker_stops_what_changes_and_leaves_the_rest() {
    let desk = Desk::new();
    let (mut a, mut b) = (desk.session("a"), desk.session("b"));
    let id = open(&mut b);
    let plan = json!({"task": "T", "hypothesis": "h", "strategy": "s"});
    a.call("attempt_plan", &plan);
    desk.ok(&["stop", "--scope", "task:T"]);
    for (tool, given) in [
        ("attempt_plan", plan),
        ("handoff_claim", json!({"id": id})),
        ("handoff_next", json!({"claim": true})),
        ("inbox_send", json!({"to": "b", "text": "do it for me"})),
    ] {
        assert_eq!(a.refused(tool, &given)["code"], "breaker_open", "{tool}");
    }
    let gate = a.call("gate_check", &json!({"role": "maker", "strategy": "s"}));
    assert_eq!(gate["verdict"], "breaker_open", "{gate}");
    let leak = a.call(
        "attempt_record",
        &json!({"role": "maker", "hypothesis": "h", "strategy": "s", "result": "FAIL",
            "change": {"summary": "c", "files": ["a.rs"]},
            "error_signature": "error: no such file"}),
    );
    assert_eq!(leak["findings"], json!(["leak"]), "{leak}");
    a.call("handoff_list", &json!({}));
    a.call("inbox_read", &json!({}));
    // Another agent's work goes on.
    b.call(
        "inbox_send",
        &json!({"to": "a", "text": "are you stopped?", "kind": "question"}),
    );
    let read = a.call("inbox_read", &json!({}));
    let message = &read["messages"][0];
    assert_eq!(
        (&message["from"], &message["kind"]),
        (&json!("b"), &json!("question"))
    );
    let taken = a.call("inbox_ack", &json!({"id": message["handle"]}));
    assert_eq!(taken["state"], "acknowledged");
    let twice = a.refused("inbox_ack", &json!({"id": message["id"]}));
    assert_eq!(twice["code"], "message_acknowledged");
}

#[test]
fn the_session_above_the_server_is_who_calls() {
    let desk = Desk::new();
    // A process that says to be a session's: it registers itself, then runs the server below it.
    let script =
        "printf '%s' \"$START\" | \"$PROGRAM\" hook claude >/dev/null; \"$PROGRAM\" mcp; true";
    let mut command = std::process::Command::new("/bin/sh");
    let start = json!({"session_id": "s-1", "hook_event_name": "SessionStart", "source": "startup",
        "cwd": desk.project()});
    command
        .args(["-c", &format!("export CLAUDE_PID=$$; {script}")])
        .env_clear()
        .env("HOME", desk.project().parent().unwrap())
        .env("PROGRAM", env!("CARGO_BIN_EXE_watchfloor"))
        .env("START", start.to_string())
        .env("PATH", "/usr/bin:/bin")
        // What the entry says is less than what the hook knows.
        .env("WATCHFLOOR_AGENT", "somebody-else")
        .current_dir(desk.project());
    let mut client = Client::of(command);
    client.initialize("2025-06-18");
    let id = open(&mut client);
    let shown = desk.ok(&["handoff", "show", &id]);
    assert_eq!(shown["asker"], "claude:s-1", "{shown}");
    // A try belongs to the session's own task where none is named.
    let recorded = client.call(
        "attempt_record",
        &json!({"role": "maker", "hypothesis": "h", "strategy": "s", "result": "PASS",
            "change": {"summary": "c", "files": ["a.rs"]}}),
    );
    let list = desk.ok(&["attempt", "list"]);
    assert_eq!(list["attempts"][0]["attempt_id"], recorded["attempt_id"]);
    assert_eq!(list["attempts"][0]["agent"], "claude:s-1");
    assert_eq!(list["attempts"][0]["task_id"], "session-s-1");
}

#[test]
fn two_servers_and_the_command_line_write_at_once() {
    let desk = Desk::new();
    let (mut a, mut b) = (desk.session("a"), desk.session("b"));
    let text = json!({"to": "c", "text": "one"});
    let mut calls = Vec::new();
    for _ in 0..20 {
        calls.push((
            a.send_call("inbox_send", &text),
            b.send_call("inbox_send", &text),
        ));
    }
    let words = [
        "inbox", "send", "--agent", "d", "--to", "c", "--text", "two",
    ];
    let child = desk.command(&words).stdout(Stdio::null()).spawn();
    for (one, two) in calls {
        for answer in [a.answer(one), b.answer(two)] {
            assert_ne!(answer["result"]["isError"], true, "{answer}");
        }
    }
    assert!(child.unwrap().wait().unwrap().success());
    let list = desk.ok(&["inbox", "list", "--to", "c"]);
    assert_eq!(list["messages"].as_array().unwrap().len(), 41);
}
