//! The flag file `<stem>.flags` (spec 3.6): stop flags that every gate and hook reads before
//! anything else.
//!
//! It has its full size from the start and is only ever written in place, so a stop works with
//! no free block, no free inode, and whatever has become of the database. `docs/STORE.md` has
//! the layout.

mod header;
mod slot;
mod table;

use std::fs::{File, FileType, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{FileExt, FileTypeExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::contract::refusal::{Code, Refusal};

use super::lock::{self, Held, LockError};
use super::paths::suffixed;
use super::sqlite::shell;
use header::Header;
use slot::{SLOT, Slot};

pub use slot::{Flag, breaker_key};
pub use table::FlagTable;

/// Slots of the file.
pub const SLOTS: usize = 1_024;
/// Slots from here on are kept for flags of projects and of the fleet, so that these still
/// find a place when all others are taken.
const PROJECT_SLOTS: usize = SLOTS - 64;
/// Slots from here on are kept for flags of the fleet.
const FLEET_SLOTS: usize = SLOTS - 16;
/// Bytes of the file: a header as large as a slot, then the slots.
const SIZE: usize = SLOT * (SLOTS + 1);
/// What writes a damaged file anew.
const MEND: &str = "watchfloor tick";

/// What became of flags that were to be set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SetOutcome {
    /// Flags that lie in the file now, those that lay there already included.
    pub set: Vec<Flag>,
    /// Flags of the fallback scopes that were set because no slot was free for others.
    pub fallback: Vec<Flag>,
}

/// The flag file, for setting and clearing. Reading needs [`FlagFile::load`] alone.
#[derive(Clone, Debug)]
pub struct FlagFile {
    path: PathBuf,
    patience: Duration,
}

impl FlagFile {
    /// Makes the file at full size, with no flag set. One that exists is left alone.
    ///
    /// # Errors
    /// The file cannot be made, or the one that exists is damaged.
    pub fn create(path: impl AsRef<Path>) -> Result<Self, Refusal> {
        let file = Self::at(path.as_ref());
        if file.path.symlink_metadata().is_err() {
            file.make().map_err(|e| file.io(&e))?;
        }
        Self::load(&file.path)?;
        Ok(file)
    }

    /// Opens the file that `init` or a stop made. A damaged one can be opened, because a stop
    /// must still be set in it.
    ///
    /// # Errors
    /// `flags_damaged` when it is missing.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Refusal> {
        let path = path.as_ref();
        regular(path)?;
        Ok(Self::at(path))
    }

    /// Reads all flags: the header and the slots that were ever used.
    ///
    /// # Errors
    /// `flags_damaged` when the file is missing or its content is not consistent.
    pub fn load(path: impl AsRef<Path>) -> Result<FlagTable, Refusal> {
        let path = path.as_ref();
        let file = opened(path, OpenOptions::new().read(true))?;
        let first = match table::read(&file) {
            Ok(flags) => return Ok(flags),
            Err(why) => why,
        };
        // A writer may be at work: look again under its lock.
        match lock::exclusive(file, table::RETRY) {
            Ok(held) => table::read(held.file()).map_err(|why| damaged(path, why)),
            Err(_) => Err(damaged(path, first)),
        }
    }

    /// Whether this process may write the file, so that a stop could be set in it.
    ///
    /// # Errors
    /// `flags_damaged` when it may not.
    pub fn writable(path: impl AsRef<Path>) -> Result<(), Refusal> {
        let path = path.as_ref();
        rustix::fs::access(path, rustix::fs::Access::WRITE_OK)
            .map_err(|errno| unusable(path, &errno.into()))
    }

    /// How long to wait for another writer; 10 seconds at first.
    pub fn set_patience(&mut self, patience: Duration) {
        self.patience = patience;
    }

    /// Sets flags, and has them on disk when it answers. A flag of the same breaker, trigger and
    /// scope is set once. When no slot is free for a flag, the flags of `fallback` are set
    /// instead, in their order until one finds a slot: the project's, then the fleet's.
    ///
    /// # Errors
    /// `store_busy` when another writer holds the file; `flags_damaged` when it cannot be
    /// written, or when no slot is left for any fallback.
    pub fn set(&self, flags: &[Flag], fallback: &[Flag]) -> Result<SetOutcome, Refusal> {
        let held = self.lock()?;
        let mut slots = self.slots(&held)?;
        let mut outcome = SetOutcome::default();
        let mut touched = Vec::new();
        for flag in flags {
            if let Some(at) = slot::place(&slots, flag) {
                touched.push(put(&mut slots, at, flag));
                outcome.set.push(flag.clone());
                continue;
            }
            let found = fallback
                .iter()
                .find_map(|wider| slot::place(&slots, wider).map(|at| (at, wider)));
            let Some((at, wider)) = found else {
                return Err(damaged(
                    &self.path,
                    "no slot is left, not even for the fleet",
                ));
            };
            touched.push(put(&mut slots, at, wider));
            if !outcome.fallback.contains(wider) {
                outcome.fallback.push(wider.clone());
            }
        }
        self.write(&held, &slots, &touched)?;
        Ok(outcome)
    }

    /// Clears every flag of a breaker; returns how many there were.
    ///
    /// # Errors
    /// As [`FlagFile::set`].
    pub fn clear(&self, breaker: &str) -> Result<usize, Refusal> {
        let key = breaker_key(breaker);
        let held = self.lock()?;
        let mut slots = self.slots(&held)?;
        let mut touched = Vec::new();
        for (at, slot) in slots.iter_mut().enumerate() {
            if matches!(slot, Slot::Set(flag) if flag.breaker == key) {
                *slot = Slot::Free;
                touched.push(at);
            }
        }
        self.write(&held, &slots, &touched)?;
        Ok(touched.len())
    }

    /// Writes the whole file anew, in place: the flags that can still be read, and those that
    /// the caller knows of, such as the journal's open breakers. What the file held before is
    /// copied beside it first, as far as there is space. For a damaged file.
    ///
    /// # Errors
    /// As [`FlagFile::set`].
    pub fn repair(&self, known: &[Flag]) -> Result<(), Refusal> {
        let held = self.lock()?;
        let _ = std::fs::copy(&self.path, suffixed(&self.path, ".damaged"));
        let mut slots = table::salvage(held.file());
        for slot in &mut slots {
            if matches!(slot, Slot::Damaged) {
                *slot = Slot::Free;
            }
        }
        for flag in known {
            match slot::place(&slots, flag) {
                Some(at) => _ = put(&mut slots, at, flag),
                None => return Err(damaged(&self.path, "no slot is left")),
            }
        }
        held.file()
            .write_all_at(&image(&slots), 0)
            // What is longer than it must be is no flag.
            .and_then(|()| held.file().set_len(SIZE as u64))
            .and_then(|()| held.file().sync_data())
            .map_err(|e| self.io(&e))
    }

    fn at(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            patience: Duration::from_secs(10),
        }
    }

    fn make(&self) -> io::Result<()> {
        let draft = suffixed(&self.path, &format!(".new-{}", std::process::id()));
        let write = || {
            let mut file = OpenOptions::new()
                .write(true)
                .create(true)
                .truncate(true)
                .mode(0o600)
                .open(&draft)?;
            file.write_all(&image(&vec![Slot::Free; SLOTS]))?;
            file.sync_all()?;
            match std::fs::hard_link(&draft, &self.path) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
                _ => Ok(()),
            }
        };
        let made = write();
        let _ = std::fs::remove_file(&draft);
        made
    }

    fn lock(&self) -> Result<Held, Refusal> {
        let file = opened(&self.path, OpenOptions::new().read(true).write(true))?;
        lock::exclusive(file, self.patience).map_err(|error| match error {
            LockError::Io(error) => self.io(&error),
            LockError::Waited(time) => Refusal::new(
                Code::StoreBusy,
                format!(
                    "waited {} ms for the flag file {}, which another process holds",
                    time.as_millis(),
                    self.path.display()
                ),
                "watchfloor status",
            ),
        })
    }

    fn slots(&self, held: &Held) -> Result<Vec<Slot>, Refusal> {
        let length = held.file().metadata().map_err(|e| self.io(&e))?.len();
        if length != SIZE as u64 {
            return Err(damaged(&self.path, format_args!("it has {length} bytes")));
        }
        Ok(table::salvage(held.file()))
    }

    /// The header first, as it only ever makes readers look at more slots; then the slots.
    fn write(&self, held: &Held, slots: &[Slot], touched: &[usize]) -> Result<(), Refusal> {
        let file = held.file();
        let run = || {
            file.write_all_at(&Header::over(slots).bytes(), 0)?;
            for &at in touched {
                file.write_all_at(&slots[at].bytes(at), offset(at))?;
            }
            file.sync_data()
        };
        run().map_err(|e| self.io(&e))
    }

    fn io(&self, error: &io::Error) -> Refusal {
        unusable(&self.path, error)
    }
}

