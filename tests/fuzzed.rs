//! The bodies of the fuzz targets, without a fuzzer: on the guard's own cases, cut and joined, and on
//! drawn bytes.

#![expect(clippy::unwrap_used, reason = "helpers of tests")]

#[path = "../fuzz/bodies/guard.rs"]
mod guard;

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use serde_json::Value;

/// What the guard's cases put in.
fn corpus() -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/guard-cases.jsonl");
    let text = fs::read_to_string(path).unwrap();
    let rows = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    rows.map(|row| match &row["input"] {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    })
    .collect()
}

#[test]
fn the_guards_cases_and_their_halves_are_judged() {
    let corpus = corpus();
    assert!(corpus.len() > 100, "{}", corpus.len());
    for case in corpus.iter().step_by(7) {
        guard::guard(case.as_bytes());
        guard::guard(&case.as_bytes()[..case.len() / 2]);
    }
}

#[test]
fn what_nests_or_never_ends_is_judged_in_time() {
    for (open, close) in [
        ("(", ")"),
        ("$(", ")"),
        ("`", "`"),
        ("\"$(", ")\""),
        ("bash -c '", "'"),
        ("{\"a\":", "}"),
    ] {
        let hostile = format!("{}rm -rf /{}", open.repeat(400), close.repeat(400));
        let from = Instant::now();
        guard::guard(hostile.as_bytes());
        guard::guard(open.repeat(2_000).as_bytes());
        let took = from.elapsed();
        assert!(took < Duration::from_secs(20), "{open}: {took:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_bytes_are_judged(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        guard::guard(&bytes);
    }

    #[test]
    fn pieces_of_commands_are_judged(pieces in proptest::collection::vec(
        prop_oneof![
            Just("rm -rf "), Just("git push "), Just("--force"), Just("$("), Just(")"), Just("`"), Just("'"),
            Just("\""), Just("\\"), Just("<<EOF\n"), Just("\nEOF\n"), Just("| sh"), Just("&&"), Just(";"), Just("/"),
            Just("~/.ssh/id_ed25519"), Just("${X:-"), Just("}"), Just("{\"command\":"), Just("\u{0}"), Just("é"),
        ],
        0..40,
    )) {
        guard::guard(pieces.concat().as_bytes());
    }
}
