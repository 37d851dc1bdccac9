//! What the flag file says beside the store (spec 3.6): whether it can be used, and which stops are
//! in force by their flag alone, because the store was locked, full or gone when they were made.

use crate::contract::breaker::Approver;
use crate::contract::ids::handle;
use crate::contract::refusal::Refusal;
use crate::contract::row::{AttentionRow, FlagRow, FlagsRow, STATUS_ROWS};
use crate::contract::time::rfc3339;
use crate::journal::Read;
use crate::journal::flags::Flag;
use crate::rules::breaker::needs;

use super::context::Context;
use super::flags::Flags;
use super::sweep;

/// State of a flag file that nothing is wrong with.
pub const USABLE: &str = "usable";
/// Kind of a row of *Needs you* about the flag file itself.
pub const MEND: &str = "mend";
/// Kind of a row of *Needs you* about a stop that the store does not know.
pub const UNRECORDED: &str = "stop";
/// Id and handle of the row about the flag file.
const FILE: &str = "flags";
/// What writes the receipt of a stop that only its flag tells of.
const RECORD: &str = "watchfloor tick";

/// Looks at the flag file of a context.
///
/// # Errors
/// The store fails; a flag file that cannot be used is no error here, but what is told.
pub fn look(context: &Context, read: &dyn Read) -> Result<FlagsRow, Refusal> {
    let flags = Flags::of(context);
    let table = match flags.load() {
        Ok(table) => table,
        Err(refusal) => return Ok(unusable("damaged", &refusal)),
    };
    let mut row = match flags.writable() {
        Ok(()) => FlagsRow {
            state: USABLE.to_owned(),
            ..FlagsRow::default()
        },
        Err(refusal) => unusable("readonly", &refusal),
    };
    let unknown = sweep::unknown(table.flags(), read)?;
    row.unrecorded = unknown.iter().take(STATUS_ROWS).map(stop).collect();
    Ok(row)
}

fn unusable(state: &str, refusal: &Refusal) -> FlagsRow {
    FlagsRow {
        state: state.to_owned(),
        why: Some(refusal.cause.clone()),
        next_command: Some(refusal.next_command.clone()),
        unrecorded: Vec::new(),
    }
}

fn stop(flag: &Flag) -> FlagRow {
    let id = flag.breaker_id();
    let scope = flag.scope();
    // A scope whose name did not fit is told by its kind, and needs whoever may reset any.
    let needs = scope.as_ref().map(|scope| needs(flag.trigger, scope));
    FlagRow {
        handle: handle('b', &id),
        id: id.to_string(),
        trigger: flag.trigger.as_str().to_owned(),
        scope: scope.map_or_else(|| flag.kind.to_owned(), |scope| scope.to_string()),
        needs: needs.unwrap_or(Approver::Human).as_str().to_owned(),
        reason: flag.reason.clone(),
        at: rfc3339(flag.at_us),
    }
}

/// What a person should do about it: before everything else, because until then agents stand still
/// and nothing else says why.
#[must_use]
pub fn attention(row: &FlagsRow, at: &str) -> Vec<AttentionRow> {
    let mut rows = Vec::new();
    if row.state != USABLE {
        let stops = if row.state == "damaged" {
            "changing calls are refused"
        } else {
            "no stop can be set"
        };
        let next = row.next_command.as_deref().unwrap_or(RECORD);
        let why = row.why.as_deref().unwrap_or_default();
        rows.push(AttentionRow {
            kind: MEND.to_owned(),
            handle: FILE.to_owned(),
            id: FILE.to_owned(),
            what: format!("{stops}, next: {next}; {why}"),
            needs: Approver::Lead.as_str().to_owned(),
            since: at.to_owned(),
        });
    }
    rows.extend(row.unrecorded.iter().map(|stop| AttentionRow {
        kind: UNRECORDED.to_owned(),
        handle: stop.handle.clone(),
        id: stop.id.clone(),
        what: format!(
            "{} {}, by its flag alone, next: {RECORD}; {}",
            stop.trigger, stop.scope, stop.reason
        ),
        needs: stop.needs.clone(),
        since: stop.at.clone(),
    }));
    rows
}
