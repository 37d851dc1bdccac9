//! The counts behind an entry without progress (spec 3.4): which finding, which step of the
//! ladder, which trip.

use super::judge::{BY_STATE, BY_STRATEGY, MAX_REPAIRS};
use super::window::{Of, Try};
use super::{Entry, Facts, Judgement, Ladder, TaskLedger, warn};
use crate::contract::ids::RecordId;
use crate::contract::limits::Limits;
use crate::contract::safety::{Due, Finding, Outcome, SafetyTrip, WorkRole};
use crate::contract::signature::SignatureId;

impl TaskLedger {
    /// Findings and trips of an entry without progress, in the order in which reasons count.
    pub(super) fn weigh(
        &mut self,
        entry: &Entry,
        new: Option<Try>,
        facts: &Facts,
        limits: &Limits,
        said: &mut Judgement,
    ) {
        let fail = entry.result == Outcome::Fail;
        let signature = entry.signature.as_ref().filter(|_| fail);
        let verdict = fail && entry.role == WorkRole::Checker;
        let is_try = new.is_some();
        let mut blind = None;
        if let Some(new) = new {
            blind = self.blind(&new.strategy);
            self.window.push(new);
        }
        if verdict && signature.is_some() {
            self.window.take_up_latest();
        }
        if !is_try && !verdict {
            return;
        }
        let landed = self.land(fail, signature, entry.weak, &facts.id);
        if let Landed::Counted { again, .. } = &landed {
            blind = blind.or_else(|| again.clone());
        }
        let is_blind = blind.is_some();
        if let Some(mut proof) = blind {
            proof.push(facts.id.clone());
            said.find(Finding::BlindRepeat, proof);
        }
        if let (Landed::Counted { first, .. }, Some(signature)) = (&landed, signature) {
            self.weigh_signature(signature, is_blind, facts, limits, said);
            if *first {
                self.weigh_repairs(facts, limits, said);
            }
        }
        if is_try {
            self.weigh_files(facts, limits, said);
        }
        if matches!(landed, Landed::NewlyWeak) {
            self.weigh_weak(facts, limits, said);
        }
        if is_try {
            self.weigh_circles(entry, said);
        }
    }

    /// The proof that the strategy had been tried on the signature that is latest now.
    fn blind(&self, strategy: &str) -> Option<Vec<RecordId>> {
        let latest = self.latest_signature()?;
        let met = self.met_with(strategy, latest);
        (!met.is_empty()).then_some(met)
    }

    /// Adds what an entry says about the latest try to it.
    fn land(
        &mut self,
        fail: bool,
        signature: Option<&SignatureId>,
        weak: bool,
        id: &RecordId,
    ) -> Landed {
        let Some(target) = self.window.latest() else {
            return Landed::Nothing;
        };
        target.failed |= fail;
        let Some(signature) = signature else {
            return Landed::Nothing;
        };
        if weak {
            if target.weak.is_some() {
                return Landed::Nothing;
            }
            target.weak = Some(id.clone());
            return Landed::NewlyWeak;
        }
        if target.ended_in(signature) {
            return Landed::Nothing;
        }
        let strategy = target.strategy.clone();
        let met = self.met_with(&strategy, signature);
        let again = (!met.is_empty()).then_some(met);
        let mut first = false;
        if let Some(target) = self.window.latest() {
            first = target.failures.is_empty();
            target.add_failure(signature, id);
        }
        Landed::Counted { first, again }
    }

    fn weigh_signature(
        &mut self,
        signature: &SignatureId,
        blind: bool,
        facts: &Facts,
        limits: &Limits,
        said: &mut Judgement,
    ) {
        let met = self.window.met(signature);
        let count = met.len();
        let limit = at_most(limits.max_same_signature);
        if count >= 2 {
            said.find(Finding::Repeat, met.clone());
        }
        if count > limit {
            said.trip(SafetyTrip::Retry, signature.as_str(), met);
        } else if count == limit {
            if !blind {
                said.find(Finding::StuckSignature, met.clone());
            }
            self.raise(true, facts, met, said);
        }
    }

