//! What bad use gets: a code, a cause and a next command, and nothing left half done.

use std::os::unix::fs::PermissionsExt;

use crate::desk::{Desk, Said};
use serde_json::{Value, json};

const FAIL: &str = r#"{"task_id":"T","agent":"a","role":"maker","hypothesis":"h","strategy":"S","change":{"files":["f"]},
    "result":"FAIL","error_signature":"es1:0123456789abcdef"}"#;

/// With `--json` a refusal is the one object on standard output, and standard error is empty.
fn refused(said: &Said, code: &str, exit: i32) -> Value {
    let answer = said.json();
    assert_eq!(answer["code"], code, "{said:?}");
    assert_eq!(said.code, exit, "{said:?}");
    assert!(said.err.is_empty(), "{said:?}");
    for part in ["cause", "next_command"] {
        assert!(
            !answer[part].as_str().unwrap().trim().is_empty(),
            "{said:?}"
        );
    }
    answer
}

fn rows(desk: &Desk) -> i64 {
    let store = rusqlite::Connection::open(desk.store()).unwrap();
    store
        .query_row("SELECT count(*) FROM journal", [], |row| row.get(0))
        .unwrap()
}

#[test]
fn all_missing_fields_are_named_at_once() {
    let desk = Desk::new();
    let said = desk.feed(&["attempt", "record", "-", "--json"], "{}");
    let answer = refused(&said, "contract_fault", 1);
    let missing: Vec<&str> = answer["faults"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| f["path"].as_str().unwrap())
        .collect();
    assert_eq!(
        missing,
        [
            "task_id",
            "agent",
            "role",
            "hypothesis",
            "strategy",
            "result"
        ]
    );
    assert_eq!(rows(&desk), 0);
}

