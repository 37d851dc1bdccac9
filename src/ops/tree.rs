//! What is changed in a working tree, by content: read when a check ends (spec 3.1, derived tries).

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::contract::digest::Digest;
use crate::journal::{OwnFiles, Paths};

use super::context::Context;
use super::diff;

/// At most so many files are read.
const FILES: usize = 2_000;
/// A file above this many bytes is known by its length and time alone.
const WHOLE: u64 = 4 << 20;
/// Folders that checks and package managers fill by themselves.
const NOISE: [&str; 14] = [
    "target",
    "node_modules",
    "__pycache__",
    "dist",
    "build",
    "coverage",
    "venv",
    "vendor",
    "htmlcov",
    "out",
    "tmp",
    "log",
    "logs",
    "site-packages",
];

/// How long a hook waits for the tree that a session starts with.
const START: Duration = Duration::from_secs(2);

/// What is changed when a session starts; `None` when that cannot be read soon.
#[must_use]
pub fn at_start(context: &Context) -> Option<BTreeMap<String, String>> {
    let (send, tree) = mpsc::sync_channel(1);
    let (root, own) = (context.root.clone(), own(context));
    thread::spawn(move || send.send(below(&root, &own, std::iter::empty())));
    tree.recv_timeout(START).ok()
}

/// Digest of each changed file by its path relative to the project's root; `known` are paths that
/// were changed before, and are read again even when they are committed by now.
#[must_use]
pub fn changed<'a>(
    context: &Context,
    known: impl Iterator<Item = &'a String>,
) -> BTreeMap<String, String> {
    below(&context.root, &own(context), known)
}

/// The store's files are nobody's work, and must not be opened here.
fn own(context: &Context) -> OwnFiles {
    Paths::of(&context.store).own()
}

fn below<'a>(
    root: &Path,
    own: &OwnFiles,
    known: impl Iterator<Item = &'a String>,
) -> BTreeMap<String, String> {
    let mut paths = git_changed(root).unwrap_or_else(|| walk(root));
    paths.extend(known.cloned());
    paths.sort();
    paths.dedup();
    paths.truncate(FILES);
    paths
        .into_iter()
        .filter_map(|path| digest(&root.join(&path), own).map(|digest| (path, digest)))
        .collect()
}

/// Paths that git holds for changed or untracked; `None` outside a repository.
fn git_changed(root: &Path) -> Option<Vec<String>> {
    let words = ["--porcelain", "--no-renames", "--untracked-files=all"];
    let entries = diff::status(root, &words).ok()?;
    let paths = entries.iter().filter_map(|entry| entry.get(3..));
    Some(
        paths
            .filter(|path| !is_noise(path))
            .map(str::to_owned)
            .collect(),
    )
}

/// Every file below a folder that is no repository.
fn walk(root: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![(root.to_path_buf(), 0)];
    while let Some((folder, depth)) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else {
            continue;
        };
        for entry in entries.flatten() {
            if found.len() >= FILES {
                return found;
            }
            let path = entry.path();
            let Ok(relative) = path.strip_prefix(root) else {
                continue;
            };
            let relative = relative.to_string_lossy().into_owned();
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            if is_noise(&relative) {
                continue;
            }
            if kind.is_dir() && depth < 8 {
                folders.push((path, depth + 1));
            } else if kind.is_file() {
                found.push(relative);
            }
        }
    }
    found
}

fn is_noise(path: &str) -> bool {
    path.split('/')
        .any(|part| NOISE.contains(&part) || (part.starts_with('.') && part != ".github"))
}

fn digest(path: &Path, own: &OwnFiles) -> Option<String> {
    let meta = fs::metadata(path).ok()?;
    if !meta.is_file() || own.hold(&meta) {
        return None;
    }
    if meta.len() > WHOLE {
        let when = meta
            .modified()
            .ok()
            .and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
        return Some(format!(
            "length:{}:{}",
            meta.len(),
            when.map_or(0, |at| at.as_micros())
        ));
    }
    let bytes = fs::read(path).ok()?;
    Some(Digest::of(&bytes).hex()[..16].to_owned())
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn changes_are_found_with_and_without_a_repository() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::create_dir_all(root.join("src")).unwrap();
        fs::create_dir_all(root.join("node_modules/x")).unwrap();
        fs::write(root.join("src/a.rs"), "one").unwrap();
        fs::write(root.join("node_modules/x/y"), "two").unwrap();
        let none = Vec::new();
        let plain = below(root, &OwnFiles::default(), none.iter());
        assert_eq!(plain.keys().collect::<Vec<_>>(), ["src/a.rs"]);
        let git = |words: &[&str]| {
            let done = Command::new("git")
                .arg("-C")
                .arg(root)
                .args(words)
                .output()
                .unwrap();
            assert!(done.status.success(), "{words:?}");
        };
        git(&["init", "-q"]);
        assert_eq!(below(root, &OwnFiles::default(), none.iter()), plain);
        git(&["add", "src"]);
        git(&[
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@b.invalid",
            "commit",
            "-qm",
            "x",
        ]);
        assert!(below(root, &OwnFiles::default(), none.iter()).is_empty());
        // What was changed before is read again, committed or not.
        let known = ["src/a.rs".to_owned()];
        assert_eq!(below(root, &OwnFiles::default(), known.iter()), plain);
        fs::write(root.join("src/a.rs"), "other").unwrap();
        assert_ne!(below(root, &OwnFiles::default(), none.iter()), plain);
    }

    #[test]
    fn nothing_that_the_repository_names_is_run() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let marker = root.join(".ran");
        let git = |words: &[&str]| {
            let mut git = Command::new("git");
            git.arg("-C").arg(root).args(words).output().unwrap();
        };
        git(&["init", "-q"]);
        fs::write(root.join("a.rs"), "one").unwrap();
        git(&["add", "a.rs"]);
        let evil = format!("touch {}; cat", marker.display());
        for key in ["filter.evil.clean", "filter.evil.process", "core.fsmonitor"] {
            git(&["config", key, &evil]);
        }
        fs::write(root.join(".gitattributes"), "* filter=evil\n").unwrap();
        fs::write(root.join(".git/info/attributes"), "* filter=evil\n").unwrap();
        fs::write(root.join("a.rs"), "two").unwrap();
        let found = below(root, &OwnFiles::default(), std::iter::empty());
        assert_eq!(found.keys().collect::<Vec<_>>(), ["a.rs"]);
        assert!(!marker.exists(), "a program of the repository ran");
        // The trap is one: git by itself runs into it.
        git(&["status"]);
        assert!(marker.exists());
    }

    #[test]
    fn the_files_of_the_store_are_no_work_and_stay_shut() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for name in [
            "store.db",
            "store.db-wal",
            "store.db-shm",
            "store.lock",
            "a.rs",
        ] {
            fs::write(root.join(name), name).unwrap();
        }
        fs::hard_link(root.join("store.db-shm"), root.join("other-name")).unwrap();
        let own = Paths::of(root.join("store.db")).own();
        let found = below(root, &own, std::iter::empty());
        assert_eq!(found.keys().collect::<Vec<_>>(), ["a.rs"]);
    }
}
