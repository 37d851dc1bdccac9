//! `handoff block`, `escalate`, `use`: how an entry ends without an answer, and what became of one.

use crate::contract::handoff::{Class, ESCALATED, Escalated, HandoffAnswer, USED, Used};
use crate::contract::ids::RecordId;
use crate::contract::refusal::{Code, Refusal};
use crate::journal::Journal;
use crate::ops::context::Context;
use crate::ops::paths;
use crate::ops::records::fresh_id;
use crate::rules::handoff::{Command, Step};

use super::case::Case;
use super::{caller, perform, refuse, told};

/// Parks an entry: before a claim anybody's, then its holder's; at any time the asker's.
///
/// # Errors
/// Somebody else holds it, it has ended, or the reason is blank or holds a secret.
pub fn block(
    context: &Context,
    id: &str,
    reason: &str,
    epoch: Option<u64>,
    journal: &mut impl Journal,
) -> Result<HandoffAnswer, Refusal> {
    refuse::check("block", &[("reason", reason)])?;
    let named = epoch.map(|epoch| epoch.to_string()).unwrap_or_default();
    perform(context, "block", &[id, reason, &named], journal, |write| {
        let by = caller(context, write)?;
        let case = Case::open(context, id, write)?;
        let command = Command::Block {
            agent: by.clone(),
            epoch,
        };
        let Step::Closed { ending, .. } = case.decide(&command)? else {
            return Err(Refusal::new(
                Code::Internal,
                "a block ended nothing",
                "watchfloor verify --deep",
            ));
        };
        let at_us = write.now()?.utc_us;
        let record = case.close(ending, reason, by.as_ref(), at_us, write)?;
        told(&case.handoff, Some(&record), false, write)
    })
}

/// Hands an entry to a person, for one of five classes.
///
/// # Errors
/// There is no such class, somebody else holds the entry, it has ended, or the reason is blank or
/// holds a secret.
pub fn escalate(
    context: &Context,
    id: &str,
    class: Option<&str>,
    reason: &str,
    epoch: Option<u64>,
    journal: &mut impl Journal,
) -> Result<HandoffAnswer, Refusal> {
    let class = class
        .and_then(Class::parse)
        .ok_or_else(|| no_class(class))?;
    refuse::check("escalate", &[("reason", reason)])?;
    let named = epoch.map(|epoch| epoch.to_string()).unwrap_or_default();
    let request = [id, class.as_str(), reason, &named];
    perform(context, "escalate", &request, journal, |write| {
        let by = caller(context, write)?;
        let case = Case::open(context, id, write)?;
        case.decide(&Command::Escalate {
            agent: by.clone(),
            epoch,
        })?;
        let body = Escalated {
            schema: ESCALATED.to_owned(),
            handoff_id: case.handoff.id(),
            class,
            reason: reason.to_owned(),
            by: by.clone(),
        };
        let parent = case.latest();
        let record = case.receipt(fresh_id(), &[parent], by.as_ref(), &body, write)?;
        told(&case.handoff, Some(&record), false, write)
    })
}

fn no_class(given: Option<&str>) -> Refusal {
    let all: Vec<&str> = Class::ALL.iter().map(|class| class.as_str()).collect();
    let what = match given {
        Some(other) => format!("{other} is none of them"),
        None => "none was given".to_owned(),
    };
    let cause = format!(
        "only a person's real responsibility is escalated, by its class: {}; {what}",
        all.join(", ")
    );
    Refusal::new(
        Code::HandoffClass,
        cause,
        "watchfloor handoff escalate --help",
    )
}

/// Tells what became of an answer, with evidence that exists.
///
/// # Errors
/// The caller is not the asker, there is no answer, it was told before, or evidence does not exist.
pub fn used(
    context: &Context,
    id: &str,
    evidence: &[String],
    text: Option<&str>,
    journal: &mut impl Journal,
) -> Result<HandoffAnswer, Refusal> {
    let mut texts: Vec<(&str, &str)> = evidence.iter().map(|e| ("evidence", &**e)).collect();
    if texts.is_empty() {
        texts.push(("evidence", ""));
    }
    texts.extend(text.map(|text| ("text", text)));
    refuse::check("use", &texts)?;
    let joined = evidence.join("\u{1e}");
    let request = [id, &joined, text.unwrap_or_default()];
    perform(context, "use", &request, journal, |write| {
        let by = caller(context, write)?;
        let case = Case::open(context, id, write)?;
        case.decide(&Command::Use { agent: by.clone() })?;
        let evidence = paths::found(context, evidence, write)?;
        let answer = case.handoff.answer.clone().unwrap_or_default();
        let body = Used {
            schema: USED.to_owned(),
            handoff_id: case.handoff.id(),
            answer_id: RecordId::new(answer.id.clone()),
            asker: by.clone(),
            text: text.map(str::to_owned),
            evidence,
        };
        let record = case.receipt(fresh_id(), &[&answer], by.as_ref(), &body, write)?;
        told(&case.handoff, Some(&record), false, write)
    })
}
