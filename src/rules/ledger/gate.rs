//! The gate (spec 3.3): may this agent begin, as this role, with this strategy.

use super::window::Of;
use super::{TaskLedger, strategy_key};
use crate::contract::ids::{AgentId, RecordId};
use crate::contract::limits::Limits;
use crate::contract::safety::{Due, Verdict, WorkRole};

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// As what the agent will act.
    pub role: WorkRole,
    /// What it will try.
    pub strategy: String,
    /// Who; an unnamed one counts as new to the task.
    pub agent: Option<AgentId>,
}

/// What the caller knows at the moment of the question.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GateFacts {
    /// A breaker is open in scope.
    pub breaker_open: bool,
    /// The agent holds a permit in scope.
    pub permit: bool,
    /// Tries counted in the mission.
    pub mission_tries: u32,
}

/// The counts behind an answer, with the limits that they run up against.
#[derive(serde::Serialize, Clone, Debug, Default, PartialEq, Eq)]
pub struct GateCounts {
    /// Tries in the window.
    pub tries: usize,
    /// Failing tries in the window; weak ones are none.
    pub failing: usize,
    /// Failing tries after the first one.
    pub repairs: usize,
    /// Failing tries with the latest failing signature.
    pub same_signature: usize,
    /// Tries in the mission.
    pub mission_tries: u32,
    /// Limit of `repairs`.
    pub max_repairs: u32,
    /// Limit of `same_signature`.
    pub max_same_signature: u32,
    /// Limit of `mission_tries`.
    pub max_iterations: u32,
}

/// The gate's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GateAnswer {
    /// Go on, or what is due.
    pub verdict: Verdict,
    /// The row of the table that decided: `permit`, `checker`, `breaker_open`, `ladder`,
    /// `strategy_failed`, `alternation`, `free`.
    pub rule: &'static str,
    /// What was counted.
    pub counts: GateCounts,
    /// The records that prove it.
    pub proof: Vec<RecordId>,
}

impl TaskLedger {
    /// Answers a question: the first row of the table that holds (spec 3.3).
    #[must_use]
    pub fn gate(&self, question: &Question, facts: &GateFacts, limits: &Limits) -> GateAnswer {
        let (verdict, rule, proof) = self.row(question, facts);
        GateAnswer {
            verdict,
            rule,
            counts: self.counts(facts, limits),
            proof,
        }
    }

    fn row(&self, asked: &Question, facts: &GateFacts) -> (Verdict, &'static str, Vec<RecordId>) {
        if facts.permit {
            return (Verdict::Allow, "permit", Vec::new());
        }
        if facts.breaker_open {
            return (Verdict::BreakerOpen, "breaker_open", Vec::new());
        }
        if asked.role == WorkRole::Checker {
            return (Verdict::Allow, "checker", Vec::new());
        }
        if let Some(ladder) = &self.ladder {
            let verdict = self.on_step(ladder.step, asked);
            return (verdict, "ladder", ladder.proof.clone());
        }
        let strategy = strategy_key(&asked.strategy);
        if let Some(latest) = self.latest_signature() {
            let met = self.met_with(&strategy, latest);
            if !met.is_empty() {
                return (Verdict::StrategyChangeDue, "strategy_failed", met);
            }
        }
        if let Some(proof) = self.window.strategies_alternate(Some(&strategy)) {
            return (Verdict::StrategyChangeDue, "alternation", proof);
        }
        (Verdict::Allow, "free", Vec::new())
    }

    /// Only the one whose step is due gets on.
    fn on_step(&self, step: Due, asked: &Question) -> Verdict {
        let fresh = |agent: &AgentId| !self.agents.contains(agent);
        match step {
            Due::Debugger if asked.role == WorkRole::Debugger => Verdict::Allow,
            Due::Debugger => Verdict::DebuggerDue,
            Due::SecondOpinion
                if asked.role == WorkRole::SecondOpinion
                    && asked.agent.as_ref().is_none_or(fresh) =>
            {
                Verdict::Allow
            }
            Due::SecondOpinion => Verdict::SecondOpinionDue,
        }
    }

    fn counts(&self, facts: &GateFacts, limits: &Limits) -> GateCounts {
        GateCounts {
            tries: self.window.tries().len(),
            failing: self.window.failing(Of::Everything).len(),
            repairs: self.repairs(),
            same_signature: self.same(),
            mission_tries: facts.mission_tries,
            max_repairs: limits.max_repairs,
            max_same_signature: limits.max_same_signature,
            max_iterations: limits.max_iterations,
        }
    }

    /// Failing tries after the first one, whoever made them (spec 3.3). Tries derived without
    /// a plan are not counted.
    pub(super) fn repairs(&self) -> usize {
        self.window.failing(Of::Declared).len().saturating_sub(1)
    }

    /// Failing tries with the latest failing signature.
    pub(super) fn same(&self) -> usize {
        let latest = self.latest_signature();
        latest.map_or(0, |signature| self.window.met(signature).len())
    }
}
