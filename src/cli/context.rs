//! The surroundings of a call: the place that reads the environment. Where other programs keep
//! what is theirs, `observe` reads there.

use std::env;
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;

use crate::contract::ids::{AgentId, MissionId, ProjectId, TaskId};
use crate::contract::refusal::{Code, Refusal};
use crate::ops::context::{Ancestor, Context, GuardGround};

use super::args::Global;
use super::config::InForce;
use super::{config, place, process};

/// Variables that agent programs set for what they run.
const AGENT_MARKS: [&str; 9] = [
    "CLAUDECODE",
    "CLAUDE_CODE_SESSION_ID",
    "CODEX_SANDBOX",
    "CODEX_THREAD_ID",
    "GEMINI_CLI",
    "PI_CODING_AGENT",
    "OPENCODE",
    "HERMES_SESSION_ID",
    "WATCHFLOOR_EXEC",
];

/// Makes the context of a verb.
///
/// # Errors
/// There is no home folder, or the configuration is invalid.
pub fn of(global: &Global) -> Result<Context, Refusal> {
    at(global, &folder()?)
}

/// Makes the context of `stop`, which holds with a configuration that does not, and, where the
/// scope needs no project or one is named, with a working directory that is gone.
///
/// # Errors
/// There is no home folder, or the project cannot be told.
pub fn of_stop(global: &Global, scope: &str) -> Result<Context, Refusal> {
    let told = scope == "fleet" || scope.starts_with("agent:");
    let cwd = match folder() {
        Err(_) if told || named(global.project.as_deref()).is_some() => PathBuf::from("/"),
        folder => folder?,
    };
    let config = config_folder(global)?;
    let force = config::in_force(&config).unwrap_or_default();
    made(global, &cwd, config, force)
}

fn folder() -> Result<PathBuf, Refusal> {
    env::current_dir().map_err(|error| {
        Refusal::new(
            Code::FileUnreadable,
            format!("the working directory cannot be read: {error}"),
            "cd /",
        )
    })
}

pub(super) fn config_folder(global: &Global) -> Result<PathBuf, Refusal> {
    Ok(match &global.config {
        Some(folder) => folder.clone(),
        None => home()?.config_dir().join("watchfloor"),
    })
}

/// Makes the context of a call that works in another folder.
///
/// # Errors
/// There is no home folder, or the configuration is invalid.
pub fn at(global: &Global, cwd: &Path) -> Result<Context, Refusal> {
    let config = config_folder(global)?;
    let force = config::in_force(&config)?;
    made(global, cwd, config, force)
}

fn made(global: &Global, cwd: &Path, config: PathBuf, force: InForce) -> Result<Context, Refusal> {
    let tree = place::of(cwd);
    let project = named(global.project.as_deref()).map_or(tree.project, str::to_owned);
    let home = home().map(|home| home.home_dir().to_path_buf());
    let guard = GuardGround {
        settings: force.guard(&project),
        home: home.unwrap_or_default(),
    };
    Ok(Context {
        store: store(global)?,
        project: ProjectId::new(project),
        root: tree.root,
        cwd: cwd.to_path_buf(),
        agent: named(global.agent.as_deref()).map(AgentId::new),
        mission: named(global.mission.as_deref()).map(MissionId::new),
        task: named(global.task.as_deref()).map(TaskId::new),
        key: global.key.clone(),
        limits: force.limits,
        guard,
        config,
        inside_agent: AGENT_MARKS.iter().any(|name| env::var_os(name).is_some()),
        host: process::host(),
        ancestors: Vec::new(),
        brief: false,
    })
}

/// Makes the context of a hook in the harness's working directory.
///
/// # Errors
/// There is no home folder, or the configuration is invalid.
pub fn of_hook(global: &Global, cwd: &str) -> Result<Context, Refusal> {
    let context = if cwd.is_empty() {
        of(global)?
    } else {
        at(global, Path::new(cwd))?
    };
    Ok(Context {
        brief: true,
        ..context
    })
}

/// The process of the session behind a hook: the one that its harness names, else the harness's
/// above this one.
#[must_use]
pub fn behind_hook(harness: &str, pid: Option<u32>) -> Option<Ancestor> {
    let named = pid.or_else(|| env::var("CLAUDE_PID").ok().and_then(|pid| pid.parse().ok()));
    let process = match named {
        Some(pid) => process::read(pid).map(|(process, _)| process),
        None => process::of_harness(harness),
    };
    process.map(|p| Ancestor {
        pid: p.pid,
        started: p.started,
    })
}

