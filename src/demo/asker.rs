//! An agent that lacks a fact: it fails, asks, waits, and uses the answer.

use std::fs;
use std::io;

use super::actor::{Actor, step};

const TASK: &str = "T-07";
/// Where it writes what it learned; the evidence of the use.
const FILE: &str = "staging.conf";

/// Plays it to the end.
pub(super) fn play(actor: &Actor<'_>) -> io::Result<()> {
    actor.attempt(
        TASK,
        "connect to staging on port 8080",
        Some("connect ECONNREFUSED 10.0.0.7:8080"),
    )?;
    step();
    let opened = actor.verb(&[
        "handoff",
        "open",
        "--task",
        TASK,
        "--question",
        "Which port does the staging server listen on?",
        "--tried",
        "8080 and 8443: both refuse the connection",
        "--needed",
        "the port, as a number",
        "--tag",
        "staging",
    ])?;
    let id = opened.text("id");
    actor.verb(&["handoff", "wait", id, "--timeout", "300"])?;
    step();
    let shown = actor.verb(&["handoff", "show", id])?;
    fs::write(actor.project.join(FILE), shown.said.to_string())?;
    actor.attempt(TASK, "connect to staging on the port that was told", None)?;
    actor.verb(&["handoff", "use", id, "--evidence", FILE])?;
    Ok(())
}