#[test]
fn wrong_words_types_and_texts_are_refused_and_nothing_is_written() {
    let desk = Desk::new();
    let with = |key: &str, value: Value| {
        let mut body: Value = serde_json::from_str(FAIL).unwrap();
        body[key] = value;
        body.to_string()
    };
    for (text, code) in [
        ("", "contract_fault"),
        ("looks good", "contract_fault"),
        ("[]", "contract_fault"),
        ("\u{feff}{}", "contract_fault"),
        (r#"{"task_id":"T","task_id":"T"}"#, "contract_fault"),
        (with("role", json!("boss")).as_str(), "contract_fault"),
        (with("task_id", json!(7)).as_str(), "contract_fault"),
        (with("hypothesis", json!("  ")).as_str(), "contract_fault"),
        (with("hurry", json!(true)).as_str(), "contract_fault"),
        (with("derived", json!({})).as_str(), "contract_fault"),
        (
            with("error_signature", Value::Null).as_str(),
            "contract_fault",
        ),
        (
            with("progress", json!({"made": true})).as_str(),
            "progress_unmeasured",
        ),
        (
            with(
                "progress",
                json!({"made": true, "evidence": ["no such file"]}),
            )
            .as_str(),
            "evidence_missing",
        ),
        (
            with(
                "hypothesis",
                json!(format!(
                    "the key is ghp_{}",
                    "R7dKq2LmX9vTzA4bNcE8wYhUjGfP1sQoI6t0"
                )),
            )
            .as_str(),
            "secret_in_record",
        ),
        (
            with("error_signature", json!("BLOCKED")).as_str(),
            "forbidden_terminal_label",
        ),
    ] {
        refused(
            &desk.feed(&["attempt", "record", "-", "--json"], text),
            code,
            1,
        );
    }
    assert_eq!(rows(&desk), 0);
}

#[test]
fn calls_whose_words_are_off_are_refused_and_nothing_is_written() {
    let desk = Desk::new();
    refused(
        &desk.run(&["attempt", "record", "no/such/file", "--json"]),
        "file_unreadable",
        3,
    );
    refused(
        &desk.run(&["gate", "check", "--role", "maker", "--json"]),
        "usage",
        2,
    );
    refused(
        &desk.run(&["gate", "check", "--task", "T", "--role", "boss", "--json"]),
        "usage",
        2,
    );
    refused(
        &desk.run(&[
            "breaker",
            "trip",
            "--trigger",
            "moon",
            "--scope",
            "fleet",
            "--reason",
            "r",
            "--json",
        ]),
        "usage",
        2,
    );
    refused(
        &desk.run(&[
            "breaker",
            "trip",
            "--trigger",
            "git",
            "--scope",
            "moon",
            "--reason",
            "r",
            "--json",
        ]),
        "usage",
        2,
    );
    refused(
        &desk.run(&["breaker", "trip", "--trigger", "git", "--json"]),
        "usage",
        2,
    );
    refused(&desk.run(&["no-such-verb", "--json"]), "usage", 2);
    refused(
        &desk.run(&["breaker", "show", "b-0000", "--json"]),
        "not_found",
        1,
    );
    refused(
        &desk.run(&["task", "show", "nowhere", "--json"]),
        "not_found",
        1,
    );
    assert_eq!(rows(&desk), 0);
    assert_eq!(desk.run(&["verify", "--deep"]).code, 0);
}

#[test]
fn what_the_parser_refuses_has_the_three_parts_too() {
    let desk = Desk::bare();
    for (words, cause, next) in [
        (
            &["stauts"][..],
            "unrecognized subcommand 'stauts'; tip: a similar subcommand exists: 'status'",
            "watchfloor status --help",
        ),
        (
            &["attempt"],
            "watchfloor attempt needs one of its verbs: record, plan, list",
            "watchfloor attempt --help",
        ),
        (
            &["gate", "check"],
            "the following required arguments were not provided: --role <ROLE>",
            "watchfloor gate check --help",
        ),
        (
            &["demo", "--seconds", "0"],
            "invalid value '0' for '--seconds <N>': 0 is not in 1..=3600",
            "watchfloor demo --help",
        ),
        (
            &["init", "extra"],
            "unexpected argument 'extra' found",
            "watchfloor init --help",
        ),
        (
            &["uninstall", "aider"],
            "aider is nothing that hooks are installed for; known are claude, codex, gemini, pi, opencode, hermes and git",
            "watchfloor uninstall --help",
        ),
    ] {
        let answer = refused(&desk.run(&[words, &["--json"]].concat()), "usage", 2);
        assert_eq!(answer["cause"], cause, "{words:?}");
        assert_eq!(answer["next_command"], next, "{words:?}");
        let said = desk.run(words);
        let lines = format!("refused: usage\n  cause: {cause}\n  next:  {next}\n");
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{said:?}");
        assert_eq!(said.err, lines, "{words:?}");
    }
    // What stands behind `--` is no flag of ours.
    let said = desk.run(&["exec", "--nope", "--", "x", "--json"]);
    assert!(
        said.out.is_empty() && said.err.starts_with("refused: usage"),
        "{said:?}"
    );
}

#[test]
fn a_hook_of_a_harness_that_nobody_knows_refuses_calls_and_says_why() {
    let desk = Desk::bare();
    let answer = refused(&desk.run(&["hook", "aider", "--json"]), "usage", 2);
    assert_eq!(answer["next_command"], "watchfloor hook --help");
    for (event, blocks) in [
        (None, true),
        (Some("PreToolUse"), true),
        (Some("tool_call"), true),
        (Some("something else"), true),
        (Some("Stop"), false),
        (Some("UserPromptSubmit"), false),
        (Some("session_start"), false),
    ] {
        let words: Vec<&str> = ["hook", "aider"].into_iter().chain(event).collect();
        let said = desk.feed(&words, "{}");
        assert_eq!(said.code, 0, "{said:?}");
        assert_eq!(
            said.json()["decision"] == "block",
            blocks,
            "{event:?} {said:?}"
        );
        assert!(
            said.err
                .starts_with("refused: usage\n  cause: aider is no harness"),
            "{said:?}"
        );
        assert!(
            said.err.ends_with("next:  watchfloor hook --help\n"),
            "{said:?}"
        );
    }
}

/// A failure text is taken from tools: what is secret in it is taken out, not refused.
#[test]
fn a_failure_text_is_redacted() {
    let desk = Desk::new();
    let token = format!("ghp_{}", "R7dKq2LmX9vTzA4bNcE8wYhUjGfP1sQoI6t0");
    let mut body: Value = serde_json::from_str(FAIL).unwrap();
    body["error_signature"] = json!(format!("error: push with {token} was rejected"));
    assert_eq!(
        desk.feed(&["attempt", "record", "-"], &body.to_string())
            .code,
        0
    );
    let list = desk.run(&["attempt", "list", "--json"]);
    assert!(
        !list.out.contains(&token) && list.out.contains("redacted"),
        "{list:?}"
    );
}

#[test]
fn the_same_key_answers_the_same_and_another_body_is_refused() {
    let desk = Desk::new();
    let keyed = ["attempt", "record", "-", "--key", "k1", "--json"];
    let first = desk.feed(&keyed, FAIL);
    let again = desk.feed(&keyed, FAIL);
    assert_eq!(first.json(), again.json());
    let other = FAIL.replace("\"S\"", "\"Z\"");
    refused(&desk.feed(&keyed, &other), "key_conflict", 1);
    let list = desk.run(&["attempt", "list", "--json"]).json();
    assert_eq!(list["attempts"].as_array().unwrap().len(), 1);
}

#[test]
fn stores_that_are_missing_damaged_newer_or_there_already() {
    let desk = Desk::bare();
    for verb in [
        &["status"][..],
        &["verify"],
        &["tick"],
        &["breaker", "list"],
        &["attempt", "list"],
        &["identity", "list"],
    ] {
        let said = desk.run(&[verb, &["--json"]].concat());
        let answer = refused(&said, "store_missing", 3);
        assert_eq!(answer["next_command"], "watchfloor init");
    }
    assert!(
        !desk.store().exists(),
        "a verb that needs a store makes none"
    );
    // A stop makes the flag file alone.
    let said = desk.run(&["stop", "--reason", "test", "--json"]);
    assert_eq!(
        (said.code, &said.json()["flag"], &said.json()["recorded"]),
        (0, &json!(true), &json!(false)),
        "{said:?}"
    );
    assert!(!desk.store().exists());
    refused(&desk.run(&["status", "--json"]), "store_missing", 3);

    let desk = Desk::new();
    refused(&desk.run(&["init", "--json"]), "store_exists", 1);
    let raw = rusqlite::Connection::open(desk.store()).unwrap();
    raw.execute_batch("PRAGMA user_version = 99").unwrap();
    drop(raw);
    refused(&desk.run(&["status", "--json"]), "store_newer", 3);

    let desk = Desk::new();
    let noise: Vec<u8> = (0..65_536_u32)
        .map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8)
        .collect();
    std::fs::write(desk.store(), &noise).unwrap();
    refused(&desk.run(&["status", "--json"]), "store_damaged", 3);
    refused(
        &desk.feed(&["attempt", "record", "-", "--json"], FAIL),
        "store_damaged",
        3,
    );
    refused(&desk.run(&["verify", "--json"]), "store_damaged", 3);
    refused(&desk.run(&["verify", "--json"]), "store_damaged", 3);
    assert_eq!(
        std::fs::read(desk.store()).unwrap(),
        noise,
        "nothing is recreated"
    );
    let kept = std::fs::read_dir(desk.store().parent().unwrap())
        .unwrap()
        .flatten();
    let kept = kept
        .filter(|entry| entry.file_name().to_string_lossy().contains("quarantine"))
        .count();
    assert!(kept >= 1, "the bytes are kept");
}

