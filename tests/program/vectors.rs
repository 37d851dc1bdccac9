//! The public cases through the built program.

use std::collections::BTreeSet;

use crate::desk::Desk;
use serde_json::{Value, json};

const CONTRACTS: &str = include_str!("../vectors/contract-vectors.jsonl");
const SAFETY: &str = include_str!("../vectors/safety-cases.jsonl");

fn cases(text: &str) -> impl Iterator<Item = Value> + '_ {
    text.lines().map(|line| serde_json::from_str(line).unwrap())
}

fn of_kind(kind: &str) -> impl Iterator<Item = Value> + '_ {
    cases(CONTRACTS).filter(move |case| case["kind"] == kind)
}

#[test]
fn envelopes_are_valid_or_not() {
    let desk = Desk::bare();
    let mut seen = 0;
    for case in of_kind("envelope") {
        let input = &case["input"];
        let text = input["raw"]
            .as_str()
            .map_or_else(|| input.to_string(), str::to_owned);
        let mut args = vec!["receipt", "validate", "-", "--json"];
        let catalog = desk.project().join("catalog.json");
        let path = catalog.to_str().unwrap().to_owned();
        if let Some(codes) = case["catalog_codes"].as_array() {
            let codes: Vec<Value> = codes
                .iter()
                .map(|code| json!({"code": code, "layer": null, "match": [code], "cause": "c", "next_command": "true",
                    "recoverable": true, "not_this": []}))
                .collect();
            let text = json!({"schema": "triage_error.catalog.v1", "note": "", "codes": codes, "aliases": {}});
            std::fs::write(&catalog, text.to_string()).unwrap();
            args.extend(["--catalog", &path]);
        }
        let said = desk.feed(&args, &text);
        let valid = case["expect"]["valid"].as_bool().unwrap();
        assert_eq!(said.json()["valid"], valid, "{}: {said:?}", case["why"]);
        assert_eq!(said.code, i32::from(!valid));
        assert_eq!(said.json()["faults"].as_array().unwrap().is_empty(), valid);
        seen += 1;
    }
    assert_eq!(seen, 40);
}

#[test]
fn parents_resolve_or_not() {
    let mut seen = 0;
    for case in of_kind("resolve") {
        let desk = Desk::new();
        for text in case["input"]["store"].as_object().unwrap().values() {
            let said = desk.feed(
                &["receipt", "ingest", "-", "--json"],
                text.as_str().unwrap(),
            );
            assert_eq!(said.code, 0, "{said:?}");
        }
        let said = desk.feed(
            &["receipt", "resolve", "-", "--json"],
            &case["input"]["envelope"].to_string(),
        );
        let expect = &case["expect"];
        assert_eq!(
            said.json()["trusted"],
            expect["trusted"],
            "{}: {said:?}",
            case["why"]
        );
        let names = |value: &Value| -> BTreeSet<String> {
            value
                .as_array()
                .unwrap()
                .iter()
                .map(|name| name.as_str().unwrap().to_owned())
                .collect()
        };
        assert_eq!(
            names(&said.json()["failed_checks"]),
            names(&expect["failed_checks"]),
            "{}",
            case["why"]
        );
        seen += 1;
    }
    assert_eq!(seen, 8);
}

/// An invalid parent is kept, is found by its id, and fails `structure`.
#[test]
fn an_invalid_parent_fails_structure_alone() {
    let desk = Desk::new();
    let goal = format!("sha256:{}", "a".repeat(64));
    let parent = json!({"schema": "pi.receipt_envelope.v1", "receipt_id": "p-1", "payload_schema": "s.v1",
        "producer": "", "emitted_at": "yesterday", "payload": {}});
    let said = desk.feed(&["receipt", "ingest", "-", "--json"], &parent.to_string());
    assert_eq!(
        (said.code, &said.json()["ingested"][0]["outcome"]),
        (1, &json!("invalid")),
        "{said:?}"
    );
    let child = json!({"schema": "pi.receipt_envelope.v1", "receipt_id": "r-1", "payload_schema": "s.v1",
        "producer": "p", "emitted_at": "2026-11-30T12:00:00Z", "payload": {"schema": "s.v1"}, "goal_hash": goal,
        "parent_refs": [{"receipt_id": "p-1", "expected_schema": "s.v1", "expected_producer": "ask"}]});
    let said = desk.feed(&["receipt", "resolve", "-", "--json"], &child.to_string());
    assert_eq!(
        said.json()["failed_checks"],
        json!(["structure"]),
        "{said:?}"
    );
}

