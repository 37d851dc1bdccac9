//! Where a text lies in a folder of files.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Files that are looked through, and how deep folders go.
const FILES: usize = 20_000;
const DEPTH: usize = 16;
/// Bytes of a file that are looked through.
const BYTES: u64 = 32 << 20;

/// What was found in a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Search {
    /// Files that were looked through.
    pub files: u64,
    /// Those that hold the text.
    pub holding: Vec<PathBuf>,
}

/// Looks through every file of a folder, links not followed, but for what is left out.
pub(super) fn search(folder: &Path, text: &str, leave: &dyn Fn(&Path) -> bool) -> Search {
    let mut found = Search::default();
    let mut folders = vec![(folder.to_path_buf(), 0)];
    while let Some((folder, depth)) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let (path, kind) = (entry.path(), entry.file_type());
            let Ok(kind) = kind else { continue };
            if leave(&path) || found.files >= FILES as u64 {
                continue;
            }
            if kind.is_dir() && depth < DEPTH {
                folders.push((path, depth + 1));
            } else if kind.is_file() {
                found.files += 1;
                if holds(&path, text) {
                    found.holding.push(path);
                }
            }
        }
    }
    found.holding.sort();
    found
}

fn holds(path: &Path, text: &str) -> bool {
    let mut bytes = Vec::new();
    let Ok(file) = fs::File::open(path) else {
        return false;
    };
    if file.take(BYTES).read_to_end(&mut bytes).is_err() {
        return false;
    }
    bytes
        .windows(text.len())
        .any(|window| window == text.as_bytes())
}
