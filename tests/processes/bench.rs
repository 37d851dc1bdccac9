//! A store in a folder of its own, and calls of the built program on it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use serde_json::{Value, json};
use tempfile::TempDir;

/// Longer than any call may take on a busy machine.
pub const LIMIT: Duration = Duration::from_mins(2);

/// The small number of rounds, or the full one where that was asked for.
pub fn size(small: usize, full: usize) -> usize {
    match std::env::var_os("WATCHFLOOR_FULL_SIZE") {
        Some(_) => full,
        None => small,
    }
}

/// A folder with a store.
pub struct Bench {
    pub folder: PathBuf,
    /// Removed with the bench.
    temp: Option<TempDir>,
}

impl Bench {
    pub fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let mut bench = Self::at(temp.path());
        bench.temp = Some(temp);
        bench
    }

    /// The same store, for another thread of the test.
    pub fn again(&self) -> Self {
        Self {
            folder: self.folder.clone(),
            temp: None,
        }
    }

    /// A store in a folder that somebody else keeps.
    pub fn at(folder: &Path) -> Self {
        let bench = Self {
            folder: folder.canonicalize().unwrap(),
            temp: None,
        };
        bench.ok(&["init"]);
        // Written now: a full disk would have no place for it.
        let payload = json!({
            "hook_event_name": "PreToolUse", "session_id": "s-1", "cwd": bench.folder,
            "tool_name": "Bash", "tool_input": {"command": "make"}, "tool_use_id": "t-1",
        });
        fs::write(bench.payload(), payload.to_string()).unwrap();
        bench
    }

    pub fn store(&self) -> PathBuf {
        self.folder.join("store.db")
    }

    /// A call that sees nothing of the surroundings of the tests.
    pub fn call(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_watchfloor"));
        command.env_clear().env("HOME", &self.folder);
        command.current_dir(&self.folder);
        command.arg("--store").arg(self.store()).arg("--json");
        command.args(words).stdin(Stdio::null());
        command
    }

    pub fn run(&self, words: &[&str]) -> Output {
        self.call(words).output().unwrap()
    }

    /// A call that must go well; its answer.
    pub fn ok(&self, words: &[&str]) -> Value {
        let output = self.run(words);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{words:?}: {said}");
        serde_json::from_slice(&output.stdout).unwrap_or_default()
    }

    /// A Claude Code hook before a shell call; its answer.
    pub fn hook(&self) -> Value {
        let mut command = self.call(&["hook", "claude", "PreToolUse"]);
        command.stdin(fs::File::open(self.payload()).unwrap());
        let output = command.output().unwrap();
        assert!(output.status.success());
        serde_json::from_slice(&output.stdout).unwrap_or_default()
    }

    fn payload(&self) -> PathBuf {
        self.folder.join("payload.json")
    }

    /// A connection of another program's.
    pub fn sqlite(&self) -> Connection {
        Connection::open(self.store()).unwrap()
    }

    /// Everything agrees: the chain, and the projections with it.
    pub fn verified(&self) {
        let checked = self.ok(&["verify", "--deep"]);
        assert_eq!(checked["holds"], true, "{checked}");
    }
}

/// A hook's answer refuses the call.
pub fn refuses(answer: &Value) -> bool {
    answer["hookSpecificOutput"]["permissionDecision"] == "deny"
}

/// An attempt as somebody submits it.
pub fn attempt(task: &str, agent: &str, id: Option<&str>) -> Value {
    let mut body = json!({
        "task_id": task, "agent": agent, "role": "maker",
        "hypothesis": "the lock is stale", "strategy": "take the stale lock away",
        "change": {"files": ["src/lock.rs"]}, "result": "PASS",
    });
    if let Some(id) = id {
        body["attempt_id"] = id.into();
    }
    body
}

/// Numbers that look random, the same in every run.
pub struct Numbers(pub u64);

impl Numbers {
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

/// Lets a moment pass that is too short to sleep for.
pub fn spin(moment: Duration) {
    let start = Instant::now();
    while start.elapsed() < moment {
        std::hint::spin_loop();
    }
}
