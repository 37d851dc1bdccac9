//! Claude Code: hooks in its settings, the server in a file of its own.

use serde_json::json;

use crate::harness::Dialect as _;
use crate::harness::claude::Claude;
use crate::harness::install::edit::Edit;
use crate::harness::install::words::SERVER;
use crate::harness::install::{Site, Target};

use super::{GROUPED, SECONDS, SERVER_ALONE, entries, grouped, server, target};

/// Its files on one level.
pub(super) fn targets(site: &Site, user: bool) -> Vec<Target> {
    let call = &site.call;
    let hook = |event: &str| {
        let mut hook = json!({
            "type": "command",
            "command": call.program,
            "args": call.hook("claude", event),
            "timeout": SECONDS,
        });
        if Claude.refusable(event) {
            // Without it Claude Code lets a tool run when the hook crashes, is late or is gone.
            hook["onFailure"] = json!("block");
        }
        hook
    };
    let tools = [
        "PreToolUse",
        "PermissionRequest",
        "PermissionDenied",
        "PostToolUse",
        "PostToolUseFailure",
    ];
    let wanted = grouped(Claude.events(), hook, &tools);
    let folder = if user {
        site.claude
            .clone()
            .unwrap_or_else(|| site.home.join(".claude"))
    } else {
        site.root.join(".claude")
    };
    let mut targets = vec![target(
        folder.join("settings.json"),
        Edit::Json(entries("claude", wanted, GROUPED)),
    )];
    if site.mcp {
        let path = match (user, &site.claude) {
            (true, Some(folder)) => folder.join(".claude.json"),
            (true, None) => site.home.join(".claude.json"),
            (false, _) => site.root.join(".mcp.json"),
        };
        let wanted = json!({"mcpServers": {SERVER: server(call)}});
        let edit = Edit::Json(entries("claude", wanted, SERVER_ALONE));
        targets.push(Target {
            private: user,
            ..target(path, edit)
        });
    }
    targets
}
