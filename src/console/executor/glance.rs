//! What is shown beside whole lists: who holds what, what blocks, circles, and what needs a person.

use std::collections::BTreeMap;

use crate::console::backend::{Circles, Want, held};
use crate::contract::refusal::Refusal;
use crate::contract::row::{AttentionRow, Counts, STATUS_ROWS};
use crate::contract::time::rfc3339;
use crate::ops::context::Context;
use crate::ops::store::Reading;
use crate::ops::{attention, flagged, handoff, status};

use super::lists::{InProject, SEARCHED};

/// Tasks that are looked through for those that go round in circles. Held ones and those with a due
/// step come first in their list, then the newest.
const CIRCLES_SEARCHED: usize = 1_000;
/// Handoffs that are looked through for those that an agent holds.
const HANDOFFS_SEARCHED: usize = 200;

/// What each agent holds. Claimed handoffs stand near the top of their list.
pub(super) fn holding(
    want: &Want,
    read: &dyn Reading,
) -> Result<BTreeMap<String, Vec<String>>, Refusal> {
    if want.agents.is_none() {
        return Ok(BTreeMap::new());
    }
    Ok(held(&handoff::rows(read, HANDOFFS_SEARCHED, 0)?))
}

/// Open handoffs that an agent waits for now: they stand at the top of their pane.
pub(super) fn blocking(read: &dyn Reading) -> Result<u64, Refusal> {
    let rows = handoff::rows(read, STATUS_ROWS, 0)?;
    let waiting = rows
        .iter()
        .filter(|row| row.state == "open" && row.priority == "blocking");
    Ok(waiting.count() as u64)
}

/// The tasks that go round in circles, counted however many of them are shown.
pub(super) fn circles(read: &dyn Reading, want: &Want) -> Result<Circles, Refusal> {
    if want.circles == 0 {
        return Ok(Circles::default());
    }
    let mut tasks = status::tasks(read, CIRCLES_SEARCHED, 0)?;
    if let Some(project) = &want.project {
        tasks.retain(|row| row.in_project(project));
    }
    Ok(Circles::among(tasks, want.circles))
}

/// Rows in their order, the most pressing first, of one project where only that is shown.
pub(super) fn attention(
    context: &Context,
    counts: &Counts,
    read: &dyn Reading,
    want: &Want,
) -> Result<Vec<AttentionRow>, Refusal> {
    let mut rows = attention::attention(counts, read)?;
    if let Some(project) = &want.project {
        let open = status::breakers(read, SEARCHED, 0)?;
        let elsewhere = attention::waits_elsewhere(project, read)?;
        let here = |row: &AttentionRow| {
            if elsewhere.contains(&row.id) {
                return false;
            }
            let breaker = open.iter().find(|breaker| breaker.id == row.id);
            breaker.is_none_or(|b| b.project.as_ref().is_none_or(|p| p == project))
        };
        rows.retain(here);
    }
    // The flags are those of every project.
    let at = rfc3339(read.now()?.utc_us);
    let mut first = flagged::attention(&flagged::look(context, read)?, &at);
    first.extend(rows);
    Ok(first)
}
