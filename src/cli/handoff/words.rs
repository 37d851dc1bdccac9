//! Handoffs in a person's words.

use crate::contract::handoff::{Brief, HandoffAnswer, ThreadLine, Wants};
use crate::contract::row::HandoffRow;
use crate::ops::handoff::{Handoffs, HolderSeen};

use crate::cli::table::{plain, table};

/// Where an entry stands, in a sentence.
pub(super) fn sentence(answer: &HandoffAnswer, what: &str) -> String {
    let mut text = format!("{what} {}: it is {}", answer.handle, answer.state);
    if answer.priority == "blocking" {
        text.push_str(", an agent waits for it");
    }
    if let Some(holder) = &answer.holder {
        let epoch = answer.epoch.unwrap_or_default();
        text = format!("{text}, held by {holder} with epoch {epoch}");
    }
    if let Some(deadline) = &answer.deadline {
        text = format!("{text}; its time limit ends at {deadline}");
    }
    plain(&text)
}

/// An entry for a person: what is asked, what was said, what failed.
pub(super) fn told(brief: &Brief) -> Vec<String> {
    let mut lines = vec![
        format!("question: {}", plain(&brief.question)),
        format!("tried:    {}", plain(&brief.tried)),
        format!("needed:   {}", plain(&brief.needed)),
    ];
    let asker = brief.asker.as_deref().unwrap_or("a person");
    let task = brief.task.as_deref().map(|task| format!(", task {task}"));
    let from = format!("{asker}, {}{}", brief.project, task.unwrap_or_default());
    lines.push(format!("from:     {}", plain(&from)));
    if brief.wants == Wants::Action.as_str() {
        lines.push("wants:    an action; it may only be escalated".to_owned());
    }
    if !brief.tags.is_empty() {
        lines.push(format!("tags:     {}", plain(&brief.tags.join(", "))));
    }
    let mut told = |name: &str, text: &Option<String>| {
        if let Some(text) = text {
            lines.push(format!("{name:<9} {}", plain(text)));
        }
    };
    told("asked:", &brief.follow_up);
    told("answer:", &brief.answer);
    told("class:", &brief.class);
    told("reason:", &brief.reason);
    told("decision:", &brief.decision);
    if brief.answer.is_some() {
        let used = if brief.used {
            "answered and used"
        } else {
            "answered, not used"
        };
        lines.push(used.to_owned());
    }
    if !brief.hints.is_empty() {
        lines.push("answers that came too late:".to_owned());
        lines.extend(brief.hints.iter().map(said));
    }
    if !brief.ledger.is_empty() {
        lines.push("what failed in the task:".to_owned());
        lines.extend(brief.ledger.iter().map(|tried| {
            let signature = tried.signature.as_deref().unwrap_or("no signature");
            let failure = tried.failure.as_deref().unwrap_or_default();
            let line = format!(
                "  {} {}: {signature} {failure}",
                tried.agent, tried.strategy
            );
            plain(&line)
        }));
    }
    lines
}

pub(super) fn said(line: &ThreadLine) -> String {
    let by = line.by.as_deref().unwrap_or("somebody");
    let text = format!("  {} {by} {} {}", line.at, line.what, line.text);
    format!("  {}", plain(text.trim()))
}

pub(super) fn list_table(list: &Handoffs) -> String {
    let rows: Vec<Vec<String>> = list
        .handoffs
        .iter()
        .map(|listed| {
            let row = &listed.row;
            vec![
                row.handle.clone(),
                state(row),
                row.project.clone(),
                row.holder.clone().unwrap_or_default(),
                listed
                    .holder_seen
                    .as_ref()
                    .map(liveness)
                    .unwrap_or_default(),
                listed.seconds_left.map(left).unwrap_or_default(),
                row.question.clone(),
            ]
        })
        .collect();
    table(
        &[
            "handoff", "state", "project", "holder", "seen", "left", "question",
        ],
        &rows,
    )
}

/// Its state in a person's words.
fn state(row: &HandoffRow) -> String {
    match row.state.as_str() {
        "resolved" if !row.used => "answered, not used".to_owned(),
        "open" => format!("open {}", row.priority),
        state => state.to_owned(),
    }
}

/// Whether somebody still has to do something about it.
pub(in crate::cli) fn matters(row: &HandoffRow) -> bool {
    match row.state.as_str() {
        "open" | "claimed" => true,
        "resolved" => !row.used,
        _ => row.state == "escalated" && row.decision.is_none(),
    }
}

/// Entries at a glance.
pub(in crate::cli) fn short_table(rows: &[&HandoffRow]) -> String {
    let rows: Vec<Vec<String>> = rows
        .iter()
        .map(|row| {
            vec![
                row.handle.clone(),
                state(row),
                row.holder.clone().unwrap_or_default(),
                row.deadline.clone().unwrap_or_default(),
                row.question.clone(),
            ]
        })
        .collect();
    table(&["handoff", "state", "holder", "until", "question"], &rows)
}

/// Seconds as a person reads them.
fn left(seconds: i64) -> String {
    if seconds < 120 {
        format!("{seconds} s")
    } else {
        format!("{} min", seconds / 60)
    }
}

/// Whether a holder is still there, in words.
pub(super) fn liveness(seen: &HolderSeen) -> String {
    let process = match (seen.pid, &seen.host, seen.alive) {
        (Some(pid), Some(host), Some(false)) => format!("process {pid} on {host} is gone, "),
        (Some(pid), Some(host), _) => format!("process {pid} on {host}, "),
        _ => String::new(),
    };
    format!("{process}last seen {}", seen.last_seen)
}
