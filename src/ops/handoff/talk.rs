//! `handoff ask`, `reply`, `answer`, `release`: what is said while an agent holds an entry.

use crate::contract::handoff::{ANSWERED, ASKED, Answered, Asked, HandoffAnswer, REPLIED, Replied};
use crate::contract::refusal::{Code, Refusal};
use crate::journal::Journal;
use crate::ops::context::Context;
use crate::ops::domain;
use crate::ops::records::fresh_id;
use crate::rules::handoff::{Command, No, Step};

use super::case::Case;
use super::{agent, caller, perform, refuse, told};

/// Asks the asker back; once an entry. A second question parks the entry, and says so.
///
/// # Errors
/// The caller does not hold it, the question is spent, or the text is blank or holds a secret.
pub fn ask(
    context: &Context,
    id: &str,
    question: &str,
    epoch: Option<u64>,
    journal: &mut impl Journal,
) -> Result<HandoffAnswer, Refusal> {
    refuse::check("ask", &[("question", question)])?;
    perform(
        context,
        "ask",
        &[id, question, &named(epoch)],
        journal,
        |write| {
            let agent = agent(context, "ask", write)?;
            let case = Case::open(context, id, write)?;
            let command = Command::Ask {
                agent: agent.clone(),
                epoch,
            };
            if let Step::Closed { ending, .. } = case.decide(&command)? {
                let reason = format!("{}: {question}", domain::words(ending));
                let at_us = write.now()?.utc_us;
                case.close(ending, &reason, Some(&agent), at_us, write)?;
                let handle = &case.handoff.row.handle;
                let why = format!(
                    "one follow-up question is free, and {handle} had it: it is blocked now"
                );
                let next = format!("watchfloor handoff show {handle}");
                return Err(Refusal::new(Code::FollowUpSpent, why, next));
            }
            let body = Asked {
                schema: ASKED.to_owned(),
                handoff_id: case.handoff.id(),
                holder: agent.clone(),
                epoch: case.handoff.entry.epoch,
                question: question.to_owned(),
            };
            let record = case.event(ASKED, Some(&agent), &body, write)?;
            told(&case.handoff, Some(&record), false, write)
        },
    )
}

/// The asker tells the holder more, which starts the claim's clock anew, once.
///
/// # Errors
/// The caller is not the asker, nothing was asked, or the text is blank or holds a secret.
pub fn reply(
    context: &Context,
    id: &str,
    text: &str,
    journal: &mut impl Journal,
) -> Result<HandoffAnswer, Refusal> {
    refuse::check("reply", &[("text", text)])?;
    perform(context, "reply", &[id, text], journal, |write| {
        let by = caller(context, write)?;
        let case = Case::open(context, id, write)?;
        case.decide(&Command::Reply { agent: by.clone() })?;
        let body = Replied {
            schema: REPLIED.to_owned(),
            handoff_id: case.handoff.id(),
            by: by.clone(),
            text: text.to_owned(),
        };
        let record = case.event(REPLIED, by.as_ref(), &body, write)?;
        told(&case.handoff, Some(&record), false, write)
    })
}

/// Answers an entry. With an old epoch the answer is refused, and kept as a hint.
///
/// # Errors
/// The caller does not hold it, its claim has come to nothing, the entry wants an action, or the
/// text is blank or holds a secret.
pub fn answer(
    context: &Context,
    id: &str,
    text: &str,
    epoch: Option<u64>,
    journal: &mut impl Journal,
) -> Result<HandoffAnswer, Refusal> {
    refuse::check("answer", &[("text", text)])?;
    perform(
        context,
        "answer",
        &[id, text, &named(epoch)],
        journal,
        |write| {
            let agent = agent(context, "answer", write)?;
            let case = Case::open(context, id, write)?;
            let command = Command::Answer {
                agent: agent.clone(),
                epoch,
            };
            match case.asked(&command) {
                Ok(_) => {}
                Err(No::Late { agent, epoch }) => {
                    case.keep_late(&agent, epoch, text, write)?;
                    let kept = "; the text is kept as a hint for who holds it next";
                    return Err(refuse::late(&case.handoff, agent.as_str(), epoch, kept));
                }
                Err(no) => return Err(refuse::no(&case.handoff, &no)),
            }
            let body = Answered {
                schema: ANSWERED.to_owned(),
                handoff_id: case.handoff.id(),
                holder: agent.clone(),
                epoch: case.handoff.entry.epoch,
                text: text.to_owned(),
            };
            let parent = case.latest();
            let record = case.receipt(fresh_id(), &[parent], Some(&agent), &body, write)?;
            case.tell_asker(Some(&agent), "answers", text, write)?;
            told(&case.handoff, Some(&record), false, write)
        },
    )
}

/// Gives an entry back; the second time it is parked.
///
/// # Errors
/// The caller does not hold it.
pub fn release(
    context: &Context,
    id: &str,
    epoch: Option<u64>,
    journal: &mut impl Journal,
) -> Result<HandoffAnswer, Refusal> {
    perform(context, "release", &[id, &named(epoch)], journal, |write| {
        let agent = agent(context, "release", write)?;
        let case = Case::open(context, id, write)?;
        let step = case.decide(&Command::Release {
            agent: agent.clone(),
            epoch,
        })?;
        let at_us = write.now()?.utc_us;
        let record = if let Step::Closed { ending, .. } = step {
            case.close(ending, domain::words(ending), Some(&agent), at_us, write)?
        } else {
            case.reopen(&step, at_us, write)?
        };
        told(&case.handoff, Some(&record), false, write)
    })
}

fn named(epoch: Option<u64>) -> String {
    epoch.map(|epoch| epoch.to_string()).unwrap_or_default()
}
