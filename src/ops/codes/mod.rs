//! `triage` (spec 2.2): what a failure is called, how often an unknown one was seen, and a
//! person's signed word on what it is.

mod bench;
mod classify;
mod decide;
mod list;
mod note;
mod overlay;
mod preview;
mod show;

pub use bench::bench;
pub use classify::{Answer, classify};
pub use decide::{alias, promote, undo};
pub use list::{Codes, list, rows};
pub use note::{Observed, observe};
pub(crate) use note::{cards, is_first, raw_kept, signal_of_output, triaged};
pub use overlay::{render, rendered};
pub use preview::{preview_alias, preview_promotion};
pub use show::show;

use crate::contract::catalog::Catalog;
use crate::contract::refusal::Refusal;
use crate::journal::{Journal, Read};
use crate::rules::codes::Vocabulary;

use super::context::Context;
use super::domain;
use super::store::load;

/// The user's part of the catalogue, as the receipts say. The file that is rendered from them
/// decides nothing here: anybody can write a file, and an entry that makes a failure transient
/// takes it out of the limits.
///
/// # Errors
/// The store fails.
pub fn in_force(read: &dyn Read) -> Result<Vocabulary, Refusal> {
    Ok(load(read, domain::VOCABULARY, domain::ALL)?.unwrap_or_default())
}

/// Every entry in force by the receipts: the promoted ones, then the shipped ones.
///
/// # Errors
/// The store fails.
pub fn by_receipts(journal: &mut impl Journal) -> Result<Catalog, Refusal> {
    Ok(over_shipped(journal.read(|read| in_force(read))?.catalog()))
}

/// Every entry in force without a store: those of the user's file, then the shipped ones.
///
/// # Errors
/// The file cannot be read, or breaks its rules.
pub fn by_file(context: &Context) -> Result<Catalog, Refusal> {
    let user = overlay::user(context)?.map(|loaded| loaded.catalog);
    Ok(over_shipped(user.unwrap_or_else(Catalog::empty)))
}

fn over_shipped(mut user: Catalog) -> Catalog {
    user.codes.extend(Catalog::shipped().codes.iter().cloned());
    user
}