fn signature(name: &str) -> String {
    let digest = watchfloor::contract::digest::Digest::of(name.as_bytes());
    format!("es1:{}", &digest.hex()[..16])
}

/// An attempt of a case as the program takes it. What the product derives itself is given as
/// the text that it derives it from.
fn body(case: &str, attempt: &Value) -> Value {
    let mut body = json!({
        "task_id": attempt["task"], "mission_id": case, "agent": attempt["agent"], "role": attempt["role"],
        "hypothesis": "h", "strategy": attempt["strategy"], "result": attempt["result"],
        "change": {"summary": "c", "files": attempt["files"]},
    });
    if let Some(state) = attempt["state"].as_str() {
        body["change"]["state"] = json!(state);
    }
    if attempt["result"] == "FAIL" {
        let sig = signature(attempt["sig"].as_str().unwrap_or("none"));
        body["error_signature"] = json!(match (
            attempt["strength"].as_str(),
            attempt["transient"].as_bool()
        ) {
            (Some("weak"), _) => "Command exited with code 1".to_owned(),
            (_, Some(true)) => "503 Service Unavailable: the model is overloaded".to_owned(),
            _ => sig,
        });
    }
    if !attempt["progress"].is_null() {
        body["progress"] = attempt["progress"].clone();
    }
    body
}

#[test]
fn safety_cases_come_out_as_they_must() {
    let desk = Desk::new();
    for case in cases(SAFETY) {
        let id = case["id"].as_str().unwrap();
        let attempts = case["attempts"].as_array().unwrap();
        for early in attempts.iter().filter(|a| a["begun_before_due"] == true) {
            let (task, agent) = (
                early["task"].as_str().unwrap(),
                early["agent"].as_str().unwrap(),
            );
            let said = desk.run(&[
                "--project",
                id,
                "--mission",
                id,
                "attempt",
                "plan",
                "--task",
                task,
                "--agent",
                agent,
                "--strategy",
                "s",
                "--hypothesis",
                "h",
            ]);
            assert_eq!(said.code, 0, "{said:?}");
        }
        for (at, attempt) in attempts.iter().enumerate() {
            for name in attempt["progress"]["evidence"]
                .as_array()
                .into_iter()
                .flatten()
            {
                std::fs::write(desk.project().join(name.as_str().unwrap()), "seen\n").unwrap();
            }
            let said = desk.feed(
                &["--project", id, "attempt", "record", "-", "--json"],
                &body(id, attempt).to_string(),
            );
            assert_eq!(said.code, 0, "{id} {at}: {said:?}");
            let answer = said.json();
            let texts = |key: &str| {
                answer[key]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|v| v.as_str().unwrap().to_owned())
                    .collect::<Vec<_>>()
            };
            let mut events: BTreeSet<String> = texts("findings").into_iter().collect();
            events.extend(texts("trips").iter().map(|trip| format!("trip:{trip}")));
            let expect: BTreeSet<String> = case["events"][at]
                .as_array()
                .unwrap()
                .iter()
                .map(|v| v.as_str().unwrap().to_owned())
                .collect();
            assert_eq!(events, expect, "{id} {}, attempt {at}", case["name"]);
        }
        gates(&desk, id, &case);
    }
    assert_eq!(desk.run(&["verify", "--deep"]).code, 0);
}

fn gates(desk: &Desk, id: &str, case: &Value) {
    for (task, verdicts) in case["gate_after"].as_object().unwrap() {
        let first = case["attempts"]
            .as_array()
            .unwrap()
            .iter()
            .find(|a| a["task"] == task.as_str())
            .unwrap();
        let first = first["strategy"].as_str().unwrap();
        for (who, verdict) in verdicts.as_object().unwrap() {
            let (role, strategy, agent) = match who.as_str() {
                "maker_new_strategy" => ("maker", "a strategy never seen", None),
                "maker_first_strategy" => ("maker", first, None),
                "debugger" => ("debugger", "a strategy never seen", None),
                "fresh_second_opinion" => (
                    "second_opinion",
                    "a strategy never seen",
                    Some("an agent never seen"),
                ),
                other => panic!("unknown question {other}"),
            };
            let mut args = vec![
                "--project",
                id,
                "--mission",
                id,
                "gate",
                "check",
                "--task",
                task,
                "--role",
                role,
                "--strategy",
                strategy,
                "--json",
            ];
            args.extend(agent.iter().flat_map(|agent| ["--agent", *agent]));
            let said = desk.run(&args);
            assert_eq!(
                &said.json()["verdict"],
                verdict,
                "{id} {}: {who} in {task}",
                case["name"]
            );
            assert_eq!(said.code, i32::from(verdict != "allow"));
        }
    }
}
