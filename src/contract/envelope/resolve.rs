//! Resolution (spec 2.1): whether the receipts that an envelope refers to exist and are what it
//! says they are. Every check of every ref is reported.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use super::{Envelope, IsCode, ParentRef, parse};
use crate::contract::digest::Digest;
use crate::contract::ids::RecordId;

/// What is checked, in the order of the reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Check {
    /// The receipt is there.
    Exists,
    /// The envelope, or the receipt it refers to, is valid itself.
    Structure,
    /// Its payload has the expected schema.
    Schema,
    /// The expected producer made it.
    Producer,
    /// It serves the same goal.
    GoalHash,
    /// Its stored bytes have the given digest.
    Digest,
}

impl Check {
    /// Every check.
    pub const ALL: [Self; 6] = [
        Self::Exists,
        Self::Structure,
        Self::Schema,
        Self::Producer,
        Self::GoalHash,
        Self::Digest,
    ];

    /// The check as it is written.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Exists => "exists",
            Self::Structure => "structure",
            Self::Schema => "schema",
            Self::Producer => "producer",
            Self::GoalHash => "goal_hash",
            Self::Digest => "digest",
        }
    }
}

/// One check of one ref.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CheckReport {
    /// What was checked.
    pub name: Check,
    /// Whether it holds.
    pub ok: bool,
}

/// All checks that could be made of one ref.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RefReport {
    /// The receipt that was looked for.
    pub receipt_id: RecordId,
    /// The checks, in order.
    pub checks: Vec<CheckReport>,
}

/// What became of all refs of an envelope.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Resolution {
    /// Whether everything holds.
    pub trusted: bool,
    /// Every check that failed anywhere, once and in order.
    pub failed_checks: Vec<Check>,
    /// A report a ref; none for an envelope that is not valid itself.
    pub refs: Vec<RefReport>,
}

/// Resolves an envelope against a store. `lookup` gives the exact stored text of a receipt.
/// A stored text that bears another receipt's id is not the receipt that was looked for.
#[must_use]
pub fn resolve(
    envelope: &[u8],
    lookup: &dyn Fn(&str) -> Option<String>,
    is_catalogue_code: IsCode<'_>,
) -> Resolution {
    let Ok(envelope) = parse(envelope, is_catalogue_code) else {
        return Resolution {
            trusted: false,
            failed_checks: vec![Check::Structure],
            refs: Vec::new(),
        };
    };
    let refs: Vec<RefReport> = envelope
        .parent_refs
        .iter()
        .map(|parent| RefReport {
            receipt_id: parent.receipt_id.clone(),
            checks: checks(&envelope, parent, lookup, is_catalogue_code),
        })
        .collect();
    let failed: BTreeSet<Check> = refs
        .iter()
        .flat_map(|report| &report.checks)
        .filter(|check| !check.ok)
        .map(|check| check.name)
        .collect();
    Resolution {
        trusted: failed.is_empty(),
        failed_checks: failed.into_iter().collect(),
        refs,
    }
}

