//! The second line for agents that cannot be proven: git's `pre-commit` and `pre-push` ask the same
//! stops. A hook that is there already runs after ours, untouched, under a name beside it.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::contract::refusal::{Code, Refusal};

use super::Action;
use super::words::{Call, quoted};

/// The hooks of git that ask.
pub const HOOKS: [&str; 2] = ["pre-commit", "pre-push"];

/// What the name of a former hook ends with while ours stands in its place.
const FORMER: &str = ".before-watchfloor";

/// The second line of a script of ours.
const MARK: &str =
    "# Written by `watchfloor install git`, taken away by `watchfloor uninstall git`.";

/// One hook, and what becomes of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The hook's file.
    pub path: PathBuf,
    /// Where a former hook lies while ours stands.
    pub former: PathBuf,
    /// What is there now.
    pub now: Now,
    script: String,
}

/// What stands in the place of a hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Now {
    /// Nothing.
    Nothing,
    /// Ours, as it should be.
    Ours,
    /// Ours, from another place or time.
    OursOtherwise,
    /// Somebody else's.
    Foreign,
}

/// The folder of the hooks, and whether it is this repository's alone.
///
/// # Errors
/// There is no repository here, or no git.
pub fn folder(root: &Path) -> Result<(PathBuf, bool), Refusal> {
    let git = |words: &[&str]| -> Result<PathBuf, Refusal> {
        let out = Command::new("git")
            .args(["rev-parse", "--path-format=absolute"])
            .args(words)
            .current_dir(root)
            .output();
        let said = out
            .ok()
            .filter(|out| out.status.success())
            .and_then(|out| String::from_utf8(out.stdout).ok());
        said.map(|said| PathBuf::from(said.trim_end_matches('\n')))
            .ok_or_else(|| {
                let cause = format!(
                    "{} is in no git repository, or there is no git",
                    root.display()
                );
                Refusal::new(Code::NotFound, cause, "git init")
            })
    };
    let hooks = git(&["--git-path", "hooks"])?;
    let common = git(&["--git-common-dir"])?;
    if hooks.exists() && !hooks.is_dir() {
        let cause = format!(
            "core.hooksPath names {}, which is no folder",
            hooks.display()
        );
        return Err(Refusal::new(
            Code::InstallUnreadable,
            cause,
            "git config --show-origin core.hooksPath",
        ));
    }
    let own = hooks.starts_with(&common) || hooks.starts_with(root);
    Ok((hooks, own))
}

fn script(call: &Call, hook: &str) -> String {
    let mut line = quoted(&call.program);
    for word in call.hook("git", hook) {
        line.push(' ');
        line.push_str(&quoted(&word));
    }
    format!(
        "#!/bin/sh\n{MARK}\n{line} </dev/null || exit 1\nformer=\"$0{FORMER}\"\nif [ -x \"$former\" ]; then exec \"$former\" \"$@\"; fi\n"
    )
}

/// Looks at the hooks of a folder.
///
/// # Errors
/// A hook cannot be read.
pub fn look(folder: &Path, call: &Call) -> Result<Vec<Step>, Refusal> {
    HOOKS.iter().map(|hook| step(folder, call, hook)).collect()
}

fn step(folder: &Path, call: &Call, hook: &str) -> Result<Step, Refusal> {
    let path = folder.join(hook);
    let script = script(call, hook);
    let now = match fs::symlink_metadata(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Now::Nothing,
        Err(error) => return Err(failed(&path, &error)),
        Ok(meta) if meta.is_dir() => {
            let cause = format!("{} is a folder", path.display());
            return Err(Refusal::new(
                Code::InstallUnreadable,
                cause,
                "git config core.hooksPath",
            ));
        }
        Ok(_) => match fs::read(&path) {
            Ok(bytes) if bytes == script.as_bytes() => Now::Ours,
            Ok(bytes) if is_ours(&bytes) => Now::OursOtherwise,
            // A link to nothing is somebody's all the same.
            _ => Now::Foreign,
        },
    };
    let former = folder.join(format!("{hook}{FORMER}"));
    if now == Now::Foreign && former.symlink_metadata().is_ok() {
        let cause = format!(
            "{} is not ours, and a former hook lies at {} already",
            path.display(),
            former.display()
        );
        let next = format!("ls -l {}", folder.display());
        return Err(Refusal::new(Code::InstallUnreadable, cause, next));
    }
    Ok(Step {
        path,
        former,
        now,
        script,
    })
}

/// A script of ours is just what one of this product writes; with a line more it is edited.
fn is_ours(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let lines: Vec<&str> = text.lines().collect();
    lines.len() == 5 && lines[1] == MARK
}

impl Step {
    /// What is done, in words; `None` where nothing is.
    #[must_use]
    pub fn told(&self, action: Action) -> Option<String> {
        let (path, former) = (self.path.display(), self.former.display());
        let there = self.former.symlink_metadata().is_ok();
        match (action, self.now) {
            (Action::Install, Now::Ours) | (Action::Uninstall, Now::Nothing | Now::Foreign) => None,
            (Action::Install, Now::Nothing | Now::OursOtherwise) => Some(format!("write {path}")),
            (Action::Install, Now::Foreign) => Some(format!(
                "move {path} to {former}, write {path}, which runs it behind the check"
            )),
            (Action::Uninstall, _) if there => Some(format!("move {former} back to {path}")),
            (Action::Uninstall, _) => Some(format!("remove {path}")),
        }
    }

    /// The script that an install writes.
    #[must_use]
    pub fn script(&self) -> &str {
        &self.script
    }

    /// Does it.
    ///
    /// # Errors
    /// A file cannot be moved or written.
    pub fn apply(&self, action: Action) -> Result<(), Refusal> {
        let path = &self.path;
        let fail = |error: std::io::Error| failed(path, &error);
        match action {
            Action::Install if self.now == Now::Ours => Ok(()),
            Action::Install => {
                let folder = path.parent().unwrap_or(Path::new("/"));
                fs::create_dir_all(folder).map_err(fail)?;
                let mut new = tempfile::Builder::new()
                    .prefix(".watchfloor-")
                    .tempfile_in(folder)
                    .map_err(fail)?;
                std::io::Write::write_all(&mut new, self.script.as_bytes()).map_err(fail)?;
                let mode = fs::Permissions::from_mode(0o755);
                new.as_file().set_permissions(mode).map_err(fail)?;
                if self.now == Now::Foreign {
                    fs::rename(path, &self.former).map_err(fail)?;
                }
                new.persist(path).map_err(|error| fail(error.error))?;
                Ok(())
            }
            Action::Uninstall if matches!(self.now, Now::Nothing | Now::Foreign) => Ok(()),
            Action::Uninstall if self.former.symlink_metadata().is_ok() => {
                fs::rename(&self.former, path).map_err(fail)
            }
            Action::Uninstall => fs::remove_file(path).map_err(fail),
        }
    }
}

fn failed(path: &Path, error: &std::io::Error) -> Refusal {
    let cause = format!("{}: {error}", path.display());
    Refusal::new(
        Code::InstallReadonly,
        cause,
        format!("ls -l {}", path.display()),
    )
}
