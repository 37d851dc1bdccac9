//! `observe`: where the agent programs keep what they do, and what was read there. The work is
//! done by the observer, which the program hands in.

use std::env;
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy as _;
use serde::Serialize;

use crate::contract::observed::Observed;
use crate::contract::refusal::{Code, Refusal};
use crate::ops::context::Context;
use crate::ops::observe::Homes;

use super::args::Global;
use super::out::{Out, Reply};
use super::table::{plain, table};
use super::{config, context};

/// Where the agent programs keep their sessions: as their own variables say, else where they are
/// by default. `hours` stands above the configuration.
///
/// # Errors
/// There is no home folder, or the configuration is invalid.
pub fn homes(global: &Global, hours: Option<u64>) -> Result<Homes, Refusal> {
    let base = etcetera::choose_base_strategy().map_err(|error| {
        Refusal::new(
            Code::ConfigInvalid,
            format!("there is no home folder: {error}"),
            "export HOME=/path/to/home",
        )
    })?;
    let home = base.home_dir();
    let named = |name: &str, default: &Path| match env::var_os(name) {
        Some(path) if !path.is_empty() => PathBuf::from(path),
        _ => default.to_path_buf(),
    };
    let configured = config::hours(&context::config_folder(global)?)?;
    let set = || env::var("WATCHFLOOR_OBSERVE_HOURS").ok()?.parse().ok();
    let hours = hours.or_else(set).unwrap_or(configured);
    Ok(Homes {
        claude: named("CLAUDE_CONFIG_DIR", &home.join(".claude")),
        codex: named("CODEX_HOME", &home.join(".codex")),
        gemini: named("GEMINI_CLI_HOME", home).join(".gemini"),
        pi: named("PI_CODING_AGENT_DIR", &home.join(".pi/agent")),
        opencode: named("XDG_DATA_HOME", &home.join(".local/share")).join("opencode"),
        hermes: named("HERMES_HOME", &home.join(".hermes")),
        recent_s: hours.saturating_mul(3600),
    })
}

/// The context of an agent's working directory: its own project, whatever this call's is.
#[must_use]
pub fn place(global: &Global, cwd: &str) -> Option<Context> {
    let bare = Global {
        project: None,
        agent: None,
        task: None,
        mission: None,
        key: None,
        ..global.clone()
    };
    context::at(&bare, Path::new(if cwd.is_empty() { "/" } else { cwd })).ok()
}

#[derive(Serialize)]
struct Listed<'a> {
    agents: &'a [Observed],
    more: bool,
}

#[derive(Serialize)]
struct Appended {
    agents: usize,
    appended: usize,
}

/// Answers what was found; nothing was written.
///
/// # Errors
/// The answer has no JSON form.
pub fn listed(agents: &[Observed], json: bool) -> Result<(), Refusal> {
    let human = if agents.is_empty() {
        "No agent program has a session here that was written to lately.\n".to_owned()
    } else {
        let mut text = lines(agents);
        text.push_str("Observed, not gated: nothing refuses their calls. See docs/HOOKS.md.\n");
        text
    };
    let listed = Listed {
        agents,
        more: false,
    };
    answer(&Reply::of(&listed, human)?, json);
    Ok(())
}

/// Answers how much was recorded.
///
/// # Errors
/// The answer has no JSON form.
pub fn appended(agents: usize, appended: usize, json: bool) -> Result<(), Refusal> {
    let human = format!("{agents} agents observed, {appended} observations appended.\n");
    answer(&Reply::of(&Appended { agents, appended }, human)?, json);
    Ok(())
}

fn answer(reply: &Reply, json: bool) {
    Out { json, quiet: false }.reply(reply);
}

/// What a first start says of the agents that run here.
#[must_use]
pub fn at_start(agents: &[Observed]) -> String {
    let running: Vec<Observed> = agents
        .iter()
        .filter(|seen| seen.state != "ended")
        .cloned()
        .collect();
    match running.len() {
        0 => String::new(),
        1 => format!(
            "1 agent runs on this machine (observed, not gated):\n{}",
            lines(&running)
        ),
        n => format!(
            "{n} agents run on this machine (observed, not gated):\n{}",
            lines(&running)
        ),
    }
}

/// The agents in a table.
fn lines(agents: &[Observed]) -> String {
    let rows: Vec<Vec<String>> = agents
        .iter()
        .map(|seen| {
            let failure = seen.failure.as_ref();
            vec![
                seen.agent.to_string(),
                seen.state.clone(),
                seen.tokens.map(|n| n.to_string()).unwrap_or_default(),
                seen.findings.join(" "),
                failure.map_or_else(String::new, |f| f.signature.to_string()),
                plain(&seen.action),
            ]
        })
        .collect();
    table(
        &[
            "agent",
            "state",
            "tokens",
            "found",
            "last failure",
            "last action",
        ],
        &rows,
    )
}
