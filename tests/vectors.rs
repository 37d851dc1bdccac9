//! The cases of `tests/vectors/`: envelopes, resolution, triage, and the shipped catalogue's
//! examples.

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
use watchfloor::rules::triage::{classify, is_transient};

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

#[test]
fn the_shipped_catalogue_keeps_its_rules_and_knows_its_examples() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("catalog/failure_codes.json");
    let loaded = Catalog::parse(&fs::read(path).unwrap()).unwrap();
    assert_eq!(&loaded.catalog, Catalog::shipped());
    assert_eq!(loaded.warnings, []);
    let mut shown = BTreeSet::new();
    for case in cases("catalog-examples.jsonl") {
        let code = case["code"].as_str().unwrap();
        let answer = classify(Catalog::shipped(), case["text"].as_str().unwrap(), None).unwrap();
        assert_eq!(answer.code, code, "{case}");
        let transient =
            answer.recoverable && (code.starts_with("provider_") || code.starts_with("network_"));
        assert_eq!(is_transient(&answer), transient, "{code}");
        shown.insert(code.to_owned());
    }
    for entry in &Catalog::shipped().codes {
        let own = entry.layer.as_deref() == Some("watchfloor");
        assert!(
            own || shown.contains(&entry.code),
            "{} has no example",
            entry.code
        );
        for other in &entry.not_this {
            assert!(Catalog::shipped().is_code(other), "{other} is no code");
        }
    }
}

#[test]
fn every_refusal_of_the_product_is_in_the_shipped_catalogue() {
    let refusals: Vec<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
    let entries = Catalog::shipped().codes.iter();
    let own: Vec<&str> = entries
        .filter(|entry| entry.layer.as_deref() == Some("watchfloor"))
        .map(|entry| entry.code.as_str())
        .collect();
    assert_eq!(own, refusals);
    for code in refusals {
        let entry = Catalog::shipped().entry(code).unwrap();
        for token in &entry.tokens {
            let answer = classify(Catalog::shipped(), token, Some("watchfloor")).unwrap();
            assert_eq!(answer.code, code, "{token}");
        }
    }
}
