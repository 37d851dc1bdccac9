//! Making a store (spec 1.2): complete under another name first, then put in place at once.

use std::fs::File;
use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt, FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rusqlite::Connection;

use crate::contract::refusal::{Code, Refusal};

use super::super::clock::{Clock, SystemClock};
use super::super::flags::FlagFile;
use super::super::paths::{Paths, suffixed};
use super::super::{Fold, lock};
use super::{PATIENCE, SqliteStore, errors, filesystem, open, quarantine, schema};

/// Bytes that the write-ahead log is grown to before its first use.
const WAL_BYTES: usize = 4 * 1024 * 1024;

/// Makes a store and the files beside it, and opens it. A flag file that lies there already
/// keeps its flags.
///
/// # Errors
/// `store_exists` when anything lies at `path`; `flags_damaged` when the flag file there is;
/// else as [`open`](super::open()).
pub fn init(path: impl AsRef<Path>, fold: Arc<dyn Fold>) -> Result<SqliteStore, Refusal> {
    init_with_clock(path, fold, Arc::new(SystemClock))
}

/// Makes a store that takes its times from a clock of the caller's.
///
/// # Errors
/// As [`init`].
pub fn init_with_clock(
    path: impl AsRef<Path>,
    fold: Arc<dyn Fold>,
    clock: Arc<dyn Clock>,
) -> Result<SqliteStore, Refusal> {
    let path = path.as_ref();
    let paths = Paths::of(path);
    if path.symlink_metadata().is_ok() {
        return Err(exists(path));
    }
    let folder = folder(path);
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(&folder)
        .map_err(|e| errors::io(path, &e))?;
    filesystem::check(&folder)?;
    // Under the writers' lock, so that of two processes one makes the store and the other sees it.
    let held = lock::take(&paths.lock, PATIENCE).map_err(|e| errors::lock(path, &e))?;
    if path.symlink_metadata().is_ok() {
        return Err(exists(path));
    }
    siblings(&paths)?;
    quarantine::stray_log(&paths).map_err(|e| errors::io(path, &e))?;
    let draft = suffixed(path, &format!(".new-{}", std::process::id()));
    let made = make(&draft, path).and_then(|()| place(&draft, path));
    let _ = std::fs::remove_file(&draft);
    made?;
    sync(&folder).map_err(|e| errors::io(path, &e))?;
    let store = open::open_with_clock(path, fold, clock)?;
    grow_log(&paths).map_err(|e| errors::io(path, &e))?;
    drop(held);
    Ok(store)
}

fn exists(path: &Path) -> Refusal {
    Refusal::new(
        Code::StoreExists,
        format!("there is something at {} already", path.display()),
        "watchfloor status",
    )
}

fn folder(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// The lock and the bell get their bytes now, so that later writes in place need no space.
fn siblings(paths: &Paths) -> Result<(), Refusal> {
    for path in [&paths.lock, &paths.bell] {
        let file = open::small_file(path).map_err(|e| errors::io(&paths.store, &e))?;
        file.write_all_at(&[0; 16], 0)
            .map_err(|e| errors::io(&paths.store, &e))?;
    }
    if paths.flags.symlink_metadata().is_ok() {
        FlagFile::load(&paths.flags)?;
    } else {
        FlagFile::create(&paths.flags)?;
    }
    Ok(())
}

/// Writes the complete database under its draft name.
fn make(draft: &Path, path: &Path) -> Result<(), Refusal> {
    File::options()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(draft)
        .map_err(|e| errors::io(path, &e))?;
    let refuse = errors::at(path);
    let database = Connection::open(draft).map_err(&refuse)?;
    database
        .execute_batch(&format!(
            "PRAGMA page_size={}; PRAGMA synchronous=FULL; PRAGMA application_id={}; \
             BEGIN; {} PRAGMA user_version={}; COMMIT; PRAGMA journal_mode=WAL;",
            schema::PAGE_SIZE,
            schema::APPLICATION_ID,
            schema::all(),
            schema::VERSION
        ))
        .map_err(&refuse)?;
    database.close().map_err(|(_, error)| refuse(error))
}

/// Gives the draft its name, unless another process was faster.
fn place(draft: &Path, path: &Path) -> Result<(), Refusal> {
    match std::fs::hard_link(draft, path) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Err(exists(path)),
        Err(error) => Err(errors::io(path, &error)),
    }
}

/// Fills the write-ahead log with zeros, which are no frames: commits then overwrite blocks that
/// exist, which costs a half to a quarter of letting the file grow.
fn grow_log(paths: &Paths) -> std::io::Result<()> {
    let mut log = File::options()
        .append(true)
        .create(true)
        .mode(0o600)
        .open(paths.wal())?;
    let length = usize::try_from(log.metadata()?.len()).unwrap_or(WAL_BYTES);
    log.write_all(&vec![0; WAL_BYTES.saturating_sub(length)])?;
    log.sync_all()
}

fn sync(folder: &Path) -> std::io::Result<()> {
    File::open(folder)?.sync_all()
}
