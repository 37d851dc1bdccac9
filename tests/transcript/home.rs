//! A home with session files in it, and the built program beside them.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;
use watchfloor::cli::args::Global;
use watchfloor::contract::observed::Observed;
use watchfloor::harness::transcript::Observer;
use watchfloor::ops::observe::Homes;

/// Further back than any row of a fixture.
pub const ALWAYS: &str = "1000000";

pub struct Home {
    folder: TempDir,
}

/// What a call answered.
#[derive(Debug)]
pub struct Said {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Said {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

impl Home {
    pub fn new() -> Self {
        let home = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        fs::create_dir_all(home.at("project")).unwrap();
        home
    }

    /// One session of each of the six programs, as they wrote them.
    pub fn of_six() -> Self {
        let home = Self::new();
        home.put(CLAUDE, include_str!("rows/claude.jsonl"));
        home.put(CODEX, include_str!("rows/codex.jsonl"));
        home.put(GEMINI, include_str!("rows/gemini.jsonl"));
        home.put(".gemini/tmp/app/.project_root", "/srv/app");
        home.put(PI, include_str!("rows/pi.jsonl"));
        home.base(OPENCODE, include_str!("rows/opencode.sql"));
        home.base(HERMES, include_str!("rows/hermes.sql"));
        home.base(THREADS, include_str!("rows/threads.sql"));
        home
    }

    pub fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    pub fn put(&self, path: &str, text: impl AsRef<[u8]>) {
        fs::create_dir_all(self.at(path).parent().unwrap()).unwrap();
        fs::write(self.at(path), text).unwrap();
    }

    pub fn append(&self, path: &str, text: impl AsRef<[u8]>) {
        fs::create_dir_all(self.at(path).parent().unwrap()).unwrap();
        let mut file = fs::File::options()
            .append(true)
            .create(true)
            .open(self.at(path))
            .unwrap();
        file.write_all(text.as_ref()).unwrap();
    }

    /// A database in the mode that these programs use; it is left as one that is not in use.
    pub fn base(&self, path: &str, sql: &str) -> rusqlite::Connection {
        fs::create_dir_all(self.at(path).parent().unwrap()).unwrap();
        let db = rusqlite::Connection::open(self.at(path)).unwrap();
        db.execute_batch(&format!("PRAGMA journal_mode=WAL; BEGIN; {sql} COMMIT;"))
            .unwrap();
        db
    }

    pub fn observer(&self) -> Observer {
        let homes = Homes {
            claude: self.at(".claude"),
            codex: self.at(".codex"),
            gemini: self.at(".gemini"),
            pi: self.at(".pi/agent"),
            opencode: self.at(".local/share/opencode"),
            hermes: self.at(".hermes"),
            recent_s: 3_600_000_000,
        };
        let global = Global {
            store: Some(self.at("none.db").display().to_string()),
            config: Some(self.at("none")),
            ..Global::default()
        };
        Observer::new(homes, move |cwd| {
            watchfloor::cli::observe::place(&global, cwd)
        })
    }

    /// What one look finds, by agent.
    pub fn look(&self) -> BTreeMap<String, Observed> {
        let mut observer = self.observer();
        observer.look();
        by_agent(&observer)
    }

    pub fn run(&self, args: &[&str]) -> Said {
        self.feed(args, "")
    }

    pub fn feed(&self, args: &[&str], text: &str) -> Said {
        let mut child = Command::new(env!("CARGO_BIN_EXE_watchfloor"))
            .args(args)
            .env_clear()
            .env("HOME", self.folder.path())
            .env("WATCHFLOOR_OBSERVE_HOURS", ALWAYS)
            .current_dir(self.at("project"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdin.take().unwrap().write_all(text.as_bytes()));
        let output = child.wait_with_output().unwrap();
        Said {
            code: output.status.code().unwrap(),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

pub fn by_agent(observer: &Observer) -> BTreeMap<String, Observed> {
    let agents = observer.agents().into_iter();
    agents.map(|seen| (seen.agent.to_string(), seen)).collect()
}

/// Every file below a folder and its bytes.
pub fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let bytes = fs::read(&path).unwrap();
                found.insert(path, bytes);
            }
        }
    }
    found
}

pub const CLAUDE: &str = ".claude/projects/-srv-app/7f8f94f2-416d-4241-bc4c-95c12527a3e8.jsonl";
pub const CODEX: &str = ".codex/sessions/2026/12/01/rollout-2026-12-01T06-08-03-x.jsonl";
pub const GEMINI: &str = ".gemini/tmp/app/chats/session-2026-12-01T06-08-964f18f8.jsonl";
pub const PI: &str = ".pi/agent/sessions/--srv-app--/2026-12-01T06-07-56-226Z_x.jsonl";
pub const OPENCODE: &str = ".local/share/opencode/opencode.db";
pub const HERMES: &str = ".hermes/state.db";
pub const THREADS: &str = ".codex/state_5.sqlite";

/// A row of a small session of Claude Code.
pub fn prompt(session: &str, text: &str) -> String {
    row(
        session,
        &json!({"type": "user", "message": {"role": "user", "content": text}}),
    )
}

/// A tool call and its result.
pub fn call(session: &str, id: &str, tool: &str, input: &Value, failure: Option<&str>) -> String {
    let called = json!({"type": "assistant", "message": {"id": format!("m{id}"), "model": "m-1",
        "usage": {"input_tokens": 7, "output_tokens": 3},
        "content": [{"type": "tool_use", "id": id, "name": tool, "input": input}]}});
    let back = json!({"type": "user", "message": {"role": "user", "content": [{"type": "tool_result",
        "tool_use_id": id, "is_error": failure.is_some(), "content": failure.unwrap_or("ok")}]}});
    row(session, &called) + &row(session, &back)
}

fn row(session: &str, fields: &Value) -> String {
    let mut row = fields.clone();
    row["sessionId"] = json!(session);
    row["cwd"] = json!("/srv/app");
    row["timestamp"] = json!("2026-11-30T12:00:00.000Z");
    format!("{row}\n")
}
