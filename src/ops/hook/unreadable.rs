//! A payload that could not be read is taken down without any of its text (spec 6.1).

use crate::contract::digest::Digest;
use crate::contract::refusal::Refusal;
use crate::contract::session::{HOOK_UNREADABLE, HookUnreadable};
use crate::journal::{Durability, Journal};
use crate::ops::context::Context;
use crate::ops::records::observation;

use super::open;

/// What is taken down about a payload.
#[must_use]
pub fn unreadable(harness: &str, event: &str, cause: &str, payload: &[u8]) -> HookUnreadable {
    HookUnreadable {
        schema: HOOK_UNREADABLE.to_owned(),
        harness: harness.to_owned(),
        event: event.to_owned(),
        cause: cause.to_owned(),
        bytes: payload.len() as u64,
        digest: Digest::of(payload).to_string(),
    }
}

/// Takes it down.
///
/// # Errors
/// The store fails.
pub fn note(context: &Context, body: &HookUnreadable) -> Result<(), Refusal> {
    let mut journal = open(context)?;
    journal.write(Durability::Normal, |write| {
        write.append(observation(context, HOOK_UNREADABLE, None, None, body)?)
    })?;
    Ok(())
}