#[test]
fn a_configuration_that_does_not_hold_starts_nothing() {
    let desk = Desk::new();
    let config = desk.home().join(".config/watchfloor");
    std::fs::create_dir_all(&config).unwrap();
    std::fs::write(config.join("config.toml"), "[limits]\nmax_repairs = 0\n").unwrap();
    refused(
        &desk.feed(&["attempt", "record", "-", "--json"], FAIL),
        "config_invalid",
        3,
    );
    refused(
        &desk.run(&["gate", "check", "--task", "T", "--role", "maker", "--json"]),
        "config_invalid",
        3,
    );
    // A hook turns its own error into a refusal of what changes things.
    let call = json!({"session_id": "s", "cwd": desk.project(), "hook_event_name": "PreToolUse", "tool_name": "Write",
        "tool_input": {"file_path": "x"}});
    let said = desk.feed(&["hook", "claude", "PreToolUse"], &call.to_string());
    let mut read = call.clone();
    read["tool_name"] = json!("Read");
    let passed = desk.feed(&["hook", "claude", "PreToolUse"], &read.to_string());
    assert!(
        passed.code == 0 && passed.out.is_empty(),
        "reading passes: {passed:?}"
    );
    assert_eq!(said.code, 0);
    assert_eq!(
        said.json()["hookSpecificOutput"]["permissionDecision"],
        "deny",
        "{said:?}"
    );
}

