//! Follows a growing file by offset, with a memory that does not grow with it: opened at its
//! end, and begun anew when it was cut, replaced or written over.

use std::fs::{self, File, Metadata};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::lines::Lines;

/// Bytes before the end that are read when a file is opened.
pub(super) const TAIL: u64 = 256 << 10;
/// Bytes at the beginning that are read for what a session is, when the tail begins behind them.
pub(super) const HEAD: u64 = 64 << 10;
/// Bytes that one look reads at most, so that one busy file does not hold up the others.
const BUDGET: u64 = 1 << 20;
/// A file that grew by more than this since the last look is opened at its end again.
const LEAP: u64 = 64 << 20;
/// Bytes of one read.
const PIECE: usize = 64 << 10;
/// Bytes before the offset that tell whether the file is still the one that was read.
const MARK: usize = 64;

/// What a look at the file found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    /// Nothing new.
    Same,
    /// It grew.
    Grew,
    /// It is not what was read before: what was known of it is void.
    Anew,
    /// It is gone.
    Gone,
}

/// A file, and how far it was read.
pub(super) struct Follower {
    path: PathBuf,
    inode: u64,
    offset: u64,
    lines: Lines,
    mark: Vec<u8>,
    /// Length and time of the last look.
    seen: (u64, i64, i64),
}

impl Follower {
    /// A file of which nothing was read yet.
    pub(super) fn new(path: &Path) -> Self {
        Self {
            path: path.to_path_buf(),
            inode: 0,
            offset: 0,
            lines: Lines::default(),
            mark: Vec::new(),
            seen: (0, 0, 0),
        }
    }

    /// The file's inode.
    pub(super) fn inode(&self) -> u64 {
        self.inode
    }

    /// Where the last whole line ends.
    pub(super) fn to(&self) -> u64 {
        self.offset.saturating_sub(self.lines.waiting())
    }

    /// Looks at the file. One that is seen the first time, or that is another now, stands at its
    /// tail afterwards, and `read` goes on from there.
    pub(super) fn look(&mut self) -> Look {
        let Ok(meta) = fs::metadata(&self.path) else {
            return Look::Gone;
        };
        if !meta.is_file() {
            return Look::Gone;
        }
        let now = (meta.len(), meta.mtime(), meta.mtime_nsec());
        if self.inode == meta.ino() && now == self.seen && self.offset == meta.len() {
            return Look::Same;
        }
        let other = self.inode != meta.ino()
            || meta.len() < self.offset
            || meta.len() - self.offset > LEAP
            || !self.is_marked();
        if other {
            self.stand(&meta, now);
            return Look::Anew;
        }
        self.seen = now;
        if self.offset < meta.len() {
            Look::Grew
        } else {
            Look::Same
        }
    }

    /// Begins at the tail.
    fn stand(&mut self, meta: &Metadata, now: (u64, i64, i64)) {
        self.inode = meta.ino();
        self.offset = meta.len().saturating_sub(TAIL);
        self.lines = if self.offset == 0 {
            Lines::default()
        } else {
            Lines::inside()
        };
        self.mark.clear();
        self.seen = now;
    }

    /// The beginning of the file, where the tail begins behind it.
    pub(super) fn head(&self) -> Vec<u8> {
        let mut head = Vec::new();
        if self.offset > 0
            && let Ok(file) = File::open(&self.path)
        {
            drop(file.take(HEAD).read_to_end(&mut head));
        }
        head
    }

    /// Reads on; hands on each line with the offset of its end. Answers whether there is more.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(super) fn read(&mut self, mut line: impl FnMut(&[u8], u64)) -> io::Result<bool> {
        let mut file = File::open(&self.path)?;
        if file.metadata()?.ino() != self.inode {
            return Ok(false);
        }
        file.seek(SeekFrom::Start(self.offset))?;
        let mut piece = vec![0; PIECE];
        let mut left = BUDGET;
        while left > 0 {
            let read = file.read(&mut piece)?;
            if read == 0 {
                return Ok(false);
            }
            let bytes = &piece[..read];
            let begin = self.offset;
            self.lines
                .take(bytes, |text, used| line(text, begin + used as u64));
            self.offset += read as u64;
            left = left.saturating_sub(read as u64);
            self.mark
                .extend_from_slice(&bytes[read.saturating_sub(MARK)..]);
            let over = self.mark.len().saturating_sub(MARK);
            self.mark.drain(..over);
        }
        Ok(true)
    }

    /// Whether the bytes before the offset are those that were read.
    fn is_marked(&self) -> bool {
        let mut bytes = vec![0; self.mark.len()];
        let read = File::open(&self.path).and_then(|mut file| {
            file.seek(SeekFrom::Start(self.offset - self.mark.len() as u64))?;
            file.read_exact(&mut bytes)
        });
        read.is_ok() && bytes == self.mark
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    fn more(follower: &mut Follower) -> (Look, Vec<String>) {
        let look = follower.look();
        let mut found = Vec::new();
        if matches!(look, Look::Grew | Look::Anew) {
            let mut more = true;
            while more {
                let take = |line: &[u8], _| found.push(String::from_utf8_lossy(line).into_owned());
                more = follower.read(take).unwrap();
            }
        }
        (look, found)
    }

    fn append(path: &Path, text: &str) {
        let mut file = File::options()
            .append(true)
            .create(true)
            .open(path)
            .unwrap();
        file.write_all(text.as_bytes()).unwrap();
    }

    #[test]
    fn a_file_is_followed_through_growth_cuts_and_replacement() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.jsonl");
        let mut follower = Follower::new(&path);
        assert_eq!(follower.look(), Look::Gone);
        append(&path, "one\ntw");
        assert_eq!(more(&mut follower), (Look::Anew, vec!["one".to_owned()]));
        assert_eq!((follower.to(), follower.offset), (4, 6));
        assert_eq!(more(&mut follower), (Look::Same, vec![]));
        append(&path, "o\nthree\n");
        let both = vec!["two".to_owned(), "three".to_owned()];
        assert_eq!(more(&mut follower), (Look::Grew, both));
        assert_eq!(follower.to(), 14);
        fs::write(&path, "cut\n").unwrap();
        assert_eq!(more(&mut follower), (Look::Anew, vec!["cut".to_owned()]));
        fs::write(&path, "written over\n").unwrap();
        assert_eq!(
            more(&mut follower),
            (Look::Anew, vec!["written over".to_owned()])
        );
        let other = folder.path().join("new");
        append(&other, "written over\nanother\n");
        fs::rename(&other, &path).unwrap();
        assert_eq!(more(&mut follower).0, Look::Anew);
        fs::remove_file(&path).unwrap();
        assert_eq!(follower.look(), Look::Gone);
        fs::create_dir(&path).unwrap();
        assert_eq!(follower.look(), Look::Gone);
    }

    #[test]
    fn a_long_file_is_opened_at_its_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.jsonl");
        let line = format!("{}\n", "x".repeat(999));
        append(&path, &format!("head\n{}", line.repeat(2000)));
        append(&path, "last\n");
        let mut follower = Follower::new(&path);
        let (look, found) = more(&mut follower);
        assert_eq!((look, found.last().unwrap().as_str()), (Look::Anew, "last"));
        assert!(found.len() < 270, "{}", found.len());
        assert!(found.iter().all(|line| line.len() == 999 || line == "last"));
        let mut late = Follower::new(&path);
        late.look();
        assert!(late.head().starts_with(b"head\nxx"));
    }
}
