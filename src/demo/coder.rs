//! An agent that edits a file, runs a check that fails, and edits again, through the same hook
//! that a real agent program calls. When a breaker refuses it, it waits and asks again.

use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::actor::{Actor, step, wait};

/// The file that the agent edits.
const FILE: &str = "answer.txt";
/// The check that it must pass.
const CHECK: &str = "sh check.sh";
/// What it writes, in turn; the last one is right.
const TRIES: [&str; 4] = ["40", "41", "43", "42"];

/// Writes the project: a file and a check of it.
pub(super) fn scene(project: &Path) -> io::Result<()> {
    fs::create_dir_all(project)?;
    fs::write(project.join(FILE), "0\n")?;
    let check = format!(
        "# The answer must be 42.\nif [ \"$(cat {FILE})\" = 42 ]; then echo ok; exit 0; fi\n\
         echo \"error: {FILE} does not hold the answer\" >&2\nexit 1\n"
    );
    fs::write(project.join("check.sh"), check)
}

/// Plays it until its check passes.
pub(super) fn play(actor: &Actor<'_>) -> io::Result<()> {
    actor.hook("session_start", &json!({}))?;
    for text in TRIES {
        edit(actor, text)?;
        if check(actor)? {
            break;
        }
    }
    actor.hook("session_shutdown", &json!({}))?;
    Ok(())
}

/// Writes the file, as soon as it may.
fn edit(actor: &Actor<'_>, text: &str) -> io::Result<()> {
    let call = json!({"toolName": "write", "toolCallId": format!("w-{text}"), "input": {"path": FILE, "content": text}});
    ask(actor, &call)?;
    fs::write(actor.project.join(FILE), format!("{text}\n"))?;
    result(actor, &call, "written", 0)?;
    step();
    Ok(())
}

/// Runs the check, as soon as it may; `true` when it passes.
fn check(actor: &Actor<'_>) -> io::Result<bool> {
    let call = json!({"toolName": "bash", "toolCallId": "c", "input": {"command": CHECK}});
    ask(actor, &call)?;
    let ran = Command::new("sh")
        .arg("check.sh")
        .current_dir(actor.project)
        .output()?;
    let said =
        String::from_utf8_lossy(&ran.stderr).into_owned() + &String::from_utf8_lossy(&ran.stdout);
    result(actor, &call, &said, ran.status.code().unwrap_or(1))?;
    step();
    Ok(ran.status.success())
}

/// Asks until the call is let through.
fn ask(actor: &Actor<'_>, call: &Value) -> io::Result<()> {
    while refused(&actor.hook("tool_call", call)?) {
        wait();
    }
    Ok(())
}

fn result(actor: &Actor<'_>, call: &Value, text: &str, code: i32) -> io::Result<()> {
    let mut event = call.clone();
    event["content"] = json!([{"type": "text", "text": text}]);
    event["structuredContent"] = json!({"output": text, "exit_code": code});
    event["isError"] = json!(code != 0);
    actor.hook("tool_result", &event)?;
    Ok(())
}

fn refused(answer: &Value) -> bool {
    answer.get("decision").and_then(Value::as_str) == Some("block")
}
