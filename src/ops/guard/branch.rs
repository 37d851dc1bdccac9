//! Which branch is checked out where a call stands: a small read, done only for a push.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Folders that are looked through, from the call's own upwards.
const LEVELS: usize = 64;
/// Bytes of a file of git that are read.
const LONGEST: u64 = 4096;

/// The branch that is checked out in a folder; `None` outside repositories and off every branch.
pub(super) fn checked_out(cwd: &Path) -> Option<String> {
    let git = cwd
        .ancestors()
        .take(LEVELS)
        .map(|folder| folder.join(".git"))
        .find(|git| git.exists())?;
    let head = small(&folder_of(git)?.join("HEAD"))?;
    let name = head.trim().strip_prefix("ref:")?.trim();
    Some(name.strip_prefix("refs/heads/").unwrap_or(name).to_owned())
}

/// The repository's own folder; a worktree names it in a file.
fn folder_of(git: PathBuf) -> Option<PathBuf> {
    if git.is_dir() {
        return Some(git);
    }
    let text = small(&git)?;
    let named = text.trim().strip_prefix("gitdir:")?.trim();
    Some(git.parent()?.join(named))
}

fn small(file: &Path) -> Option<String> {
    let kind = std::fs::metadata(file).ok()?;
    if !kind.is_file() {
        return None;
    }
    let mut text = String::new();
    let opened = File::open(file).ok()?;
    opened.take(LONGEST).read_to_string(&mut text).ok()?;
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_branch_is_read_from_a_repository_and_from_a_worktree() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let write = |path: &str, text: &str| {
            let file = root.join(path);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        };
        assert_eq!(checked_out(root), None);
        write("a/.git/HEAD", "ref: refs/heads/main\n");
        write("a/src/x", "");
        write("a/.git/worktrees/b/HEAD", "ref: refs/heads/team/topic\n");
        write("b/.git", "gitdir: ../a/.git/worktrees/b\n");
        write("c/.git/HEAD", "0123456789012345678901234567890123456789\n");
        for (at, want) in [
            ("a", Some("main")),
            ("a/src", Some("main")),
            ("b", Some("team/topic")),
            ("c", None),
        ] {
            assert_eq!(checked_out(&root.join(at)).as_deref(), want, "{at}");
        }
    }
}
