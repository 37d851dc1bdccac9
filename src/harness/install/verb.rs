//! The verbs `install`, `uninstall` and `install --status`: planned, shown, confirmed, written,
//! recorded.

use crate::contract::refusal::{Code, Refusal};
use crate::contract::rollout::{FileReport, INSTALLED, InstallAnswer, Installed};
use crate::ops::context::Context;
use crate::ops::{rollout, store};

use super::off::why;
use super::{Action, Agent, Change, Level, Plan, Site, Standing, diff, git, observe, state};

/// What is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Order<'a> {
    /// An agent's name, or `git`.
    pub harness: &'a str,
    /// For which projects.
    pub level: Level,
    /// What is to be done.
    pub action: Action,
    /// Whether the guard shall only record, for now.
    pub observe: bool,
    /// Why a user-level install goes without an acceptance.
    pub without_acceptance: Option<&'a str>,
}

/// Shows a diff, and answers whether it may be written.
pub type Confirm<'a> = &'a mut dyn FnMut(&str) -> Result<(), Refusal>;

impl Order<'_> {
    fn agent(&self) -> Result<Agent, Refusal> {
        Agent::parse(self.harness).ok_or_else(|| {
            let known: Vec<&str> = Agent::ALL.iter().map(|agent| agent.name()).collect();
            let cause = format!(
                "{} is nothing that hooks are installed for; known are {} and git",
                self.harness,
                known.join(", ")
            );
            let next = match self.action {
                Action::Install => "watchfloor install --help",
                Action::Uninstall => "watchfloor uninstall --help",
            };
            Refusal::new(Code::Usage, cause, next)
        })
    }

    fn verb(&self) -> &'static str {
        match self.action {
            Action::Install => "install",
            Action::Uninstall => "uninstall",
        }
    }

    /// A roll-out to every project asks for a proof, or for a reason that is recorded.
    fn may(&self, context: &Context) -> Result<(), Refusal> {
        if self.level == Level::Project || self.action == Action::Uninstall {
            return Ok(());
        }
        match self.without_acceptance.map(str::trim) {
            None => rollout::accepted(context),
            Some("") => Err(Refusal::new(
                Code::Usage,
                "--without-acceptance wants a reason",
                "watchfloor install --help",
            )),
            // It is recorded, so there must be a store.
            Some(_) if store::is_there(context) => Ok(()),
            Some(_) => Err(store::missing(context)),
        }
    }
}

/// Installs or uninstalls.
///
/// # Errors
/// What the plan refuses, nobody confirms it, or a file cannot be written.
pub fn run(
    context: &Context,
    site: &Site,
    order: &Order<'_>,
    confirm: Confirm<'_>,
) -> Result<InstallAnswer, Refusal> {
    if order.harness == "git" {
        return second_line(context, site, order, confirm);
    }
    let agent = order.agent()?;
    order.may(context)?;
    let mut plan = super::plan(agent, order.level, site, order.action)?;
    match order.action {
        Action::Install if order.observe => observe::set(context, order.level, site, &mut plan)?,
        Action::Install => {}
        Action::Uninstall => {
            observe::unset(context, (order.level, agent), site, &mut plan)?;
        }
    }
    let diff: String = changed(&plan).map(diff::of).collect();
    let mut files: Vec<FileReport> = plan.changes.iter().map(report).collect();
    if !diff.is_empty() {
        confirm(&diff)?;
        for written in super::apply(&plan, site)? {
            let path = written.path.display().to_string();
            if let Some(file) = files.iter_mut().find(|file| file.path == path) {
                file.backup = written.backup.map(|path| path.display().to_string());
            }
        }
    }
    let entry = state(agent, order.level, site).entry;
    let paths = changed(&plan).map(|change| change.path().display().to_string());
    let recorded = record(context, order, paths.collect(), entry)?;
    let mut switched_off = None;
    if order.action == Action::Install {
        switched_off = told_off(agent, site, &mut plan.notes);
        hints(context, agent, order.level, site, &mut plan);
    }
    Ok(InstallAnswer {
        harness: order.harness.to_owned(),
        level: order.level.as_str().to_owned(),
        action: order.verb().to_owned(),
        changed: !diff.is_empty(),
        files,
        diff,
        trusted: plan.trusted,
        switched_off,
        recorded,
        notes: plan.notes,
    })
}

fn changed(plan: &Plan) -> impl Iterator<Item = &Change> {
    plan.changes.iter().filter(|change| change.changes())
}

fn report(change: &Change) -> FileReport {
    let state = match (change.before(), change.after()) {
        (before, after) if before == after => "unchanged",
        (None, _) => "made",
        (_, None) => "removed",
        _ => "changed",
    };
    FileReport {
        path: change.path().display().to_string(),
        state: state.to_owned(),
        backup: None,
    }
}

/// Records what was changed. An install that changes nothing is none.
fn record(
    context: &Context,
    order: &Order<'_>,
    files: Vec<String>,
    entry: Option<String>,
) -> Result<bool, Refusal> {
    if files.is_empty() {
        return Ok(false);
    }
    let body = Installed {
        schema: INSTALLED.to_owned(),
        harness: order.harness.to_owned(),
        level: order.level.as_str().to_owned(),
        action: order.verb().to_owned(),
        files,
        entry,
        without_acceptance: order.without_acceptance.map(str::to_owned),
    };
    rollout::installed(context, &body)
}

