//! What the store's tests share: a fold, records, and a store in a folder of its own.

#![allow(dead_code, reason = "each test file uses its own part of the kit")]

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use watchfloor::contract::ids::{AgentId, ProjectId, RecordId, TaskId};
use watchfloor::contract::record::{Kind, NewRecord, Record};
use watchfloor::contract::refusal::{Code, Refusal};
use watchfloor::journal::clock::{Clock, SystemClock};
use watchfloor::journal::sqlite::{self, Progress, SqliteStore};
use watchfloor::journal::{Durability, Fold, Journal, StateRow, States};

/// Counts the records of each producer, and refuses a body that says `refuse`.
pub struct Counting;

impl Fold for Counting {
    fn apply(&self, record: &Record, states: &mut dyn States) -> Result<(), Refusal> {
        let key = record.producer.as_str();
        let body = states.get("count", key)?.unwrap_or_default();
        let count: u64 = body
            .trim_matches(['{', '}'])
            .rsplit(':')
            .next()
            .map_or(0, |n| n.parse().unwrap_or(0));
        states.put(&StateRow {
            domain: "count".into(),
            key: key.into(),
            rank: 0,
            seq: record.seq,
            body: format!("{{\"n\":{}}}", count + 1),
        })?;
        if record.body.contains("remove") {
            states.remove("count", key)?;
        }
        if record.body.contains("refuse") {
            return Err(Refusal::new(Code::Internal, "as told", "true"));
        }
        Ok(())
    }
}

pub fn fold() -> Arc<dyn Fold> {
    Arc::new(Counting)
}

pub fn note(producer: &str, body: &str) -> NewRecord {
    NewRecord {
        kind: Kind::Observation,
        id: None,
        schema: "test.note.v1".into(),
        producer: producer.into(),
        project: ProjectId::new("/p/.git"),
        task: Some(TaskId::new("T-1")),
        agent: None,
        body: body.into(),
    }
}

pub fn with_id(id: &str) -> NewRecord {
    NewRecord {
        kind: Kind::Receipt,
        id: Some(RecordId::new(id)),
        agent: Some(AgentId::new("a")),
        task: None,
        ..note("p", "{}")
    }
}

pub fn append<J: Journal>(store: &mut J, record: NewRecord) -> Result<Record, Refusal> {
    store.write(Durability::Full, |write| write.append(record))
}

/// A store in a temporary folder.
pub struct Home {
    pub dir: tempfile::TempDir,
    pub path: PathBuf,
}

impl Home {
    pub fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("store.db");
        Self { dir, path }
    }

    /// A folder with a copy of the database alone, which must have been checkpointed.
    pub fn copy(&self) -> Self {
        let home = Self::new();
        std::fs::copy(&self.path, &home.path).unwrap();
        home
    }

    pub fn init(&self) -> SqliteStore {
        sqlite::init(&self.path, fold()).unwrap()
    }

    pub fn init_with(&self, clock: Arc<dyn Clock>) -> SqliteStore {
        sqlite::init_with_clock(&self.path, fold(), clock).unwrap()
    }

    pub fn open(&self) -> SqliteStore {
        sqlite::open_with_clock(&self.path, fold(), Arc::new(SystemClock)).unwrap()
    }

    /// A bare connection, as another program would have it.
    pub fn raw(&self) -> rusqlite::Connection {
        raw(&self.path)
    }

    /// A connection with the triggers taken away, as whoever tampers would have it.
    pub fn tamper(&self, sql: &str) {
        let raw = self.raw();
        raw.execute_batch(
            "DROP TRIGGER journal_no_update; DROP TRIGGER journal_no_delete;
             DROP TRIGGER journal_in_order;",
        )
        .ok();
        raw.execute_batch(sql).unwrap();
    }
}

pub fn raw(path: &Path) -> rusqlite::Connection {
    rusqlite::Connection::open(path).unwrap()
}

pub fn on(_: Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// This very test program again, running one of its tests with a marker in its environment.
pub fn again(test: &str, marker: &str, value: &str) -> std::process::Command {
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    command
        .args([test, "--exact", "--nocapture", "--test-threads=1"])
        .env(marker, value)
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::piped());
    command
}
