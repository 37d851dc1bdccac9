//! The detail of a handoff.

use crate::contract::agent::Detail;
use crate::contract::handoff::Wants;
use crate::contract::refusal::Refusal;
use crate::journal::Journal;
use crate::ops::handoff::{said, show};

use super::section;

/// A handoff: what is asked, who holds it, and its thread.
///
/// # Errors
/// There is none, more than one has the handle, or the store fails.
pub fn handoff(id: &str, journal: &mut impl Journal) -> Result<Detail, Refusal> {
    let shown = show(id, journal)?;
    let (answer, brief) = (
        &shown.answer,
        shown.answer.brief.clone().unwrap_or_default(),
    );
    let mut asks = vec![
        brief.question,
        format!("tried: {}", brief.tried),
        format!("needed: {}", brief.needed),
    ];
    let asker = brief.asker.as_deref().unwrap_or("a person");
    asks.push(format!("asked by {asker} in {}", brief.project));
    asks.extend(brief.task.iter().map(|task| format!("task {task}")));
    if brief.wants == Wants::Action.as_str() {
        asks.push("wants an action: it may only be escalated".to_owned());
    }
    let mut stands = vec![format!("{} {}", answer.state, answer.priority)];
    stands.extend(
        answer
            .holder
            .iter()
            .map(|holder| format!("held by {holder}")),
    );
    stands.extend(shown.holder_seen.iter().map(|seen| {
        let process = seen.pid.map(|pid| format!("process {pid}, "));
        let gone = if seen.alive == Some(false) {
            "gone, "
        } else {
            ""
        };
        format!(
            "{}{gone}last seen {}",
            process.unwrap_or_default(),
            seen.last_seen
        )
    }));
    stands.extend(
        answer
            .deadline
            .iter()
            .map(|at| format!("its time limit ends at {at}")),
    );
    stands.extend(
        brief
            .class
            .iter()
            .map(|class| format!("escalated: {class}")),
    );
    stands.extend(
        brief
            .reason
            .iter()
            .map(|reason| format!("reason: {reason}")),
    );
    stands.extend(brief.decision.iter().map(|said| format!("decided: {said}")));
    if brief.answer.is_some() {
        let used = if brief.used {
            "answered and used"
        } else {
            "answered, not used"
        };
        stands.push(used.to_owned());
    }
    let thread = brief.thread.iter().map(said).collect();
    let mut sections = vec![
        section("asks", asks),
        section("stands", stands),
        section("thread", thread),
    ];
    if !brief.ledger.is_empty() {
        let failed = brief.ledger.iter().map(|tried| {
            let signature = tried.signature.as_deref().unwrap_or("no signature");
            format!("{} {}: {signature}", tried.agent, tried.strategy)
        });
        sections.push(section("what failed in the task", failed.collect()));
    }
    Ok(Detail {
        title: format!("{} {}", answer.handle, answer.state),
        sections,
    })
}
