//! Folds the signers.

use crate::contract::event::{IdentityAdded, IdentityRevoked};
use crate::contract::record::Record;
use crate::contract::refusal::Refusal;
use crate::journal::States;
use crate::ops::domain::{self, Identity};

use super::breaker::use_nonce;
use super::{load, save};

pub(super) fn added(
    record: &Record,
    body: &IdentityAdded,
    states: &mut dyn States,
) -> Result<(), Refusal> {
    use_nonce(states, record, &body.nonce)?;
    let identity = Identity::of(body, record.recorded_at);
    save(
        states,
        domain::IDENTITY,
        &body.key,
        1,
        record.seq,
        &identity,
    )
}

pub(super) fn revoked(
    record: &Record,
    body: &IdentityRevoked,
    states: &mut dyn States,
) -> Result<(), Refusal> {
    use_nonce(states, record, &body.nonce)?;
    let Some(mut identity) = load::<Identity>(states, domain::IDENTITY, &body.key)? else {
        return Ok(());
    };
    identity.revoked = true;
    save(
        states,
        domain::IDENTITY,
        &body.key,
        0,
        record.seq,
        &identity,
    )
}
