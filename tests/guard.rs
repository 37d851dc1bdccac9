//! The guard through the built program: labelled calls and results.

#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

/// The program's answer to a call, in a workspace of its own.
fn check(home: &Path, tool: &str, input: &str) -> (Value, i32) {
    let workspace = home.join("w/app");
    std::fs::create_dir_all(&workspace).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_watchfloor"))
        .args(["guard", "check", "--json", "--tool", tool, "-"])
        .current_dir(&workspace)
        .env_clear()
        .env("HOME", home)
        .env("WATCHFLOOR_STORE", home.join("state/store.db"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_bytes())
        .unwrap();
    let out = child.wait_with_output().unwrap();
    let answer = serde_json::from_slice(&out.stdout)
        .unwrap_or_else(|error| panic!("{tool} {input}: {error}: {out:?}"));
    (answer, out.status.code().unwrap())
}

struct Case {
    id: String,
    tool: String,
    input: String,
    expect: String,
}

fn cases(file: &str) -> Vec<Case> {
    let text = std::fs::read_to_string(file).unwrap();
    let cases = text.lines().filter(|line| !line.is_empty()).map(|line| {
        let case: Value = serde_json::from_str(&line.replace("⟨⟩", "")).unwrap();
        let input = match &case["input"] {
            Value::String(text) => text.clone(),
            object => object.to_string(),
        };
        let text = |key: &str| case[key].as_str().unwrap_or_default().to_owned();
        Case {
            id: text("id"),
            tool: text("harness_tool"),
            input,
            expect: text("expect"),
        }
    });
    cases.collect()
}

/// Holds every case of a file; answers how many there are.
fn hold(file: &str) -> usize {
    let home = tempfile::tempdir().unwrap();
    let mut faults = Vec::new();
    let cases = cases(file);
    for case in &cases {
        let (answer, code) = check(home.path(), &case.tool, &case.input);
        let outcome = answer["outcome"].as_str().unwrap();
        let said = match outcome {
            "allow" => "none",
            "trip" => answer["trigger"].as_str().unwrap(),
            other => other,
        };
        let exit = i32::from(outcome != "allow");
        if said != case.expect || code != exit {
            faults.push(format!(
                "{} wants {}: {answer} (exit {code}): {}",
                case.id, case.expect, case.input
            ));
        }
    }
    println!(
        "{file}: {} of {} right",
        cases.len() - faults.len(),
        cases.len()
    );
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
    cases.len()
}

#[test]
fn every_labelled_call_gets_its_answer() {
    assert!(hold("tests/vectors/guard-cases.jsonl") >= 187);
}
