//! Keeping the bytes of a damaged store (spec 1.2): a copy once per content, the original stays.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use crate::contract::digest::Digest;
use crate::contract::refusal::Refusal;

use super::super::paths::{Paths, suffixed};
use super::super::unclosed::{FromStart, unclosed};
use super::errors;

/// Copies a store's bytes to `<stem>.quarantine-<16 hex of their SHA-256>`, and its write-ahead
/// log to the same name with `-wal`. Nothing is copied twice, nothing is removed. A connection that
/// this process has to the store keeps its locks.
///
/// # Errors
/// The file cannot be read, or the copy cannot be written.
pub fn quarantine(path: impl AsRef<Path>) -> Result<PathBuf, Refusal> {
    let paths = Paths::of(path);
    keep(&paths).map_err(|e| errors::io(&paths.store, &e))
}

fn keep(paths: &Paths) -> io::Result<PathBuf> {
    let target = paths.quarantine(&digest16(&paths.store)?);
    copy_once(&paths.store, &target)?;
    let log = paths.wal();
    if log.metadata().is_ok_and(|found| found.len() > 0) {
        let beside = suffixed(&target, "-wal");
        let ours = digest16(&log)?;
        if !beside.exists() || digest16(&beside)? == ours {
            copy_once(&log, &beside)?;
        } else {
            copy_once(&log, &suffixed(&beside, &format!("-{ours}")))?;
        }
    }
    Ok(target)
}

/// Moves away a write-ahead log that lies where a new store will be made: `SQLite` would take
/// its frames for the new store's.
pub(super) fn stray_log(paths: &Paths) -> io::Result<()> {
    let log = paths.wal();
    match log.metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
        Ok(_) => {}
    }
    let target = suffixed(&paths.quarantine(&digest16(&log)?), "-wal");
    std::fs::rename(&log, target)?;
    match std::fs::remove_file(suffixed(&paths.store, "-shm")) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// A copy appears under its name only when it is complete and on disk.
fn copy_once(from: &Path, to: &Path) -> io::Result<()> {
    if to.exists() {
        return Ok(());
    }
    let part = suffixed(to, &format!(".part-{}", std::process::id()));
    let copied = copy(from, &part).and_then(|()| std::fs::rename(&part, to));
    if copied.is_err() {
        let _ = std::fs::remove_file(&part);
    }
    copied
}

/// The copy has the rights of the original, which may be a store that only its owner reads.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let source = unclosed(from)?;
    let rights = source.metadata()?.permissions();
    let mut target = File::options()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(to)?;
    io::copy(&mut FromStart::of(source), &mut target)?;
    target.set_permissions(rights)?;
    target.sync_all()
}

fn digest16(path: &Path) -> io::Result<String> {
    let mut bytes = FromStart::of(unclosed(path)?);
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 64 * 1024];
    loop {
        match bytes.read(&mut buffer)? {
            0 => break,
            read => hash.update(&buffer[..read]),
        }
    }
    Ok(Digest(hash.finalize().into()).hex()[..16].to_owned())
}
