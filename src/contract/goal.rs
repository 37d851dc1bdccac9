//! The goal packet, `watchfloor.goal.v1` (spec 8.1).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::digest::Digest;
use super::json::canonical;

/// Schema of a goal packet.
pub const GOAL: &str = "watchfloor.goal.v1";

/// What proves a goal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PrimaryProof {
    /// The command.
    #[serde(default)]
    pub argv: Vec<String>,
    /// What it must give.
    #[serde(default)]
    pub expected: String,
}

/// One immutable goal. Its hash covers every field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Goal {
    /// Always [`GOAL`].
    pub schema: String,
    /// What shall be.
    pub outcome: String,
    /// What proves it.
    #[serde(default)]
    pub primary_proof: PrimaryProof,
    /// When it is complete.
    #[serde(default)]
    pub completion_criteria: Vec<String>,
    /// What may be touched.
    #[serde(default)]
    pub allowed_scope: Vec<String>,
    /// What must not happen on the way.
    #[serde(default)]
    pub forbidden_drift: Vec<String>,
    /// Attempts per blocker.
    #[serde(default = "default_budget")]
    pub retry_budget: u32,
    /// When to stop.
    #[serde(default)]
    pub stop_condition: String,
    /// How to report.
    #[serde(default)]
    pub final_report_rule: String,
}

fn default_budget() -> u32 {
    2
}

impl Goal {
    /// The packet of a mission that is one root agent session.
    #[must_use]
    pub fn generated_for_session(session: &str) -> Self {
        Self::generated(format!("session {session}"))
    }

    /// The packet of a mission that is one task.
    #[must_use]
    pub fn generated_for_task(task: &str) -> Self {
        Self::generated(format!("task {task}"))
    }

    /// The packet that fleet-wide receipts serve.
    #[must_use]
    pub fn fleet() -> Self {
        Self::generated("fleet".to_owned())
    }

    fn generated(outcome: String) -> Self {
        Self {
            schema: GOAL.to_owned(),
            outcome,
            primary_proof: PrimaryProof::default(),
            completion_criteria: Vec::new(),
            allowed_scope: Vec::new(),
            forbidden_drift: Vec::new(),
            retry_budget: default_budget(),
            stop_condition: String::new(),
            final_report_rule: String::new(),
        }
    }

    /// SHA-256 over the canonical form (RFC 8785) of the whole packet.
    #[must_use]
    pub fn hash(&self) -> Digest {
        // Texts, lists of texts and one number always have a canonical form; were there none,
        // the zero digest is the hash of nothing.
        canonical(self).map_or(Digest::ZERO, |text| Digest::of(text.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_packets_have_a_known_hash() {
        let text = "{\"allowed_scope\":[],\"completion_criteria\":[],\"final_report_rule\":\"\",\
                    \"forbidden_drift\":[],\"outcome\":\"session s-1\",\
                    \"primary_proof\":{\"argv\":[],\"expected\":\"\"},\"retry_budget\":2,\
                    \"schema\":\"watchfloor.goal.v1\",\"stop_condition\":\"\"}";
        let goal = Goal::generated_for_session("s-1");
        assert_eq!(goal.hash(), Digest::of(text.as_bytes()));
        assert_eq!(Goal::generated_for_task("t").outcome, "task t");
        assert_eq!(Goal::fleet().outcome, "fleet");
        let bare: Goal =
            serde_json::from_str(r#"{"schema": "watchfloor.goal.v1", "outcome": "fleet"}"#)
                .unwrap();
        assert_eq!(bare, Goal::fleet());
        assert_eq!(bare.hash(), Goal::fleet().hash());
    }

    #[test]
    fn every_field_is_in_the_hash() {
        let goal = Goal::fleet();
        let change = |edit: fn(&mut Goal)| {
            let mut other = goal.clone();
            edit(&mut other);
            other.hash()
        };
        let changed = [
            change(|g| g.outcome.push('x')),
            change(|g| g.primary_proof.argv.push("x".into())),
            change(|g| g.primary_proof.expected.push('x')),
            change(|g| g.completion_criteria.push("x".into())),
            change(|g| g.allowed_scope.push("x".into())),
            change(|g| g.forbidden_drift.push("x".into())),
            change(|g| g.retry_budget = 3),
            change(|g| g.stop_condition.push('x')),
            change(|g| g.final_report_rule.push('x')),
        ];
        for hash in changed {
            assert_ne!(hash, goal.hash());
            assert_ne!(hash, Digest::ZERO);
        }
    }
}
