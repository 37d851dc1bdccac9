//! The extension for pi, driven by Node without pi: what it lets through and what it refuses.

#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

/// Plays pi: loads the extension, fires one event, prints what its handler answers.
const DRIVER: &str = r#"
import extension from "./watchfloor.mjs";
const handlers = {};
extension({ on: (name, handler) => { handlers[name] = handler; } });
const [name, event] = JSON.parse(process.argv[2]);
const ctx = { cwd: process.cwd(), sessionManager: { getSessionFile: () => "f.jsonl", getSessionId: () => "s-1" } };
const answer = await handlers[name](event, ctx);
console.log(JSON.stringify({ names: Object.keys(handlers), answer: answer ?? null }));
"#;

/// Fires an event with a stand-in for the binary; `None` where Node is not installed.
fn fire(script: Option<&str>, name: &str, event: &Value) -> Option<(Value, Option<Value>)> {
    let temp = tempfile::tempdir().unwrap();
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
    let text = ["extension/call.js", "pi/watchfloor.ts"]
        .map(|file| fs::read_to_string(assets.join(file)).unwrap())
        .concat();
    let text = if script.is_some_and(|script| script.contains("sleep")) {
        // The same file, with a deadline that a test can wait for.
        assert!(text.contains("DEADLINE_MS = 8000"));
        text.replace("DEADLINE_MS = 8000", "DEADLINE_MS = 500")
    } else {
        text
    };
    fs::write(temp.path().join("watchfloor.mjs"), text).unwrap();
    fs::write(temp.path().join("driver.mjs"), DRIVER).unwrap();
    let binary = temp.path().join("stand-in");
    if let Some(script) = script {
        let script = format!("#!/bin/sh\necho \"$@\" > args\n{script}\n");
        fs::write(&binary, script).unwrap();
        fs::set_permissions(&binary, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let run = Command::new("node")
        .args(["driver.mjs", &json!([name, event]).to_string()])
        .current_dir(temp.path())
        .env("WATCHFLOOR_BIN", &binary)
        .output();
    let Ok(output) = run else {
        eprintln!("node is not installed: the extension is not tried");
        return None;
    };
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    let seen = fs::read(temp.path().join("stdin"))
        .ok()
        .map(|bytes| serde_json::from_slice(&bytes).unwrap());
    if seen.is_some() {
        let args = fs::read_to_string(temp.path().join("args")).unwrap();
        assert_eq!(args.trim(), format!("hook pi {name}"));
    }
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        answer["names"],
        json!([
            "input",
            "session_shutdown",
            "ui_prompt_start",
            "ui_prompt_end",
            "session_start",
            "before_agent_start",
            "agent_before_settle",
            "tool_call",
            "tool_result"
        ])
    );
    Some((answer["answer"].clone(), seen))
}

fn bash() -> Value {
    json!({"type": "tool_call", "toolName": "bash", "toolCallId": "c-1", "input": {"command": "make"}})
}

#[test]
fn a_call_is_passed_on_and_let_through() {
    let Some((answer, seen)) = fire(Some("cat > stdin; echo '{}'"), "tool_call", &bash()) else {
        return;
    };
    assert_eq!(answer, Value::Null);
    let seen = seen.unwrap();
    assert_eq!(seen["hook"], "pi");
    assert_eq!(seen["session_id"], "s-1");
    assert_eq!(seen["session_file"], "f.jsonl");
    assert_eq!(seen["toolName"], "bash");
    assert_eq!(seen["input"]["command"], "make");
    assert!(seen["pid"].is_u64() && seen["cwd"].is_string());
}

#[test]
fn a_refusal_is_obeyed_whatever_the_exit_code() {
    for end in ["exit 0", "exit 1"] {
        let script =
            format!("cat > stdin; echo '{{\"decision\":\"block\",\"reason\":\"open\"}}'; {end}");
        let Some((answer, _)) = fire(Some(&script), "tool_call", &bash()) else {
            return;
        };
        assert_eq!(answer, json!({"block": true, "reason": "open"}));
    }
}

#[test]
fn no_clear_answer_refuses_what_may_change_something() {
    let cases = [
        (Some("cat > stdin; exit 3"), "exit code 3"),
        (Some("cat > stdin; echo oops"), "no JSON answer"),
        (Some("cat > stdin"), "no JSON answer"),
        (Some("cat > stdin; echo '[]'"), "no JSON answer"),
        (Some("kill -9 $$"), "SIGKILL"),
        (Some("exec sleep 60"), "no answer within"),
        (None, "cannot be started"),
    ];
    for (script, why) in cases {
        let Some((answer, _)) = fire(script, "tool_call", &bash()) else {
            return;
        };
        assert_eq!(answer["block"], true, "{script:?}");
        let reason = answer["reason"].as_str().unwrap();
        assert!(reason.contains(why), "{reason}");
    }
    for tool in ["read", "grep", "find", "ls"] {
        let event = json!({"type": "tool_call", "toolName": tool, "input": {}});
        let Some((answer, _)) = fire(None, "tool_call", &event) else {
            return;
        };
        assert_eq!(answer, Value::Null, "{tool}");
    }
}

#[test]
fn what_the_model_should_read_is_added_to_the_result() {
    let event = json!({"toolName": "bash", "content": [{"type": "text", "text": "failed"}], "isError": true});
    let Some((answer, seen)) = fire(
        Some("cat > stdin; echo '{\"tell\":\"the same failure again\"}'"),
        "tool_result",
        &event,
    ) else {
        return;
    };
    assert_eq!(
        answer["content"],
        json!([{"type": "text", "text": "failed"}, {"type": "text", "text": "the same failure again"}])
    );
    assert_eq!(seen.unwrap()["isError"], true);
    for script in [Some("cat > stdin; echo '{}'"), Some("exit 1"), None] {
        let (answer, _) = fire(script, "tool_result", &event).unwrap();
        assert_eq!(answer, Value::Null);
    }
}

#[test]
fn other_events_never_disturb_pi() {
    for name in [
        "session_start",
        "input",
        "session_shutdown",
        "ui_prompt_start",
        "ui_prompt_end",
        "agent_before_settle",
    ] {
        for script in [Some("cat > stdin; echo '{}'"), Some("exit 1"), None] {
            let Some((answer, _)) = fire(script, name, &json!({"type": name, "text": "go on"}))
            else {
                return;
            };
            assert_eq!(answer, Value::Null);
        }
    }
}

#[test]
fn a_refused_end_goes_on_with_its_reason() {
    let event = json!({"type": "agent_before_settle", "outcome": "completed", "entries": [{"type": "custom"}],
        "context": {"large": "and left out"}});
    let script = "cat > stdin; echo '{\"decision\":\"block\",\"reason\":\"you hold h-1\"}'";
    let Some((answer, seen)) = fire(Some(script), "agent_before_settle", &event) else {
        return;
    };
    let seen = seen.unwrap();
    assert_eq!(
        (&seen["outcome"], &seen["context"]),
        (&json!("completed"), &Value::Null)
    );
    assert_eq!(answer["continue"], true);
    assert_eq!(answer["entries"][0], json!({"type": "custom"}));
    assert_eq!(answer["entries"][1]["content"], "you hold h-1");
}
