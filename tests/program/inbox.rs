//! Messages between agents, as they call it.

use std::process::Stdio;

use serde_json::Value;

use crate::desk::{Desk, Said};

fn send(desk: &Desk, from: &str, to: &str, text: &str) -> Said {
    desk.run(&[
        "inbox", "send", "--agent", from, "--to", to, "--text", text, "--json",
    ])
}

fn ok(desk: &Desk, words: &[&str]) -> Value {
    let said = desk.run(&[words, &["--json"]].concat());
    assert_eq!(said.code, 0, "{words:?}: {said:?}");
    said.json()
}

fn refused(said: &Said, code: &str, exit: i32) -> String {
    let answer = said.json();
    assert_eq!(answer["code"], code, "{said:?}");
    assert_eq!(said.code, exit, "{said:?}");
    assert!(said.err.is_empty(), "{said:?}");
    answer["cause"].as_str().unwrap().to_owned()
}

#[test]
fn a_message_is_kept_shown_and_taken_once() {
    let desk = Desk::new();
    let sent = send(&desk, "a", "b", "the branch is green\nmerge it").json();
    assert_eq!(sent["state"], "new", "{sent}");
    assert_eq!((&sent["from"], &sent["to"]), (&"a".into(), &"b".into()));
    assert_eq!(sent["known"], false, "b was not seen yet: {sent}");
    let handle = sent["handle"].as_str().unwrap().to_owned();

    let read = ok(&desk, &["inbox", "read", "--agent", "b"]);
    assert_eq!(read["messages"][0]["text"], "the branch is green\nmerge it");
    let again = ok(&desk, &["inbox", "read", "--agent", "b"]);
    assert_eq!(again["messages"][0]["state"], "delivered", "{again}");
    assert_eq!(
        ok(&desk, &["inbox", "read", "--agent", "a"])["messages"],
        serde_json::json!([])
    );

    let foreign = desk.run(&["inbox", "ack", &handle, "--agent", "c", "--json"]);
    refused(&foreign, "message_foreign", 1);
    let taken = ok(&desk, &["inbox", "ack", &handle, "--agent", "b"]);
    assert_eq!(taken["state"], "acknowledged");
    let twice = desk.run(&["inbox", "ack", &handle, "--agent", "b", "--json"]);
    refused(&twice, "message_acknowledged", 1);
    let none = ok(&desk, &["inbox", "read", "--agent", "b"]);
    assert_eq!(
        (&none["messages"], &none["more"]),
        (&serde_json::json!([]), &false.into())
    );
    let list = ok(&desk, &["inbox", "list"]);
    assert_eq!(list["messages"].as_array().unwrap().len(), 1);
    assert_eq!(desk.run(&["verify", "--deep"]).code, 0);
}

#[test]
fn what_a_message_says_is_bounded_redacted_and_harmless() {
    let desk = Desk::new();
    let long = send(&desk, "a", "b", &"x".repeat(4_001));
    let cause = refused(&long, "contract_fault", 1);
    assert!(cause.contains("4001 characters"), "{cause}");
    refused(&send(&desk, "a", "b", " \n"), "contract_fault", 1);
    refused(&send(&desk, "a", " ", "x"), "contract_fault", 1);
    refused(&send(&desk, "a", "b\u{1b}[2J", "x"), "contract_fault", 1);
    refused(
        &send(&desk, "a", &"n".repeat(201), "x"),
        "contract_fault",
        1,
    );
    let kind = desk.run(&[
        "inbox", "send", "--agent", "a", "--to", "b", "--kind", "order", "--text", "x", "--json",
    ]);
    refused(&kind, "usage", 2);
    let re = desk.run(&[
        "inbox", "send", "--agent", "a", "--to", "b", "--re", "m-zzzz", "--text", "x", "--json",
    ]);
    refused(&re, "not_found", 1);

    let key = format!("ghp_{}", "A1b2C3d4E5".repeat(4));
    let text = format!("use {key}\u{1b}[31m now\u{202e}");
    let sent = send(&desk, "a", "b", &text).json();
    let kept = sent["text"].as_str().unwrap();
    assert!(
        !kept.contains(&key) && !kept.contains('\u{1b}') && !kept.contains('\u{202e}'),
        "{kept}"
    );
    assert_eq!(sent["redacted"], 1, "{sent}");
    let edge = send(&desk, "a", "b", &"é".repeat(4_000));
    assert_eq!(edge.code, 0, "{edge:?}");
}

#[test]
fn nobody_speaks_as_a_person_inside_an_agents_session() {
    let desk = Desk::new();
    let words = [
        "inbox",
        "send",
        "--to",
        "b",
        "--text",
        "stop that",
        "--json",
    ];
    let person = desk.run(&words);
    assert_eq!(person.json()["from"], Value::Null, "{person:?}");
    let inside = desk
        .command(&words)
        .env("CLAUDECODE", "1")
        .output()
        .unwrap();
    assert_eq!(inside.status.code(), Some(2));
    for verb in [&["read"][..], &["ack", "m-abcd"]] {
        let said = desk.run(&[&["inbox"], verb, &["--json"]].concat());
        refused(&said, "usage", 2);
    }
}

