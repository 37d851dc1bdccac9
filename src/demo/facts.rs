//! What a demo should have shown, read from its store as anybody could.

use crate::contract::refusal::Refusal;
use crate::contract::row::{BreakerRow, HandoffRow};
use crate::ops::context::Context;
use crate::ops::status;
use crate::ops::store::Reading;

/// One thing that should happen, and where it did.
pub(super) struct Fact {
    /// What.
    pub what: &'static str,
    /// The handle or name of the first one, once it happened.
    pub seen: Option<String>,
}

/// The six facts, in the order in which a reader meets them.
///
/// # Errors
/// The store fails.
pub(super) fn facts(context: &Context, read: &dyn Reading) -> Result<[Fact; 6], Refusal> {
    let status = status::status(context, read)?;
    let handoff = |ended: &dyn Fn(&HandoffRow) -> bool| {
        let mut rows = status.handoffs.iter();
        rows.find(|row| ended(row)).map(|row| row.handle.clone())
    };
    let breaker = |wanted: &dyn Fn(&BreakerRow) -> bool| {
        let mut rows = status.breakers.iter();
        rows.find(|row| wanted(row)).map(|row| row.handle.clone())
    };
    let due = status.codes.iter().find(|row| row.state == "due");
    let fact = |what, seen| Fact { what, seen };
    Ok([
        fact(
            "a question was answered, and the answer used",
            handoff(&|row| row.state == "resolved" && row.used),
        ),
        fact(
            "a question that nobody can answer was blocked",
            handoff(&|row| row.state == "blocked"),
        ),
        fact(
            "a decision was escalated to a person",
            handoff(&|row| row.state == "escalated"),
        ),
        fact(
            "an agent that went round in circles was stopped",
            breaker(&|row| row.triggers.iter().any(|trigger| trigger == "oscillation")),
        ),
        fact(
            "a failure that no catalogue knows came twice and is due",
            due.map(|row| row.code.clone()),
        ),
        fact(
            "a breaker waits for a person's reset",
            breaker(&|row| row.state == "open"),
        ),
    ])
}
