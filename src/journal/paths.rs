//! The files of a store and those beside it (spec 1.2, 3.6).

use std::ffi::OsString;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// A store's file and its siblings, which share its stem and its folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paths {
    /// The database.
    pub store: PathBuf,
    /// `<stem>.lock`: the writers' queue.
    pub lock: PathBuf,
    /// `<stem>.bell`: rung after each commit.
    pub bell: PathBuf,
    /// `<stem>.flags`: stop flags.
    pub flags: PathBuf,
    /// `<stem>.cost`: what the hooks cost.
    pub cost: PathBuf,
}

impl Paths {
    /// The files of the store at `store`.
    ///
    /// ```
    /// use watchfloor::journal::paths::Paths;
    /// let paths = Paths::of("/s/store.db");
    /// assert_eq!(paths.bell.to_str(), Some("/s/store.bell"));
    /// ```
    #[must_use]
    pub fn of(store: impl AsRef<Path>) -> Self {
        let store = store.as_ref();
        Self {
            store: store.to_owned(),
            lock: sibling(store, "lock"),
            bell: sibling(store, "bell"),
            flags: sibling(store, "flags"),
            cost: sibling(store, "cost"),
        }
    }

    /// `SQLite`'s write-ahead log of the store.
    #[must_use]
    pub fn wal(&self) -> PathBuf {
        suffixed(&self.store, "-wal")
    }

    /// Its index, which every connection maps into memory.
    #[must_use]
    pub fn shm(&self) -> PathBuf {
        suffixed(&self.store, "-shm")
    }

    /// The files that are there, by device and inode.
    #[must_use]
    pub fn own(&self) -> OwnFiles {
        let (wal, shm) = (self.wal(), self.shm());
        let all = [
            &self.store,
            &wal,
            &shm,
            &self.lock,
            &self.bell,
            &self.flags,
            &self.cost,
        ];
        let there = all.iter().filter_map(|path| path.metadata().ok());
        OwnFiles(there.map(|meta| (meta.dev(), meta.ino())).collect())
    }

    /// Where the bytes of a damaged store are kept, by the first 16 hex digits of their digest.
    #[must_use]
    pub fn quarantine(&self, digest16: &str) -> PathBuf {
        sibling(&self.store, &format!("quarantine-{digest16}"))
    }
}

/// A store's files, which a process that has the store open must never open beside it: when any
/// handle of a file is closed, the process loses the locks that it holds on that file. Another
/// one would then take the store for unused, and cut the index that this one has mapped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnFiles(Vec<(u64, u64)>);

impl OwnFiles {
    /// Whether a file is one of them, whatever it is called.
    #[must_use]
    pub fn hold(&self, file: &Metadata) -> bool {
        self.0.contains(&(file.dev(), file.ino()))
    }
}

/// Whether a store is expected at this path: its lock, bell or flag file lies there (spec 1.2).
#[must_use]
pub fn expected(store: impl AsRef<Path>) -> bool {
    let paths = Paths::of(store);
    [&paths.lock, &paths.bell, &paths.flags]
        .iter()
        .any(|path| path.symlink_metadata().is_ok())
}

/// `<stem>.<ending>` in the folder of `store`. A store whose own name has that ending keeps
/// its whole name as the stem, so that no sibling ever is the store itself.
fn sibling(store: &Path, ending: &str) -> PathBuf {
    let next = store.with_extension(ending);
    if next == store {
        return suffixed(store, &format!(".{ending}"));
    }
    next
}

pub(super) fn suffixed(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    PathBuf::from(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn siblings_share_the_stem() {
        let paths = Paths::of("a/my.store.sqlite");
        assert_eq!(paths.lock, Path::new("a/my.store.lock"));
        assert_eq!(paths.flags, Path::new("a/my.store.flags"));
        assert_eq!(paths.wal(), Path::new("a/my.store.sqlite-wal"));
        assert_eq!(Paths::of("a/store").bell, Path::new("a/store.bell"));
        assert_eq!(Paths::of("a/x.lock").lock, Path::new("a/x.lock.lock"));
        assert_eq!(
            paths.quarantine("0011"),
            Path::new("a/my.store.quarantine-0011")
        );
    }

    #[test]
    fn a_store_is_expected_where_a_sibling_lies() {
        let dir = tempfile::tempdir().unwrap();
        let store = dir.path().join("store.db");
        assert!(!expected(&store));
        std::fs::write(dir.path().join("store.flags"), b"").unwrap();
        assert!(expected(&store));
    }
}