#[test]
fn an_outcome_reaches_the_asker() {
    let desk = Desk::new();
    let opened = ok(
        &desk,
        &[
            "handoff",
            "open",
            "--agent",
            "a",
            "--question",
            "which port?",
            "--tried",
            "files",
            "--needed",
            "a port",
        ],
    );
    let handle = opened["handle"].as_str().unwrap();
    ok(&desk, &["handoff", "claim", handle, "--agent", "b"]);
    ok(
        &desk,
        &[
            "handoff", "answer", handle, "--agent", "b", "--text", "8443",
        ],
    );
    let read = ok(&desk, &["inbox", "read", "--agent", "a"]);
    let message = &read["messages"][0];
    assert_eq!(
        (&message["kind"], &message["from"]),
        (&"reply".into(), &"b".into())
    );
    assert_eq!(message["re"], opened["id"]);
    let text = message["text"].as_str().unwrap();
    assert!(text.contains("8443") && text.contains(handle), "{text}");
}

#[test]
fn a_poll_waits_for_the_next_message() {
    let desk = Desk::new();
    let out = desk.run(&["inbox", "read", "--agent", "b", "--wait", "0", "--json"]);
    refused(&out, "wait_ran_out", 1);
    let waiting = desk
        .command(&["inbox", "read", "--agent", "b", "--wait", "60", "--json"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    assert_eq!(send(&desk, "a", "b", "now").code, 0);
    let output = waiting.wait_with_output().unwrap();
    let read: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(read["messages"][0]["text"], "now");
}

#[test]
fn a_stopped_agent_sends_nothing_and_still_reads() {
    let desk = Desk::new();
    assert_eq!(send(&desk, "b", "a", "first").code, 0);
    let plan = [
        "attempt",
        "plan",
        "--agent",
        "a",
        "--task",
        "T",
        "--strategy",
        "s",
        "--hypothesis",
        "h",
    ];
    ok(&desk, &plan);
    ok(&desk, &["stop", "--scope", "task:T"]);
    // The call names no task: where the agent works is known.
    refused(&send(&desk, "a", "b", "do it for me"), "breaker_open", 1);
    let open = ["handoff", "next", "--claim", "--agent", "a", "--json"];
    refused(&desk.run(&open), "breaker_open", 1);
    let read = ok(&desk, &["inbox", "read", "--agent", "a"]);
    let handle = read["messages"][0]["handle"].as_str().unwrap();
    ok(&desk, &["inbox", "ack", handle, "--agent", "a"]);
    let person = ["inbox", "send", "--to", "a", "--text", "wait for me"];
    ok(&desk, &person);
}

#[test]
fn an_inbox_takes_only_so_many() {
    let desk = Desk::new();
    for at in 0..3 {
        let sent = send(&desk, "a", "b", &format!("message {at}"));
        assert_eq!(sent.code, 0, "{sent:?}");
    }
    let list = ok(&desk, &["inbox", "list", "--limit", "2"]);
    let texts: Vec<&str> = list["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["text"].as_str().unwrap())
        .collect();
    assert_eq!(
        (texts, &list["more"]),
        (vec!["message 1", "message 2"], &true.into())
    );
    let since = list["messages"][0]["seq"].to_string();
    let rest = ok(&desk, &["inbox", "list", "--since", &since]);
    assert_eq!(rest["messages"].as_array().unwrap().len(), 1);
    assert_eq!(rest["more"], false);
}

fn hook(desk: &Desk, event: &str) -> String {
    let payload = serde_json::json!({"hook_event_name": event, "session_id": "s-1",
        "cwd": desk.project(), "source": "startup", "stop_hook_active": false});
    let said = desk.feed(&["hook", "claude"], &payload.to_string());
    assert_eq!(said.code, 0, "{said:?}");
    said.out
}

#[test]
fn a_message_is_shown_at_the_start_of_a_session_and_at_the_end_of_a_turn() {
    let desk = Desk::new();
    send(&desk, "b", "claude:s-1", "before you began");
    let start = hook(&desk, "SessionStart");
    assert!(
        start.contains("before you began") && start.contains("agent b"),
        "{start}"
    );
    assert!(!hook(&desk, "SessionStart").contains("before you began"));
    assert!(!hook(&desk, "Stop").contains("block"), "nothing is new");
    send(&desk, "b", "claude:s-1", "read this first");
    send(&desk, "b", "claude:s-1", "and this");
    let end = hook(&desk, "Stop");
    assert!(
        end.contains("\"block\"") && end.contains("read this first"),
        "{end}"
    );
    assert!(
        end.contains("and this") && end.contains("inbox ack m-"),
        "{end}"
    );
    assert!(!hook(&desk, "Stop").contains("block"), "shown once");
    let known = send(&desk, "b", "claude:s-1", "third").json();
    assert_eq!(known["known"], true, "{known}");
    for _ in 0..5 {
        send(&desk, "b", "claude:s-1", "again");
        hook(&desk, "Stop");
    }
    // A turn's end is refused three times at most, whatever comes.
    send(&desk, "b", "claude:s-1", "one too many");
    assert!(!hook(&desk, "Stop").contains("block"));
    let read = ok(&desk, &["inbox", "read", "--agent", "claude:s-1"]);
    let last = read["messages"].as_array().unwrap().last().unwrap();
    assert_eq!(
        (&last["text"], &last["state"]),
        (&"one too many".into(), &"new".into())
    );
}
