//! An agent that answers what the others ask: one question it knows, about the other it asks back
//! once and then says that it cannot help.

use std::io;

use super::actor::{Actor, steps, wait};

/// Plays it until the demo ends.
pub(super) fn play(actor: &Actor<'_>) -> io::Result<()> {
    loop {
        let claimed = actor.verb(&["handoff", "next", "--claim"])?;
        let id = claimed.text("id").to_owned();
        if !claimed.done || id.is_empty() {
            wait();
            continue;
        }
        // Reading the question and looking things up takes its time.
        steps(4);
        if claimed.said.to_string().contains("port") {
            let text = "9443: the proxy moved, deploy/staging.md line 12 says so";
            actor.verb(&["handoff", "answer", &id, "--text", text])?;
            continue;
        }
        let asked = "Is it the number of the company or of the branch?";
        actor.verb(&["handoff", "ask", &id, "--question", asked])?;
        steps(4);
        let reason = "no agent here may read the accounts";
        actor.verb(&["handoff", "block", &id, "--reason", reason])?;
    }
}
