//! The public cases, line by line.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::{contract, rules};
use replay::{Mission, said};

#[path = "../../../../tests/replay/mod.rs"]
mod replay;

const CASES: &str = include_str!("../../../../tests/vectors/safety-cases.jsonl");

/// The verdicts that a case asks for: (its name, role, strategy).
fn questions(first: &str) -> [(&'static str, &'static str, String); 4] {
    [
        ("maker_new_strategy", "maker", "never seen".to_owned()),
        ("maker_first_strategy", "maker", first.to_owned()),
        ("debugger", "debugger", "look".to_owned()),
        ("fresh_second_opinion", "second_opinion", "look".to_owned()),
    ]
}

fn as_set(list: &Value) -> BTreeSet<String> {
    let items = list.as_array().unwrap().iter();
    items.map(|v| v.as_str().unwrap().to_owned()).collect()
}

#[test]
fn every_public_case_means_what_it_says() {
    let mut played = 0;
    for line in CASES.lines().filter(|line| !line.trim().is_empty()) {
        let case: Value = serde_json::from_str(line).unwrap();
        let name = format!("{} {}", case["id"], case["name"]);
        let mut mission = Mission::default();
        let mut first: Vec<(String, String)> = Vec::new();
        let attempts = case["attempts"].as_array().unwrap();
        let events = case["events"].as_array().unwrap();
        assert_eq!(attempts.len(), events.len(), "{name}");
        for (at, attempt) in attempts.iter().enumerate() {
            let told = said(&mission.record(attempt));
            let set: BTreeSet<String> = told.iter().cloned().collect();
            assert_eq!(set.len(), told.len(), "{name}: attempt {at} says it once");
            assert_eq!(set, as_set(&events[at]), "{name}: attempt {at}");
            mission.reload();
            let task = attempt["task"].as_str().unwrap();
            if first.iter().all(|(known, _)| known != task) {
                let strategy = attempt["strategy"].as_str().unwrap();
                first.push((task.to_owned(), strategy.to_owned()));
            }
        }
        for (task, verdicts) in case["gate_after"].as_object().unwrap() {
            let strategy = &first.iter().find(|(known, _)| known == task).unwrap().1;
            for (key, role, strategy) in questions(strategy) {
                let answer = mission.gate(task, role, &strategy, &json!({}));
                assert_eq!(
                    verdicts[key],
                    answer.verdict.as_str(),
                    "{name}: {task} {key}"
                );
            }
        }
        played += 1;
    }
    assert!(played >= 40, "only {played} cases");
}

#[test]
fn after_a_reset_only_the_strategy_row_remembers() {
    let failing = |strategy: &str| {
        json!({"task": "T", "agent": "a", "strategy": strategy, "result": "FAIL",
               "files": [strategy], "sig": "s"})
    };
    let mut mission = Mission::default();
    for strategy in ["A", "B", "C"] {
        mission.record(&failing(strategy));
    }
    mission.reset("T");
    mission.reload();
    let ask = |mission: &mut Mission, strategy: &str| {
        mission.gate("T", "maker", strategy, &json!({})).verdict
    };
    assert_eq!(ask(&mut mission, "b").as_str(), "strategy_change_due");
    assert_eq!(ask(&mut mission, "D").as_str(), "allow");
    let blind = mission.record(&failing("B"));
    assert_eq!(said(&blind), ["blind_repeat"]);
}
