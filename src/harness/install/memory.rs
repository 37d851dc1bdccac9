//! What an edit changed, remembered beside the store: an uninstall can then give back the exact
//! bytes. Only what was put in and the few bytes that it replaced are kept, never a whole file.

use std::fs;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::contract::digest::Digest;
use crate::contract::refusal::{Code, Refusal};

use super::splice::Undo;

/// What is remembered of one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remembered {
    /// The file.
    pub path: String,
    /// There was no such file before.
    pub absent: bool,
    /// Digest of the file with what was put in.
    pub after: String,
    /// How it is taken back.
    pub undo: Vec<Undo>,
    /// Folders that were made for it, outermost first.
    pub folders: Vec<PathBuf>,
}

/// Where it is kept.
#[derive(Clone, Debug)]
pub struct Memory {
    folder: PathBuf,
}

impl Memory {
    /// The memory in a folder, which need not be there.
    #[must_use]
    pub fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    fn file(&self, path: &Path) -> PathBuf {
        let name = Digest::of(path.as_os_str().as_encoded_bytes()).hex();
        self.folder.join(format!("{}.json", &name[..32]))
    }

    /// What is remembered of a file; a memory that cannot be read is none.
    #[must_use]
    pub fn of(&self, path: &Path) -> Option<Remembered> {
        let text = fs::read(self.file(path)).ok()?;
        let kept: Remembered = serde_json::from_slice(&text).ok()?;
        (Path::new(&kept.path) == path).then_some(kept)
    }

    /// Remembers.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn keep(&self, path: &Path, what: &Remembered) -> Result<(), Refusal> {
        let failed = |error: std::io::Error| {
            let cause = format!("{} cannot be written: {error}", self.folder.display());
            let next = format!("ls -ld {}", self.folder.display());
            Refusal::new(Code::StoreReadonly, cause, next)
        };
        fs::create_dir_all(&self.folder).map_err(failed)?;
        let text = serde_json::to_vec(what).map_err(|error| failed(error.into()))?;
        let mut file = fs::OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .open(self.file(path))
            .map_err(failed)?;
        std::io::Write::write_all(&mut file, &text).map_err(failed)
    }

    /// Forgets a file. The folder goes with the last one, and the one around it where no store is.
    pub fn forget(&self, path: &Path) {
        drop(fs::remove_file(self.file(path)));
        drop(fs::remove_dir(&self.folder));
        drop(self.folder.parent().map(fs::remove_dir));
    }
}
