//! One file on the disk: read as it is, and replaced at once or not at all. A link stays a link, a
//! file keeps its mode and owner, and what another hand wrote meanwhile is not written over.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use crate::contract::digest::Digest;
use crate::contract::refusal::{Code, Refusal};

/// The largest file that is edited, in bytes.
const LARGEST: u64 = 32 << 20;
/// What the name of a backup ends with.
const BACKUP: &str = ".watchfloor-backup";

/// A file as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Read {
    /// As it is named.
    pub path: PathBuf,
    /// Behind every link.
    pub real: PathBuf,
    /// Its bytes; `None` where there is no such file.
    pub bytes: Option<Vec<u8>>,
    owner: Option<(u32, u32, u32)>,
}

fn unreadable(path: &Path, cause: &str) -> Refusal {
    let cause = format!("{}: {cause}", path.display());
    Refusal::new(
        Code::InstallUnreadable,
        cause,
        format!("ls -l {}", path.display()),
    )
}

fn readonly(path: &Path, cause: &str) -> Refusal {
    let cause = format!("{}: {cause}", path.display());
    Refusal::new(
        Code::InstallReadonly,
        cause,
        format!("ls -l {}", path.display()),
    )
}

/// Reads a file, or finds that there is none.
///
/// # Errors
/// It is no regular file, too large, unreadable, or a link to nothing.
pub fn read(path: &Path) -> Result<Read, Refusal> {
    let none = |real: PathBuf| Read {
        path: path.to_path_buf(),
        real,
        bytes: None,
        owner: None,
    };
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(none(path.to_path_buf())),
        Err(error) => return Err(unreadable(path, &error.to_string())),
        Ok(_) => {}
    }
    let real = path.canonicalize().map_err(|error| {
        let what = if error.kind() == ErrorKind::NotFound {
            "a link to a file that is not there".to_owned()
        } else {
            error.to_string()
        };
        unreadable(path, &what)
    })?;
    let meta = fs::metadata(&real).map_err(|error| unreadable(path, &error.to_string()))?;
    if !meta.is_file() {
        return Err(unreadable(path, "no regular file"));
    }
    if meta.len() > LARGEST {
        let cause = format!("larger than {} MiB", LARGEST >> 20);
        return Err(unreadable(path, &cause));
    }
    let bytes = fs::read(&real).map_err(|error| unreadable(path, &error.to_string()))?;
    Ok(Read {
        bytes: Some(bytes),
        owner: Some((meta.mode(), meta.uid(), meta.gid())),
        ..none(real)
    })
}

