//! `doctor`: what of each agent's program is there, installed, trusted, and proven to hold.

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::Duration;

use crate::contract::refusal::Refusal;
use crate::contract::rollout::{DoctorAnswer, HarnessReport, Lamp, LevelReport};
use crate::ops::context::Context;
use crate::ops::hook_cost;
use crate::ops::rollout::{Asked, Known};

use super::{Agent, Level, Site, Standing, State, codex_trusts, program, state};

/// How long a program may take to say its version.
pub const VERSION_LIMIT: Duration = Duration::from_secs(20);

impl State {
    /// In a word.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self.standing {
            _ if self.fault.is_some() => "unreadable",
            _ if self.foreign => "foreign",
            Standing::Current => "installed",
            Standing::Stale => "otherwise",
            Standing::Absent if self.by_hand => "by hand",
            Standing::Absent => "absent",
        }
    }
}

/// Looks at every agent's program, all at once: some take seconds to say their version.
///
/// # Errors
/// The store fails.
pub fn report(context: &Context, site: &Site) -> Result<DoctorAnswer, Refusal> {
    let known = Known::read(context)?;
    let harnesses = std::thread::scope(|scope| {
        let asked: Vec<_> = Agent::ALL
            .iter()
            .map(|agent| {
                let known = &known;
                scope.spawn(move || one(*agent, site, known))
            })
            .collect();
        asked
            .into_iter()
            .filter_map(|told| told.join().ok())
            .collect()
    });
    // A histogram that cannot be read hides nothing of what is proved.
    let hooks = hook_cost::read(context).unwrap_or_default();
    Ok(DoctorAnswer {
        harnesses,
        hooks,
        canary: None,
    })
}

fn one(agent: Agent, site: &Site, known: &Known) -> HarnessReport {
    let path = site.program(agent);
    let version = path
        .as_deref()
        .and_then(|path| program::version(path, VERSION_LIMIT));
    let mut levels = Vec::new();
    let (mut installed, mut entry, mut untrusted) = (false, None, false);
    for level in [Level::User, Level::Project] {
        if level == Level::Project && !agent.has_projects() {
            continue;
        }
        let state = state(agent, level, site);
        let there = state.standing != Standing::Absent || state.by_hand;
        let trusted = if agent == Agent::Codex && there {
            codex_trusts(level, site)
        } else {
            None
        };
        untrusted |= trusted == Some(false);
        installed |= there && trusted != Some(false) && !state.foreign;
        entry = entry.or(state.entry.clone());
        levels.push(LevelReport {
            level: level.as_str().to_owned(),
            state: state.word().to_owned(),
            files: state
                .files
                .iter()
                .map(|(file, _)| file.display().to_string())
                .collect(),
            fault: state.fault,
            trusted,
        });
    }
    let asked = Asked {
        harness: agent.name(),
        version: version.as_deref(),
        entry: entry.as_deref(),
        program_us: path.as_deref().and_then(written_us),
    };
    let (mut lamp, mut why) = known.lamp(&asked);
    if untrusted && lamp == Lamp::Proven {
        lamp = Lamp::Unproven;
        "Codex does not trust the hooks, and skips them without a word".clone_into(&mut why);
    }
    let off = super::off(agent, site);
    let counts = installed && lamp != Lamp::Leaking;
    if let Some(path) = off.as_deref().filter(|_| counts) {
        lamp = Lamp::Unproven;
        why = super::off::why(path);
    }
    let next_command = match &off {
        Some(path) if installed && lamp == Lamp::Unproven => {
            Some(format!("edit {}", path.display()))
        }
        _ => next(agent, path.is_some(), installed, untrusted, lamp),
    };
    let installed = installed && off.is_none();
    HarnessReport {
        harness: agent.name().to_owned(),
        found: path.is_some(),
        program: path.as_deref().map(|path| path.display().to_string()),
        version,
        installed,
        levels,
        next_command,
        lamp,
        why,
    }
}

fn next(agent: Agent, found: bool, installed: bool, untrusted: bool, lamp: Lamp) -> Option<String> {
    let name = agent.name();
    match (found, installed, lamp) {
        (_, _, Lamp::Leaking) => Some("watchfloor install git".to_owned()),
        (true, _, _) if untrusted => Some(format!("watchfloor install {name}")),
        (true, false, _) => Some(format!("watchfloor install {name}")),
        (true, true, Lamp::Unproven) => Some(format!("watchfloor doctor --prove {name}")),
        _ => None,
    }
}

/// When a program was written last, behind every link, in UTC microseconds.
fn written_us(path: &Path) -> Option<i64> {
    let meta = std::fs::metadata(path.canonicalize().ok()?).ok()?;
    meta.mtime().max(meta.ctime()).checked_mul(1_000_000)
}
