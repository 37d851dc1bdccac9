//! What bad use gets: a clear answer, and a server that goes on.

use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};

use crate::client::{Client, Desk, meta};

fn code(answer: &Value) -> i64 {
    answer["error"]["code"].as_i64().unwrap_or_default()
}

/// The server still works.
fn goes_on(client: &mut Client) {
    let answer = client.ask("ping", &json!({}));
    assert_eq!(answer["result"], json!({}), "{answer}");
}

#[test]
fn lines_that_are_no_messages_are_answered_and_end_nothing() {
    let desk = Desk::new();
    let mut client = desk.server("a");
    for (line, expected) in [
        ("nonsense", -32700),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":", -32700),
        ("\u{0}\u{1}", -32700),
        ("[]", -32600),
        ("42", -32600),
        (
            "{\"jsonrpc\":\"1.0\",\"id\":\"x\",\"method\":\"ping\"}",
            -32600,
        ),
        ("{\"id\":\"x\",\"method\":\"ping\"}", -32600),
    ] {
        client.line(line);
        let answer = client.receive();
        assert_eq!(code(&answer), expected, "{line}: {answer}");
        assert!(answer["error"]["message"].as_str().unwrap().len() > 5);
    }
    client.write(b"\xff\xfe broken\n\n\r\n");
    assert_eq!(code(&client.receive()), -32700);
    // Before and without any handshake: notifications, answers to nothing.
    client.notify("notifications/initialized", &json!({}));
    client.notify("notifications/nobody-knows", &json!({"a": 1}));
    client.line("{\"jsonrpc\":\"2.0\",\"id\":77,\"result\":{}}");
    client.line("{\"jsonrpc\":\"2.0\",\"id\":78,\"error\":{\"code\":1,\"message\":\"m\"}}");
    goes_on(&mut client);
    client.initialize("2025-06-18");
    client.initialize("2025-03-26");
    goes_on(&mut client);
}

#[test]
fn what_there_is_not_is_said() {
    let desk = Desk::new();
    let mut client = desk.session("a");
    assert_eq!(code(&client.ask("tools/cal", &json!({}))), -32601);
    assert_eq!(code(&client.ask("completion/complete", &json!({}))), -32601);
    assert_eq!(
        code(&client.ask("tools/call", &json!({"arguments": {}}))),
        -32602
    );
    assert_eq!(code(&client.ask("tools/call", &json!([1]))), -32602);
    assert_eq!(
        code(&client.ask("tools/call", &json!({"name": "rm"}))),
        -32602
    );
    assert_eq!(
        code(&client.ask("prompts/get", &json!({"name": "x"}))),
        -32602
    );
    assert_eq!(code(&client.ask("resources/read", &json!({}))), -32602);
    let batch = json!([
        {"jsonrpc": "2.0", "id": "one", "method": "ping"},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": "two", "method": "ping"},
    ]);
    client.line(&batch.to_string());
    let mut ids = [
        client.receive()["id"].clone(),
        client.receive()["id"].clone(),
    ];
    ids.sort_by_key(ToString::to_string);
    assert_eq!(ids, [json!("one"), json!("two")]);
    goes_on(&mut client);
}

#[test]
fn wrong_arguments_are_told_all_at_once() {
    let desk = Desk::new();
    let mut client = desk.session("a");
    let refused = client.refused(
        "handoff_open",
        &json!({"question": 1, "tried": "t", "asker": "somebody", "wants": "money"}),
    );
    assert_eq!(refused["code"], "contract_fault");
    let faults: Vec<&str> = refused["faults"]
        .as_array()
        .unwrap()
        .iter()
        .map(|fault| fault["path"].as_str().unwrap())
        .collect();
    assert_eq!(
        faults,
        ["question", "needed", "wants", "asker"],
        "{refused}"
    );
    let blank = json!({"question": " ", "tried": "t", "needed": "n"});
    assert_eq!(
        client.refused("handoff_open", &blank)["code"],
        "contract_fault"
    );
    let long = json!({"question": "x".repeat(30_000), "tried": "t", "needed": "n"});
    assert_eq!(
        client.refused("handoff_open", &long)["code"],
        "contract_fault"
    );
    let secret = format!("ghp_{}", "A1b2C3d4E5".repeat(4));
    let holds = json!({"question": secret, "tried": "t", "needed": "n"});
    assert_eq!(
        client.refused("handoff_open", &holds)["code"],
        "secret_in_record"
    );
    assert_eq!(
        client.refused("handoff_claim", &json!({"id": "h-zzzz"}))["code"],
        "not_found"
    );
    let none = json!({"seconds": 9_999});
    assert_eq!(
        client.refused("inbox_read", &none)["code"],
        "contract_fault"
    );
    assert_eq!(
        client.refused("handoff_next", &json!({}))["code"],
        "handoff_none"
    );
}

