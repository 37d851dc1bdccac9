//! Which working tree is an agent's.

use std::path::{Path, PathBuf};

use crate::contract::refusal::{Code, Refusal};
use crate::journal::Journal;
use crate::ops::context::Context;
use crate::ops::domain::{self, Agent};
use crate::ops::process;
use crate::ops::store::{load, not_found};

/// A working tree, and how it is known to be the agent's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Its root.
    pub root: PathBuf,
    /// How it is known.
    pub known_by: &'static str,
}

/// The working tree that an agent works in: where its hooks work, else where its process does, else
/// the project's main one.
///
/// # Errors
/// There is no such agent, it runs elsewhere, its working tree is gone, no repository is known of it,
/// or the store fails.
pub fn place(context: &Context, id: &str, journal: &mut impl Journal) -> Result<Place, Refusal> {
    let agent: Option<Agent> = journal.read(|read| load(read, domain::AGENT, id))?;
    let agent = agent.ok_or_else(|| not_found("agent", id, "watchfloor status"))?;
    of(&agent, &context.host)
        .map_err(|cause| Refusal::new(Code::NotFound, cause, "git worktree list"))
}

/// The same of an agent that was read; why there is none, in words.
pub(crate) fn of(agent: &Agent, here: &str) -> Result<Place, String> {
    if let Some(host) = elsewhere(agent, here) {
        return Err(format!("it runs on {host}: its files are not here"));
    }
    let row = &agent.row;
    // Another tree's changes, the main one's above all, would be told as the agent's own.
    if let Some(root) = agent
        .worktree
        .as_deref()
        .filter(|at| !Path::new(at).is_dir())
    {
        return Err(format!("its working tree {root} is gone"));
    }
    let process = || {
        let pid = process::alive(agent)?;
        std::fs::read_link(format!("/proc/{pid}/cwd")).ok()
    };
    let hooks = agent.worktree.as_ref().map(PathBuf::from);
    let main = Path::new(&row.project);
    let main = main.strip_prefix("/").is_ok().then(|| {
        let folder = if main.ends_with(".git") {
            main.parent()
        } else {
            Some(main)
        };
        folder.unwrap_or(main).to_path_buf()
    });
    let found = hooks
        .and_then(|folder| root_of(&folder))
        .map(|root| (root, "where its hooks work"))
        .or_else(|| Some((root_of(&process()?)?, "where its process works")))
        .or_else(|| {
            Some((
                root_of(&main?)?,
                "the project's main one; where the agent itself works nobody told",
            ))
        });
    let (root, known_by) =
        found.ok_or_else(|| format!("no repository is known that {} works in", row.agent))?;
    Ok(Place { root, known_by })
}

/// Another host that an agent runs on.
pub(crate) fn elsewhere<'a>(agent: &'a Agent, here: &str) -> Option<&'a str> {
    let host = agent.process.as_ref()?.host.as_str();
    (!host.is_empty() && !here.is_empty() && host != here).then_some(host)
}

/// The root of the repository around a folder that is there.
fn root_of(folder: &Path) -> Option<PathBuf> {
    if !folder.is_dir() {
        return None;
    }
    let root = folder.ancestors().find(|at| at.join(".git").exists());
    root.map(Path::to_path_buf)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_working_tree_that_is_gone_is_told_and_no_other_one_is_taken_for_it() {
        let folder = tempfile::tempdir().unwrap();
        let main = folder.path();
        fs::create_dir(main.join(".git")).unwrap();
        for side in [main.join(".trees/side"), main.with_extension("side")] {
            let mut agent = Agent::default();
            agent.row.agent = "claude:s-1".to_owned();
            agent.row.project = main.join(".git").display().to_string();
            agent.worktree = Some(side.display().to_string());
            let gone = format!("its working tree {} is gone", side.display());
            assert_eq!(of(&agent, "here"), Err(gone));
            fs::create_dir_all(side.join(".git")).unwrap();
            assert_eq!(of(&agent, "here").unwrap().root, side);
            fs::remove_dir_all(&side).unwrap();
            // Where no hook told of one, the main one is shown, and told to be that.
            agent.worktree = None;
            let found = of(&agent, "here").unwrap();
            assert_eq!(found.root, main);
            assert!(found.known_by.contains("main one"), "{found:?}");
        }
    }
}