fn checks(
    envelope: &Envelope,
    wanted: &ParentRef,
    lookup: &dyn Fn(&str) -> Option<String>,
    is_catalogue_code: IsCode<'_>,
) -> Vec<CheckReport> {
    let report = |name, ok| CheckReport { name, ok };
    let Some(text) = lookup(wanted.receipt_id.as_str()) else {
        return vec![report(Check::Exists, false)];
    };
    let Ok(parent) = parse(text.as_bytes(), is_catalogue_code) else {
        return vec![report(Check::Exists, true), report(Check::Structure, false)];
    };
    if parent.receipt_id != wanted.receipt_id {
        return vec![report(Check::Exists, false)];
    }
    let same_goal = parent.goal_hash.is_some() && parent.goal_hash == envelope.goal_hash;
    let mut checks = vec![
        report(Check::Exists, true),
        report(Check::Structure, true),
        report(
            Check::Schema,
            parent.payload_schema == wanted.expected_schema,
        ),
        report(Check::Producer, parent.producer == wanted.expected_producer),
        report(Check::GoalHash, same_goal),
    ];
    if let Some(digest) = &wanted.digest {
        let ok = Digest::of(text.as_bytes()).to_string() == *digest;
        checks.push(report(Check::Digest, ok));
    }
    checks
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn receipt(id: &str, goal: &str, parents: &Value) -> String {
        json!({"schema": super::super::ENVELOPE, "receipt_id": id, "payload_schema": "s.v1",
            "producer": "ask", "emitted_at": "2026-11-30T12:00:00Z",
            "goal_hash": Digest::of(goal.as_bytes()).to_string(), "parent_refs": parents,
            "payload": {"schema": "s.v1"}})
        .to_string()
    }

    fn resolved(parents: &Value, stored: &str) -> Resolution {
        let lookup = |id: &str| (id == "p-1").then(|| stored.to_owned());
        resolve(receipt("r-1", "g", parents).as_bytes(), &lookup, &|_| false)
    }

    fn shown(report: &RefReport) -> Vec<String> {
        let checks = report.checks.iter();
        checks
            .map(|c| format!("{}={}", c.name.as_str(), c.ok))
            .collect()
    }

    #[test]
    fn an_envelope_without_parents_is_trusted() {
        let found = resolved(&json!([]), "");
        assert!(found.trusted && found.failed_checks.is_empty() && found.refs.is_empty());
    }

    #[test]
    fn every_check_of_every_ref_is_reported() {
        let stored = receipt("p-1", "g", &json!([]));
        let digest = Digest::of(stored.as_bytes()).to_string();
        let parents = json!([
            {"receipt_id": "p-1", "expected_schema": "s.v1", "expected_producer": "ask",
             "digest": digest},
            {"receipt_id": "p-1", "expected_schema": "t.v1", "expected_producer": "tau"},
            {"receipt_id": "p-2", "expected_schema": "s.v1", "expected_producer": "ask"},
            {"receipt_id": "p-1", "expected_schema": "s.v1", "expected_producer": "ask",
             "digest": Digest::ZERO.to_string()},
        ]);
        let found = resolved(&parents, &stored);
        assert!(!found.trusted);
        assert_eq!(
            found.failed_checks,
            [Check::Exists, Check::Schema, Check::Producer, Check::Digest]
        );
        let all: Vec<Vec<String>> = found.refs.iter().map(shown).collect();
        assert_eq!(
            all[0],
            [
                "exists=true",
                "structure=true",
                "schema=true",
                "producer=true",
                "goal_hash=true",
                "digest=true"
            ]
        );
        assert_eq!(
            all[1],
            [
                "exists=true",
                "structure=true",
                "schema=false",
                "producer=false",
                "goal_hash=true"
            ]
        );
        assert_eq!(all[2], ["exists=false"]);
        assert_eq!(all[3][5], "digest=false");
        assert_eq!(found.refs[2].receipt_id.as_str(), "p-2");
    }

    #[test]
    fn another_goal_or_none_is_no_shared_goal() {
        let parents = json!([{"receipt_id": "p-1", "expected_schema": "s.v1",
            "expected_producer": "ask"}]);
        let other = resolved(&parents, &receipt("p-1", "h", &json!([])));
        assert_eq!(other.failed_checks, [Check::GoalHash]);
        let mut bare: Value = serde_json::from_str(&receipt("p-1", "g", &json!([]))).unwrap();
        bare["goal_hash"] = Value::Null;
        let none = resolved(&parents, &bare.to_string());
        assert_eq!(none.failed_checks, [Check::GoalHash]);
    }

    #[test]
    fn a_broken_receipt_fails_structure_only() {
        let parents = json!([{"receipt_id": "p-1", "expected_schema": "t.v1",
            "expected_producer": "tau", "digest": Digest::ZERO.to_string()}]);
        let broken = resolved(&parents, "{}");
        assert_eq!(broken.failed_checks, [Check::Structure]);
        assert_eq!(shown(&broken.refs[0]), ["exists=true", "structure=false"]);
        let another = resolved(&parents, &receipt("p-9", "g", &json!([])));
        assert_eq!(another.failed_checks, [Check::Exists]);
        let itself = resolve(b"{}", &|_| None, &|_| false);
        assert_eq!(itself.failed_checks, [Check::Structure]);
        assert!(!itself.trusted && itself.refs.is_empty());
    }

    #[test]
    fn checks_are_written_as_named() {
        for check in Check::ALL {
            assert_eq!(serde_json::to_value(check).unwrap(), check.as_str());
        }
        let names: Vec<&str> = Check::ALL.iter().map(|c| c.as_str()).collect();
        let mut sorted = Check::ALL;
        sorted.sort_unstable();
        assert_eq!(sorted, Check::ALL);
        assert_eq!(
            names,
            [
                "exists",
                "structure",
                "schema",
                "producer",
                "goal_hash",
                "digest"
            ]
        );
    }
}
