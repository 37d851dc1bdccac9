//! Real failure texts and the groups that they must fall into (spec 3.5).

#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::collections::BTreeMap;

use serde_json::Value;
use watchfloor::contract::signature::{Signature, Strength};
use watchfloor::rules::signature::sign;

/// One text of the set.
struct Case {
    group: String,
    variant: String,
    raw: String,
    cwd: String,
    exit_code: Option<i32>,
    strength: String,
}

impl Case {
    fn signed(&self) -> Signature {
        sign(&self.raw, self.exit_code, Some(&self.cwd))
    }
}

fn cases() -> Vec<Case> {
    let text = |value: &Value, key: &str| value[key].as_str().unwrap().to_owned();
    let path =
        std::env::var("SIGNATURES").unwrap_or_else(|_| "tests/vectors/signatures.jsonl".to_owned());
    let lines = std::fs::read_to_string(path).unwrap();
    let lines = lines.lines().map(|line| {
        let value: Value = serde_json::from_str(line).unwrap();
        let code = value["exit_code"].as_i64();
        Case {
            group: text(&value, "group"),
            variant: text(&value, "variant"),
            raw: text(&value, "raw"),
            cwd: text(&value, "cwd"),
            exit_code: code.map(|code| i32::try_from(code).unwrap()),
            strength: text(&value, "strength"),
        }
    });
    lines.collect()
}

fn told(strength: Strength) -> &'static str {
    match strength {
        Strength::Strong => "strong",
        Strength::Medium => "medium",
        Strength::Weak => "weak",
    }
}

#[test]
fn one_root_cause_is_one_signature_and_another_is_another() {
    let mut groups: BTreeMap<String, Vec<(String, String, Signature)>> = BTreeMap::new();
    for case in cases() {
        let signature = case.signed();
        let group = groups.entry(case.group).or_default();
        group.push((case.variant, case.strength, signature));
    }
    let mut faults = Vec::new();
    let mut owners: BTreeMap<String, String> = BTreeMap::new();
    for (group, signed) in &groups {
        let first = &signed[0].2;
        if signed
            .iter()
            .any(|(_, _, signature)| signature.id != first.id)
        {
            let texts: Vec<String> = signed
                .iter()
                .map(|(variant, _, signature)| format!("  {variant}: {}", signature.canonical))
                .collect();
            faults.push(format!("{group} is split:\n{}", texts.join("\n")));
        }
        let mut other = signed
            .iter()
            .filter(|(_, s, signature)| s != told(signature.strength));
        if let Some((variant, expected, signature)) = other.next() {
            faults.push(format!(
                "{group} {variant} is {} and should be {expected}: {}",
                told(signature.strength),
                signature.canonical
            ));
        }
        if let Some(owner) = owners.insert(first.id.to_string(), group.clone()) {
            faults.push(format!("{group} and {owner} are one: {}", first.canonical));
        }
        if std::env::var("SHOW").is_ok() {
            println!("== {group} {}\n{}", told(first.strength), first.canonical);
        }
    }
    assert!(
        faults.is_empty(),
        "{} faults in {} groups\n{}",
        faults.len(),
        groups.len(),
        faults.join("\n")
    );
}
