//! Records of an acceptance (spec 4.6): in its own store what was given to whom, in the user's
//! what it came to.

use crate::contract::acceptance::{ACCEPTANCE, Accepted, BEGAN, Began};
use crate::contract::record::Record;
use crate::contract::refusal::Refusal;
use crate::contract::row::AttentionRow;
use crate::journal::{Durability, Journal, Page};

use super::context::Context;
use super::records::{event, observation};
use super::{status, store};

/// Notes that an acceptance was set up, in its own store.
///
/// # Errors
/// The store fails.
pub fn began(context: &Context, body: &Began) -> Result<(), Refusal> {
    let mut journal = store::open(context)?;
    journal.write(Durability::Full, |write| {
        write.append(observation(context, BEGAN, None, None, body)?)
    })?;
    Ok(())
}

/// Records what an acceptance came to, in the user's store. Answers the position.
///
/// # Errors
/// The store fails.
pub fn record(context: &Context, body: &Accepted) -> Result<u64, Refusal> {
    let mut journal = store::open(context)?;
    let record = journal.write(Durability::Full, |write| {
        write.append(event(context, ACCEPTANCE, None, None, body)?)
    })?;
    Ok(record.seq)
}

/// Everything that an acceptance left behind: its records, oldest first, and what waits for a
/// person.
///
/// # Errors
/// The store fails.
pub fn left(context: &Context) -> Result<(Vec<Record>, Vec<AttentionRow>), Refusal> {
    /// An acceptance leaves some hundred.
    const MOST: usize = 100_000;
    let mut journal = store::open_readonly(context)?;
    journal.read(|read| {
        let page = Page {
            limit: MOST,
            ..Page::default()
        };
        Ok((read.page(&page)?, status::status(context, read)?.attention))
    })
}
