//! Opening a store: what is checked, what a connection is set to, and the small files beside it.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::sync::Arc;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};

use crate::contract::refusal::{Code, Refusal};

use super::super::Fold;
use super::super::clock::{Clock, SystemClock};
use super::super::paths::{Paths, expected};
use super::{PATIENCE, SqliteStore, errors, filesystem, last, schema};

/// A note of the last position that is this far ahead of the store is none: a write-ahead log that
/// was lost held fewer records.
const MOST_LOST: u64 = 1 << 32;

/// Above this many bytes a write-ahead log that a long reader let grow is cut again; below it
/// the log keeps its size, because a growing log makes each commit dearer.
const WAL_LIMIT: u32 = 64 * 1024 * 1024;

/// Opens a store for reading and writing.
///
/// # Errors
/// `store_missing`, `store_damaged`, `store_newer`, `store_readonly`, `store_unlockable`,
/// `store_busy` or `store_full` (spec 1.2).
pub fn open(path: impl AsRef<Path>, fold: Arc<dyn Fold>) -> Result<SqliteStore, Refusal> {
    open_with_clock(path, fold, Arc::new(SystemClock))
}

/// Opens a store for reading and writing, with a clock of the caller's.
///
/// # Errors
/// As [`open`].
pub fn open_with_clock(
    path: impl AsRef<Path>,
    fold: Arc<dyn Fold>,
    clock: Arc<dyn Clock>,
) -> Result<SqliteStore, Refusal> {
    connect(path.as_ref(), fold, clock, Use::Write)
}

/// Opens a store to make its tables anew, whatever version's they are.
///
/// # Errors
/// As [`open`], without `store_older`.
pub fn open_to_rebuild(
    path: impl AsRef<Path>,
    fold: Arc<dyn Fold>,
) -> Result<SqliteStore, Refusal> {
    connect(path.as_ref(), fold, Arc::new(SystemClock), Use::Rebuild)
}

/// Opens a store for reading; a write through it is refused.
///
/// # Errors
/// As [`open`].
pub fn open_readonly(path: impl AsRef<Path>, fold: Arc<dyn Fold>) -> Result<SqliteStore, Refusal> {
    open_readonly_with_clock(path, fold, Arc::new(SystemClock))
}

/// Opens a store for reading, with a clock of the caller's.
///
/// # Errors
/// As [`open`].
pub fn open_readonly_with_clock(
    path: impl AsRef<Path>,
    fold: Arc<dyn Fold>,
    clock: Arc<dyn Clock>,
) -> Result<SqliteStore, Refusal> {
    connect(path.as_ref(), fold, clock, Use::Read)
}

/// What a store is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    Read,
    Write,
    Rebuild,
}

fn connect(
    path: &Path,
    fold: Arc<dyn Fold>,
    clock: Arc<dyn Clock>,
    to: Use,
) -> Result<SqliteStore, Refusal> {
    let paths = Paths::of(path);
    let fresh_log = paths.wal().symlink_metadata().is_err();
    let store = SqliteStore {
        connection: connection(path)?,
        paths,
        fold,
        clock,
        patience: PATIENCE,
        checkpoints: true,
        synchronous: None,
        bell: None,
    };
    let reading = to == Use::Read;
    let refuse = errors::at(path);
    // Read first: what is answered for from now on may be behind the snapshot.
    let noted = noted_head(&store.paths.lock);
    // One snapshot for all that is looked at: each begins with locks of its own.
    let looking = Transaction::new_unchecked(&store.connection, TransactionBehavior::Deferred)
        .map_err(&refuse)?;
    check(&store.connection, path, to)?;
    check_head(&store, noted)?;
    drop(looking);
    if fresh_log {
        // The check made the log; its name must be on disk before a commit in it counts.
        let synced = folder(path).and_then(|folder| folder.sync_all());
        if !reading {
            synced.map_err(|error| errors::io(path, &error))?;
        }
    }
    let batch = if reading {
        "PRAGMA query_only=1".to_owned()
    } else {
        format!("PRAGMA wal_autocheckpoint=0; PRAGMA journal_size_limit={WAL_LIMIT}")
    };
    store.connection.execute_batch(&batch).map_err(&refuse)?;
    if !reading && store.connection.is_readonly("main").map_err(&refuse)? {
        return Err(errors::readonly(path, "its file is read-only"));
    }
    Ok(store)
}

/// The folder of a store.
fn folder(path: &Path) -> std::io::Result<File> {
    File::open(match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    })
}

