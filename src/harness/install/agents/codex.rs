//! Codex: hooks in a file of their own, the server in its configuration, and the hashes there that
//! make it run the hooks.

use serde_json::json;

use crate::contract::refusal::Refusal;
use crate::harness::Dialect as _;
use crate::harness::codex::Codex;
use crate::harness::install::edit::Edit;
use crate::harness::install::held;
use crate::harness::install::plan::{Plan, fault, one};
use crate::harness::install::toml::{self, Table};
use crate::harness::install::words::SERVER;
use crate::harness::install::{Action, Agent, Level, Site, Target, file, trust as hashes};

use super::{GROUPED, SECONDS, entries, grouped, target};

/// Codex gives the end of a session no more, and warns of an entry that asks for more.
const SECONDS_AT_THE_END: u64 = 3;

/// Its files on one level.
pub(super) fn targets(site: &Site, user: bool) -> Vec<Target> {
    let hook = |event: &str| {
        json!({
            "type": "command",
            "command": site.call.hook_line("codex", event),
            "timeout": if event == "SessionEnd" { SECONDS_AT_THE_END } else { SECONDS },
        })
    };
    let wanted = grouped(Codex.events(), hook, &[]);
    let folder = if user {
        site.codex()
    } else {
        site.root.join(".codex")
    };
    let hooks = target(
        folder.join("hooks.json"),
        Edit::Json(entries("codex", wanted, GROUPED)),
    );
    let mut targets = vec![hooks];
    // The user's own holds what is trusted too, and is edited with that.
    if let Some(table) = server(site).filter(|_| !user) {
        let ours = vec![table.path.clone()];
        let wanted = vec![table];
        let edit = Edit::Toml { wanted, ours };
        targets.push(target(folder.join("config.toml"), edit));
    }
    targets
}

/// The server's table in Codex's configuration, where it is wanted.
fn server(site: &Site) -> Option<Table> {
    let call = &site.call;
    site.mcp.then(|| Table {
        path: vec!["mcp_servers".to_owned(), SERVER.to_owned()],
        keys: vec![
            ("command".to_owned(), toml::text(&call.program)),
            ("args".to_owned(), toml::texts(&call.server())),
        ],
    })
}

/// The user's own configuration, as far as the server in it goes.
pub(in crate::harness::install) fn server_target(site: &Site) -> Option<Target> {
    let table = server(site)?;
    let ours = vec![table.path.clone()];
    let wanted = vec![table];
    let edit = Edit::Toml { wanted, ours };
    Some(target(site.codex().join("config.toml"), edit))
}

/// What makes Codex run the hooks that the plan leaves in its file: their hashes in the user's
/// configuration, which holds the MCP server of a user-level install too.
///
/// # Errors
/// A file cannot be read for what it should be, or may not be written.
pub(in crate::harness::install) fn trust(
    level: Level,
    site: &Site,
    action: Action,
    plan: &mut Plan,
) -> Result<(), Refusal> {
    let Some(hooks) = plan.changes.first() else {
        return Ok(());
    };
    let path = hooks.path().to_path_buf();
    let after_text = text_of(hooks.after());
    let places = |text: &str| hashes::positions(text).map_err(|found| fault(&path, &found));
    let before = places(&text_of(hooks.before()))?;
    let after = places(&after_text)?;
    let mut wanted: Vec<Table> = Vec::new();
    let mut ours: Vec<Vec<String>> = before.iter().map(|at| hashes::name(at, &path)).collect();
    if let Some(server) = server(site).filter(|_| level == Level::User) {
        ours.insert(0, server.path.clone());
        wanted.push(server);
    }
    if action == Action::Install {
        let hashes = site
            .program(Agent::Codex)
            .and_then(|program| hashes::hashes(&program, &after_text, &after));
        plan.trusted = Some(hashes.is_some());
        if hashes.is_none() {
            plan.notes.push(UNTRUSTED.to_owned());
        }
        for (at, hash) in after.iter().zip(hashes.unwrap_or_default()) {
            let name = hashes::name(at, &path);
            if !ours.contains(&name) {
                ours.push(name.clone());
            }
            wanted.push(Table {
                path: name,
                keys: vec![("trusted_hash".to_owned(), toml::text(&hash))],
            });
        }
        if level == Level::Project {
            let file = path.display();
            plan.notes.push(format!(
                "Codex reads {file} only in a project that it trusts"
            ));
        }
    } else {
        wanted.clear();
    }
    let config = site.codex().join("config.toml");
    if ours.is_empty() || wanted.is_empty() && !config.exists() {
        return Ok(());
    }
    let target = Target {
        path: config,
        edit: Edit::Toml { wanted, ours },
        private: true,
    };
    one(&target, site, action, plan)
}

const UNTRUSTED: &str = "UNTRUSTED: Codex cannot be asked for the hashes of these hooks, and skips \
    them without a word until they are trusted: type /hooks in Codex, or install again where its \
    program is found";

fn text_of(bytes: Option<&[u8]>) -> String {
    let text = String::from_utf8_lossy(bytes.unwrap_or_default()).into_owned();
    text.trim_start_matches('\u{feff}').to_owned()
}

/// Whether Codex runs the hooks that are installed. `None` where it cannot be asked.
#[must_use]
pub fn trusts(level: Level, site: &Site) -> Option<bool> {
    let hooks = Agent::Codex.targets(site, level).into_iter().next()?;
    let text = text_of(file::read(&hooks.path).ok()?.bytes.as_deref());
    let places = hashes::positions(&text).ok().filter(|at| !at.is_empty())?;
    let hashes = hashes::hashes(&site.program(Agent::Codex)?, &text, &places)?;
    let config = file::read(&site.codex().join("config.toml")).ok()?;
    let values = toml::value(&text_of(config.bytes.as_deref())).ok()?;
    Some(places.iter().zip(hashes).all(|(at, hash)| {
        let mut name = hashes::name(at, &hooks.path);
        name.push("trusted_hash".to_owned());
        held::at(&values, &name).and_then(|held| held.as_str()) == Some(hash.as_str())
    }))
}
