//! What one entry means (spec 3.4): findings, the ladder, trips.

use super::window::Try;
use super::{Entry, Facts, Judgement, Ladder, TaskLedger};
use crate::contract::ids::RecordId;
use crate::contract::limits::Limits;
use crate::contract::safety::{Due, Finding, Outcome, SafetyTrip, WorkRole};

/// Key of a `retry` trip by repairs; one by signature has the signature.
pub(super) const MAX_REPAIRS: &str = "max_repairs";
/// Key of `retry:mission`.
const MAX_ITERATIONS: &str = "max_iterations";
/// Keys of an `oscillation` trip.
pub(super) const BY_STRATEGY: &str = "strategy";
pub(super) const BY_STATE: &str = "state";
const STEP_SKIPPED: &str = "step_skipped";

impl TaskLedger {
    /// Takes in one entry and says what it means. The caller counts the mission's tries
    /// ([`Judgement::counts`]) and opens the breakers.
    pub fn judge(&mut self, entry: &Entry, facts: &Facts, limits: &Limits) -> Judgement {
        let fail = entry.result == Outcome::Fail;
        let is_try = is_try(entry);
        let fresh = self.agents.insert(entry.agent.clone());
        if facts.breaker_open && !facts.permit {
            return self.leak(entry, facts, is_try);
        }
        if fail && entry.transient {
            return Judgement {
                due: self.due(),
                ..Judgement::default()
            };
        }
        let begun = self.begun_of(entry, is_try);
        let made = self.measure(entry);
        let skipped = self.skipped(facts, begun).filter(|_| is_try && !made);
        if !is_try {
            self.climb(entry.role, fresh);
        }
        let mut said = Judgement {
            is_try,
            progress: made,
            ..Judgement::default()
        };
        let new = is_try.then(|| Try::new(entry, &facts.id));
        if made {
            if let Some(new) = new {
                self.window.push(new);
            }
            self.new_window();
        } else {
            self.weigh(entry, new, facts, limits, &mut said);
            if let Some(ladder) = skipped {
                skip(entry, ladder, facts, &mut said);
            }
        }
        if is_try && facts.mission_tries.saturating_add(1) >= limits.max_iterations {
            let proof = vec![facts.id.clone()];
            said.trip(SafetyTrip::RetryMission, MAX_ITERATIONS, proof);
        }
        self.window.trim(limits);
        said.due = self.due();
        said
    }

    /// While a breaker is open only a try is worth a word, and it is counted no further.
    fn leak(&mut self, entry: &Entry, facts: &Facts, is_try: bool) -> Judgement {
        self.begun_of(entry, is_try);
        let mut said = Judgement {
            is_try,
            leak: is_try,
            due: self.due(),
            ..Judgement::default()
        };
        if is_try {
            said.find(Finding::Leak, vec![facts.id.clone()]);
        }
        said
    }

    /// Where the try began; uses the mark up.
    fn begun_of(&mut self, entry: &Entry, is_try: bool) -> Option<u64> {
        if is_try {
            self.begun.remove(&entry.agent)
        } else {
            None
        }
    }

    /// The ladder, when a try now would skip its due step.
    fn skipped(&self, facts: &Facts, begun: Option<u64>) -> Option<Ladder> {
        let ladder = self.ladder.as_ref()?;
        let begun_before = begun.is_some_and(|seq| seq < ladder.since);
        (!facts.permit && !begun_before).then(|| ladder.clone())
    }

    /// An analysis by the role whose step is due takes the ladder one step on.
    fn climb(&mut self, role: WorkRole, fresh: bool) {
        let Some(ladder) = &mut self.ladder else {
            return;
        };
        let over = match (ladder.step, role) {
            (Due::Debugger, WorkRole::Debugger) => !ladder.second,
            (Due::SecondOpinion, WorkRole::SecondOpinion) => fresh,
            _ => return,
        };
        if over {
            self.ladder = None;
        } else {
            ladder.step = Due::SecondOpinion;
        }
    }
}

impl Judgement {
    pub(super) fn find(&mut self, finding: Finding, proof: Vec<RecordId>) {
        self.findings.push((finding, proof));
    }

    /// One trip of a kind is enough.
    pub(super) fn trip(&mut self, trip: SafetyTrip, key: &str, proof: Vec<RecordId>) {
        if self.trips.iter().all(|(known, ..)| *known != trip) {
            self.trips.push((trip, key.to_owned(), proof));
        }
    }

    pub(super) fn warn(&mut self, what: &impl ToString) {
        let what = what.to_string();
        if !self.warnings.contains(&what) {
            self.warnings.push(what);
        }
    }
}

/// A try was made while a step was due.
fn skip(entry: &Entry, ladder: Ladder, facts: &Facts, said: &mut Judgement) {
    if entry.undeclared {
        said.warn(&ladder.step.as_str());
    } else {
        let mut proof = ladder.proof;
        proof.push(facts.id.clone());
        said.trip(SafetyTrip::Oscillation, STEP_SKIPPED, proof);
    }
}

/// An entry that changed something, or a maker's failure; a checker only gives verdicts.
fn is_try(entry: &Entry) -> bool {
    let changes = !entry.files.is_empty() || entry.state.as_ref().is_some_and(|s| !s.is_empty());
    match entry.role {
        WorkRole::Checker => false,
        WorkRole::Maker => changes || entry.result == Outcome::Fail,
        WorkRole::Debugger | WorkRole::SecondOpinion => changes,
    }
}