impl Read {
    /// The text, without a byte-order mark, and whether it has one.
    ///
    /// # Errors
    /// It is no UTF-8.
    pub fn text(&self) -> Result<(&str, bool), Refusal> {
        let bytes = self.bytes.as_deref().unwrap_or_default();
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let before = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
            let line = before.matches('\n').count() + 1;
            let cause = format!("line {line} is no UTF-8 text");
            unreadable(&self.path, &cause)
        })?;
        Ok(match text.strip_prefix('\u{feff}') {
            Some(text) => (text, true),
            None => (text, false),
        })
    }

    /// The digest of its bytes; of none where there is no file.
    #[must_use]
    pub fn digest(&self) -> Option<Digest> {
        self.bytes.as_deref().map(Digest::of)
    }

    /// Whether it may be written: a file that nobody may write is nobody's to change, whoever asks.
    ///
    /// # Errors
    /// It, or the folder that it lies in, is read-only.
    pub fn writable(&self) -> Result<(), Refusal> {
        if self.owner.is_some_and(|(mode, _, _)| mode & 0o222 == 0) {
            return Err(readonly(&self.path, "read-only"));
        }
        let folder = self.real.ancestors().skip(1).find(|folder| folder.exists());
        let Some(folder) = folder else {
            return Ok(());
        };
        let meta = fs::metadata(folder).map_err(|error| readonly(folder, &error.to_string()))?;
        if meta.permissions().mode() & 0o222 == 0 {
            return Err(readonly(folder, "a read-only folder"));
        }
        Ok(())
    }

    /// The name of its backup.
    #[must_use]
    pub fn backup(&self) -> PathBuf {
        let mut name = self.path.as_os_str().to_owned();
        name.push(BACKUP);
        PathBuf::from(name)
    }

    /// Keeps a copy beside it, once. Answers whether one was made now.
    ///
    /// # Errors
    /// The copy cannot be written.
    pub fn back_up(&self) -> Result<bool, Refusal> {
        let (Some(bytes), Some((mode, _, _))) = (&self.bytes, self.owner) else {
            return Ok(false);
        };
        let path = self.backup();
        let opened = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(mode & 0o700)
            .open(&path);
        match opened {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
            opened => opened
                .and_then(|mut file| file.write_all(bytes))
                .map(|()| true)
                .map_err(|error| readonly(&path, &error.to_string())),
        }
    }

    /// Takes the backup away where it holds just these bytes.
    pub fn drop_backup(&self, bytes: &[u8]) {
        let path = self.backup();
        let plain = fs::symlink_metadata(&path).is_ok_and(|meta| meta.is_file());
        if plain && fs::read(&path).is_ok_and(|kept| kept == bytes) {
            drop(fs::remove_file(&path));
        }
    }

    /// Replaces the file, or removes it. Answers the folders that were made for it, outermost first.
    ///
    /// # Errors
    /// Another hand wrote it since it was read, or it cannot be written.
    pub fn write(&self, after: Option<&[u8]>, private: bool) -> Result<Vec<PathBuf>, Refusal> {
        let Some(after) = after else {
            self.still()?;
            fs::remove_file(&self.real)
                .map_err(|error| readonly(&self.path, &error.to_string()))?;
            return Ok(Vec::new());
        };
        let folder = self.real.parent().unwrap_or(Path::new("/"));
        let folders = make_folders(folder)?;
        let failed = |error: std::io::Error| readonly(&self.path, &error.to_string());
        let mut new = tempfile::Builder::new()
            .prefix(".watchfloor-")
            .tempfile_in(folder)
            .map_err(failed)?;
        new.write_all(after).map_err(failed)?;
        let mode = match self.owner {
            Some((mode, uid, gid)) => {
                give(new.as_file(), uid, gid).map_err(failed)?;
                mode & 0o7777
            }
            None if private => 0o600,
            None => 0o644,
        };
        let file = new.as_file();
        file.set_permissions(fs::Permissions::from_mode(mode))
            .map_err(failed)?;
        file.sync_all().map_err(failed)?;
        self.still()?;
        new.persist(&self.real)
            .map_err(|error| failed(error.error))?;
        // The file is whole either way; this makes its name last.
        drop(File::open(folder).and_then(|folder| folder.sync_all()));
        Ok(folders)
    }

    /// That it is as it was when it was read.
    fn still(&self) -> Result<(), Refusal> {
        let now = read(&self.path)?;
        if now.digest() == self.digest() && now.real == self.real {
            return Ok(());
        }
        let cause = format!(
            "{} was edited meanwhile; nothing was written",
            self.path.display()
        );
        Err(Refusal::new(
            Code::InstallRaced,
            cause,
            "run the same again",
        ))
    }
}

fn give(file: &File, uid: u32, gid: u32) -> std::io::Result<()> {
    let meta = file.metadata()?;
    if (meta.uid(), meta.gid()) == (uid, gid) {
        return Ok(());
    }
    std::os::unix::fs::fchown(file, Some(uid), Some(gid))
}

fn make_folders(folder: &Path) -> Result<Vec<PathBuf>, Refusal> {
    let missing: Vec<PathBuf> = folder
        .ancestors()
        .take_while(|folder| !folder.exists())
        .map(Path::to_path_buf)
        .collect();
    fs::create_dir_all(folder).map_err(|error| readonly(folder, &error.to_string()))?;
    Ok(missing.into_iter().rev().collect())
}
