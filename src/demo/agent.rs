//! One scripted agent: edits a file, runs a check that fails, and edits again, through the same
//! hook that a real agent program calls. When a breaker refuses it, it waits and asks again.

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

/// Pause between two steps: what happens should be seen happening.
const STEP: Duration = Duration::from_millis(900);
/// Pause of an agent that is stopped.
const STOPPED: Duration = Duration::from_millis(1_500);
/// The file that the agent edits.
const FILE: &str = "answer.txt";
/// The check that it must pass.
const CHECK: &str = "sh check.sh";
/// What it writes, in turn; the last one is right.
const TRIES: [&str; 4] = ["40", "41", "43", "42"];

/// Writes the project: a file and a check of it.
///
/// # Errors
/// The folder cannot be written.
pub fn scene(project: &Path) -> io::Result<()> {
    fs::create_dir_all(project)?;
    fs::write(project.join(FILE), "0\n")?;
    let check = format!(
        "# The answer must be 42.\nif [ \"$(cat {FILE})\" = 42 ]; then echo ok; exit 0; fi\n\
         echo \"error: {FILE} does not hold the answer\" >&2\nexit 1\n"
    );
    fs::write(project.join("check.sh"), check)
}

/// Plays one agent until its check passes.
///
/// # Errors
/// The project or the program cannot be reached: the demo is over.
pub fn play(name: &str, project: &Path) -> io::Result<()> {
    let actor = Actor { name, project };
    actor.hook("session_start", &json!({}))?;
    for text in TRIES {
        actor.edit(text)?;
        if actor.check()? {
            break;
        }
    }
    actor.hook("session_shutdown", &json!({}))?;
    Ok(())
}

struct Actor<'a> {
    name: &'a str,
    project: &'a Path,
}

impl Actor<'_> {
    /// Writes the file, as soon as it may.
    fn edit(&self, text: &str) -> io::Result<()> {
        let call = json!({"toolName": "write", "toolCallId": format!("w-{text}"), "input": {"path": FILE, "content": text}});
        while refused(&self.hook("tool_call", &call)?) {
            std::thread::sleep(STOPPED);
        }
        fs::write(self.project.join(FILE), format!("{text}\n"))?;
        self.result(&call, "written", 0)?;
        std::thread::sleep(STEP);
        Ok(())
    }

    /// Runs the check, as soon as it may; `true` when it passes.
    fn check(&self) -> io::Result<bool> {
        let call = json!({"toolName": "bash", "toolCallId": "c", "input": {"command": CHECK}});
        while refused(&self.hook("tool_call", &call)?) {
            std::thread::sleep(STOPPED);
        }
        let ran = Command::new("sh")
            .arg("check.sh")
            .current_dir(self.project)
            .output()?;
        let said = String::from_utf8_lossy(&ran.stderr).into_owned()
            + &String::from_utf8_lossy(&ran.stdout);
        self.result(&call, &said, ran.status.code().unwrap_or(1))?;
        std::thread::sleep(STEP);
        Ok(ran.status.success())
    }

    fn result(&self, call: &Value, text: &str, code: i32) -> io::Result<()> {
        let mut event = call.clone();
        event["content"] = json!([{"type": "text", "text": text}]);
        event["structuredContent"] = json!({"output": text, "exit_code": code});
        event["isError"] = json!(code != 0);
        self.hook("tool_result", &event)?;
        Ok(())
    }

    /// Calls the product's own hook, as the extension of a real agent program does.
    fn hook(&self, event: &str, fields: &Value) -> io::Result<Value> {
        let mut payload = fields.clone();
        payload["hook"] = json!("pi");
        payload["type"] = json!(event);
        payload["cwd"] = json!(self.project);
        payload["session_id"] = json!(self.name);
        payload["pid"] = json!(std::process::id());
        let mut child = Command::new(std::env::current_exe()?)
            .args(["hook", "pi", event])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        if let Some(mut input) = child.stdin.take() {
            input.write_all(payload.to_string().as_bytes())?;
        }
        let Output { stdout, .. } = child.wait_with_output()?;
        Ok(serde_json::from_slice(&stdout).unwrap_or_default())
    }
}

fn refused(answer: &Value) -> bool {
    answer.get("decision").and_then(Value::as_str) == Some("block")
}
