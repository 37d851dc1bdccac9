//! Every revision of the protocol: what is agreed on, and what is offered.

use serde_json::{Value, json};

use crate::client::{Desk, meta};

const OLD: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
const NEW: &str = "2026-07-28";

fn names(list: &Value, key: &str) -> Vec<String> {
    let items = list["result"][key].as_array().unwrap().iter();
    items
        .map(|item| item["name"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn each_older_revision_is_agreed_on_by_initialize() {
    let desk = Desk::new();
    for version in OLD {
        let mut client = desk.server("a");
        let answer = client.initialize(version);
        let result = &answer["result"];
        assert_eq!(result["protocolVersion"], version, "{answer}");
        assert_eq!(result["serverInfo"]["name"], "watchfloor");
        for offered in ["tools", "resources", "prompts"] {
            assert!(result["capabilities"][offered].is_object(), "{answer}");
        }
        let tools = client.ask("tools/list", &json!({}));
        assert_eq!(names(&tools, "tools").len(), 20, "{version}");
        assert!(tools["result"].get("resultType").is_none(), "{version}");
        let opened = client.call(
            "handoff_open",
            &json!({"question": "q", "tried": "t", "needed": "n"}),
        );
        assert_eq!(opened["state"], "open");
        let pong = client.ask("ping", &json!({}));
        assert_eq!(pong["result"], json!({}));
        let (status, said, _) = client.end();
        assert!(status.success() && said.is_empty(), "{status} {said}");
    }
}

#[test]
fn the_newest_revision_needs_no_initialize() {
    let desk = Desk::new();
    let mut client = desk.server("a");
    let found = client.ask("server/discover", &json!({"_meta": meta(NEW)}));
    let versions = found["result"]["supportedVersions"].as_array().unwrap();
    assert!(versions.contains(&json!(NEW)), "{found}");
    assert_eq!(versions.len(), OLD.len() + 1);
    assert!(found["result"]["capabilities"]["tools"].is_object());

    let tools = client.ask("tools/list", &json!({"_meta": meta(NEW)}));
    assert_eq!(tools["result"]["resultType"], "complete", "{tools}");
    assert_eq!(names(&tools, "tools").len(), 20);
    let id = client.send(
        "tools/call",
        &json!({"_meta": meta(NEW), "name": "handoff_open",
            "arguments": {"question": "q", "tried": "t", "needed": "n"}}),
    );
    let opened = client.answer(id);
    assert_eq!(
        opened["result"]["structuredContent"]["state"], "open",
        "{opened}"
    );

    let bare = client.ask("server/discover", &json!({}));
    assert_eq!(bare["error"]["code"], -32602, "{bare}");
    let unknown = client.ask("tools/list", &json!({"_meta": meta("2031-01-01")}));
    assert_eq!(unknown["error"]["code"], -32022, "{unknown}");
}

#[test]
fn an_unknown_revision_is_answered_with_one_that_is_served() {
    let desk = Desk::new();
    for version in ["1999-01-01", NEW, "2031-01-01"] {
        let mut client = desk.server("a");
        let answer = client.initialize(version);
        assert_eq!(
            answer["result"]["protocolVersion"], "2025-11-25",
            "{answer}"
        );
        assert_eq!(
            names(&client.ask("tools/list", &json!({})), "tools").len(),
            20
        );
    }
}

#[test]
fn each_tool_is_a_verb_of_the_command_line() {
    let desk = Desk::new();
    let mut client = desk.session("a");
    let list = client.ask("tools/list", &json!({}));
    for tool in list["result"]["tools"].as_array().unwrap() {
        let name = tool["name"].as_str().unwrap();
        let (noun, verb) = name.split_once('_').unwrap();
        let help = desk.command(&[noun, verb, "--help"]).output().unwrap();
        assert!(help.status.success(), "{name}");
        assert_eq!(tool["inputSchema"]["type"], "object", "{name}");
        assert_eq!(tool["annotations"]["destructiveHint"], false, "{name}");
    }
}

#[test]
fn resources_are_the_fleet_a_handoff_and_a_ledger() {
    let desk = Desk::new();
    let mut client = desk.session("a");
    let open = json!({"question": "which port?", "tried": "t", "needed": "n"});
    let opened = client.call("handoff_open", &open);
    client.call(
        "attempt_record",
        &json!({"role": "maker", "hypothesis": "h", "strategy": "s", "task_id": "T 1/2",
            "change": {"summary": "c", "files": ["a.rs"]}, "result": "FAIL",
            "error_signature": "error[E0308]: mismatched types"}),
    );
    let list = client.ask("resources/list", &json!({}));
    assert_eq!(names(&list, "resources"), ["fleet"]);
    let templates = client.ask("resources/templates/list", &json!({}));
    assert_eq!(names(&templates, "resourceTemplates"), ["handoff", "task"]);
    let mut read = |uri: &str| {
        let answer = client.ask("resources/read", &json!({"uri": uri}));
        let text = answer["result"]["contents"][0]["text"].as_str();
        let data: Value = text.map_or(Value::Null, |text| serde_json::from_str(text).unwrap());
        (data, answer["error"]["code"].as_i64())
    };
    let (fleet, _) = read("watchfloor://fleet");
    assert_eq!(fleet["counts"]["handoffs_open"], 1, "{fleet}");
    let handle = opened["handle"].as_str().unwrap();
    let (handoff, _) = read(&format!("watchfloor://handoff/{handle}"));
    assert_eq!(handoff["question"], "which port?");
    let (ledger, _) = read("watchfloor://task/T%201%2F2");
    assert_eq!(ledger["attempts"][0]["strategy"], "s", "{ledger}");
    for nothing in [
        "watchfloor://handoff/h-zzzz",
        "watchfloor://task/none",
        "file:///etc/passwd",
    ] {
        assert_eq!(read(nothing), (Value::Null, Some(-32002)), "{nothing}");
    }
    let prompts = client.ask("prompts/list", &json!({}));
    assert_eq!(names(&prompts, "prompts"), ["ask_for_help", "help_others"]);
    let prompt = client.ask("prompts/get", &json!({"name": "help_others"}));
    let text = &prompt["result"]["messages"][0]["content"]["text"];
    assert!(text.as_str().unwrap().contains("handoff_next"), "{prompt}");
}
