//! Plays attempts, written as the public cases write them, through task ledgers: what the
//! product does around the rules, in a few lines. The parent module names the crate.

use std::collections::BTreeMap;

use super::contract::attempt::{Better, Metric};
use super::contract::digest::Digest;
use super::contract::ids::{AgentId, RecordId};
use super::contract::limits::Limits;
use super::contract::safety::{Outcome, SafetyTrip, WorkRole};
use super::contract::signature::SignatureId;
use super::rules::ledger::{Entry, Facts, GateAnswer, GateFacts, Judgement, Question, TaskLedger};
use serde_json::Value;

/// One mission: its tasks and its open breakers.
#[derive(Default)]
pub struct Mission {
    tasks: BTreeMap<String, (TaskLedger, bool)>,
    tries: u32,
    open: bool,
    seq: u64,
}

impl Mission {
    /// Records one attempt.
    pub fn record(&mut self, attempt: &Value) -> Judgement {
        self.seq += 1;
        let entry = entry(attempt);
        let (ledger, open) = self.tasks.entry(text(attempt, "task")).or_default();
        let begun = if attempt["begun_before_due"] == true {
            0
        } else {
            self.seq
        };
        ledger.begin(&entry.agent, begun);
        let facts = Facts {
            id: RecordId::new(format!("r{}", self.seq)),
            seq: self.seq,
            breaker_open: self.open || *open,
            permit: attempt["permit"] == true,
            mission_tries: self.tries,
        };
        let said = ledger.judge(&entry, &facts, &Limits::default());
        self.tries += u32::from(said.counts());
        for (trip, ..) in &said.trips {
            match trip {
                SafetyTrip::RetryMission => self.open = true,
                SafetyTrip::Retry | SafetyTrip::Oscillation => *open = true,
            }
        }
        said
    }

    /// Asks the gate.
    pub fn gate(&mut self, task: &str, role: &str, strategy: &str, rest: &Value) -> GateAnswer {
        let (ledger, open) = self.tasks.entry(task.to_owned()).or_default();
        let question = Question {
            role: WorkRole::parse(role).unwrap(),
            strategy: strategy.to_owned(),
            agent: rest["agent"].as_str().map(AgentId::new),
        };
        let facts = GateFacts {
            breaker_open: self.open || *open,
            permit: rest["permit"] == true,
            mission_tries: self.tries,
        };
        ledger.gate(&question, &facts, &Limits::default())
    }

    /// Resets the breakers of a task.
    pub fn reset(&mut self, task: &str) {
        let (ledger, open) = self.tasks.entry(task.to_owned()).or_default();
        ledger.reset();
        *open = false;
    }

    /// Writes every ledger down and reads it back.
    pub fn reload(&mut self) {
        for (ledger, _) in self.tasks.values_mut() {
            let written = serde_json::to_string(ledger).unwrap();
            *ledger = serde_json::from_str(&written).unwrap();
        }
    }
}

/// Findings and trips as the cases write them.
pub fn said(judgement: &Judgement) -> Vec<String> {
    let found = judgement.findings.iter().map(|(f, _)| f.to_string());
    let trips = judgement.trips.iter();
    found
        .chain(trips.map(|(trip, ..)| format!("trip:{}", trip.as_str())))
        .collect()
}

/// The signature that a short name stands for.
pub fn signature(name: &str) -> SignatureId {
    let hex = Digest::of(name.as_bytes()).hex();
    SignatureId::parse(&format!("es1:{}", &hex[..16])).unwrap()
}

fn text(attempt: &Value, field: &str) -> String {
    attempt[field].as_str().unwrap_or_default().to_owned()
}

fn list(value: &Value) -> Vec<String> {
    let items = value.as_array().into_iter().flatten();
    items.map(|v| v.as_str().unwrap().to_owned()).collect()
}

fn entry(attempt: &Value) -> Entry {
    let progress = &attempt["progress"];
    let metric = progress["metric"].as_object().map(|metric| Metric {
        name: metric["name"].as_str().unwrap().to_owned(),
        before: metric["before"].as_f64().unwrap(),
        after: metric["after"].as_f64().unwrap(),
        better: if metric["better"] == "higher" {
            Better::Higher
        } else {
            Better::Lower
        },
    });
    Entry {
        role: WorkRole::parse(attempt["role"].as_str().unwrap_or("maker")).unwrap(),
        agent: AgentId::new(text(attempt, "agent")),
        strategy: text(attempt, "strategy"),
        result: Outcome::parse(&text(attempt, "result")).unwrap(),
        files: list(&attempt["files"]).into_iter().collect(),
        state: attempt["state"].as_str().map(str::to_owned),
        signature: attempt["sig"].as_str().map(signature),
        weak: attempt["strength"] == "weak",
        metric,
        made: progress["made"] == true,
        evidence: list(&progress["evidence"]),
        transient: attempt["transient"] == true,
        undeclared: false,
    }
}
