//! The MCP server of the built program, over real pipes, in raw JSON-RPC.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[path = "mcp/bad.rs"]
mod bad;
#[path = "mcp/client.rs"]
mod client;
#[path = "mcp/revisions.rs"]
mod revisions;
#[path = "mcp/work.rs"]
mod work;
