//! Receipts that other tools write as files.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

use serde_json::{Value, json};

use crate::desk::Desk;

fn receipt(id: &str, what: &str) -> String {
    json!({"schema": "pi.receipt_envelope.v1", "receipt_id": id, "payload_schema": "tool.note.v1",
        "producer": "tool", "emitted_at": "2026-11-30T12:00:00Z",
        "payload": {"schema": "tool.note.v1", "what": what}})
    .to_string()
}

/// New, changed, half-written and invalid files, each told once, in the order in which they
/// become complete.
#[test]
fn a_watched_folder_is_taken_in_as_it_grows() {
    let desk = Desk::new();
    let folder = desk.project().join("receipts");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("a.json"), receipt("r-a", "first")).unwrap();
    let mut child = desk
        .command(&["receipt", "watch", "receipts", "--json", "--seconds", "60"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    // Each read waits for one line; the watch ends by itself should it never come.
    let mut next = || -> (String, String) {
        let told: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        let text = |key: &str| told[key].as_str().unwrap_or("-").to_owned();
        (text("outcome"), text("receipt_id"))
    };
    let is = |outcome: &str, id: &str| (outcome.to_owned(), id.to_owned());
    assert_eq!(next(), is("stored", "r-a"));
    let text = receipt("r-b", "second");
    fs::write(folder.join("b.json"), &text[..40]).unwrap();
    fs::write(folder.join("c.json"), receipt("r-c", "third")).unwrap();
    assert_eq!(next(), is("stored", "r-c"));
    fs::write(folder.join("b.json"), &text).unwrap();
    assert_eq!(next(), is("stored", "r-b"));
    fs::write(folder.join("a.json"), receipt("r-a", "another text")).unwrap();
    assert_eq!(next(), is("conflict", "r-a"));
    fs::write(folder.join("d.json"), r#"{"receipt_id": "r-d"}"#).unwrap();
    assert_eq!(next(), is("invalid", "r-d"));
    fs::write(folder.join("e.json"), "{ never finished").unwrap();
    assert_eq!(next(), is("invalid", "-"));
    child.kill().unwrap();
    child.wait().unwrap();
    let listed = desk.run(&["receipt", "list", "--json"]).json();
    assert_eq!(listed["receipts"].as_array().unwrap().len(), 3);
}

#[test]
fn a_folder_that_is_none_is_refused() {
    let desk = Desk::new();
    let said = desk.run(&["receipt", "watch", "nowhere", "--json"]);
    assert_eq!(
        (said.code, &said.json()["code"]),
        (3, &json!("file_unreadable"))
    );
}

/// The tree of a receipt with a parent that holds, one that is another, and one that is not there.
#[test]
fn a_graph_tells_each_step_and_what_does_not_hold() {
    let desk = Desk::new();
    let goal = format!("sha256:{}", "a".repeat(64));
    let note = |id: &str, parents: Value| {
        json!({"schema": "pi.receipt_envelope.v1", "receipt_id": id, "payload_schema": "tool.note.v1",
            "producer": "tool", "emitted_at": "2026-11-30T12:00:00Z", "goal_hash": goal,
            "parent_refs": parents, "payload": {"schema": "tool.note.v1"}})
        .to_string()
    };
    let parent = |id: &str, schema: &str| json!({"receipt_id": id, "expected_schema": schema, "expected_producer": "tool"});
    let ingest = |text: String| assert_eq!(desk.feed(&["receipt", "ingest", "-"], &text).code, 0);
    ingest(note("first", json!([])));
    ingest(note("second", json!([parent("first", "tool.note.v1")])));
    ingest(note(
        "third",
        json!([parent("second", "other.v1"), parent("gone", "tool.note.v1")]),
    ));
    let good = desk.run(&["receipt", "graph", "second", "--json"]);
    assert_eq!((good.code, &good.json()["trusted"]), (0, &json!(true)));
    let bad = desk.run(&["receipt", "graph", "third", "--json"]);
    let nodes = bad.json()["nodes"].as_array().unwrap().len();
    assert_eq!(
        (bad.code, &bad.json()["trusted"], nodes),
        (1, &json!(false), 4)
    );
    let told = desk.run(&["receipt", "graph", "third"]).out;
    assert!(
        told.contains("schema FAILS") && told.contains("gone is not here"),
        "{told}"
    );
    assert!(told.trim_end().ends_with("not trusted"), "{told}");
    assert_eq!(
        desk.run(&["receipt", "graph", "nowhere", "--json"]).json()["code"],
        "not_found"
    );
}