/// Adds the processes above this one: an agent's session behind the call is who calls.
#[must_use]
pub fn with_ancestors(mut context: Context) -> Context {
    let above = process::ancestors();
    context.ancestors = above
        .map(|p| Ancestor {
            pid: p.pid,
            started: p.started,
        })
        .collect();
    context
}

fn named(text: Option<&str>) -> Option<&str> {
    text.filter(|text| !text.trim().is_empty())
}

fn store(global: &Global) -> Result<PathBuf, Refusal> {
    match named(global.store.as_deref()) {
        Some(url) if url.starts_with("postgres://") || url.starts_with("postgresql://") => {
            let cause =
                "this version keeps its store in a file; a database server is not served yet";
            Err(Refusal::new(
                Code::ConfigInvalid,
                cause,
                "watchfloor --store PATH status",
            ))
        }
        Some(path) => Ok(PathBuf::from(path)),
        None => {
            let home = home()?;
            let state = home.state_dir().unwrap_or_else(|| home.data_dir());
            Ok(state.join("watchfloor").join("store.db"))
        }
    }
}

pub(super) fn home() -> Result<impl BaseStrategy, Refusal> {
    etcetera::choose_base_strategy().map_err(|error| {
        Refusal::new(
            Code::ConfigInvalid,
            format!("there is no home folder: {error}"),
            "export HOME=/path/to/home",
        )
    })
}

/// How many colours the terminal shows, by what the environment says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// None at all.
    Mono,
    /// Its own sixteen.
    Sixteen,
    /// 256.
    Indexed,
    /// 24 bits.
    True,
}

/// How the terminal wants to be drawn on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Look {
    /// Colours.
    pub depth: Depth,
    /// The locale has the glyphs.
    pub unicode: bool,
    /// The theme that was asked for by flag, environment or configuration, and by which of them.
    pub theme: Option<(String, String)>,
    /// The configuration's file and keys.
    pub config: super::config::Look,
}

/// Minutes that local time is ahead of UTC now.
#[must_use]
pub fn utc_offset_min() -> Option<i32> {
    let zone = jiff::tz::TimeZone::try_system().ok()?;
    Some(zone.to_offset(jiff::Timestamp::now()).seconds() / 60)
}

/// Reads `NO_COLOR`, `COLORTERM`, `TERM`, the locale, and what the configuration says.
///
/// # Errors
/// There is no home folder, or the configuration is invalid.
pub fn look(global: &Global) -> Result<Look, Refusal> {
    let config = super::config::look(&config_folder(global)?)?;
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .iter()
        .map(|name| env::var(name).unwrap_or_default())
        .find(|value| !value.is_empty());
    let locale = locale.unwrap_or_default().to_lowercase();
    let theme = match named(global.theme.as_deref()) {
        Some(name) => Some((name.to_owned(), "--theme or WATCHFLOOR_THEME".to_owned())),
        None => config.theme.clone().map(|name| (name, config.file.clone())),
    };
    Ok(Look {
        depth: depth(global.no_color, &|name| env::var(name).unwrap_or_default()),
        unicode: locale.is_empty() || locale.contains("utf-8") || locale.contains("utf8"),
        theme,
        config,
    })
}

/// The ladder of colours: none, sixteen, 256, 24 bits.
fn depth(no_color: bool, var: &dyn Fn(&str) -> String) -> Depth {
    let term = var("TERM");
    if no_color || !var("NO_COLOR").is_empty() || term == "dumb" {
        Depth::Mono
    } else if matches!(var("COLORTERM").as_str(), "truecolor" | "24bit")
        || term.ends_with("-direct")
    {
        Depth::True
    } else if term.contains("256color") {
        Depth::Indexed
    } else {
        Depth::Sixteen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ladder_of_colours_follows_the_environment() {
        let told = |set: &[(&str, &str)]| {
            let var = |name: &str| {
                let found = set.iter().find(|(own, _)| *own == name);
                found
                    .map(|(_, value)| (*value).to_owned())
                    .unwrap_or_default()
            };
            depth(false, &var)
        };
        assert_eq!(told(&[("TERM", "xterm")]), Depth::Sixteen);
        assert_eq!(told(&[("TERM", "xterm-256color")]), Depth::Indexed);
        assert_eq!(told(&[("TERM", "xterm-direct")]), Depth::True);
        let rich = [("TERM", "xterm"), ("COLORTERM", "truecolor")];
        assert_eq!(told(&rich), Depth::True);
        assert_eq!(told(&[("TERM", "dumb")]), Depth::Mono);
        let none = [("NO_COLOR", "1"), ("COLORTERM", "truecolor")];
        assert_eq!(told(&none), Depth::Mono);
        assert_eq!(depth(true, &|_| String::new()), Depth::Mono);
    }
}
