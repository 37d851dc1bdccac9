//! What an install or an uninstall makes of each file; nothing is written here.

use std::path::Path;

use crate::contract::digest::Digest;
use crate::contract::refusal::{Code, Refusal};

use super::edit::{Edit, Standing};
use super::file::{self, Read};
use super::memory::Remembered;
use super::tree::Fault;
use super::{Action, Agent, Level, Site, Target, agents, splice};

/// What becomes of one file.
#[derive(Clone, Debug)]
pub struct Change {
    pub(super) read: Read,
    pub(super) after: Option<Vec<u8>>,
    pub(super) private: bool,
    pub(super) remember: Option<Remembered>,
}

impl Change {
    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.read.path
    }

    /// Its bytes now.
    #[must_use]
    pub fn before(&self) -> Option<&[u8]> {
        self.read.bytes.as_deref()
    }

    /// Its bytes then.
    #[must_use]
    pub fn after(&self) -> Option<&[u8]> {
        self.after.as_deref()
    }

    /// Whether anything changes.
    #[must_use]
    pub fn changes(&self) -> bool {
        self.read.bytes != self.after
    }
}

/// Everything that is to become of the files of one agent.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// File by file.
    pub changes: Vec<Change>,
    /// What a person should know.
    pub notes: Vec<String>,
    /// Whether the hooks are trusted then; `None` where the agent's program asks for no trust.
    pub trusted: Option<bool>,
}

/// The refusal of a file that cannot be edited.
pub(super) fn fault(path: &Path, fault: &Fault) -> Refusal {
    let place = match fault.line {
        0 => path.display().to_string(),
        line => format!("{}:{line}", path.display()),
    };
    Refusal::new(
        Code::InstallUnreadable,
        format!("{place}: {}; it was left as it is", fault.cause),
        format!("edit {}", path.display()),
    )
}

/// Plans an install or an uninstall. Nothing is written.
///
/// # Errors
/// A file cannot be read for what it should be, or may not be written.
pub fn plan(agent: Agent, level: Level, site: &Site, action: Action) -> Result<Plan, Refusal> {
    let for_the_user = || {
        let verb = match action {
            Action::Install => "install",
            Action::Uninstall => "uninstall",
        };
        format!("watchfloor {verb} {} --user", agent.name())
    };
    if level == Level::Project && !agent.has_projects() {
        let cause = format!("{} reads no configuration of a project's own", agent.name());
        return Err(Refusal::new(Code::Usage, cause, for_the_user()));
    }
    if level == Level::Project && site.root == site.home {
        let cause = "this is the home folder: what is written here is read in every project";
        return Err(Refusal::new(Code::Usage, cause, for_the_user()));
    }
    let mut plan = Plan::default();
    for target in agent.targets(site, level) {
        one(&target, site, action, &mut plan)?;
    }
    if agent == Agent::Codex {
        agents::codex::trust(level, site, action, &mut plan)?;
    }
    Ok(plan)
}

/// What is told of an MCP server that somebody entered by hand.
pub(super) fn server_by_hand(path: &Path, line: usize) -> String {
    format!(
        "{}:{line} names the MCP server watchfloor by hand; it stays as it is, and no second one is made",
        path.display()
    )
}

/// Plans one file.
pub(super) fn one(
    target: &Target,
    site: &Site,
    action: Action,
    plan: &mut Plan,
) -> Result<(), Refusal> {
    let path = &target.path;
    let read = file::read(path)?;
    let (text, mark) = read.text()?;
    let there = read.bytes.is_some();
    let seen = target
        .edit
        .look(text)
        .map_err(|found| fault(path, &found))?;
    for (under, line) in seen.by_hand.iter().filter(|_| there) {
        plan.notes.push(format!(
            "{}:{line} calls watchfloor{}{under} by hand; it stays as it is, and no second entry is made",
            path.display(),
            if under.is_empty() { "" } else { " on " },
        ));
    }
    plan.notes
        .extend(seen.server_by_hand.map(|line| server_by_hand(path, line)));
    let kept = site.memory.of(path);
    let kept = kept.filter(|kept| {
        read.digest()
            .is_some_and(|now| now.to_string() == kept.after)
    });
    let mut change = Change {
        after: read.bytes.clone(),
        private: target.private,
        remember: None,
        read: read.clone(),
    };
    let whole_by_hand =
        matches!(target.edit, Edit::Whole { .. }) && there && !seen.by_hand.is_empty();
    if seen.foreign && there && action == Action::Install {
        let cause =
            "a file of this name is there, and it calls no hook of watchfloor; move it away";
        return Err(fault(path, &Fault::new(1, cause)));
    }
    let idle = match action {
        Action::Install => seen.standing == Standing::Current && there,
        Action::Uninstall => seen.standing == Standing::Absent,
    };
    if idle || whole_by_hand {
        plan.changes.push(change);
        return Ok(());
    }
    let base = if there {
        former(target, text, kept.as_ref(), seen.standing, action)
            .map_err(|found| fault(path, &found))?
    } else {
        None
    };
    let marked = |text: &str| {
        let bom = if mark { "\u{feff}" } else { "" };
        format!("{bom}{text}").into_bytes()
    };
    match action {
        Action::Uninstall => change.after = base.as_deref().map(marked),
        Action::Install => {
            let from = base.as_deref().unwrap_or_default();
            let (after, undo) = target.edit.put(from).map_err(|found| fault(path, &found))?;
            let after = marked(&after);
            let folders = kept.map(|kept| kept.folders).unwrap_or_default();
            change.remember = Some(Remembered {
                path: path.display().to_string(),
                absent: base.is_none(),
                after: Digest::of(&after).to_string(),
                undo,
                folders,
            });
            change.after = Some(after);
        }
    }
    if change.changes() {
        read.writable()?;
    }
    plan.changes.push(change);
    Ok(())
}

/// The file without anything of ours: by memory to the byte, else as far as it can be told. `None`
/// where there was no file.
fn former(
    target: &Target,
    text: &str,
    kept: Option<&Remembered>,
    standing: Standing,
    action: Action,
) -> Result<Option<String>, Fault> {
    if let Some(kept) = kept
        && let Some(before) = splice::take_back(text, &kept.undo)
    {
        return Ok((!kept.absent).then_some(before));
    }
    let whole = matches!(target.edit, Edit::Whole { .. });
    if standing == Standing::Absent {
        // An empty file of the user's own is given back too.
        return Ok(Some(text.to_owned()));
    }
    if whole && (action == Action::Install || standing == Standing::Current) {
        return Ok(None);
    }
    let left = target.edit.strip(text)?;
    // What holds nothing now may have been there, empty: only memory knows, and it is gone.
    Ok((!whole).then_some(left))
}
