//! Tests of the ledger: the public cases, proofs, tries without a plan, properties.

mod cases;
mod declared;
mod properties;
mod screen;
mod undeclared;

use super::window::Of;
use super::*;
use crate::contract::attempt::{Better, Metric};
use crate::contract::digest::Digest;
use crate::contract::limits::Limits;
use crate::contract::row::LaneStep;
use crate::contract::safety::Verdict;

/// A signature by a short name.
fn sig(name: &str) -> SignatureId {
    let hex = Digest::of(name.as_bytes()).hex();
    SignatureId::parse(&format!("es1:{}", &hex[..16])).unwrap()
}

fn entry(role: WorkRole, agent: &str, strategy: &str, result: Outcome) -> Entry {
    Entry {
        role,
        agent: AgentId::new(agent),
        strategy: strategy.to_owned(),
        result,
        files: BTreeSet::new(),
        state: None,
        signature: None,
        weak: false,
        metric: None,
        made: false,
        evidence: Vec::new(),
        transient: false,
        undeclared: false,
    }
}

/// A maker's failing try.
fn fails(strategy: &str, file: &str, signature: &str) -> Entry {
    let mut entry = entry(WorkRole::Maker, "m", strategy, Outcome::Fail);
    entry.files.insert(file.to_owned());
    entry.signature = Some(sig(signature));
    entry
}

/// A maker's passing try.
fn passes(strategy: &str, file: &str) -> Entry {
    let mut entry = entry(WorkRole::Maker, "m", strategy, Outcome::Pass);
    entry.files.insert(file.to_owned());
    entry
}

/// A failing try of which a hook knows no plan.
fn derived(state: &str, file: &str, signature: &str) -> Entry {
    Entry {
        undeclared: true,
        state: Some(state.to_owned()),
        ..fails(&format!("undeclared:{state}"), file, signature)
    }
}

fn metric(name: &str, before: f64, after: f64, better: Better) -> Metric {
    Metric {
        name: name.to_owned(),
        before,
        after,
        better,
    }
}

fn with_metric(mut entry: Entry, metric: Metric) -> Entry {
    entry.made = true;
    entry.metric = Some(metric);
    entry
}

/// A ledger that counts its records: `r1`, `r2`, ...
#[derive(Default)]
struct Played {
    ledger: TaskLedger,
    seq: u64,
    tries: u32,
    open: bool,
    permit: bool,
    limits: Limits,
}

impl Played {
    fn say(&mut self, entry: &Entry) -> Judgement {
        self.seq += 1;
        let facts = Facts {
            id: RecordId::new(format!("r{}", self.seq)),
            seq: self.seq,
            breaker_open: self.open,
            permit: self.permit,
            mission_tries: self.tries,
        };
        let said = self.ledger.judge(entry, &facts, &self.limits);
        self.tries = self.tries.saturating_add(u32::from(said.counts()));
        said
    }

    fn ask(&self, role: WorkRole, agent: Option<&str>, strategy: &str) -> GateAnswer {
        let question = Question {
            role,
            strategy: strategy.to_owned(),
            agent: agent.map(AgentId::new),
        };
        let facts = GateFacts {
            breaker_open: self.open,
            permit: self.permit,
            mission_tries: self.tries,
        };
        self.ledger.gate(&question, &facts, &self.limits)
    }

    fn verdict(&self, strategy: &str) -> Verdict {
        self.ask(WorkRole::Maker, Some("m"), strategy).verdict
    }
}

/// Findings as `name<-r1,r2`.
fn found(said: &Judgement) -> Vec<String> {
    let line = |(finding, proof): &(Finding, Vec<RecordId>)| format!("{finding}<-{}", ids(proof));
    said.findings.iter().map(line).collect()
}

/// Trips as `name[key]<-r1,r2`.
fn tripped(said: &Judgement) -> Vec<String> {
    let trips = said.trips.iter();
    trips
        .map(|(trip, key, proof)| format!("{}[{key}]<-{}", trip.as_str(), ids(proof)))
        .collect()
}

fn ids(proof: &[RecordId]) -> String {
    let ids: Vec<&str> = proof.iter().map(RecordId::as_str).collect();
    ids.join(",")
}
