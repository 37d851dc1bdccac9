//! The labelled calls, asked of the rule itself; `tests/guard.rs` asks the built program.

use serde_json::Value;

use super::*;
use crate::contract::guard::GuardOutcome;

const LABELLED: &str = include_str!("../../../tests/vectors/guard-cases.jsonl");
const OWN: &str = include_str!("../../../tests/vectors/guard-own.jsonl");

fn policy() -> Policy {
    Policy {
        workspace: "/home/d/w/app".to_owned(),
        cwd: "/home/d/w/app".to_owned(),
        home: "/home/d".to_owned(),
        store: "/home/d/state".to_owned(),
        config: "/home/d/.config/watchfloor".to_owned(),
        ..Policy::default()
    }
}

/// What is said of a case, in the words of its label.
fn said(case: &Value) -> String {
    let (tool, input) = (&case["harness_tool"], &case["input"]);
    let policy = policy();
    let judged = if tool == "ToolResult" {
        let code = input["exit_code"].as_i64();
        let code = code.map(|code| i32::try_from(code).unwrap());
        let text = input["text"].as_str().unwrap_or_default();
        judge_result("Bash", code, text, &policy)
    } else {
        let text = match input {
            Value::String(text) => text.clone(),
            object => object.to_string(),
        };
        Some(judge(tool.as_str().unwrap(), &text, &policy))
    };
    match judged {
        None => "none".to_owned(),
        Some(judged) => match (judged.outcome, judged.trigger) {
            (GuardOutcome::Trip, Some(trigger)) => trigger.as_str().to_owned(),
            (GuardOutcome::Deny, _) => "deny".to_owned(),
            (GuardOutcome::Indeterminate, _) => "indeterminate".to_owned(),
            _ => "none".to_owned(),
        },
    }
}

#[test]
fn labelled_calls_get_their_answers() {
    let mut wrong = Vec::new();
    for line in LABELLED
        .lines()
        .chain(OWN.lines())
        .filter(|line| !line.is_empty())
    {
        let case: Value = serde_json::from_str(&line.replace("\u{27e8}\u{27e9}", "")).unwrap();
        let said = said(&case);
        if case["expect"] != said.as_str() {
            wrong.push(format!("{}: {said}: {}", case["id"], case["input"]));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