#[test]
fn a_message_has_a_limit_and_a_long_one_is_only_refused() {
    let desk = Desk::new();
    let mut client = desk.session("a");
    let text = "x".repeat(9 << 20);
    let id = 5_000_000;
    let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
        "params": {"name": "triage_classify", "arguments": {"text": text}}});
    client.line(&call.to_string());
    let answer = client.receive();
    assert_eq!(code(&answer), -32600, "{answer}");
    goes_on(&mut client);
    // Large, and still a message.
    let text = "y".repeat(1 << 20);
    let id = client.send_call("triage_classify", &json!({"text": text}));
    let answer = client.answer(id);
    assert!(answer["result"].is_object(), "{answer}");
}

#[test]
fn the_end_of_the_input_ends_the_server_at_once() {
    let desk = Desk::new();
    // Nothing at all, a half line, a whole request without its line end.
    let (status, said, _) = desk.server("a").end();
    assert!(status.success() && said.is_empty(), "{said}");
    let mut client = desk.server("a");
    client.write(b"{\"jsonrpc\":\"2.0\",\"id\":1,");
    let (status, said, _) = client.end();
    assert!(status.success() && said.is_empty(), "{said}");
    let mut client = desk.server("a");
    client.write(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}");
    client.close_input();
    assert_eq!(client.receive()["result"], json!({}));

    // A wait that would last for minutes.
    let mut client = desk.session("a");
    let open = json!({"question": "q", "tried": "t", "needed": "n"});
    let id = client.call("handoff_open", &open)["id"].clone();
    client.send_call("handoff_wait", &json!({"id": id, "seconds": 600}));
    client.send_call("inbox_read", &json!({"seconds": 600}));
    goes_on(&mut client);
    let (status, said, took) = client.end();
    assert!(status.success() && said.is_empty(), "{said}");
    assert!(took < Duration::from_secs(20), "{took:?}");
}

#[test]
fn requests_that_were_read_are_answered_although_the_input_has_ended() {
    let desk = Desk::new();
    let mut client = desk.server("a");
    let open = json!({"question": "q", "tried": "t", "needed": "n"});
    let ids: Vec<u64> = (0..20)
        .map(|_| client.send_call("handoff_open", &open))
        .collect();
    client.close_input();
    for id in ids {
        let answer = client.answer(id);
        assert_eq!(
            answer["result"]["structuredContent"]["state"], "open",
            "{answer}"
        );
    }
    assert_eq!(desk.ok(&["status"])["counts"]["handoffs_open"], 20);
}

#[test]
fn a_client_that_reads_no_answers_loses_its_server() {
    let desk = Desk::new();
    let mut child = desk
        .command(&["mcp"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut input = child.stdin.take().unwrap();
    let ping = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";
    let begun = std::time::Instant::now();
    let status = loop {
        drop(std::io::Write::write_all(&mut input, ping));
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        assert!(begun.elapsed() < crate::client::LIMIT);
    };
    assert!(status.success(), "{status}");
}

#[test]
fn without_a_store_each_call_says_how_to_make_one() {
    let desk = Desk::bare();
    let mut client = desk.session("a");
    let refused = client.refused("handoff_list", &json!({}));
    assert_eq!(refused["code"], "store_missing");
    assert_eq!(refused["next_command"], "watchfloor init");
    // This needs none.
    let found = client.call(
        "triage_classify",
        &json!({"text": "ECONNREFUSED 127.0.0.1:5432"}),
    );
    assert!(found["code"].is_string(), "{found}");
    desk.ok(&["init"]);
    assert_eq!(
        client.call("handoff_list", &json!({}))["handoffs"],
        json!([])
    );
    let read = client.ask("resources/read", &json!({"uri": "watchfloor://fleet"}));
    assert!(read["result"].is_object(), "{read}");
}

#[test]
fn who_calls_is_never_an_argument() {
    let desk = Desk::new();
    let mut client = desk.session("");
    for (tool, given) in [
        (
            "handoff_open",
            json!({"question": "q", "tried": "t", "needed": "n"}),
        ),
        ("handoff_next", json!({"claim": true})),
        ("handoff_claim", json!({"id": "h-zzzz"})),
        ("inbox_read", json!({})),
        ("inbox_send", json!({"to": "b", "text": "x"})),
        (
            "attempt_plan",
            json!({"task": "T", "hypothesis": "h", "strategy": "s"}),
        ),
    ] {
        let refused = client.refused(tool, &given);
        assert_eq!(refused["code"], "usage", "{tool}");
        assert!(
            refused["cause"]
                .as_str()
                .unwrap()
                .contains("WATCHFLOOR_AGENT")
        );
    }
    let named = json!({"agent": "b", "id": "h-zzzz"});
    assert_eq!(
        client.refused("handoff_claim", &named)["code"],
        "contract_fault"
    );
    let newest = json!({"_meta": meta("2026-07-28"), "name": "handoff_list", "arguments": {}});
    assert!(client.ask("tools/call", &newest)["result"].is_object());
}
