//! What needs a person (spec 4.4, 5.1, 6.1): resets, decisions, and agents that wait for one in
//! their own program, the most pressing first.

use crate::contract::refusal::Refusal;
use crate::contract::row::{AttentionRow, BreakerRow, Counts, STATUS_ROWS};
use crate::journal::Read;

use super::domain::{self, Handoff, WaitState};
use super::store::list;
use super::{handoff, status};

/// Open breakers that are looked through for the most pressing ones: so many of the newest.
const PRESSING: usize = 1_000;

/// Kinds of scope, the widest first; what stops more is more pressing.
const WIDE: [&str; 3] = ["fleet", "project", "mission"];

/// How much it stops, whether a lead suffices, since which record it waits.
type Pressing = (usize, bool, u64);

/// At most 50 rows: what stops the most goes first, then what needs a human, then what waits the
/// longest. Of handoffs only the escalated ones are here; each holds up a mission.
///
/// # Errors
/// The store fails.
pub fn attention(counts: &Counts, read: &dyn Read) -> Result<Vec<AttentionRow>, Refusal> {
    let mut rows = resets(counts, read)?;
    rows.extend(decisions(counts, read)?);
    rows.extend(waits(read)?);
    rows.sort_by(|(a, one), (b, other)| (a, &one.id).cmp(&(b, &other.id)));
    rows.truncate(STATUS_ROWS);
    Ok(rows.into_iter().map(|(_, row)| row).collect())
}

fn resets(counts: &Counts, read: &dyn Read) -> Result<Vec<(Pressing, AttentionRow)>, Refusal> {
    // Open ones come first in their pane, the newest first: the oldest ones end there.
    let open = usize::try_from(counts.breakers_open).unwrap_or(usize::MAX);
    let newest = open.min(PRESSING);
    let mut rows = status::breakers(read, newest, 0)?;
    if open > newest {
        let oldest = (open - newest).min(STATUS_ROWS);
        rows.extend(status::breakers(read, oldest, open - oldest)?);
    }
    rows.retain(|row| row.state == "open");
    Ok(rows.into_iter().map(reset).collect())
}

fn reset(row: BreakerRow) -> (Pressing, AttentionRow) {
    let wide = WIDE.iter().position(|kind| *kind == row.scope_kind);
    let pressing = (
        wide.unwrap_or(WIDE.len()),
        row.needs != "human",
        row.opened_seq,
    );
    let row = AttentionRow {
        kind: "reset".to_owned(),
        what: format!("{} {}", row.trigger, row.scope),
        handle: row.handle,
        id: row.id,
        needs: row.needs,
        since: row.opened_at,
    };
    (pressing, row)
}

/// Agents that wait for a person in their own program: each holds up a session.
fn waits(read: &dyn Read) -> Result<Vec<(Pressing, AttentionRow)>, Refusal> {
    let waiting = list::<WaitState>(read, domain::WAITS, STATUS_ROWS, 0)?;
    Ok(waiting
        .into_iter()
        .map(|wait| {
            let what = format!("{} {}", wait.agent, wait.text);
            let row = AttentionRow {
                kind: wait.kind.verb().to_owned(),
                handle: wait.agent.to_string(),
                id: wait.agent.to_string(),
                what: what.trim().to_owned(),
                needs: handoff::NEEDS.as_str().to_owned(),
                since: wait.since,
            };
            ((WIDE.len(), false, wait.seq), row)
        })
        .collect())
}

/// Ids of the rows about agents that wait in another project.
///
/// # Errors
/// The store fails.
pub fn waits_elsewhere(project: &str, read: &dyn Read) -> Result<Vec<String>, Refusal> {
    let waiting = list::<WaitState>(read, domain::WAITS, STATUS_ROWS, 0)?.into_iter();
    let elsewhere = waiting.filter(|wait| wait.project.as_str() != project);
    Ok(elsewhere.map(|wait| wait.agent.to_string()).collect())
}

/// Escalated handoffs that a person must decide.
fn decisions(counts: &Counts, read: &dyn Read) -> Result<Vec<(Pressing, AttentionRow)>, Refusal> {
    let waiting = usize::try_from(counts.handoffs_escalated).unwrap_or(usize::MAX);
    let shown = waiting.min(STATUS_ROWS);
    let oldest = list::<Handoff>(read, domain::HANDOFF, shown, waiting - shown)?;
    let undecided = oldest.into_iter().filter(|h| h.entry.is_undecided());
    Ok(undecided
        .map(|handoff| {
            let row = handoff.row;
            let pressing = (WIDE.len() - 1, false, row.last_seq);
            let row = AttentionRow {
                kind: "decide".to_owned(),
                what: format!("{} {}", row.class.unwrap_or_default(), row.question),
                handle: row.handle,
                id: row.id,
                needs: handoff::NEEDS.as_str().to_owned(),
                since: row.last_at,
            };
            (pressing, row)
        })
        .collect())
}