#[test]
fn a_closed_breaker_a_missing_cause_and_no_identity() {
    let desk = Desk::new();
    for _ in 0..3 {
        desk.feed(&["attempt", "record", "-"], FAIL);
    }
    let list = desk.run(&["breaker", "list", "--json"]).json();
    let handle = list["breakers"][0]["handle"].as_str().unwrap().to_owned();
    let answer = refused(
        &desk.run(&["breaker", "reset", &handle, "--json"]),
        "contract_fault",
        1,
    );
    let missing: Vec<&str> = answer["faults"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| f["path"].as_str().unwrap())
        .collect();
    assert_eq!(missing, ["cause", "fix", "evidence"]);
    std::fs::write(desk.project().join("notes.md"), "seen").unwrap();
    let whole = [
        "breaker",
        "reset",
        &handle,
        "--cause",
        "c",
        "--fix",
        "f",
        "--evidence",
        "notes.md",
    ];
    refused(
        &desk.run(&[&whole[..], &["--json"]].concat()),
        "identity_missing",
        1,
    );
    let wrong = [
        "breaker",
        "reset",
        &handle,
        "--cause",
        "c",
        "--fix",
        "f",
        "--evidence",
        "nothing.md",
        "--json",
    ];
    refused(&desk.run(&wrong), "evidence_missing", 1);
    let dry = |more: &[&str]| {
        let base = ["breaker", "reset", &handle, "--check"];
        desk.run(&[&base[..], more].concat())
    };
    // A dry run ends as the reset would.
    let checked = refused(&dry(&["--json"]), "reset_lacks", 1);
    let fields = json!(["cause", "fix", "evidence", "signer"]);
    assert_eq!(checked["lacks"], fields);
    let shows = format!("watchfloor breaker show {handle}");
    assert_eq!(checked["next_command"], json!(shows));
    let told = dry(&[]);
    assert!(told.code == 1 && told.out.contains("is open") && told.err.contains("reset_lacks"));
    let whole = ["--cause", "c", "--fix", "f", "--evidence", "notes.md"];
    // All is there but somebody who signs.
    let nobody = refused(&dry(&[&whole[..], &["--json"]].concat()), "reset_lacks", 1);
    assert_eq!(nobody["lacks"], json!(["signer"]));
    assert_eq!(nobody["next_command"], "watchfloor identity list");
    assert!(dry(&whole).out.contains("there is no identity here"));
    let gone = [
        "--cause",
        "c",
        "--fix",
        "f",
        "--evidence",
        "none.md",
        "--json",
    ];
    let gone = refused(&dry(&gone), "reset_lacks", 1);
    assert_eq!(gone["lacks"], json!(["evidence_exists", "signer"]));
    let secret = concat!("AKIA", "4GH7QZ2MXWVN5RTB");
    let leaks = [
        "--cause",
        secret,
        "--fix",
        "f",
        "--evidence",
        "notes.md",
        "--json",
    ];
    refused(&dry(&leaks), "secret_in_record", 1);
    let open = desk.run(&["breaker", "list", "--json"]).json();
    assert_eq!(open["breakers"][0]["state"], "open");
}

#[test]
fn an_identity_is_made_at_a_terminal_and_never_inside_an_agent() {
    let desk = Desk::new();
    let said = desk.run(&["identity", "init", "--json"]);
    refused(&said, "terminal_required", 3);
    let mut inside = desk.command(&["identity", "init", "--json"]);
    inside
        .env("CLAUDECODE", "1")
        .stdin(std::process::Stdio::null());
    let output = inside.output().unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["code"], "identity_in_agent");
    assert_eq!(rows(&desk), 0);
}

