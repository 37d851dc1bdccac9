//! pi: an extension, and the server in a file of its own.

use serde_json::json;

use crate::harness::extension;
use crate::harness::install::edit::Edit;
use crate::harness::install::words::SERVER;
use crate::harness::install::{Site, Target};

use super::{SERVER_ALONE, entries, inside, server, target};

/// Its files on one level.
pub(super) fn targets(site: &Site, user: bool) -> Vec<Target> {
    let folder = if user {
        site.pi
            .clone()
            .unwrap_or_else(|| site.home.join(".pi/agent"))
    } else {
        site.root.join(".pi")
    };
    let mut targets = vec![target(
        folder.join("extensions/watchfloor.ts"),
        inside("pi", site, extension::PI),
    )];
    if site.mcp {
        let mut server = server(&site.call);
        // Else the model finds the tools only through a search.
        server["exposure"] = json!("direct");
        let wanted = json!({"mcpServers": {SERVER: server}});
        let edit = Edit::Json(entries("pi", wanted, SERVER_ALONE));
        targets.push(target(folder.join("mcp.json"), edit));
    }
    targets
}