/// A connection to a file that exists, as every part of the store uses it.
///
/// # Errors
/// The file is missing, lies on a network file system, or cannot be opened.
pub(super) fn connection(path: &Path) -> Result<Connection, Refusal> {
    match path.metadata() {
        Ok(found) if found.is_file() => {}
        Ok(_) => return Err(errors::damaged(path, "it is not a file")),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(errors::missing(path, expected(path)));
        }
        Err(error) => return Err(errors::readonly(path, error)),
    }
    filesystem::check(path)?;
    // Reading needs write access too: the first process after a crash brings the shared memory
    // of the write-ahead log back. Where it is not granted, SQLite falls back by itself.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let refuse = errors::at(path);
    let connection = Connection::open_with_flags(path, flags).map_err(&refuse)?;
    connection.busy_timeout(PATIENCE).map_err(&refuse)?;
    connection
        .set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)
        .map_err(&refuse)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(connection)
}

/// Checks that the file is a store of a version that this program knows.
fn check(connection: &Connection, path: &Path, to: Use) -> Result<(), Refusal> {
    let refuse = errors::at(path);
    let number = |sql| connection.query_row(sql, [], |row| row.get::<_, i32>(0));
    let id = number("PRAGMA application_id").map_err(&refuse)?;
    if id != schema::APPLICATION_ID {
        return Err(errors::damaged(
            path,
            format_args!("its application id is {id:#x}, so it is no store of this program"),
        ));
    }
    let version = number("PRAGMA user_version").map_err(&refuse)?;
    if version > schema::VERSION {
        return Err(Refusal::new(
            Code::StoreNewer,
            format!(
                "the store {} has layout {version}; this program knows {} and older ones",
                path.display(),
                schema::VERSION
            ),
            "watchfloor --version",
        ));
    }
    if version < 1 {
        return Err(errors::damaged(path, "its layout has no version"));
    }
    if version < schema::VERSION && to != Use::Rebuild {
        return Err(Refusal::new(
            Code::StoreOlder,
            format!(
                "the store {} has layout {version}; this program writes {}",
                path.display(),
                schema::VERSION
            ),
            "watchfloor rebuild",
        ));
    }
    Ok(())
}

/// Rings the bell: one byte in place, after the commit. A bell that cannot be rung delays
/// readers by the second of their own net, so it never fails a write that is durable already.
pub(super) fn ring(bell: &mut Option<File>, path: &Path) {
    if bell.is_none() {
        *bell = small_file(path).ok();
    }
    if let Some(file) = bell {
        let _ = file.write_at(b"!", 0);
    }
}

/// Opens one of the small files beside the store, or makes it.
pub(super) fn small_file(path: &Path) -> std::io::Result<File> {
    OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(path)
}

/// The position of the last checkpoint, which the lock file holds as 8 bytes big-endian.
pub(super) fn noted_checkpoint(lock: &File) -> u64 {
    let mut bytes = [0; 8];
    match lock.read_exact_at(&mut bytes, 0) {
        Ok(()) => u64::from_be_bytes(bytes),
        Err(_) => 0,
    }
}

/// The last position whose durable commit was noted in the lock file; 0 before the first one.
fn noted_head(lock: &Path) -> u64 {
    let mut bytes = [0; 8];
    let read = File::open(lock).and_then(|file| file.read_exact_at(&mut bytes, 8));
    read.map_or(0, |()| u64::from_be_bytes(bytes))
}

/// Notes the position of a durable commit, after it: a store that ends before it has lost
/// records, for instance with its write-ahead log. A lost note only leaves that unseen.
pub(super) fn note_head(lock: &File, seq: u64) {
    let _ = lock.write_all_at(&seq.to_be_bytes(), 8);
}

/// Refuses a store that ends before the last position that was answered for.
fn check_head(store: &SqliteStore, noted: u64) -> Result<(), Refusal> {
    // A last row that cannot be read is for a verification to tell.
    let Ok(last) = last::last(&store.connection) else {
        return Ok(());
    };
    let head = last.map_or(0, |last| last.head().seq);
    // What no log could have held is no note: the lock file was overwritten.
    if head >= noted || noted - head > MOST_LOST {
        return Ok(());
    }
    let why = format_args!(
        "it ends at record {head}, and record {noted} was answered for: its write-ahead log is gone or another's"
    );
    Err(errors::damaged(&store.paths.store, why))
}

/// Notes the position of a checkpoint; a lost note only brings the next checkpoint forward.
pub(super) fn note_checkpoint(lock: &File, seq: u64) {
    let _ = lock.write_all_at(&seq.to_be_bytes(), 0);
}
