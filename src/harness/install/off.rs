//! Hooks that are switched off in the settings of the agent's program: they are there, and none of
//! them runs.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::words::{self, SERVER};
use super::{Agent, Site, file, json, toml};

/// The file of the program's own settings in which its hooks, or those of ours, are switched off.
#[must_use]
pub fn off(agent: Agent, site: &Site) -> Option<PathBuf> {
    let files: Vec<PathBuf> = match agent {
        Agent::Claude => {
            let user = site.claude.clone();
            let user = user.unwrap_or_else(|| site.home.join(".claude"));
            let own = site.root.join(".claude");
            vec![
                user.join("settings.json"),
                own.join("settings.json"),
                own.join("settings.local.json"),
            ]
        }
        Agent::Codex => vec![
            site.codex().join("config.toml"),
            site.root.join(".codex/config.toml"),
        ],
        Agent::Gemini => vec![
            site.home.join(".gemini/settings.json"),
            site.root.join(".gemini/settings.json"),
        ],
        Agent::Pi | Agent::Opencode | Agent::Hermes => Vec::new(),
    };
    files.into_iter().find(|path| {
        held(agent, path).is_some_and(|held| match agent {
            Agent::Claude => held["disableAllHooks"] == true,
            Agent::Codex => codex(&held),
            _ => gemini(&held),
        })
    })
}

/// What is told of it.
#[must_use]
pub fn why(path: &Path) -> String {
    format!("its hooks are switched off in {}", path.display())
}

fn held(agent: Agent, path: &Path) -> Option<Value> {
    let read = file::read(path).ok()?;
    let (text, _) = read.text().ok()?;
    if agent == Agent::Codex {
        return serde_json::to_value(toml::value(text).ok()?).ok();
    }
    Some(json::parse(text).ok()??.value())
}

fn codex(held: &Value) -> bool {
    let features = &held["features"];
    features["hooks"] == false || features["codex_hooks"] == false
}

/// It has moved the words from release to release; any of them counts.
fn gemini(held: &Value) -> bool {
    let ours = |item: &Value| {
        item.as_str().is_some_and(|item| {
            item == SERVER || words::written_by(&words::split(item), "gemini").is_some()
        })
    };
    let off = |part: &Value| {
        let named = part["disabled"].as_array();
        part["enabled"] == false
            || part["disabled"] == true
            || named.is_some_and(|named| named.iter().any(ours))
    };
    off(&held["hooks"]) || off(&held["hooksConfig"]) || held["tools"]["enableHooks"] == false
}
