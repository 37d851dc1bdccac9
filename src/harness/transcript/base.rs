//! Transcripts that lie in another program's database: asked again when it changed, and never
//! written to.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::contract::observed::{Moment, SessionFact};
use crate::contract::refusal::Refusal;
use crate::ops::observe::{Cell, Foreign};

/// Texts above this many bytes are left where they are.
pub(super) const LONGEST: usize = 512 << 10;
/// Sessions of one database that are followed.
pub(super) const SESSIONS: usize = 64;

/// What was new of one session.
pub(super) struct Found {
    /// Which one.
    pub(super) session: SessionFact,
    /// What happened, each with the number of its row.
    pub(super) moments: Vec<(Moment, u64)>,
    /// The newest row's number.
    pub(super) to: u64,
    /// When it was written to last, in UTC microseconds.
    pub(super) touched_us: i64,
    /// A file tells what the session does; this only names it.
    pub(super) filed: bool,
}

/// How a program keeps its sessions.
pub(super) trait Keeping: Send {
    /// What is new since the last time, of sessions that were written to since then.
    ///
    /// # Errors
    /// The database is not as this version of the product knows it.
    fn news(&mut self, db: &Foreign, since_us: i64) -> Result<Vec<Found>, Refusal>;
}

/// One database.
pub(super) struct Base {
    /// Where it lies.
    pub(super) path: PathBuf,
    /// Whose it is.
    pub(super) harness: &'static str,
    keeping: Box<dyn Keeping>,
    seen: Vec<(u64, u64, i64, i64)>,
}

impl Base {
    /// A database that was not looked at yet.
    pub(super) fn new(path: &Path, harness: &'static str, keeping: Box<dyn Keeping>) -> Self {
        Self {
            path: path.to_path_buf(),
            harness,
            keeping,
            seen: Vec::new(),
        }
    }

    /// The file's inode.
    pub(super) fn inode(&self) -> u64 {
        self.seen.first().map_or(0, |file| file.0)
    }

    /// What is new. A database that cannot be read now is asked again when it changed.
    pub(super) fn news(&mut self, since_us: i64) -> Vec<Found> {
        let now = self.files();
        if now.is_empty() || now == self.seen {
            return Vec::new();
        }
        let read = Foreign::open(&self.path).and_then(|db| self.keeping.news(&db, since_us));
        self.seen = now;
        read.unwrap_or_default()
    }

    /// The database and its log, as far as they tell whether anything was written.
    fn files(&self) -> Vec<(u64, u64, i64, i64)> {
        let mut log = self.path.as_os_str().to_owned();
        log.push("-wal");
        let files = [self.path.clone(), PathBuf::from(log)];
        let state = |path: &PathBuf| {
            let file = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
            Some((file.ino(), file.len(), file.mtime(), file.mtime_nsec()))
        };
        let Some(base) = state(&files[0]) else {
            return Vec::new();
        };
        std::iter::once(base).chain(state(&files[1])).collect()
    }
}

/// `SELECT` of these columns where the table has them, and of NULL where it has not.
pub(super) fn select(db: &Foreign, table: &str, wanted: &[&str]) -> Result<String, Refusal> {
    let known = db.columns(table)?;
    let columns = wanted.iter().map(|name| {
        if known.iter().any(|column| column == name) {
            format!("\"{name}\"")
        } else {
            "NULL".to_owned()
        }
    });
    Ok(format!(
        "SELECT {} FROM \"{table}\"",
        columns.collect::<Vec<_>>().join(",")
    ))
}

/// A cell's text as JSON; what is none is as good as absent.
pub(super) fn json(cell: &Cell) -> serde_json::Value {
    let parsed = cell.text().map(serde_json::from_str);
    parsed.and_then(Result::ok).unwrap_or_default()
}

/// A cell's count.
pub(super) fn count(cell: &Cell) -> u64 {
    cell.whole()
        .and_then(|n| u64::try_from(n).ok())
        .unwrap_or(0)
}

/// A cell's text.
pub(super) fn owned(cell: &Cell) -> Option<String> {
    cell.text()
        .filter(|text| !text.is_empty())
        .map(str::to_owned)
}
