//! `handoff`.

mod words;

use std::path::Path;
use std::time::Duration;

use crate::contract::handoff::{HandoffAnswer, HandoffInput, HandoffState, InputDefaults, Wants};
use crate::contract::ids::ProjectId;
use crate::contract::refusal::Refusal;
use crate::ops::context::Context;
use crate::ops::handoff::{self as handoffs, Filter, Waiting, Wanted};
use crate::ops::store;

use super::args::{Global, HandoffVerb, OpenHandoff, Range};
use super::context::with_ancestors;
use super::input::input;
use super::out::{Reply, usage};
use super::process;
use super::prompt::passphrase;
use super::table::{plain, table};

use words::{list_table, liveness, said, sentence, told};
pub(super) use words::{matters, short_table};

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
            let waiting = Waiting {
                process: this,
                patience: Duration::from_secs(timeout),
                over: None,
            };
            let answer = handoffs::wait(context, &id, &waiting, journal)?;
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
