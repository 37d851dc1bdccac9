//! What every scripted agent can do: call the product's own verbs and hooks as processes of their
//! own, as a real agent does, and take its time.

use std::io::{self, Write};
use std::os::unix::process::parent_id;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::Duration;

use serde_json::{Value, json};

/// Pause between two steps: what happens should be seen happening.
const STEP: Duration = Duration::from_millis(900);
/// Pause of an agent that is stopped, or has nothing to do.
const PATIENCE: Duration = Duration::from_millis(2_500);

/// One agent of the demo.
pub(super) struct Actor<'a> {
    /// Its name.
    pub name: &'a str,
    /// The folder that it works in.
    pub project: &'a Path,
    /// The process of the demo; when it is gone, so is everything else.
    pub stage: u32,
}

/// What a verb answered.
pub(super) struct Answer {
    /// It was done; else a rule refused it.
    pub done: bool,
    /// The one object on standard output.
    pub said: Value,
}

impl Answer {
    /// A text of the answer; empty where there is none.
    pub fn text(&self, key: &str) -> &str {
        self.said.get(key).and_then(Value::as_str).unwrap_or("")
    }
}

impl Actor<'_> {
    /// Calls a verb as this agent.
    pub fn verb(&self, words: &[&str]) -> io::Result<Answer> {
        self.feed(words, "")
    }

    /// Calls a verb with a text on its standard input.
    pub fn feed(&self, words: &[&str], input: &str) -> io::Result<Answer> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(words).args(["--json", "--agent", self.name]);
        let output = self.run(command, input)?;
        Ok(Answer {
            done: output.status.success(),
            said: serde_json::from_slice(&output.stdout).unwrap_or_default(),
        })
    }

    /// Records a try that failed with a text, or passed.
    pub fn attempt(&self, task: &str, strategy: &str, failure: Option<&str>) -> io::Result<Answer> {
        let entry = json!({
            "task_id": task,
            "agent": self.name,
            "role": "maker",
            "hypothesis": format!("{strategy} is what it takes"),
            "strategy": strategy,
            "change": {"summary": strategy, "files": ["src/session.rs"]},
            "check": "cargo test session",
            "result": if failure.is_some() { "FAIL" } else { "PASS" },
            "error_signature": failure,
        });
        self.feed(&["attempt", "record", "-"], &entry.to_string())
    }

    /// Calls the product's own hook, as the extension of a real agent program does.
    pub fn hook(&self, event: &str, fields: &Value) -> io::Result<Value> {
        let mut payload = fields.clone();
        payload["hook"] = json!("pi");
        payload["type"] = json!(event);
        payload["cwd"] = json!(self.project);
        payload["session_id"] = json!(self.name);
        payload["pid"] = json!(std::process::id());
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["hook", "pi", event]);
        let output = self.run(command, &payload.to_string())?;
        Ok(serde_json::from_slice(&output.stdout).unwrap_or_default())
    }

    fn run(&self, mut command: Command, input: &str) -> io::Result<Output> {
        if parent_id() != self.stage {
            return Err(io::Error::other("the demo is over"));
        }
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        if let Some(mut stdin) = child.stdin.take() {
            // A program that answers before it has read everything closes its input.
            match stdin.write_all(input.as_bytes()) {
                Err(error) if error.kind() != io::ErrorKind::BrokenPipe => return Err(error),
                _ => {}
            }
        }
        child.wait_with_output()
    }
}

/// Lets one step's time pass.
pub(super) fn step() {
    sleep(STEP);
}

/// Lets some steps' time pass.
pub(super) fn steps(many: u32) {
    sleep(STEP * many);
}

/// Waits a little before asking again.
pub(super) fn wait() {
    sleep(PATIENCE);
}
