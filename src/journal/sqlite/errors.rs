//! What `SQLite` and the file system say, as the product's own refusals (spec 1.2, 1.4).

use std::io;
use std::path::Path;

use rusqlite::ErrorCode;

use crate::contract::refusal::{Code, Refusal};

use super::super::lock::LockError;

/// Turns an error of the store at `path` into a refusal.
pub(super) fn at(path: &Path) -> impl Fn(rusqlite::Error) -> Refusal + '_ {
    move |error| refusal(path, &error)
}

/// The refusal of a store whose content is not what it must be.
pub(super) fn damaged(path: &Path, why: impl std::fmt::Display) -> Refusal {
    Refusal::new(
        Code::StoreDamaged,
        format!("the store {} is damaged: {why}", path.display()),
        "watchfloor verify --deep",
    )
}

/// The refusal of a store that is not there.
pub(super) fn missing(path: &Path, expected: bool) -> Refusal {
    let shown = path.display();
    let cause = if expected {
        format!("the store {shown} is gone: its lock, bell or flag file still lies there")
    } else {
        format!("there is no store at {shown}")
    };
    Refusal::new(Code::StoreMissing, cause, "watchfloor init")
}

/// The refusal of a full disk.
pub(super) fn full(path: &Path) -> Refusal {
    Refusal::new(
        Code::StoreFull,
        format!("no space is left for the store {}", path.display()),
        format!("df -h {}", shell(path)),
    )
}

/// The refusal of a store that cannot be written.
pub(super) fn readonly(path: &Path, why: impl std::fmt::Display) -> Refusal {
    Refusal::new(
        Code::StoreReadonly,
        format!("the store {} cannot be written: {why}", path.display()),
        format!("ls -ld {}", shell(path)),
    )
}

/// The refusal of a store that others keep busy; `wait` tells what was waited for.
pub(super) fn busy(path: &Path, wait: impl std::fmt::Display) -> Refusal {
    Refusal::new(
        Code::StoreBusy,
        format!("the store {} is busy: {wait}", path.display()),
        "watchfloor status",
    )
}

/// A file error beside or at the store.
pub(super) fn io(path: &Path, error: &io::Error) -> Refusal {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => full(path),
        _ => readonly(path, error),
    }
}

/// A failed lock of the writers' queue.
pub(super) fn lock(path: &Path, error: &LockError) -> Refusal {
    match error {
        LockError::Waited(time) => busy(
            path,
            format_args!(
                "waited {} ms for its lock file, which other writers hold",
                time.as_millis()
            ),
        ),
        LockError::Io(error) => io(path, error),
    }
}

fn refusal(path: &Path, error: &rusqlite::Error) -> Refusal {
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => full(path),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            busy(path, format_args!("another program locks it ({error})"))
        }
        Some(ErrorCode::FileLockingProtocolFailed) => busy(path, error),
        Some(ErrorCode::CannotOpen | ErrorCode::SystemIoFailure) if no_space(path) => full(path),
        Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied | ErrorCode::CannotOpen) => {
            readonly(path, error)
        }
        _ => damaged(path, error),
    }
}

/// Whether the file system has no block or no inode left. `SQLite` tells some of these cases,
/// such as a shared-memory file that cannot grow, as a plain input/output error.
fn no_space(path: &Path) -> bool {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
    rustix::fs::statvfs(folder.unwrap_or(Path::new(".")))
        .is_ok_and(|stat| stat.f_bavail == 0 || (stat.f_files > 0 && stat.f_favail == 0))
}

/// The path as one word of a shell command.
pub(in crate::journal) fn shell(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+@%,:=".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text;
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_one_word_of_a_command() {
        assert_eq!(shell(Path::new("/a/b-c.db")), "/a/b-c.db");
        assert_eq!(shell(Path::new("/a b/it's")), r"'/a b/it'\''s'");
    }

    #[test]
    fn what_the_system_says_becomes_a_code() {
        let path = Path::new("/tmp/x.db");
        let code = |number: i32| {
            let error = rusqlite::ffi::Error::new(number);
            refusal(path, &rusqlite::Error::SqliteFailure(error, None)).code
        };
        assert_eq!(code(13), Code::StoreFull);
        assert_eq!(code(5), Code::StoreBusy);
        assert_eq!(code(15), Code::StoreBusy);
        assert_eq!(code(8), Code::StoreReadonly);
        assert_eq!(code(11), Code::StoreDamaged);
        assert_eq!(code(26), Code::StoreDamaged);
        let full = io::Error::from(io::ErrorKind::StorageFull);
        assert_eq!(io(path, &full).next_command, "df -h /tmp/x.db");
        let denied = io::Error::from(io::ErrorKind::PermissionDenied);
        assert_eq!(io(path, &denied).code, Code::StoreReadonly);
    }
}
