//! An agent whose question nobody can answer, and that then needs a person's decision.

use std::io;

use super::actor::{Actor, step, steps};

const TASK: &str = "T-19";

/// Plays it to the end.
pub(super) fn play(actor: &Actor<'_>) -> io::Result<()> {
    steps(3);
    let opened = actor.verb(&[
        "handoff",
        "open",
        "--task",
        TASK,
        "--question",
        "What is the tax number for the invoice template?",
        "--tried",
        "searched docs/ and templates/: no number there",
        "--needed",
        "the number",
        "--tag",
        "billing",
    ])?;
    let id = opened.text("id").to_owned();
    loop {
        let shown = actor.verb(&["handoff", "show", &id])?;
        if shown.text("state") == "claimed" {
            let reply = "of the company";
            if actor
                .verb(&["handoff", "reply", &id, "--text", reply])?
                .done
            {
                break;
            }
        } else if shown.text("state") != "open" {
            break;
        }
        step();
    }
    actor.verb(&["handoff", "wait", &id, "--timeout", "300"])?;
    steps(2);
    let mail = actor.verb(&[
        "handoff",
        "open",
        "--task",
        TASK,
        "--question",
        "Shall the release mail go out to all 4,200 customers today?",
        "--tried",
        "the draft is ready in mail/release.md",
        "--needed",
        "a yes or a no from a person",
    ])?;
    let reason = "a mail to customers cannot be taken back";
    let escalate = [
        "handoff",
        "escalate",
        mail.text("id"),
        "--class",
        "outward_effect",
        "--reason",
        reason,
    ];
    actor.verb(&escalate)?;
    actor.verb(&["handoff", "wait", mail.text("id"), "--timeout", "3600"])?;
    Ok(())
}
