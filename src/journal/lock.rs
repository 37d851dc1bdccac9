//! An advisory lock on a file, waited for in the kernel and never past a deadline (spec 1.2).
//!
//! The kernel queues waiters in order and frees the lock when its holder dies, which neither
//! `SQLite`'s busy handler nor a lock made of a file's existence does.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

/// Why a lock was not taken.
#[derive(Debug)]
pub enum LockError {
    /// Another process held it for the whole wait.
    Waited(Duration),
    /// The file cannot be opened or locked.
    Io(io::Error),
}

impl From<io::Error> for LockError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// A lock that is held until this is dropped, or the process ends.
#[derive(Debug)]
pub struct Held(File);

impl Held {
    /// The locked file.
    #[must_use]
    pub fn file(&self) -> &File {
        &self.0
    }
}

/// Takes the exclusive lock of the file at `path`, which is made when it is missing.
///
/// # Errors
/// The file cannot be opened, or the lock was not free within `patience`.
pub fn take(path: &Path, patience: Duration) -> Result<Held, LockError> {
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(path)?;
    exclusive(file, patience)
}

/// Takes the exclusive lock of an open file.
///
/// # Errors
/// Locking fails, or the lock was not free within `patience`.
pub fn exclusive(file: File, patience: Duration) -> Result<Held, LockError> {
    match file.try_lock() {
        Ok(()) => Ok(Held(file)),
        Err(TryLockError::WouldBlock) => queue(file, patience),
        Err(TryLockError::Error(error)) => Err(error.into()),
    }
}

/// Waits in the kernel's queue on a thread of its own, because a blocking lock knows no deadline.
/// After the deadline the thread stays behind; once it gets the lock, its file has no taker, is
/// closed, and the lock is free again.
fn queue(file: File, patience: Duration) -> Result<Held, LockError> {
    let (send, taken) = mpsc::channel();
    std::thread::Builder::new()
        .name("lock-queue".to_owned())
        .stack_size(64 * 1024)
        .spawn(move || {
            let locked = file.lock();
            // A receiver that is gone drops the file, and so the lock.
            let _ = send.send(locked.map(|()| file));
        })?;
    match taken.recv_timeout(patience) {
        Ok(locked) => Ok(Held(locked?)),
        Err(_) => Err(LockError::Waited(patience)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_held_lock_is_waited_for_and_then_taken() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("l");
        let held = take(&path, Duration::ZERO).unwrap();
        let short = Duration::from_millis(20);
        assert!(matches!(take(&path, short), Err(LockError::Waited(w)) if w == short));
        let other = path.clone();
        let waiter = std::thread::spawn(move || take(&other, Duration::from_secs(30)).is_ok());
        drop(held);
        assert!(waiter.join().unwrap());
        // Also the waiter that gave up has let go by now, or does soon.
        assert!(take(&path, Duration::from_secs(30)).is_ok());
    }

    #[test]
    fn a_file_that_cannot_be_opened_is_told() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("none/l");
        assert!(matches!(take(&path, Duration::ZERO), Err(LockError::Io(_))));
    }
}