/// The file in which the program's hooks are switched off, told plainly.
fn told_off(agent: Agent, site: &Site, notes: &mut Vec<String>) -> Option<String> {
    let path = super::off(agent, site)?;
    notes.push(format!(
        "SWITCHED OFF: {} runs none of these hooks and asks nothing, for {}; switch them on there",
        agent.name(),
        why(&path)
    ));
    Some(path.display().to_string())
}

/// What else a person should know who has just installed something.
fn hints(context: &Context, agent: Agent, level: Level, site: &Site, plan: &mut Plan) {
    if !store::is_there(context) {
        plan.notes.push(
            "there is no store yet: until watchfloor init, every call that changes something is refused".to_owned(),
        );
    }
    if site.program(agent).is_none() {
        let name = agent.name();
        plan.notes
            .push(format!("no program {name} is on the search path"));
    }
    let other = match level {
        Level::Project => Level::User,
        Level::User => Level::Project,
    };
    if state(agent, other, site).standing != Standing::Absent {
        plan.notes.push(format!(
            "hooks are installed on the {} level too: each call is asked about twice; take one out",
            other.as_str()
        ));
    }
    if agent == Agent::Pi && level == Level::Project {
        let note = "pi loads what lies in .pi only in a project that it trusts";
        plan.notes.push(note.to_owned());
    }
    if agent == Agent::Claude && level == Level::Project && site.mcp {
        let note = "Claude Code asks once before it starts the server of .mcp.json";
        plan.notes.push(note.to_owned());
    }
}

/// How things stand; nothing is changed.
///
/// # Errors
/// There is nothing of that name.
pub fn status(site: &Site, order: &Order<'_>) -> Result<InstallAnswer, Refusal> {
    let mut notes = Vec::new();
    let (mut trusted, mut switched_off) = (None, None);
    let files = if order.harness == "git" {
        let (folder, _) = git::folder(&site.root)?;
        let steps = git::look(&folder, &site.call)?.into_iter();
        let told = steps.map(|step| (step.path, git_word(step.now)));
        told.collect::<Vec<_>>()
    } else {
        let agent = order.agent()?;
        let state = state(agent, order.level, site);
        notes.extend(state.fault.clone());
        if agent == Agent::Codex && state.standing != Standing::Absent {
            trusted = super::codex_trusts(order.level, site);
        }
        notes.extend(state.notes);
        if state.standing != Standing::Absent || state.by_hand {
            switched_off = told_off(agent, site, &mut notes);
        }
        state.files
    };
    let report = |(path, state): (std::path::PathBuf, &str)| FileReport {
        path: path.display().to_string(),
        state: state.to_owned(),
        backup: None,
    };
    Ok(InstallAnswer {
        harness: order.harness.to_owned(),
        level: order.level.as_str().to_owned(),
        action: "status".to_owned(),
        changed: false,
        files: files.into_iter().map(report).collect(),
        diff: String::new(),
        trusted,
        switched_off,
        recorded: false,
        notes,
    })
}

fn git_word(now: git::Now) -> &'static str {
    match now {
        git::Now::Ours => "installed",
        git::Now::OursOtherwise => "otherwise",
        git::Now::Nothing | git::Now::Foreign => "absent",
    }
}

/// The hooks of git.
fn second_line(
    context: &Context,
    site: &Site,
    order: &Order<'_>,
    confirm: Confirm<'_>,
) -> Result<InstallAnswer, Refusal> {
    let (folder, own) = git::folder(&site.root)?;
    if !own && order.level == Level::Project {
        let cause = format!(
            "core.hooksPath leads to {}, whose hooks run in other repositories too",
            folder.display()
        );
        let next = format!("watchfloor {} git --user", order.verb());
        return Err(Refusal::new(Code::Usage, cause, next));
    }
    if own && order.level == Level::User {
        let cause = "git has hooks for every repository only where core.hooksPath is set";
        let next = format!("watchfloor {} git", order.verb());
        return Err(Refusal::new(Code::Usage, cause, next));
    }
    order.may(context)?;
    let steps = git::look(&folder, &site.call)?;
    let told = |step: &git::Step| step.told(order.action);
    let mut diff = String::new();
    for step in &steps {
        if let Some(told) = told(step) {
            diff.push_str(&told);
            diff.push('\n');
            if order.action == Action::Install {
                diff.extend(step.script().lines().map(|line| format!("+{line}\n")));
            }
        }
    }
    let report = |step: &git::Step| FileReport {
        path: step.path.display().to_string(),
        state: match (told(step), order.action) {
            (None, _) => "unchanged",
            (_, Action::Install) if step.now == git::Now::Nothing => "made",
            (_, Action::Install) => "changed",
            (_, Action::Uninstall) => "removed",
        }
        .to_owned(),
        backup: None,
    };
    let files: Vec<FileReport> = steps.iter().map(report).collect();
    let mut paths = Vec::new();
    if !diff.is_empty() {
        confirm(&diff)?;
        for step in steps.iter().filter(|step| told(step).is_some()) {
            step.apply(order.action)?;
            paths.push(step.path.display().to_string());
        }
    }
    let recorded = record(context, order, paths, None)?;
    Ok(InstallAnswer {
        harness: "git".to_owned(),
        level: order.level.as_str().to_owned(),
        action: order.verb().to_owned(),
        changed: !diff.is_empty(),
        files,
        diff,
        trusted: None,
        switched_off: None,
        recorded,
        notes: Vec::new(),
    })
}
