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

pub use bench::{bench, draft_preview, entry_of, form, promotion_of};
pub use classify::{Answer, classify};
pub use decide::{alias, promote, undo};
pub use list::{Codes, list, rows};
pub use note::{Observed, observe};
pub(crate) use note::{cards, is_first, raw_kept, signal_of_output, triaged};
pub use overlay::{render, rendered};
pub use preview::{preview_alias, preview_promotion};
pub use show::show;

use crate::contract::refusal::Refusal;
use crate::journal::Read;
use crate::rules::codes::Vocabulary;

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
