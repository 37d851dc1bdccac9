//! Failing (spec 3.8): when the product cannot answer, calls that change things are refused
//! and reading ones pass, unless the guard, which needs no store, has something against them.

use crate::contract::refusal::Refusal;
use crate::contract::tool::ToolCall;

use super::guard::Sight;

/// What refuses a call when something inside failed.
#[must_use]
pub(super) fn refusal(call: &ToolCall, sight: &Sight, refusal: &Refusal) -> Option<Refusal> {
    if sight.refuses(call) {
        return Some(sight.refusal(call));
    }
    sight.changes(call).then(|| {
        let cause = format!("cannot vouch for this call: {refusal}");
        Refusal::new(refusal.code, cause, refusal.next_command.clone())
    })
}

/// A refusal as the model reads it.
#[must_use]
pub fn said(why: &str, next_command: &str) -> String {
    format!("{MARK}{why}. {READING} Next: {next_command}")
}

/// How every refusal begins.
const MARK: &str = "Watchfloor: ";
/// What every refusal says.
const READING: &str = "Reading is still allowed.";

/// Whether a text is a refusal of ours, handed back by a harness as the result of the call.
#[must_use]
pub fn is_said(text: &str) -> bool {
    text.find(MARK)
        .is_some_and(|at| text[at..].contains(READING))
}
