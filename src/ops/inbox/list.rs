//! `inbox list`: every message, whoever it is for.

use crate::contract::ids::AgentId;
use crate::contract::message::{MessageRow, Messages};
use crate::contract::refusal::Refusal;
use crate::journal::Journal;
use crate::ops::domain;
use crate::ops::store;

/// Rows that are read at once.
const PAGE: usize = 1_000;

/// Which messages to list.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Only those for this agent.
    pub to: Option<AgentId>,
    /// Only those that nobody acknowledged.
    pub unread: bool,
    /// Only those after this position.
    pub since: u64,
    /// At most so many.
    pub limit: usize,
}

impl Wanted {
    fn takes(&self, row: &MessageRow) -> bool {
        let theirs = self.to.as_ref().is_none_or(|to| to.as_str() == row.to);
        theirs && !(self.unread && row.acknowledged_at.is_some())
    }
}

/// Lists messages, newest last.
///
/// # Errors
/// The store fails.
pub fn list(wanted: &Wanted, journal: &mut impl Journal) -> Result<Messages, Refusal> {
    journal.read(|read| {
        let mut messages = Vec::new();
        let mut offset = 0;
        while messages.len() <= wanted.limit {
            let page: Vec<MessageRow> = store::list(read, domain::MESSAGE, PAGE, offset)?;
            let last = page.len() < PAGE || page.last().is_some_and(|row| row.seq <= wanted.since);
            let fit = page
                .into_iter()
                .filter(|row| row.seq > wanted.since && wanted.takes(row));
            messages.extend(fit);
            if last {
                break;
            }
            offset += PAGE;
        }
        let more = messages.len() > wanted.limit;
        messages.truncate(wanted.limit);
        messages.reverse();
        Ok(Messages { messages, more })
    })
}