#[test]
fn an_agent_that_moves_a_mission_where_it_may_not_go_trips_state_and_a_person_does_not() {
    let desk = Desk::new();
    assert_eq!(desk.run(&["mission", "new", "M", "--outcome", "o"]).code, 0);
    refused(
        &desk.run(&["mission", "move", "M", "--to", "done", "--json"]),
        "transition_forbidden",
        1,
    );
    assert_eq!(
        desk.run(&["breaker", "list", "--json"]).json()["breakers"],
        json!([])
    );
    refused(
        &desk.run(&[
            "mission", "move", "M", "--to", "done", "--agent", "a", "--json",
        ]),
        "transition_forbidden",
        1,
    );
    let list = desk.run(&["breaker", "list", "--json"]).json();
    assert_eq!(list["breakers"][0]["trigger"], "state");
    assert_eq!(
        desk.run(&["mission", "show", "M", "--json"]).json()["state"],
        "halted"
    );
    refused(
        &desk.run(&["mission", "move", "M", "--to", "active", "--json"]),
        "breaker_open",
        1,
    );
}

#[test]
fn hostile_agent_text_reaches_no_terminal() {
    let desk = Desk::new();
    let mut body: Value = serde_json::from_str(FAIL).unwrap();
    body["strategy"] = json!(format!(
        "\u{1b}]0;owned\u{7}\u{1b}[2J\u{202e}{}",
        "漢".repeat(300_000)
    ));
    body["agent"] = json!("a\u{1b}[31m");
    assert_eq!(
        desk.feed(&["attempt", "record", "-"], &body.to_string())
            .code,
        0
    );
    for verb in [
        &["status"][..],
        &["tail"],
        &["attempt", "list"],
        &["task", "list"],
        &["breaker", "list"],
    ] {
        let said = desk.run(verb);
        assert_eq!(said.code, 0);
        let hostile = |c: char| watchfloor::contract::text::is_hostile(c) && c != '\n';
        assert!(!said.out.chars().any(hostile), "{verb:?}");
        assert!(
            said.out.len() < 20_000,
            "{verb:?} prints {} bytes",
            said.out.len()
        );
    }
}

#[test]
fn a_presented_reset_that_is_forged_trips_and_a_reserved_receipt_is_refused() {
    let desk = Desk::new();
    for _ in 0..3 {
        desk.feed(&["attempt", "record", "-"], FAIL);
    }
    let list = desk.run(&["breaker", "list", "--json"]).json();
    let breaker = &list["breakers"][0];
    let goal = format!("sha256:{}", "a".repeat(64));
    let envelope = |schema: &str, payload: Value| {
        json!({"schema": "pi.receipt_envelope.v1", "receipt_id": format!("x-{schema}"), "payload_schema": schema,
            "producer": "watchfloor", "emitted_at": "2026-11-30T12:00:00Z", "goal_hash": goal, "payload": payload})
        .to_string()
    };
    let reset = json!({"schema": "watchfloor.breaker_reset.v1", "breaker_id": breaker["id"], "trips": breaker["receipts"],
        "scope": {"kind": "fleet"}, "cause": "c", "fix": "f", "evidence": [], "checks": [], "nonce": "n1", "at_seq": 1,
        "at_hash": goal, "approval": {"principal": "me", "role": "human", "key": "SHA256:x", "signature": "none"}});
    let said = desk.feed(
        &["receipt", "ingest", "-", "--json"],
        &envelope("watchfloor.breaker_reset.v1", reset),
    );
    refused(&said, "approval_unknown", 1);
    let trip = json!({"schema": "watchfloor.breaker_trip.v1"});
    refused(
        &desk.feed(
            &["receipt", "ingest", "-", "--json"],
            &envelope("watchfloor.breaker_trip.v1", trip),
        ),
        "reserved_schema",
        1,
    );
    let list = desk.run(&["breaker", "list", "--json"]).json();
    let triggers: Vec<&str> = list["breakers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|b| b["trigger"].as_str().unwrap())
        .collect();
    assert!(triggers.contains(&"approval_identity"), "{triggers:?}");
    assert_eq!(list["breakers"][0]["state"], "open");
}

#[test]
fn a_store_that_cannot_be_written_says_so() {
    let desk = Desk::new();
    let folder = desk.store().parent().unwrap().to_path_buf();
    std::fs::set_permissions(desk.store(), std::fs::Permissions::from_mode(0o400)).unwrap();
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o500)).unwrap();
    let said = desk.feed(&["attempt", "record", "-", "--json"], FAIL);
    // The superuser may write all the same.
    if said.code != 0 {
        refused(&said, "store_readonly", 3);
    }
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o700)).unwrap();
}

