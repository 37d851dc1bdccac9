//! Hermes: hooks and server in its configuration, and the list of hooks that it may run.

use serde_json::{Map, Value, json};

use crate::harness::Dialect as _;
use crate::harness::hermes::Hermes;
use crate::harness::install::edit::{Edit, Way};
use crate::harness::install::tree::Step;
use crate::harness::install::words::SERVER;
use crate::harness::install::{Site, Target};

use super::{SECONDS, entries, server, target};

const HERMES_WAYS: &[Way] = &[
    Way::Hooks(&[Step::Key("hooks"), Step::Any, Step::Each]),
    Way::Server(&[Step::Key("mcp_servers"), Step::Key(SERVER)]),
];
const APPROVALS: &[Way] = &[Way::Hooks(&[Step::Key("approvals"), Step::Each])];

/// Its files on one level.
pub(super) fn targets(site: &Site) -> Vec<Target> {
    let folder = site
        .hermes
        .clone()
        .unwrap_or_else(|| site.home.join(".hermes"));
    let line = |event: &str| site.call.hook_line("hermes", event);
    let hooks = Hermes.events().iter().map(|event| {
        let hook = json!({"command": line(event), "timeout": SECONDS});
        ((*event).to_owned(), json!([hook]))
    });
    let mut wanted = json!({"hooks": hooks.collect::<Map<_, _>>()});
    if site.mcp {
        wanted["mcp_servers"] = json!({SERVER: server(&site.call)});
    }
    let approvals: Vec<Value> = Hermes
        .events()
        .iter()
        .map(|event| json!({"event": event, "command": line(event), "approved_at": site.now}))
        .collect();
    vec![
        target(
            folder.join("config.yaml"),
            Edit::Yaml(entries("hermes", wanted, HERMES_WAYS)),
        ),
        target(
            folder.join("shell-hooks-allowlist.json"),
            Edit::Json(entries(
                "hermes",
                json!({"approvals": approvals}),
                APPROVALS,
            )),
        ),
    ]
}
