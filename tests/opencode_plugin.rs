//! The plugin for opencode, driven by Node without opencode: what it lets through and what it refuses.

#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

/// Plays opencode: loads the plugin, fires hooks in order, prints what each did to its output.
const DRIVER: &str = r#"
import { Watchfloor } from "./watchfloor.mjs";
const prompts = [];
const client = { session: { prompt: async (what) => { prompts.push(what); } } };
const hooks = await Watchfloor({ client, directory: process.cwd() });
const done = [];
for (const [name, input, output] of JSON.parse(process.argv[2])) {
  let thrown = null;
  try {
    await hooks[name](input, output);
  } catch (error) {
    thrown = error.message;
  }
  done.push({ thrown, output: output ?? null });
}
console.log(JSON.stringify({ done, prompts }));
"#;

/// Fires hooks with a stand-in for the binary; `None` where Node is not installed.
fn fire(script: Option<&str>, calls: &Value) -> Option<(Value, Vec<Value>)> {
    let temp = tempfile::tempdir().unwrap();
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
    let text = ["extension/call.js", "opencode/watchfloor.js"]
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
        let script = format!("#!/bin/sh\nin=$(cat)\nprintf '%s\\n' \"$in\" >> seen\n{script}\n");
        fs::write(&binary, script).unwrap();
        fs::set_permissions(&binary, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let run = Command::new("node")
        .args(["driver.mjs", &calls.to_string()])
        .current_dir(temp.path())
        .env("WATCHFLOOR_BIN", &binary)
        .output();
    let Ok(output) = run else {
        eprintln!("node is not installed: the plugin is not tried");
        return None;
    };
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    let seen = fs::read_to_string(temp.path().join("seen")).unwrap_or_default();
    let seen = seen.lines().map(|line| serde_json::from_str(line).unwrap());
    Some((
        serde_json::from_slice(&output.stdout).unwrap(),
        seen.collect(),
    ))
}

fn before(tool: &str) -> Value {
    json!(["tool.execute.before", {"tool": tool, "sessionID": "ses_1", "callID": "c"}, {"args": {"command": "make"}}])
}

fn event(kind: &str, properties: &Value) -> Value {
    json!(["event", {"event": {"type": kind, "properties": properties}}, null])
}

const BLOCK: &str = r#"echo '{"decision":"block","reason":"Watchfloor: open"}'"#;

#[test]
fn a_call_is_passed_on_and_let_through_or_thrown() {
    let Some((said, seen)) = fire(Some("echo '{}'"), &json!([before("bash")])) else {
        return;
    };
    assert_eq!(said["done"][0]["thrown"], Value::Null);
    assert_eq!(seen[0]["type"], "tool.execute.before");
    assert_eq!(seen[0]["input"]["sessionID"], "ses_1");
    assert_eq!(seen[0]["output"]["args"]["command"], "make");
    assert!(seen[0]["cwd"].is_string());
    for end in ["", "; exit 1"] {
        let (said, _) = fire(Some(&format!("{BLOCK}{end}")), &json!([before("bash")])).unwrap();
        assert_eq!(said["done"][0]["thrown"], "Watchfloor: open");
    }
}

#[test]
fn no_clear_answer_refuses_what_may_change_something() {
    for (script, why) in [
        (Some("exit 3"), "exit code 3"),
        (Some("echo oops"), "no JSON answer"),
        (Some("true"), "no JSON answer"),
        (Some("echo '[]'"), "no JSON answer"),
        (Some("kill -9 $$"), "SIGKILL"),
        (Some("exec sleep 60"), "no answer within"),
        (None, "cannot be started"),
    ] {
        let calls = json!([before("bash"), before("patch"), before("read")]);
        let Some((said, _)) = fire(script, &calls) else {
            return;
        };
        for changing in [0, 1] {
            let thrown = said["done"][changing]["thrown"].as_str().unwrap();
            assert!(thrown.contains(why), "{thrown}");
        }
        assert_eq!(said["done"][2]["thrown"], Value::Null, "{script:?}");
    }
}

#[test]
fn a_refused_end_prompts_its_reason_but_not_after_a_break_nor_for_a_subagent() {
    let idle = |session: &str| event("session.idle", &json!({"sessionID": session}));
    let calls = json!([
        event(
            "session.created",
            &json!({"info": {"id": "ses_2", "parentID": "ses_1"}})
        ),
        idle("ses_2"),
        event(
            "session.error",
            &json!({"sessionID": "ses_1", "error": {"name": "MessageAbortedError"}})
        ),
        idle("ses_1"),
        idle("ses_1"),
    ]);
    let Some((said, seen)) = fire(Some(BLOCK), &calls) else {
        return;
    };
    assert_eq!(said["prompts"].as_array().unwrap().len(), 1, "{said}");
    let prompt = &said["prompts"][0];
    assert_eq!(prompt["path"]["id"], "ses_1");
    assert_eq!(prompt["body"]["parts"][0]["text"], "Watchfloor: open");
    assert_eq!(seen.len(), 2, "{seen:?}");
    assert_eq!(seen[0]["parent_id"], "ses_1");
}

#[test]
fn what_a_model_should_read_is_added() {
    let after = |output: &Value| json!(["tool.execute.after", {"tool": "bash", "sessionID": "ses_1"}, output]);
    let calls = json!([
        event("session.created", &json!({"info": {"id": "ses_1"}})),
        after(&json!({"output": "failed"})),
        after(&json!({"content": []})),
        ["experimental.chat.system.transform", {"sessionID": "ses_1"}, {"system": ["a"]}],
        ["experimental.chat.system.transform", {"sessionID": "ses_9"}, {"system": ["a"]}],
        ["shell.env", {"sessionID": "ses_1"}, {"env": {}}],
    ]);
    let Some((said, _)) = fire(Some(r#"echo '{"tell":"words"}'"#), &calls) else {
        return;
    };
    let output = |at: usize| said["done"][at]["output"].clone();
    assert_eq!(output(1)["output"], "failed\nwords");
    assert_eq!(output(2)["content"][0]["text"], "words");
    assert_eq!(output(3)["system"], json!(["a", "words"]));
    assert_eq!(output(4)["system"], json!(["a"]));
    assert_eq!(output(5)["env"]["WATCHFLOOR_AGENT"], "opencode:ses_1");
}

#[test]
fn other_events_never_disturb_opencode() {
    let failed = json!({"part": {"type": "tool", "state": {"status": "error"}}});
    let calls = json!([
        event("session.idle", &json!({"sessionID": "ses_1"})),
        event("session.updated", &json!({"sessionID": "ses_1"})),
        event("message.part.updated", &failed),
        event("permission.asked", &json!({"sessionID": "ses_1"})),
        ["chat.message", {"sessionID": "ses_1"}, {"parts": [{"type": "text", "text": "go"}]}],
        ["tool.execute.after", {"tool": "bash", "sessionID": "ses_1"}, {"output": "x"}],
    ]);
    for (script, count) in [(Some("echo '{}'"), 5), (Some("exit 1"), 5), (None, 0)] {
        let Some((said, seen)) = fire(script, &calls) else {
            return;
        };
        for done in said["done"].as_array().unwrap() {
            assert_eq!(done["thrown"], Value::Null);
        }
        assert_eq!(seen.len(), count, "{script:?}: {seen:?}");
    }
}
