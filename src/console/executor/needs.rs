//! What needs a person, of one project where only that is shown.

use crate::console::backend::Want;
use crate::contract::refusal::Refusal;
use crate::contract::row::{AttentionRow, Counts};
use crate::ops::store::Reading;
use crate::ops::{attention, status};

use super::lists::SEARCHED;

/// Rows in their order, the most pressing first, of one project where only that is shown.
pub(super) fn attention(
    counts: &Counts,
    read: &dyn Reading,
    want: &Want,
) -> Result<Vec<AttentionRow>, Refusal> {
    let mut rows = attention::attention(counts, read)?;
    if let Some(project) = &want.project {
        let open = status::breakers(read, SEARCHED, 0)?;
        let elsewhere = attention::waits_elsewhere(project, read)?;
        let here = |row: &AttentionRow| {
            let breaker = open.iter().find(|breaker| breaker.id == row.id);
            breaker.is_none_or(|b| b.project.as_ref().is_none_or(|p| p == project))
        };
        rows.retain(|row| here(row) && !elsewhere.contains(&row.id));
    }
    Ok(rows)
}
