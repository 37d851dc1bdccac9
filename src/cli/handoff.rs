//! `handoff`.

use std::path::Path;
use std::time::Duration;

use crate::contract::handoff::{
    Brief, HandoffAnswer, HandoffInput, HandoffState, InputDefaults, ThreadLine, Wants,
};
use crate::contract::ids::ProjectId;
use crate::contract::refusal::Refusal;
use crate::contract::row::HandoffRow;
use crate::ops::context::Context;
use crate::ops::handoff::{self as handoffs, Filter, Handoffs, HolderSeen, Wanted};
use crate::ops::store;

use super::args::{Global, HandoffVerb, OpenHandoff, Range};
use super::context::with_ancestors;
use super::out::{Reply, usage};
use super::process;
use super::prompt::passphrase;
use super::store::input;
use super::table::{plain, table};

/// `handoff ...`.
pub fn run(context: &Context, global: &Global, verb: HandoffVerb) -> Result<Reply, Refusal> {
    match verb {
        HandoffVerb::Show { id } => show(context, &id),
        HandoffVerb::Log { id } => log(context, &id),
        HandoffVerb::Import { file } => import(context, &file),
        HandoffVerb::List { state, tags, range } => {
            list(context, global, state.as_deref(), tags, range)
        }
        HandoffVerb::Decide {
            id,
            text,
            principal,
        } => {
            let mut journal = store::open(context)?;
            let answer = handoffs::decide(
                context,
                &id,
                &text,
                principal.as_deref(),
                &mut |who| passphrase(who),
                &mut journal,
                &store::flags(context),
            )?;
            reply(&answer, "decided")
        }
        verb => write(&with_ancestors(context.clone()), global, verb),
    }
}

fn write(context: &Context, global: &Global, verb: HandoffVerb) -> Result<Reply, Refusal> {
    let entry = match &verb {
        HandoffVerb::Open(open) => Some(entry(context, open)?),
        _ => None,
    };
    let mut journal = store::open(context)?;
    let journal = &mut journal;
    match verb {
        HandoffVerb::Next { claim, tags } => {
            let filter = Filter {
                project: named(global),
                tags,
            };
            let answer = handoffs::next(context, &filter, claim, journal)?;
            full(&answer, if claim { "you hold" } else { "next is" })
        }
        HandoffVerb::Claim { id } => full(&handoffs::claim(context, &id, journal)?, "you hold"),
        HandoffVerb::Ask {
            id,
            question,
            epoch,
        } => {
            let answer = handoffs::ask(context, &id, &question, epoch.epoch, journal)?;
            reply(&answer, "asked back on")
        }
        HandoffVerb::Reply { id, text } => reply(
            &handoffs::reply(context, &id, &text, journal)?,
            "replied on",
        ),
        HandoffVerb::Answer { id, text, epoch } => {
            let answer = handoffs::answer(context, &id, &text, epoch.epoch, journal)?;
            reply(&answer, "answered")
        }
        HandoffVerb::Release { id, epoch } => {
            let answer = handoffs::release(context, &id, epoch.epoch, journal)?;
            reply(&answer, "gave back")
        }
        HandoffVerb::Escalate {
            id,
            class,
            reason,
            epoch,
        } => {
            let class = class.as_deref();
            let answer = handoffs::escalate(context, &id, class, &reason, epoch.epoch, journal)?;
            reply(&answer, "escalated")
        }
        HandoffVerb::Block { id, reason, epoch } => {
            let answer = handoffs::block(context, &id, &reason, epoch.epoch, journal)?;
            reply(&answer, "parked")
        }
        HandoffVerb::Use { id, evidence, text } => {
            let answer = handoffs::used(context, &id, &evidence, text.as_deref(), journal)?;
            reply(&answer, "used")
        }
        HandoffVerb::Wait { id, timeout } => {
            let this = process::read(std::process::id()).map(|(this, _)| this);
            let patience = Duration::from_secs(timeout);
            let answer = handoffs::wait(context, &id, this, patience, journal)?;
            full(&answer, "waited for")
        }
        HandoffVerb::Open(_) => match entry {
            Some(entry) => reply(&handoffs::open(context, &entry, journal)?, "opened"),
            None => Err(usage("nothing to open", "watchfloor handoff open --help")),
        },
        HandoffVerb::Show { .. }
        | HandoffVerb::Log { .. }
        | HandoffVerb::Import { .. }
        | HandoffVerb::List { .. }
        | HandoffVerb::Decide { .. } => Err(usage(
            "this verb does not write as an agent",
            "watchfloor handoff --help",
        )),
    }
}

/// The project, where the caller named one: handoffs go from project to project.
fn named(global: &Global) -> Option<ProjectId> {
    let project = global.project.as_deref();
    let project = project.filter(|project| !project.trim().is_empty());
    project.map(ProjectId::new)
}

