//! Writes what was planned, and takes it back where something comes between.

use std::path::PathBuf;

use crate::contract::refusal::Refusal;

use super::Site;
use super::file;
use super::plan::{Change, Plan};

/// Writes what was planned: everything, or, when something comes between, nothing.
///
/// # Errors
/// A file was edited meanwhile, or cannot be written.
pub fn apply(plan: &Plan, site: &Site) -> Result<Vec<Written>, Refusal> {
    let changes: Vec<&Change> = plan
        .changes
        .iter()
        .filter(|change| change.changes())
        .collect();
    let mut done: Vec<(&Change, Vec<PathBuf>)> = Vec::new();
    let mut written = Vec::new();
    let gone = changes.iter().filter(|change| change.remember.is_none());
    let mut left: Vec<PathBuf> = gone
        .filter_map(|change| site.memory.of(change.path()))
        .flat_map(|kept| kept.folders)
        .collect();
    for change in changes {
        match write(change, site) {
            Ok((folders, told)) => {
                done.push((change, folders));
                written.push(told);
            }
            Err(refusal) => {
                for (change, folders) in done.iter().rev() {
                    restore(change, folders, site);
                }
                return Err(refusal);
            }
        }
    }
    left.sort_by_key(|folder| std::cmp::Reverse(folder.as_os_str().len()));
    for folder in left {
        // Only where nothing else has come into it.
        drop(std::fs::remove_dir(folder));
    }
    Ok(written)
}

/// One file that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The file.
    pub path: PathBuf,
    /// Where its former bytes lie, where they were kept now.
    pub backup: Option<PathBuf>,
}

fn write(change: &Change, site: &Site) -> Result<(Vec<PathBuf>, Written), Refusal> {
    let read = &change.read;
    let mut told = Written {
        path: read.path.clone(),
        backup: None,
    };
    let Some(remember) = &change.remember else {
        read.write(change.after(), change.private)?;
        if let Some(after) = change.after() {
            read.drop_backup(after);
        }
        site.memory.forget(&read.path);
        return Ok((Vec::new(), told));
    };
    if read.back_up()? {
        told.backup = Some(read.backup());
    }
    let mut remember = remember.clone();
    // Remembered before it is written: a memory that fits no file is no harm.
    site.memory.keep(&read.path, &remember)?;
    let folders = read.write(change.after(), change.private)?;
    if !folders.is_empty() {
        remember.folders.clone_from(&folders);
        site.memory.keep(&read.path, &remember)?;
    }
    Ok((folders, told))
}

/// Gives a file back what it held, as far as nobody else has written it.
fn restore(change: &Change, folders: &[PathBuf], site: &Site) {
    let Ok(now) = file::read(&change.read.path) else {
        return;
    };
    if now.bytes == change.after && now.write(change.before(), change.private).is_ok() {
        if let Some(before) = change.before() {
            now.drop_backup(before);
        }
        for folder in folders.iter().rev() {
            drop(std::fs::remove_dir(folder));
        }
        if change.remember.is_some() {
            site.memory.forget(&change.read.path);
        }
    }
}
