//! Secrets in tool calls and results (spec 3.8): only kind, place and a salted fingerprint are kept.

use crate::contract::breaker::Trigger;
use crate::contract::digest::Digest;
use crate::contract::guard::{GuardOutcome, Judgement};
use crate::contract::ids::RecordId;
use crate::contract::secret::{self, SecretHit};

/// A secret that was found: its kind, and its value for the fingerprint alone.
pub(super) struct Found {
    pub(super) kind: String,
    value: String,
}

/// The first secret in a text.
pub(super) fn first(text: &str) -> Option<Found> {
    of(text, &secret::find(text))
}

/// The first of the secrets that were found in a text.
pub(super) fn of(text: &str, hits: &[SecretHit]) -> Option<Found> {
    let hit = hits.first()?;
    let value = text.get(hit.start..hit.end)?.to_owned();
    Some(Found {
        kind: hit.kind.to_string(),
        value,
    })
}

/// What the guard says of it: a trip, whose rule is the secret's kind.
pub(super) fn judgement(place: &str, found: &Found) -> Judgement {
    Judgement {
        outcome: GuardOutcome::Trip,
        trigger: Some(Trigger::Secret),
        rule: Some(found.kind.clone()),
        reason: format!("{place} holds a secret of kind {}", found.kind),
        only_reads: false,
        wants: None,
    }
}

impl Found {
    /// Salted with the breaker's id: the same value leaves another mark each time.
    pub(super) fn mark(&self, salt: &RecordId) -> String {
        let text = format!("{salt}\u{1f}{}", self.value);
        Digest::of(text.as_bytes()).hex()[..16].to_owned()
    }
}