fn put(slots: &mut [Slot], at: usize, flag: &Flag) -> usize {
    slots[at] = Slot::Set(flag.clone());
    at
}

fn offset(slot: usize) -> u64 {
    ((slot + 1) * SLOT) as u64
}

/// The bytes of the whole file.
fn image(slots: &[Slot]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(SIZE);
    bytes.extend_from_slice(&Header::over(slots).bytes());
    for (at, slot) in slots.iter().enumerate() {
        bytes.extend_from_slice(&slot.bytes(at));
    }
    bytes
}

/// Opens the file, and never waits for what may stand in its place.
fn opened(path: &Path, how: &mut OpenOptions) -> Result<File, Refusal> {
    regular(path)?;
    // What it was when it was looked at it need not be any more.
    let at_once = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
    let flags = i32::try_from(at_once.bits()).unwrap_or_default();
    let file = how.custom_flags(flags).open(path);
    let file = file.map_err(|error| unusable(path, &error))?;
    match file.metadata() {
        Ok(found) if !found.is_file() => Err(in_the_way(path, kind(found.file_type()))),
        _ => Ok(file),
    }
}

/// That a file stands there, behind links too.
fn regular(path: &Path) -> Result<(), Refusal> {
    match path.metadata() {
        Ok(found) if found.is_file() => Ok(()),
        Ok(found) => Err(in_the_way(path, kind(found.file_type()))),
        Err(error) if path.is_symlink() && error.kind() != io::ErrorKind::PermissionDenied => {
            Err(in_the_way(path, "a link that leads to no file"))
        }
        Err(error) => Err(unusable(path, &error)),
    }
}

