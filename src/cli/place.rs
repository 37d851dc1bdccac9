//! Which project and working tree a folder belongs to (spec 1.2): worktrees of one repository
//! are one project.

use std::fs;
use std::path::{Path, PathBuf};

/// A folder's project, and the root that its files are named from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    /// The project's name: the folder of the repository, or of the working directory.
    pub project: String,
    /// Root of the working tree.
    pub root: PathBuf,
}

/// Finds the tree around a folder, without running git.
#[must_use]
pub fn of(folder: &Path) -> Tree {
    let real = folder
        .canonicalize()
        .unwrap_or_else(|_| folder.to_path_buf());
    for root in real.ancestors() {
        let git = root.join(".git");
        if let Some(common) = common_folder(&git) {
            let named = if common.file_name().is_some_and(|name| name == ".git") {
                common.parent().unwrap_or(&common).to_path_buf()
            } else {
                common
            };
            return Tree {
                project: named.display().to_string(),
                root: root.to_path_buf(),
            };
        }
    }
    Tree {
        project: real.display().to_string(),
        root: real,
    }
}

/// The git common directory behind `.git`: the folder itself, or where a worktree's file points.
fn common_folder(git: &Path) -> Option<PathBuf> {
    let meta = fs::metadata(git).ok()?;
    if meta.is_dir() {
        return git.canonicalize().ok();
    }
    let text = fs::read_to_string(git).ok()?;
    let named = Path::new(text.strip_prefix("gitdir:")?.trim()).to_path_buf();
    let folder = if named.is_absolute() {
        named
    } else {
        git.parent()?.join(named)
    };
    let common = match fs::read_to_string(folder.join("commondir")) {
        Ok(text) => folder.join(text.trim()),
        Err(_) => folder,
    };
    common.canonicalize().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worktrees_of_one_repository_are_one_project() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        let main = base.join("main");
        fs::create_dir_all(main.join(".git/worktrees/side")).unwrap();
        fs::create_dir_all(main.join("src")).unwrap();
        fs::write(main.join(".git/worktrees/side/commondir"), "../..\n").unwrap();
        let side = base.join("side");
        fs::create_dir_all(&side).unwrap();
        fs::write(
            side.join(".git"),
            format!("gitdir: {}\n", main.join(".git/worktrees/side").display()),
        )
        .unwrap();
        let name = main.display().to_string();
        assert_eq!(
            of(&main.join("src")),
            Tree {
                project: name.clone(),
                root: main
            }
        );
        assert_eq!(
            of(&side),
            Tree {
                project: name,
                root: side
            }
        );
        let plain = base.join("none");
        fs::create_dir_all(&plain).unwrap();
        assert_eq!(
            of(&plain),
            Tree {
                project: plain.display().to_string(),
                root: plain
            }
        );
    }
}
