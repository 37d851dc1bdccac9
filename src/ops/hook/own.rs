//! Tools of the product's own MCP server, as the harnesses name them.

use crate::rules::guarded::simple_product_call;

/// How harnesses begin the names of the tools of an MCP server called `watchfloor`.
const PREFIXES: [&str; 3] = ["mcp__watchfloor__", "mcp_watchfloor_", "watchfloor_"];

/// Whether a tool is one of the product's own that pass an open breaker, as its verbs do in a
/// shell (spec 3.6): it records a fact, answers a handoff, or reads.
#[must_use]
pub fn is_own_tool(tool: &str) -> bool {
    let verb = PREFIXES.iter().find_map(|prefix| tool.strip_prefix(prefix));
    verb.is_some_and(|verb| {
        if !verb.bytes().all(|b| b.is_ascii_lowercase() || b == b'_') {
            return false;
        }
        let words = verb.replacen('_', " ", 1);
        simple_product_call(&format!("watchfloor {words}")).is_some()
    })
}