fn kind(found: FileType) -> &'static str {
    match found {
        found if found.is_dir() => "a folder",
        found if found.is_fifo() => "a pipe",
        found if found.is_socket() => "a socket",
        _ => "a device",
    }
}

/// Something else has its name, and no `tick` mends that: it must go first. It holds no flag.
fn in_the_way(path: &Path, what: &str) -> Refusal {
    let aside = suffixed(path, ".aside");
    let next = format!("mv {} {}", shell(path), shell(&aside));
    refusal(path, format_args!("{what} stands in its place"), next)
}

/// A file whose content is not what it must be, or that is missing: `tick` writes it anew.
fn damaged(path: &Path, why: impl std::fmt::Display) -> Refusal {
    refusal(path, why, MEND.to_owned())
}

/// A file that the system does not let us use. Where its rights or its kind are in the way, a
/// `tick` would fail as this did: a person must look.
fn unusable(path: &Path, error: &io::Error) -> Refusal {
    let ours = path
        .metadata()
        .is_ok_and(|meta| meta.is_file() && meta.uid() == rustix::process::geteuid().as_raw());
    let next = match error.kind() {
        io::ErrorKind::PermissionDenied if ours => format!("chmod 600 {}", shell(path)),
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            format!("ls -ld {}", shell(path))
        }
        _ => MEND.to_owned(),
    };
    refusal(path, error, next)
}

fn refusal(path: &Path, why: impl std::fmt::Display, next: String) -> Refusal {
    let cause = format!("the flag file {} cannot be used: {why}", path.display());
    Refusal::new(Code::FlagsDamaged, cause, next)
}

#[cfg(test)]
mod tests;
