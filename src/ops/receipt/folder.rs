//! `receipt watch`: a folder in which other tools write receipts (spec 2.1). New, changed,
//! half-written and invalid files are all normal there.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::journal::{OwnFiles, Paths};
use crate::ops::context::Context;

/// The largest file that is read, in bytes; a larger one is no receipt.
pub const LARGEST: u64 = 4 << 20;

/// A folder, as it was at the last look.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    known: BTreeMap<PathBuf, Known>,
    /// Files of the store, which are never opened beside it.
    own: OwnFiles,
}

/// What tells one state of a file from another.
type Stamp = (u64, Option<SystemTime>);

/// What is known about one file.
#[derive(Clone, Copy, Debug)]
struct Known {
    stamp: Stamp,
    taken: bool,
}

/// A file whose text is complete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrived {
    /// Where it lies.
    pub file: PathBuf,
    /// Its bytes; at most [`LARGEST`] and one more.
    pub bytes: Vec<u8>,
}

impl Folder {
    /// A folder at which nobody has looked yet; the files of the context's store are left out.
    ///
    /// # Errors
    /// It is no folder that can be read.
    pub fn of(path: &Path, context: &Context) -> io::Result<Self> {
        let own = Paths::of(&context.store).own();
        Self::beside(path, own)
    }

    fn beside(path: &Path, own: OwnFiles) -> io::Result<Self> {
        fs::read_dir(path)?;
        Ok(Self {
            path: path.to_path_buf(),
            known: BTreeMap::new(),
            own,
        })
    }

    /// The `*.json` files that are new or changed and complete, in the order of their names. A
    /// text that is no JSON may be half written: it is complete only when it is as it was at the
    /// look before and this look is a `quiet` one, which is made when nothing happened for a
    /// second.
    ///
    /// # Errors
    /// The folder cannot be read any more.
    pub fn look(&mut self, quiet: bool) -> io::Result<Vec<Arrived>> {
        let mut files: Vec<PathBuf> = fs::read_dir(&self.path)?
            .flatten()
            .map(|entry| entry.path())
            .filter(|file| file.extension().is_some_and(|ending| ending == "json"))
            .collect();
        files.sort();
        self.known
            .retain(|file, _| files.binary_search(file).is_ok());
        let mut arrived = Vec::new();
        for file in files {
            if let Some(bytes) = self.arrival(&file, quiet) {
                arrived.push(Arrived { file, bytes });
            }
        }
        Ok(arrived)
    }

    /// The bytes of a file that is complete and was not taken yet. One that is gone again, or
    /// that may not be read, is looked at the next time.
    fn arrival(&mut self, file: &Path, quiet: bool) -> Option<Vec<u8>> {
        let stamp = stamp(file, &self.own)?;
        let before = self.known.get(file).copied();
        let same = before.is_some_and(|known| known.stamp == stamp);
        if same && before.is_some_and(|known| known.taken) {
            return None;
        }
        let bytes = read(file).ok()?;
        if self::stamp(file, &self.own)? != stamp {
            // It is being written just now; the next look finds it whole.
            return None;
        }
        let json = serde_json::from_slice::<serde::de::IgnoredAny>(&bytes).is_ok();
        let taken = json || (same && quiet);
        self.known
            .insert(file.to_path_buf(), Known { stamp, taken });
        taken.then_some(bytes)
    }
}

fn stamp(file: &Path, own: &OwnFiles) -> Option<Stamp> {
    let found = file.metadata().ok().filter(fs::Metadata::is_file)?;
    if own.hold(&found) {
        return None;
    }
    Some((found.len(), found.modified().ok()))
}

fn read(file: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(file)?
        .take(LARGEST + 1)
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(arrived: &[Arrived]) -> Vec<String> {
        let name = |one: &Arrived| one.file.file_name().unwrap().to_string_lossy().into_owned();
        arrived.iter().map(name).collect()
    }

    #[test]
    fn files_arrive_once_when_they_are_complete() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        let mut folder = Folder::beside(dir.path(), OwnFiles::default()).unwrap();
        fs::write(at("b.json"), "{\"a\":1}").unwrap();
        fs::write(at("a.json"), "{\"a\":").unwrap();
        fs::write(at("c.txt"), "{}").unwrap();
        fs::create_dir(at("d.json")).unwrap();
        assert_eq!(names(&folder.look(false).unwrap()), ["b.json"]);
        assert!(folder.look(false).unwrap().is_empty());
        fs::write(at("a.json"), "{\"a\":2}").unwrap();
        assert_eq!(names(&folder.look(false).unwrap()), ["a.json"]);
        fs::write(at("b.json"), "{\"a\":10}").unwrap();
        assert_eq!(names(&folder.look(false).unwrap()), ["b.json"]);
        assert!(folder.look(true).unwrap().is_empty());
    }

    #[test]
    fn what_stays_no_json_arrives_as_it_is_after_a_quiet_look() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("half.json");
        let mut folder = Folder::beside(dir.path(), OwnFiles::default()).unwrap();
        fs::write(&file, "{\"a\":").unwrap();
        assert!(folder.look(true).unwrap().is_empty());
        assert!(folder.look(false).unwrap().is_empty());
        let arrived = folder.look(true).unwrap();
        assert_eq!(arrived[0].bytes, b"{\"a\":");
        assert!(folder.look(true).unwrap().is_empty());
        fs::remove_file(&file).unwrap();
        assert!(folder.look(true).unwrap().is_empty());
        fs::write(&file, "{}").unwrap();
        assert_eq!(folder.look(false).unwrap().len(), 1);
        assert!(Folder::beside(&dir.path().join("none"), OwnFiles::default()).is_err());
    }

    #[test]
    fn the_files_of_the_store_are_left_out_and_stay_shut() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["store.json", "store.json-wal", "a.json"] {
            fs::write(dir.path().join(name), "{}").unwrap();
        }
        let own = Paths::of(dir.path().join("store.json")).own();
        let mut folder = Folder::beside(dir.path(), own).unwrap();
        assert_eq!(names(&folder.look(false).unwrap()), ["a.json"]);
    }
}