fn entry(context: &Context, open: &OpenHandoff) -> Result<HandoffInput, Refusal> {
    let wants = match open.wants.as_deref() {
        None => None,
        Some(word) => Some(Wants::parse(word).ok_or_else(|| {
            usage(
                format!("{word} is neither answer nor action"),
                "watchfloor handoff open --help",
            )
        })?),
    };
    let defaults = InputDefaults {
        project: Some(context.project.clone()),
        question: open.question.clone(),
        tried: open.tried.clone(),
        needed: open.needed.clone(),
        wants,
        tags: open.tags.clone(),
        asker: context.agent.clone(),
        task: context.task.clone(),
        mission: context.mission.clone(),
    };
    let read = match &open.file {
        Some(file) => HandoffInput::parse(&input(file)?, defaults),
        None => HandoffInput::of_call(defaults),
    };
    read.map_err(|faults| {
        Refusal::of_faults("the handoff", faults, "watchfloor handoff open --help")
    })
}

/// Where an entry stands, in a sentence.
fn sentence(answer: &HandoffAnswer, what: &str) -> String {
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

fn reply(answer: &HandoffAnswer, what: &str) -> Result<Reply, Refusal> {
    Reply::of(answer, sentence(answer, what))
}

fn full(answer: &HandoffAnswer, what: &str) -> Result<Reply, Refusal> {
    let mut lines = vec![sentence(answer, what)];
    if let Some(brief) = &answer.brief {
        lines.extend(told(brief));
    }
    Reply::of(answer, lines.join("\n"))
}

/// An entry for a person: what is asked, what was said, what failed.
fn told(brief: &Brief) -> Vec<String> {
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

fn said(line: &ThreadLine) -> String {
    let by = line.by.as_deref().unwrap_or("somebody");
    let text = format!("  {} {by} {} {}", line.at, line.what, line.text);
    format!("  {}", plain(text.trim()))
}

fn show(context: &Context, id: &str) -> Result<Reply, Refusal> {
    let mut journal = store::open_readonly(context)?;
    let shown = handoffs::show(id, &mut journal)?;
    let mut lines = vec![sentence(&shown.answer, "this is")];
    lines.extend(
        shown
            .holder_seen
            .as_ref()
            .map(|seen| format!("holder:   {}", liveness(seen))),
    );
    if let Some(brief) = &shown.answer.brief {
        lines.extend(told(brief));
        lines.push("thread:".to_owned());
        lines.extend(brief.thread.iter().map(said));
    }
    Reply::of(&shown, lines.join("\n"))
}

fn import(context: &Context, file: &Path) -> Result<Reply, Refusal> {
    let mut journal = store::open(context)?;
    let done = handoffs::import(context, file, &mut journal)?;
    let mut lines = vec![format!(
        "{} of {} items of {} imported; {} were known",
        done.imported.len(),
        done.items,
        done.system,
        done.known
    )];
    for (count, why) in [
        (done.ended, "are over"),
        (done.at_work, "are being worked on or put off"),
        (done.without_need, "do not say what is needed"),
        (done.unreadable, "cannot be read"),
    ] {
        if count > 0 {
            lines.push(format!("left out: {count} that {why}"));
        }
    }
    if done.redacted > 0 {
        lines.push(format!("{} secrets were taken out", done.redacted));
    }
    let made = done.imported.iter();
    lines.extend(made.map(|taken| plain(&format!("{} {}", taken.handle, taken.item))));
    Reply::of(&done, lines.join("\n"))
}

fn log(context: &Context, id: &str) -> Result<Reply, Refusal> {
    let mut journal = store::open_readonly(context)?;
    let log = handoffs::log(id, &mut journal)?;
    let rows: Vec<Vec<String>> = log
        .records
        .iter()
        .map(|line| {
            vec![
                line.seq.to_string(),
                line.at.clone(),
                line.by.clone().unwrap_or_default(),
                line.what.clone(),
                line.text.clone(),
            ]
        })
        .collect();
    let human = table(&["record", "at", "by", "what", "said"], &rows);
    Reply::of(&log, human)
}

fn list(
    context: &Context,
    global: &Global,
    state: Option<&str>,
    tags: Vec<String>,
    range: Range,
) -> Result<Reply, Refusal> {
    let state = match state {
        None => None,
        Some(word) => Some(HandoffState::parse(word).ok_or_else(|| {
            usage(
                format!("{word} is no state of a handoff"),
                "watchfloor handoff list --help",
            )
        })?),
    };
    let wanted = Wanted {
        state,
        project: named(global),
        tags,
        since: range.since,
        limit: range.limit,
    };
    let mut journal = store::open_readonly(context)?;
    let list = handoffs::list(&wanted, &mut journal)?;
    let human = list_table(&list);
    Reply::of(&list, human)
}

fn list_table(list: &Handoffs) -> String {
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
pub(super) fn matters(row: &HandoffRow) -> bool {
    match row.state.as_str() {
        "open" | "claimed" => true,
        "resolved" => !row.used,
        _ => row.state == "escalated" && row.decision.is_none(),
    }
}

/// Entries at a glance.
pub(super) fn short_table(rows: &[&HandoffRow]) -> String {
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
fn liveness(seen: &HolderSeen) -> String {
    let process = match (seen.pid, &seen.host, seen.alive) {
        (Some(pid), Some(host), Some(false)) => format!("process {pid} on {host} is gone, "),
        (Some(pid), Some(host), _) => format!("process {pid} on {host}, "),
        _ => String::new(),
    };
    format!("{process}last seen {}", seen.last_seen)
}
