//! The window: the tries since the last measured progress or reset (spec 3.3), and what can
//! be counted in it.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{Entry, strategy_key};
use crate::contract::ids::RecordId;
use crate::contract::limits::Limits;
use crate::contract::safety::Outcome;
use crate::contract::signature::SignatureId;

/// Tries that a window keeps at least, whatever the limits.
const ROOM: usize = 256;
/// Tries that are forgotten at once when the room is used up. Many at once, so that the
/// counts fall back and every periodic finding comes again.
const FORGOTTEN: usize = 64;
/// Files of one try that are kept: more than that is batch work.
const FILES: usize = 256;
/// Signatures of one try that are kept: its own and those of the verdicts on it.
const FAILURES: usize = 64;

/// A signature that a try ended in, and the record that says so: the try or a verdict on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Failure {
    pub(super) signature: SignatureId,
    pub(super) id: RecordId,
}

/// One try.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Try {
    pub(super) id: RecordId,
    pub(super) strategy: String,
    pub(super) state: Option<String>,
    pub(super) files: BTreeSet<String>,
    pub(super) failures: Vec<Failure>,
    /// The record that failed with nothing but an outcome.
    pub(super) weak: Option<RecordId>,
    pub(super) failed: bool,
    pub(super) undeclared: bool,
    pub(super) result: Outcome,
    /// Its own signature, counted or not.
    pub(super) seen: Option<SignatureId>,
}

impl Try {
    pub(super) fn new(entry: &Entry, id: &RecordId) -> Self {
        let failed = entry.result == Outcome::Fail;
        Self {
            id: id.clone(),
            strategy: strategy_key(&entry.strategy),
            state: entry.state.clone().filter(|state| !state.is_empty()),
            files: entry.files.iter().take(FILES).cloned().collect(),
            failures: Vec::new(),
            weak: None,
            failed,
            undeclared: entry.undeclared,
            result: entry.result,
            seen: entry.signature.clone().filter(|_| failed),
        }
    }

    pub(super) fn ended_in(&self, signature: &SignatureId) -> bool {
        self.failures.iter().any(|f| f.signature == *signature)
    }

    pub(super) fn add_failure(&mut self, signature: &SignatureId, id: &RecordId) {
        if self.failures.len() >= FAILURES {
            self.failures.remove(0);
        }
        self.failures.push(Failure {
            signature: signature.clone(),
            id: id.clone(),
        });
    }
}

/// Which tries are counted: tries derived without a plan count for few things (spec 3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Of {
    Declared,
    Everything,
}

impl Of {
    fn takes(self, one: &Try) -> bool {
        self == Self::Everything || !one.undeclared
    }
}

/// The tries since the last measured progress or reset.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Window {
    tries: Vec<Try>,
    /// The latest try when it lies before the window: a verdict may still fail it.
    before: Option<Try>,
}

impl Window {
    pub(super) fn tries(&self) -> &[Try] {
        &self.tries
    }

    pub(super) fn latest(&mut self) -> Option<&mut Try> {
        self.tries.last_mut()
    }

    pub(super) fn push(&mut self, one: Try) {
        self.before = None;
        self.tries.push(one);
    }

    /// Nothing is counted any more. The latest try is kept for a late verdict.
    pub(super) fn restart(&mut self) {
        if let Some(latest) = self.tries.pop() {
            self.before = Some(latest);
        }
        self.tries.clear();
    }

    /// A verdict failed the latest try: if it lay before the window, it now opens it.
    pub(super) fn take_up_latest(&mut self) {
        if self.tries.is_empty() {
            self.tries.extend(self.before.take());
        }
    }

    /// Forgets the oldest tries when there are more than any limit needs.
    pub(super) fn trim(&mut self, limits: &Limits) {
        let widest = [
            limits.max_iterations,
            limits.max_repairs,
            limits.max_same_signature,
            limits.max_weak,
            limits.churn,
        ]
        .into_iter()
        .max()
        .and_then(|limit| usize::try_from(limit).ok())
        .unwrap_or(ROOM);
        if self.tries.len() > widest.saturating_mul(2).max(ROOM) {
            self.tries.drain(..FORGOTTEN);
        }
    }

    pub(super) fn latest_signature(&self) -> Option<&SignatureId> {
        let failure = self.tries.iter().rev().find_map(|t| t.failures.last());
        failure.map(|failure| &failure.signature)
    }

    /// The records that say a try ended in the signature, one for each such try, with the
    /// strategy of the try.
    pub(super) fn strategies_met(
        &self,
        signature: &SignatureId,
    ) -> impl Iterator<Item = (String, RecordId)> {
        self.tries.iter().flat_map(move |t| {
            let met = t.failures.iter().filter(|f| f.signature == *signature);
            met.map(|f| (t.strategy.clone(), f.id.clone()))
        })
    }

    /// The records that say a try ended in the signature, one for each such try.
    pub(super) fn met(&self, signature: &SignatureId) -> Vec<RecordId> {
        self.strategies_met(signature).map(|(_, id)| id).collect()
    }

    /// The first failing record of each failing try; weak failures are none.
    pub(super) fn failing(&self, of: Of) -> Vec<RecordId> {
        let tries = self.tries.iter().filter(|t| of.takes(t));
        tries
            .filter_map(|t| t.failures.first())
            .map(|f| f.id.clone())
            .collect()
    }

    /// The tries that touched the file.
    pub(super) fn touched(&self, file: &str, of: Of) -> Vec<RecordId> {
        let tries = self.tries.iter().filter(|t| of.takes(t));
        tries
            .filter(|t| t.files.contains(file))
            .map(|t| t.id.clone())
            .collect()
    }

    /// The records that failed with nothing but an outcome.
    pub(super) fn weak(&self, of: Of) -> Vec<RecordId> {
        let tries = self.tries.iter().filter(|t| of.takes(t));
        tries.filter_map(|t| t.weak.clone()).collect()
    }

    /// The last tries that prove A, B, A, B of strategies (with `next` as the fourth, when
    /// given) of which one failed. Tries without a plan carry no strategy here.
    pub(super) fn strategies_alternate(&self, next: Option<&str>) -> Option<Vec<RecordId>> {
        let carrying = |t: &&Try| !t.undeclared && !t.strategy.is_empty();
        let tries: Vec<&Try> = self.tries.iter().filter(carrying).collect();
        let next = next.filter(|strategy| !strategy.is_empty());
        let needed = if next.is_some() { 3 } else { 4 };
        let last = &tries[tries.len().checked_sub(needed)?..];
        let mut strategies: Vec<&str> = last.iter().map(|t| t.strategy.as_str()).collect();
        strategies.extend(next);
        let holds = alternate(&strategies) && last.iter().any(|t| t.failed);
        holds.then(|| last.iter().map(|t| t.id.clone()).collect())
    }

    /// The last four tries that carry a state, when their states go A, B, A, B.
    pub(super) fn states_alternate(&self) -> Option<Vec<RecordId>> {
        let carrying = self
            .tries
            .iter()
            .filter_map(|t| Some((t, t.state.as_ref()?)));
        let tries: Vec<(&Try, &String)> = carrying.collect();
        let last = &tries[tries.len().checked_sub(4)?..];
        let states: Vec<&str> = last.iter().map(|(_, state)| state.as_str()).collect();
        alternate(&states).then(|| last.iter().map(|(t, _)| t.id.clone()).collect())
    }
}

fn alternate(four: &[&str]) -> bool {
    matches!(four, [a, b, c, d] if a == c && b == d && a != b)
}
