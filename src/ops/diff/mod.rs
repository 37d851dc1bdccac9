//! The diff of an agent's working tree (spec 5.1). An agent can write whatever it likes into the
//! configuration of its repository; nothing of that is run, and none of it is read where it
//! matters: see [`repository`].

mod parse;
mod place;
mod repository;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::contract::going::{DiffKind, DiffLine, TreeDiff};
use crate::contract::refusal::{Code, Refusal};

use super::program::{Bounds, Broken, Ran, run};
use repository::Repository;

pub use place::{Place, place};
pub(crate) use place::{elsewhere, of};

/// How long git may take for one answer, and how much of it is read.
const BOUNDS: Bounds = Bounds {
    time: Duration::from_secs(20),
    bytes: 4 << 20,
};
/// Lines that are kept at most.
const LINES: usize = 50_000;
/// Untracked files that are named at most.
const NAMED: usize = 1_000;
/// Files that are left out of the comparison at most: each is a word of git's command line.
const ODD: usize = 256;

/// Reads what is changed there, staged and not. It takes as long as git does, at most a minute,
/// and ends early when `stop` is set.
///
/// # Errors
/// There is no repository, or git is missing, fails, or takes too long.
pub fn read(place: &Place, stop: &AtomicBool) -> Result<TreeDiff, Refusal> {
    let repository = Repository::of(&place.root, stop)?;
    let staged = repository.names(&["diff", "--cached", "--name-only", "-z"], true, stop)?;
    let unstaged = repository.names(&["diff", "--name-only", "-z"], false, stop)?;
    let untracked = repository.names(
        &["ls-files", "--others", "--exclude-standard", "-z"],
        false,
        stop,
    )?;
    let mut odd: Vec<&String> = unstaged
        .iter()
        .filter(|name| !is_comparable(&place.root.join(name)))
        .collect();
    odd.dedup();
    odd.truncate(ODD);
    let ran = repository.diff(&odd, stop)?;
    let mut diff = parse::parse(&ran.text(), LINES);
    for line in diff
        .lines
        .iter_mut()
        .filter(|line| line.kind == DiffKind::File)
    {
        let (in_index, since) = (staged.contains(&line.text), unstaged.contains(&line.text));
        let how = match (in_index, since) {
            (true, true) => ", staged, and changed since",
            (true, false) => ", staged",
            (false, _) => "",
        };
        line.text.push_str(how);
    }
    diff.root = place.root.display().to_string();
    place.known_by.clone_into(&mut diff.known_by);
    if ran.cut && diff.cut.is_none() {
        diff.cut = Some(format!(
            "only the first {} MiB are shown",
            BOUNDS.bytes >> 20
        ));
    }
    name_odd(&mut diff, &odd);
    name_untracked(&mut diff, &untracked);
    Ok(diff)
}

/// Whether git can read a file's content, or sees that there is none: of a pipe, a socket, a device
/// and a file that it may not read it shows nothing, and nothing of all others either.
fn is_comparable(path: &Path) -> bool {
    let Ok(meta) = fs::symlink_metadata(path) else {
        return true;
    };
    let kind = meta.file_type();
    let readable = || rustix::fs::access(path, rustix::fs::Access::READ_OK).is_ok();
    kind.is_dir() || kind.is_symlink() || (kind.is_file() && readable())
}

fn name_odd(diff: &mut TreeDiff, names: &[&String]) {
    if names.is_empty() {
        return;
    }
    diff.files += names.len();
    let mut tell = |kind: DiffKind, text: String| diff.lines.push(DiffLine { kind, text });
    tell(DiffKind::File, format!("not compared: {}", names.len()));
    for name in names {
        let why = "no file that can be read: a pipe, a socket, a device, or not allowed";
        tell(DiffKind::Note, format!("! {}: {why}", clean(name)));
    }
}

/// A file's name without secrets.
fn clean(name: &str) -> String {
    let name = crate::contract::secret::redact(name).0;
    parse::without_values(&name).unwrap_or(name)
}

/// What `git status` lists with these words, each ended by a zero byte, without running anything
/// that the repository's configuration names.
///
/// # Errors
/// There is no repository, or git is missing, fails, or takes too long.
pub(crate) fn status(root: &Path, words: &[&str]) -> Result<Vec<String>, Refusal> {
    let never = AtomicBool::new(false);
    let words: Vec<&str> = ["status", "-z"].iter().chain(words).copied().collect();
    Repository::of(root, &never)?.names(&words, false, &never)
}

fn name_untracked(diff: &mut TreeDiff, names: &[String]) {
    diff.untracked = names.len();
    if names.is_empty() {
        return;
    }
    let mut tell = |kind: DiffKind, text: String| diff.lines.push(DiffLine { kind, text });
    tell(DiffKind::File, format!("untracked files: {}", names.len()));
    for name in names.iter().take(NAMED) {
        tell(DiffKind::Note, format!("? {}", clean(name)));
    }
    if names.len() > NAMED {
        tell(DiffKind::Note, format!("and {} more", names.len() - NAMED));
    }
}

fn git(command: &mut Command, what: &str, stop: &AtomicBool) -> Result<Ran, Refusal> {
    let ran = run(command, BOUNDS, stop).map_err(|why| {
        let cause = match why {
            Broken::Missing => "git cannot be run".to_owned(),
            Broken::Late => format!("git took longer than {} s to {what}", BOUNDS.time.as_secs()),
            Broken::Stopped => "the diff was cancelled".to_owned(),
        };
        failed(cause)
    })?;
    if !ran.success {
        return Err(failed(format!("git cannot {what}")));
    }
    Ok(ran)
}

fn failed(cause: String) -> Refusal {
    // Not `git status`: it would run what the repository names.
    let next = "git rev-parse --show-toplevel";
    Refusal::new(Code::FileUnreadable, cause, next)
}

#[cfg(test)]
mod tests;
