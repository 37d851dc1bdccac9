//! The stop flags beside the store (spec 3.6), as the verbs use them.

use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;
use std::time::Duration;

use crate::authority::files::make_folder;
use crate::contract::ids::RecordId;
use crate::contract::refusal::Refusal;
use crate::journal::Paths;
use crate::journal::flags::{Flag, FlagFile, FlagTable};

use super::context::Context;

/// How long to wait for another writer of flags: each holds the file for one small write.
const PATIENCE: Duration = Duration::from_secs(1);

/// How long a stop waits for them: a fleet of agents may stop itself at once, and a stop that gives
/// up is worse than a slow one.
const STOPPING: Duration = Duration::from_secs(10);

/// The flag file of a store.
#[derive(Clone, Debug)]
pub struct Flags {
    path: PathBuf,
    patience: Duration,
}

impl Flags {
    /// The flags beside the context's store.
    #[must_use]
    pub fn of(context: &Context) -> Self {
        Self {
            path: Paths::of(&context.store).flags,
            patience: PATIENCE,
        }
    }

    /// The same flags for a stop, which waits longer.
    #[must_use]
    pub fn for_a_stop(context: &Context) -> Self {
        Self {
            patience: STOPPING,
            ..Self::of(context)
        }
    }

    /// Reads them.
    ///
    /// # Errors
    /// `flags_damaged` when the file is missing or damaged: that counts as failing.
    pub fn load(&self) -> Result<FlagTable, Refusal> {
        FlagFile::load(&self.path)
    }

    /// Whether a stop could be set in them.
    ///
    /// # Errors
    /// `flags_damaged` when the file may not be written.
    pub fn writable(&self) -> Result<(), Refusal> {
        FlagFile::writable(&self.path)
    }

    /// When the file or its rights changed last, in seconds and nanoseconds; `None` where it is
    /// missing.
    #[must_use]
    pub fn changed_at(&self) -> Option<(i64, i64)> {
        let meta = self.path.metadata().ok()?;
        Some((meta.ctime(), meta.ctime_nsec()))
    }

    /// Sets flags. Where no slot is free, the first of `fallback` that finds one is set instead.
    ///
    /// # Errors
    /// The file is missing, damaged or held.
    pub fn set(&self, flags: &[Flag], fallback: &[Flag]) -> Result<(), Refusal> {
        self.open()?.set(flags, fallback).map(drop)
    }

    /// Sets flags in a file that is made where it is missing: a stop makes it alone.
    ///
    /// # Errors
    /// The file can be neither opened nor made.
    pub fn raise(&self, flags: &[Flag], fallback: &[Flag]) -> Result<(), Refusal> {
        self.made()?;
        self.set(flags, fallback)
    }

    /// Makes the file, and its folder, where they are missing.
    fn made(&self) -> Result<(), Refusal> {
        if self.path.exists() {
            return Ok(());
        }
        if let Some(folder) = self.path.parent() {
            // What cannot be made is told by the file that then cannot be made either.
            drop(make_folder(folder));
        }
        FlagFile::create(&self.path).map(drop)
    }

    /// Takes down the flags of a breaker.
    ///
    /// # Errors
    /// The file is missing, damaged or held.
    pub fn clear(&self, breaker: &RecordId) -> Result<(), Refusal> {
        self.open()?.clear(breaker.as_str()).map(drop)
    }

    /// Writes a damaged file anew: what can still be read, and the flags of open breakers.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn repair(&self, known: &[Flag]) -> Result<(), Refusal> {
        self.made()?;
        self.open()?.repair(known)
    }

    fn open(&self) -> Result<FlagFile, Refusal> {
        let mut file = FlagFile::open(&self.path)?;
        file.set_patience(self.patience);
        Ok(file)
    }
}
