//! The cases of `tests/vectors/`: envelopes, resolution, triage.

#![expect(
    clippy::unwrap_used,
    reason = "a case that cannot be read fails its test"
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use serde_json::Value;
use watchfloor::contract::catalog::Catalog;
use watchfloor::contract::envelope::{self, Check};
use watchfloor::contract::refusal::Code;
use watchfloor::rules::triage::classify;

fn cases(file: &str) -> Vec<Value> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/vectors");
    let text = fs::read_to_string(folder.join(file)).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn of_kind(kind: &str) -> Vec<Value> {
    let mut cases = cases("contract-vectors.jsonl");
    cases.retain(|case| case["kind"] == kind);
    assert!(cases.len() >= 5, "too few cases of {kind}");
    cases
}

/// Raw text where a case gives one, else the JSON value itself.
fn text_of(input: &Value) -> String {
    input["raw"]
        .as_str()
        .map_or_else(|| input.to_string(), str::to_owned)
}

fn texts(value: &Value) -> BTreeSet<String> {
    let items = value.as_array().into_iter().flatten();
    items
        .map(|item| item.as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn envelopes_are_valid_or_not() {
    for case in of_kind("envelope") {
        let codes = texts(&case["catalog_codes"]);
        let read = envelope::parse(text_of(&case["input"]).as_bytes(), &|c| codes.contains(c));
        let expect = &case["expect"];
        let why = &case["why"];
        assert_eq!(
            Value::Bool(read.is_ok()),
            expect["valid"],
            "{why}: {read:?}"
        );
        if expect["errors"].is_array() {
            let faults = read.err().unwrap_or_default();
            let found: BTreeSet<String> = faults.into_iter().map(|f| f.code).collect();
            assert_eq!(found, texts(&expect["errors"]), "{why}");
        }
    }
}

#[test]
fn parents_resolve_or_not() {
    for case in of_kind("resolve") {
        let codes = texts(&case["catalog_codes"]);
        let lookup = |id: &str| {
            let stored = &case["input"]["store"][id];
            stored.as_str().map(str::to_owned)
        };
        let text = text_of(&case["input"]["envelope"]);
        let found = envelope::resolve(text.as_bytes(), &lookup, &|c| codes.contains(c));
        let why = &case["why"];
        assert_eq!(
            Value::Bool(found.trusted),
            case["expect"]["trusted"],
            "{why}"
        );
        let failed: BTreeSet<String> = found
            .failed_checks
            .into_iter()
            .map(|check: Check| check.as_str().to_owned())
            .collect();
        assert_eq!(failed, texts(&case["expect"]["failed_checks"]), "{why}");
    }
}

#[test]
fn signals_are_classified() {
    for case in of_kind("triage") {
        let input = &case["input"];
        let expect = &case["expect"];
        let why = &case["why"];
        let loaded = Catalog::parse(input["catalog"].to_string().as_bytes()).unwrap();
        let text = input["text"].as_str().unwrap();
        let answer = classify(&loaded.catalog, text, input["layer"].as_str());
        match answer {
            Ok(answer) => {
                let answer = serde_json::to_value(answer).unwrap();
                for (key, value) in expect.as_object().unwrap() {
                    assert_eq!(&answer[key], value, "{why}: {key}");
                }
            }
            Err(refusal) if refusal.code == Code::Usage => {
                assert_eq!(expect["usage"], true, "{why}");
            }
            Err(refusal) => assert_eq!(expect["refused"], refusal.code.as_str(), "{why}"),
        }
    }
}
