//! The attempt ledger of one task (spec 3.1 to 3.4): what the latest entries mean,
//! which step they make due, and what trips.
//!
//! The state is plain data. It can be written down and read back at any point without
//! changing a later answer.

mod gate;
mod judge;
mod progress;
mod summary;
#[cfg(test)]
mod tests;
mod warn;
mod weigh;
mod window;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::contract::attempt::Metric;
use crate::contract::ids::{AgentId, RecordId};
use crate::contract::safety::{Due, Finding, Outcome, SafetyTrip, WorkRole};
use crate::contract::signature::SignatureId;

pub use gate::{GateAnswer, GateCounts, GateFacts, Question};
pub use summary::Summary;

use progress::Best;
use window::Window;

/// One entry as the rules see it (spec 3.1). Paths, evidence and signature are already in
/// their one spelling.
#[derive(Clone, Debug, PartialEq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own, and all combinations occur"
)]
pub struct Entry {
    /// As what the agent acted.
    pub role: WorkRole,
    /// Who.
    pub agent: AgentId,
    /// What was tried; compared by [`strategy_key`].
    pub strategy: String,
    /// How it ended.
    pub result: Outcome,
    /// Files that were changed.
    pub files: BTreeSet<String>,
    /// Digest of the changed content.
    pub state: Option<String>,
    /// The failure's signature; read with a failing result only.
    pub signature: Option<SignatureId>,
    /// The signature tells the outcome alone, so that no limit counts it.
    pub weak: bool,
    /// A measured number; read only when progress was made.
    pub metric: Option<Metric>,
    /// Whether progress is claimed.
    pub made: bool,
    /// What shows the progress.
    pub evidence: Vec<String>,
    /// The failure is the provider's or the network's, and passes by itself.
    pub transient: bool,
    /// Derived from what a hook saw, without a plan.
    pub undeclared: bool,
}

/// What the caller knows about an entry beyond its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// The entry's record.
    pub id: RecordId,
    /// Its position in the journal.
    pub seq: u64,
    /// A breaker is open in scope.
    pub breaker_open: bool,
    /// The agent holds a permit in scope.
    pub permit: bool,
    /// Tries counted in the mission before this entry.
    pub mission_tries: u32,
}

/// What one entry means.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Judgement {
    /// Findings of spec 3.4 with the records that prove them.
    pub findings: Vec<(Finding, Vec<RecordId>)>,
    /// Breakers to open: the trip, the rule or signature of its key, the proof.
    pub trips: Vec<(SafetyTrip, String, Vec<RecordId>)>,
    /// Told to the model and shown, never counted.
    pub warnings: Vec<String>,
    /// Something was tried. False for a transient failure, which nothing counts.
    pub is_try: bool,
    /// It was tried while a breaker was open.
    pub leak: bool,
    /// The step that is due after this entry.
    pub due: Option<Due>,
    /// It brought measured progress: a new window begins.
    pub progress: bool,
}

impl Judgement {
    /// Whether the mission's count of tries goes up by one (spec 3.2, `max_iterations`).
    #[must_use]
    pub fn counts(&self) -> bool {
        self.is_try && !self.leak
    }
}

/// The ladder while a step of it is due.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Ladder {
    step: Due,
    /// Whether a second opinion follows the debugger.
    second: bool,
    /// Position of the entry that raised it.
    since: u64,
    /// The records that raised it.
    proof: Vec<RecordId>,
}

/// What a reset carries over: the latest failing signature, and which strategy met it in
/// which record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Carried {
    signature: SignatureId,
    met: Vec<(String, RecordId)>,
}

/// The ledger of one task (spec 3.1).
///
/// It grows with the agents and the evidence of the task; the window of tries is bounded.
/// A reset carries over at most what one window holds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TaskLedger {
    window: Window,
    ladder: Option<Ladder>,
    agents: BTreeSet<AgentId>,
    best: Option<Best>,
    evidence: BTreeSet<String>,
    carried: Option<Carried>,
    /// Where each agent began its next try.
    begun: BTreeMap<AgentId, u64>,
}

impl TaskLedger {
    /// An agent began to work: it planned, or the gate let it. A later beginning replaces an
    /// earlier one; the agent's next try uses it up (spec 3.4, `oscillation`).
    pub fn begin(&mut self, agent: &AgentId, seq: u64) {
        self.begun.insert(agent.clone(), seq);
    }

    /// Whether the agent began, and has not tried since.
    #[must_use]
    pub fn has_begun(&self, agent: &AgentId) -> bool {
        self.begun.contains_key(agent)
    }

    /// A signed reset (spec 3.6): all counters start anew. The latest failing signature and the
    /// strategies that failed on it stay known to the strategy row and to `blind_repeat`.
    pub fn reset(&mut self) {
        if let Some(signature) = self.latest_signature().cloned() {
            let known = self.carried.take().filter(|c| c.signature == signature);
            let mut met = known.map_or_else(Vec::new, |carried| carried.met);
            met.extend(self.window.strategies_met(&signature));
            self.carried = Some(Carried { signature, met });
        }
        self.new_window();
    }

    /// The step that is due.
    #[must_use]
    pub fn due(&self) -> Option<Due> {
        self.ladder.as_ref().map(|ladder| ladder.step)
    }

    fn new_window(&mut self) {
        self.window.restart();
        self.ladder = None;
    }

    /// The signature that the strategy row compares with.
    fn latest_signature(&self) -> Option<&SignatureId> {
        let carried = self.carried.as_ref().map(|carried| &carried.signature);
        self.window.latest_signature().or(carried)
    }

    /// The records of failing tries with this strategy that ended in the signature, those
    /// carried over a reset included.
    fn met_with(&self, strategy: &str, signature: &SignatureId) -> Vec<RecordId> {
        let carried = self.carried.iter().filter(|c| c.signature == *signature);
        let known = carried.flat_map(|c| c.met.iter().cloned());
        known
            .chain(self.window.strategies_met(signature))
            .filter(|(known, _)| known == strategy)
            .map(|(_, id)| id)
            .collect()
    }
}

/// How strategies are compared: lower case, white space collapsed (spec 3.1).
///
/// ```
/// use watchfloor::rules::ledger::strategy_key;
/// assert_eq!(strategy_key("  Widen\tthe LOCK "), "widen the lock");
/// ```
#[must_use]
pub fn strategy_key(strategy: &str) -> String {
    let lower = strategy.to_lowercase();
    let words: Vec<&str> = lower.split_whitespace().collect();
    words.join(" ")
}
