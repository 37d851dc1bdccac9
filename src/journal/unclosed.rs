//! A store's files, read beside its database (spec 1.2): opened once a process, and never closed.
//!
//! When a process closes any handle of a file, it loses every lock that it holds on that file, also
//! those that `SQLite` took through another handle. Another process would then take the store for
//! unused. What must be read besides the database, its raw bytes, is read through a handle that
//! lives as long as the process.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// Device and inode.
type Id = (u64, u64);

/// The handles by their file; nothing is ever taken out. One a file, however often it is asked
/// for.
static HANDLES: Mutex<Vec<(Id, &'static File)>> = Mutex::new(Vec::new());

/// The file at `path`, by a handle that this process never closes.
///
/// # Errors
/// There is no file, or it may not be read.
pub fn unclosed(path: &Path) -> io::Result<&'static File> {
    let id = |meta: &std::fs::Metadata| (meta.dev(), meta.ino());
    let mut handles = HANDLES.lock().unwrap_or_else(PoisonError::into_inner);
    let wanted = id(&path.metadata()?);
    if let Some((_, file)) = handles.iter().find(|(known, _)| *known == wanted) {
        return Ok(file);
    }
    // Kept before anything can fail: from here on it must not be closed.
    let file: &'static File = Box::leak(Box::new(File::open(path)?));
    handles.push((file.metadata().map_or(wanted, |meta| id(&meta)), file));
    Ok(file)
}

/// Reads such a file from its beginning, whoever else reads it.
#[derive(Debug)]
pub struct FromStart {
    file: &'static File,
    at: u64,
}

impl FromStart {
    /// From the first byte on.
    #[must_use]
    pub fn of(file: &'static File) -> Self {
        Self { file, at: 0 }
    }
}

impl Read for FromStart {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read_at(buffer, self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_opened_once_and_read_from_its_beginning_each_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        std::fs::write(&path, "one").unwrap();
        std::fs::hard_link(&path, folder.path().join("b")).unwrap();
        let file = unclosed(&path).unwrap();
        let again = unclosed(&folder.path().join("b")).unwrap();
        assert!(std::ptr::eq(file, again));
        for _ in 0..2 {
            let mut text = String::new();
            FromStart::of(file).read_to_string(&mut text).unwrap();
            assert_eq!(text, "one");
        }
        assert!(unclosed(&folder.path().join("none")).is_err());
    }
}
