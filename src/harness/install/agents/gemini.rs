//! Gemini CLI: hooks and server in its settings.

use serde_json::json;

use crate::harness::Dialect as _;
use crate::harness::gemini::Gemini;
use crate::harness::install::edit::{Edit, Way};
use crate::harness::install::tree::Step;
use crate::harness::install::words::SERVER;
use crate::harness::install::{Site, Target};

use super::{GROUPED, SECONDS, entries, grouped, server, target};

const GROUPED_AND_SERVER: &[Way] = &[
    GROUPED[0],
    Way::Server(&[Step::Key("mcpServers"), Step::Key(SERVER)]),
];

/// Its files on one level.
pub(super) fn targets(site: &Site, user: bool) -> Vec<Target> {
    let hook = |event: &str| {
        json!({
            "type": "command",
            "name": SERVER,
            "command": site.call.hook_line("gemini", event),
            // Milliseconds, as nowhere else.
            "timeout": SECONDS * 1000,
        })
    };
    let mut wanted = grouped(Gemini.events(), hook, &["BeforeTool", "AfterTool"]);
    let ways = if site.mcp {
        wanted["mcpServers"] = json!({SERVER: server(&site.call)});
        GROUPED_AND_SERVER
    } else {
        GROUPED
    };
    let folder = if user { &site.home } else { &site.root };
    vec![target(
        folder.join(".gemini/settings.json"),
        Edit::Json(entries("gemini", wanted, ways)),
    )]
}
