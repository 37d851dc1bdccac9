//! The goal packet, `watchfloor.goal.v1` (spec 8.1).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::digest::Digest;
use super::fault::Fault;
use super::json::{Doc, Fields, canonical};

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

/// A whole number of at least 1; 2 when it is left out.
fn budget(fields: &mut Fields<'_>) -> u32 {
    let Some(value) = fields.given("retry_budget").map(Doc::to_value) else {
        return default_budget();
    };
    if let Some(budget) = value
        .as_u64()
        .and_then(|n| u32::try_from(n).ok())
        .filter(|n| *n >= 1)
    {
        budget
    } else {
        fields.fault(
            "type",
            "retry_budget",
            "must be a whole number of at least 1",
        );
        default_budget()
    }
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

    /// Reads a packet strictly.
    ///
    /// # Errors
    /// All faults together, in the order of the fields.
    pub fn parse(bytes: &[u8]) -> Result<Self, Vec<Fault>> {
        let doc = Doc::parse(bytes)?;
        let mut fields = Fields::open(&doc, "")?;
        let schema = fields.literal("schema", GOAL);
        let outcome = fields.text("outcome");
        let mut primary_proof = PrimaryProof::default();
        if let Some(mut proof) = fields.object("primary_proof") {
            primary_proof.argv = proof.texts("argv");
            primary_proof.expected = proof.any_text("expected").unwrap_or_default();
            fields.absorb(proof.close());
        }
        let goal = Self {
            schema,
            outcome,
            primary_proof,
            completion_criteria: fields.texts("completion_criteria"),
            allowed_scope: fields.texts("allowed_scope"),
            forbidden_drift: fields.texts("forbidden_drift"),
            retry_budget: budget(&mut fields),
            stop_condition: fields.any_text("stop_condition").unwrap_or_default(),
            final_report_rule: fields.any_text("final_report_rule").unwrap_or_default(),
        };
        let faults = fields.close();
        if faults.is_empty() {
            Ok(goal)
        } else {
            Err(faults)
        }
    }

    /// SHA-256 over the canonical form (RFC 8785) of the whole packet.
    #[must_use]
    pub fn hash(&self) -> Digest {
        if *self == Self::generated(self.outcome.clone()) {
            return Digest::of(generated_text(&self.outcome).as_bytes());
        }
        // Texts, lists of texts and one number always have a canonical form; were there none,
        // the zero digest is the hash of nothing.
        canonical(self).map_or(Digest::ZERO, |text| Digest::of(text.as_bytes()))
    }
}

/// The canonical form of a generated packet, in which only the outcome differs: every mission that
/// nobody made has one, and is hashed when its first record is written.
fn generated_text(outcome: &str) -> String {
    let outcome = serde_json::Value::from(outcome);
    format!(
        "{{\"allowed_scope\":[],\"completion_criteria\":[],\"final_report_rule\":\"\",\
         \"forbidden_drift\":[],\"outcome\":{outcome},\"primary_proof\":{{\"argv\":[],\
         \"expected\":\"\"}},\"retry_budget\":{},\"schema\":\"{GOAL}\",\"stop_condition\":\"\"}}",
        default_budget()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_generated_packet_is_written_as_its_canonical_form() {
        let long = "x".repeat(300);
        for task in [
            "t",
            "a \"b\" \\ c",
            "\u{1}\u{1f}\u{7f}\n\t",
            "Ωé😀\u{2028}",
            &long,
        ] {
            let goal = Goal::generated_for_task(task);
            assert_eq!(
                Some(generated_text(&goal.outcome)),
                canonical(&goal).ok(),
                "{task}"
            );
        }
    }

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
    fn packets_are_read_strictly() {
        let good = r#"{"schema":"watchfloor.goal.v1","outcome":"o","primary_proof":{"argv":["a","b"],"expected":"x"},
            "completion_criteria":["c"],"allowed_scope":["s"],"forbidden_drift":["d"],"retry_budget":1,
            "stop_condition":"p","final_report_rule":"r"}"#;
        let goal = Goal::parse(good.as_bytes()).unwrap();
        assert_eq!(goal, serde_json::from_str::<Goal>(good).unwrap());
        let bare = Goal::parse(br#"{"schema":"watchfloor.goal.v1","outcome":"fleet"}"#).unwrap();
        assert_eq!(bare, Goal::fleet());
        let bad = r#"{"schema":"x","retry_budget":0,"primary_proof":{"argv":7},"hurry":1}"#;
        let faults = Goal::parse(bad.as_bytes()).unwrap_err();
        let shown: Vec<String> = faults
            .iter()
            .map(|f| format!("{} {}", f.code, f.path))
            .collect();
        assert_eq!(
            shown,
            [
                "literal_error schema",
                "missing outcome",
                "type primary_proof.argv",
                "type retry_budget",
                "extra_forbidden hurry"
            ]
        );
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