    fn weigh_repairs(&mut self, facts: &Facts, limits: &Limits, said: &mut Judgement) {
        let limit = at_most(limits.max_repairs);
        if self.latest_is_undeclared() {
            let failing = self.window.failing(Of::Everything);
            if failing.len() > limit {
                said.warn(&Finding::RepairsUsed);
            }
            return;
        }
        let failing = self.window.failing(Of::Declared);
        let repairs = failing.len().saturating_sub(1);
        if repairs > limit {
            said.trip(SafetyTrip::Retry, MAX_REPAIRS, failing);
        } else if repairs == limit && self.ladder.is_none() && said.trips.is_empty() {
            said.find(Finding::RepairsUsed, failing.clone());
            self.raise(true, facts, failing, said);
        }
    }

    fn weigh_files(&mut self, facts: &Facts, limits: &Limits, said: &mut Judgement) {
        let of = self.counted_with_latest();
        let files = self.window.latest().map(|latest| latest.files.clone());
        for file in files.unwrap_or_default() {
            let touched = self.window.touched(&file, of);
            if touched.len().is_multiple_of(at_most(limits.churn)) {
                self.suspect(Finding::Churn(file), false, touched, facts, said);
            }
        }
    }

    fn weigh_weak(&mut self, facts: &Facts, limits: &Limits, said: &mut Judgement) {
        let weak = self.window.weak(self.counted_with_latest());
        if weak.len().is_multiple_of(at_most(limits.max_weak)) {
            self.suspect(Finding::WeakRepeats, true, weak, facts, said);
        }
    }

    fn weigh_circles(&mut self, entry: &Entry, said: &mut Judgement) {
        let strategies = self.window.strategies_alternate(None);
        if let Some(proof) = strategies.filter(|_| !entry.undeclared) {
            said.trip(SafetyTrip::Oscillation, BY_STRATEGY, proof);
        } else if let Some(proof) = self.window.states_alternate() {
            said.trip(SafetyTrip::Oscillation, BY_STATE, proof);
        }
        said.warnings.extend(warn::circles(self.window.tries()));
    }

    /// A finding that raises the ladder, or for a try without a plan a warning.
    fn suspect(
        &mut self,
        finding: Finding,
        second: bool,
        proof: Vec<RecordId>,
        facts: &Facts,
        said: &mut Judgement,
    ) {
        if self.latest_is_undeclared() {
            said.warn(&finding);
        } else {
            said.find(finding, proof.clone());
            self.raise(second, facts, proof, said);
        }
    }

    /// Raises the ladder unless it is up. A try without a plan raises none: it is told.
    fn raise(&mut self, second: bool, facts: &Facts, proof: Vec<RecordId>, said: &mut Judgement) {
        if self.latest_is_undeclared() {
            said.warn(&Due::Debugger.as_str());
        } else if self.ladder.is_none() {
            self.ladder = Some(Ladder {
                step: Due::Debugger,
                second,
                since: facts.seq,
                proof,
            });
        }
    }

    fn latest_is_undeclared(&self) -> bool {
        self.window.tries().last().is_some_and(|t| t.undeclared)
    }

    /// What is counted next to the latest try: declared tries see declared ones only.
    fn counted_with_latest(&self) -> Of {
        if self.latest_is_undeclared() {
            Of::Everything
        } else {
            Of::Declared
        }
    }
}

/// What became of a failure.
enum Landed {
    /// Nothing new.
    Nothing,
    /// The try's first weak failure.
    NewlyWeak,
    /// A signature that is new to the try.
    Counted {
        /// It is the first one of the try.
        first: bool,
        /// The strategy had been tried on it: the records that say so.
        again: Option<Vec<RecordId>>,
    },
}

fn at_most(limit: u32) -> usize {
    usize::try_from(limit).unwrap_or(usize::MAX)
}
