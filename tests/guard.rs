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
    let cases = cases(file);
    let workers = std::thread::available_parallelism().map_or(2, usize::from);
    let faults: Vec<String> = std::thread::scope(|scope| {
        let chunks = cases.chunks(cases.len().div_ceil(workers));
        let home = home.path();
        let held: Vec<_> = chunks
            .map(|chunk| {
                scope.spawn(move || {
                    chunk
                        .iter()
                        .filter_map(|case| fault(home, case))
                        .collect::<Vec<_>>()
                })
            })
            .collect();
        held.into_iter()
            .flat_map(|held| held.join().unwrap())
            .collect()
    });
    println!(
        "{file}: {} of {} right",
        cases.len() - faults.len(),
        cases.len()
    );
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
    cases.len()
}

fn fault(home: &Path, case: &Case) -> Option<String> {
    let (answer, code) = check(home, &case.tool, &case.input);
    let outcome = answer["outcome"].as_str().unwrap();
    let said = match outcome {
        "allow" => "none",
        "trip" => answer["trigger"].as_str().unwrap(),
        other => other,
    };
    let exit = i32::from(outcome != "allow");
    (said != case.expect || code != exit).then(|| {
        format!(
            "{} wants {}: {answer} (exit {code}): {}",
            case.id, case.expect, case.input
        )
    })
}

#[test]
fn every_labelled_call_gets_its_answer() {
    assert!(hold("tests/vectors/guard-cases.jsonl") >= 187);
}

#[test]
fn every_call_of_the_same_kinds_gets_its_answer() {
    assert!(hold("tests/vectors/guard-own.jsonl") >= 1800);
}

/// Runs a verb of the guard with a configuration; answers what it said, and the exit code.
fn run(config: &Path, args: &[&str]) -> (String, i32) {
    let out = Command::new(env!("CARGO_BIN_EXE_watchfloor"))
        .args(args)
        .current_dir(config)
        .env_clear()
        .env("HOME", config)
        .env("WATCHFLOOR_CONFIG", config)
        .env("WATCHFLOOR_STORE", config.join("state/store.db"))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = String::from_utf8(out.stdout).unwrap() + &String::from_utf8(out.stderr).unwrap();
    (text, out.status.code().unwrap())
}

const RULE: &str = "[[rule]]\nid = \"own.seed\"\noutcome = \"deny\"\nreason = \"it is slow\"\n\
                    when = [\"npm run seed\"]\nmatch = [\"npm run seed\"]\npass = [\"npm test\"]\n";

#[test]
fn rules_of_ones_own_are_held_against_their_examples() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path();
    let write = |text: &str| std::fs::write(config.join("guard.toml"), text).unwrap();
    let call = |command: &str| {
        std::fs::write(config.join("call"), command).unwrap();
        run(config, &["guard", "check", "--tool", "Bash", "call"])
    };
    assert_eq!(run(config, &["guard", "rules", "check"]).1, 0);
    write(RULE);
    assert_eq!(call("npm run seed").1, 1);
    assert_eq!(call("npm run build").1, 0);
    let (said, code) = run(config, &["guard", "rules", "check", "--json"]);
    assert_eq!((code, said.contains("\"valid\":true")), (0, true), "{said}");
    assert!(config.join("guard.checked").exists());
    assert_eq!(call("npm run seed").1, 1);
    for (text, cause) in [
        (
            RULE.replace("npm test", "npm run seed --now"),
            "it matches `npm run seed --now`",
        ),
        (
            RULE.replace("match = [\"npm run seed\"]", "match = [\"npm start\"]"),
            "it does not match `npm start`",
        ),
        (
            RULE.replace("outcome = \"deny\"", "outcome = \"trip\""),
            "needs a trigger",
        ),
        (RULE.replace("when", "wehn"), "wehn"),
        (RULE.replace("pass = [\"npm test\"]", ""), "examples"),
        (RULE.replace("own.seed", "Own Seed"), "id"),
        (format!("{RULE}{RULE}"), "two of that id"),
        ("not toml".to_owned(), "guard.toml"),
    ] {
        write(&text);
        let (said, code) = run(config, &["guard", "rules", "check"]);
        assert_eq!((code, said.contains(cause)), (1, true), "{text}: {said}");
        // Until the file is right, only reading passes.
        assert_eq!(call("touch x").1, 1, "{text}");
        assert_eq!(call("ls").1, 0, "{text}");
    }
    let (said, code) = run(config, &["guard", "rules", "check", "missing.toml"]);
    assert_eq!(
        (code, said.contains("file_unreadable")),
        (3, true),
        "{said}"
    );
}

#[test]
fn a_person_is_told_the_rule_and_what_a_grant_could_open() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("call"), "ssh build.acme.io uptime").unwrap();
    let (said, code) = run(
        folder.path(),
        &["guard", "check", "--tool", "Bash", "call", "--explain"],
    );
    assert_eq!(code, 1);
    for part in [
        "trip ssh (ssh.session)",
        "only reading: no",
        "the host build.acme.io",
    ] {
        assert!(said.contains(part), "{said}");
    }
    let (said, code) = run(
        folder.path(),
        &["guard", "check", "--tool", "Bash", "nothing-there"],
    );
    assert_eq!(
        (code, said.contains("file_unreadable")),
        (3, true),
        "{said}"
    );
}
