//! opencode: a plugin, and the server in its configuration.

use serde_json::json;

use crate::harness::extension;
use crate::harness::install::edit::{Edit, Way};
use crate::harness::install::tree::Step;
use crate::harness::install::words::SERVER;
use crate::harness::install::{Site, Target};

use super::{entries, inside, target};

const OPENCODE_SERVER: &[Way] = &[Way::Server(&[Step::Key("mcp"), Step::Key(SERVER)])];

/// Its files on one level.
pub(super) fn targets(site: &Site, user: bool) -> Vec<Target> {
    let (plugins, folder) = if user {
        let folder = site.config_home.join("opencode");
        (folder.clone(), folder)
    } else {
        (site.root.join(".opencode"), site.root.clone())
    };
    let mut targets = vec![target(
        plugins.join("plugin/watchfloor.js"),
        inside("opencode", site, extension::OPENCODE),
    )];
    if site.mcp {
        let mut command = vec![site.call.program.clone()];
        command.extend(site.call.server());
        let wanted =
            json!({"mcp": {SERVER: {"type": "local", "command": command, "enabled": true}}});
        // It reads both names; the one that is there is written.
        let with_comments = folder.join("opencode.jsonc");
        let path = if with_comments.exists() {
            with_comments
        } else {
            folder.join("opencode.json")
        };
        targets.push(target(
            path,
            Edit::Json(entries("opencode", wanted, OPENCODE_SERVER)),
        ));
    }
    targets
}