#[test]
fn a_stop_holds_without_a_configuration_and_without_a_working_directory() {
    let desk = Desk::new();
    let config = desk.home().join(".config/watchfloor");
    std::fs::create_dir_all(&config).unwrap();
    std::fs::write(config.join("config.toml"), "limits = [").unwrap();
    let in_removed_folder = |verb: &str| {
        let words = format!("mkdir gone && cd gone && rmdir ../gone && exec \"$0\" {verb}");
        let program = desk.command(&[]).get_program().to_owned();
        let said = std::process::Command::new("sh")
            .args(["-c", &words])
            .arg(program)
            .env_clear()
            .env("HOME", desk.home())
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .current_dir(desk.project())
            .output()
            .unwrap();
        said.status.code()
    };
    assert_eq!(desk.run(&["stop", "--scope", "task:T"]).code, 0);
    assert_eq!(in_removed_folder("stop"), Some(0));
    assert_eq!(
        in_removed_folder("--project p stop --scope project"),
        Some(0)
    );
    // Which project is meant cannot be told.
    assert_eq!(in_removed_folder("stop --scope task:T"), Some(3));
    assert_eq!(rows(&desk), 3, "three stops were recorded");
}

#[test]
fn a_refusal_that_cannot_be_written_is_an_exit_code_that_refuses() {
    let desk = Desk::new();
    assert_eq!(desk.run(&["stop", "--reason", "look first"]).code, 0);
    let call = json!({"session_id": "s", "cwd": desk.project(), "hook_event_name": "PreToolUse", "tool_name": "Write",
        "tool_input": {"file_path": "x"}});
    let payload = desk.home().join("payload.json");
    std::fs::write(&payload, call.to_string()).unwrap();
    let full = std::fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let output = desk
        .command(&["hook", "claude", "PreToolUse"])
        .stdin(std::fs::File::open(&payload).unwrap())
        .stdout(full)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("look first"));
}

#[test]
fn the_next_command_of_a_broken_attempt_shows_its_schema() {
    let desk = Desk::new();
    let said = desk.feed(&["attempt", "record", "-", "--json"], "{}");
    let next = said.json()["next_command"].as_str().unwrap().to_owned();
    let words: Vec<&str> = next.split(' ').skip(1).collect();
    assert_eq!(desk.run(&words).code, 0, "{next}");
}

#[test]
fn behind_a_stop_only_this_program_passes_under_its_name() {
    let desk = Desk::new();
    assert_eq!(desk.run(&["stop"]).code, 0);
    let other = desk.project().join("watchfloor");
    std::fs::write(&other, "#!/bin/sh\n").unwrap();
    let own = env!("CARGO_BIN_EXE_watchfloor");
    for (program, passes) in [
        ("watchfloor", true),
        (own, true),
        ("./watchfloor", false),
        (other.to_str().unwrap(), false),
        ("/nowhere/watchfloor", false),
    ] {
        let call = json!({"session_id": "s", "cwd": desk.project(), "hook_event_name": "PreToolUse", "tool_name": "Bash",
            "tool_input": {"command": format!("{program} status")}});
        let said = desk.feed(&["hook", "claude", "PreToolUse"], &call.to_string());
        assert_eq!(!said.out.contains("deny"), passes, "{program}: {said:?}");
    }
}

#[test]
fn a_call_that_lacks_something_is_told_what() {
    let desk = Desk::new();
    let said = desk.run(&["identity", "revoke", "me", "--json"]);
    let cause = refused(&said, "usage", 2)["cause"].to_string();
    assert!(cause.contains("--reason"), "{cause}");
}

#[test]
fn a_theme_that_there_is_none_of_is_refused_where_a_flag_names_it() {
    let desk = Desk::new();
    for words in [
        &["--theme", "nonsense", "status"][..],
        &["status", "--theme=nonsense"],
    ] {
        let said = desk.run(&[words, &["--json"]].concat());
        let answer = refused(&said, "usage", 2);
        assert!(
            answer["cause"]
                .as_str()
                .unwrap()
                .contains("nonsense is no theme")
        );
    }
    for name in ["auto", "dark", "light", "high-contrast", "mono"] {
        assert_eq!(desk.run(&["--theme", name, "status"]).code, 0, "{name}");
    }
    // A wrong word in the environment keeps no hook from its work.
    let mut set = desk.command(&["status"]);
    set.env("WATCHFLOOR_THEME", "nonsense");
    assert_eq!(set.output().unwrap().status.code(), Some(0));
}
