//! `triage list | due`: minted codes in pane order.

use serde::Serialize;

use crate::contract::code::Rendered;
use crate::contract::refusal::Refusal;
use crate::contract::row::CodeRow;
use crate::journal::{Journal, Read};
use crate::ops::context::Context;
use crate::ops::domain::{self, FailureCode};
use crate::ops::store::list as states;

use super::overlay;

/// Minted codes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Codes {
    /// The rows, newest last.
    pub codes: Vec<CodeRow>,
    /// There are more.
    pub more: bool,
    /// Whether the user's catalogue file holds what the receipts say.
    pub catalog: Rendered,
}

/// Minted codes in pane order: due, new, settled, the newest first within each.
///
/// # Errors
/// The store fails.
pub fn rows(read: &dyn Read, limit: usize, offset: usize) -> Result<Vec<CodeRow>, Refusal> {
    let codes: Vec<FailureCode> = states(read, domain::CODE, limit, offset)?;
    Ok(codes.into_iter().map(|code| code.row).collect())
}

/// Minted codes whose last observation stands after a position, newest last; only those that are
/// due, when asked so.
///
/// # Errors
/// The store fails, or the user's catalogue file cannot be read.
pub fn list(
    context: &Context,
    due: bool,
    since: u64,
    limit: usize,
    journal: &mut impl Journal,
) -> Result<Codes, Refusal> {
    let mut codes = journal.read(|read| {
        let all = rows(read, usize::MAX, 0)?;
        let kept = |row: &CodeRow| row.last_seq > since && (!due || row.state == "due");
        Ok(all.into_iter().filter(kept).collect::<Vec<_>>())
    })?;
    codes.sort_by_key(|row| row.last_seq);
    let more = codes.len() > limit;
    // Without a position the newest ones are wanted; after one, the next ones.
    if more && since == 0 {
        codes.drain(..codes.len() - limit);
    }
    codes.truncate(limit);
    Ok(Codes {
        codes,
        more,
        catalog: overlay::rendered(context, journal)?,
    })
}
