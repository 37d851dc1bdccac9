//! How an agent's files stand on one level.

use std::path::PathBuf;

use crate::contract::digest::Digest;

use super::plan::{fault, server_by_hand};
use super::{Agent, Level, Seen, Site, Standing, agents, file};

/// How one level of an agent stands.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// Of all its files together.
    pub standing: Standing,
    /// Whether hooks were written by hand.
    pub by_hand: bool,
    /// Whether a file of another's stands where one of ours belongs.
    pub foreign: bool,
    /// The files, and how each stands, in a word.
    pub files: Vec<(PathBuf, &'static str)>,
    /// What a person should know of them.
    pub notes: Vec<String>,
    /// Why a file could not be read.
    pub fault: Option<String>,
    /// Digest of the entries that are there; of none where there are none.
    pub entry: Option<String>,
}

/// Looks at what is installed. The MCP server may have been left out.
#[must_use]
pub fn state(agent: Agent, level: Level, site: &Site) -> State {
    let whole = look(agent, level, site);
    if whole.standing != Standing::Stale || !site.mcp {
        return whole;
    }
    let alone = Site {
        mcp: false,
        ..site.clone()
    };
    let hooks = look(agent, level, &alone);
    if hooks.standing == Standing::Current {
        hooks
    } else {
        whole
    }
}

fn look(agent: Agent, level: Level, site: &Site) -> State {
    let mut state = State::default();
    if level == Level::Project && (!agent.has_projects() || site.root == site.home) {
        return state;
    }
    let mut standings = Vec::new();
    let mut entries = Vec::new();
    for (number, target) in agent.targets(site, level).into_iter().enumerate() {
        let mut word = "absent";
        let looked = file::read(&target.path).and_then(|read| {
            let (text, _) = read.text()?;
            let seen = target
                .edit
                .look(text)
                .map_err(|found| fault(&target.path, &found))?;
            Ok((seen, read.bytes.is_some()))
        });
        match looked {
            Ok((_, false)) => standings.push(Standing::Absent),
            Ok((seen, true)) => {
                state.by_hand |= !seen.by_hand.is_empty();
                state.foreign |= seen.foreign;
                word = told(&seen);
                if let Some(line) = seen.server_by_hand {
                    state.notes.push(server_by_hand(&target.path, line));
                    if seen.entries.is_empty() && number > 0 {
                        // It says nothing of what is installed.
                        state.files.push((target.path, word));
                        continue;
                    }
                }
                // The first file holds the hooks; what a canary proves are they.
                match seen.standing {
                    Standing::Current if number == 0 => entries = plain_hooks(agent, level, site),
                    Standing::Stale if number == 0 => entries = seen.entries,
                    _ => {}
                }
                standings.push(seen.standing);
            }
            Err(refusal) => {
                word = "unreadable";
                state.fault = state.fault.or(Some(refusal.cause));
            }
        }
        state.files.push((target.path, word));
    }
    trusting(agent, level, site, &mut state);
    let first = standings.first().copied().unwrap_or_default();
    state.standing = if standings.iter().all(|standing| *standing == first) {
        first
    } else if standings
        .iter()
        .any(|standing| *standing != Standing::Absent)
    {
        Standing::Stale
    } else {
        Standing::Absent
    };
    if !entries.is_empty() {
        let text = serde_json::Value::from(entries).to_string();
        state.entry = Some(Digest::of(text.as_bytes()).to_string());
    }
    state
}

/// How one file stands, in a word.
fn told(seen: &Seen) -> &'static str {
    let hand = !seen.by_hand.is_empty() || seen.server_by_hand.is_some();
    match seen.standing {
        _ if seen.foreign => "foreign",
        _ if hand && seen.entries.is_empty() => "by hand",
        Standing::Current => "installed",
        Standing::Stale => "otherwise",
        Standing::Absent => "absent",
    }
}

/// The user's own configuration of Codex holds what is trusted, and is looked at only for a server
/// that is there by hand.
fn trusting(agent: Agent, level: Level, site: &Site, state: &mut State) {
    if agent != Agent::Codex || level == Level::Project {
        return;
    }
    let Some(target) = agents::codex::server_target(site) else {
        return;
    };
    let read = file::read(&target.path).ok();
    let text = read.as_ref().and_then(|read| Some(read.text().ok()?.0));
    let seen = text.and_then(|text| target.edit.look(text).ok());
    if let Some(line) = seen.and_then(|seen| seen.server_by_hand) {
        state.notes.push(server_by_hand(&target.path, line));
        state.files.push((target.path, "by hand"));
    }
}

/// The hooks as they are without flags of their own: those name a store, and prove nothing.
fn plain_hooks(agent: Agent, level: Level, site: &Site) -> Vec<serde_json::Value> {
    let mut plain = site.clone();
    plain.call.flags.clear();
    let targets = agent.targets(&plain, level).into_iter();
    targets
        .take(1)
        .flat_map(|target| target.edit.hooks())
        .collect()
}
