//! The tries that an observed agent makes, judged by the rules of chapter 3 and kept to
//! themselves: what they find is shown, and stops nothing.

use std::collections::BTreeMap;

use crate::contract::ids::{AgentId, RecordId};
use crate::contract::limits::Limits;
use crate::contract::safety::WorkRole;
use crate::contract::secret;
use crate::contract::signature::Strength;
use crate::contract::tool::CheckSeen;
use crate::ops::attempt::Failure;
use crate::rules::cycle::{self, Cycle, Derived, DerivedTry};
use crate::rules::ledger::{Entry, Facts, TaskLedger};
use crate::rules::signature;

/// Files whose content is remembered.
const FILES: usize = 1_000;

/// Cycle and ledger of one session.
#[derive(Default)]
pub(super) struct Loops {
    cycle: Cycle,
    ledger: TaskLedger,
    /// Digest of what was last written to each file. The transcript tells what was written, not
    /// what the file became; for telling states apart that is enough.
    tree: BTreeMap<String, String>,
    tries: u64,
    /// What was found, until progress is made.
    pub(super) found: Vec<String>,
}

impl Loops {
    /// Files were written.
    pub(super) fn edited(&mut self, edits: &[(String, String)]) {
        for (file, digest) in edits {
            if self.tree.len() < FILES || self.tree.contains_key(file) {
                self.tree.insert(file.clone(), digest.clone());
            }
        }
        self.cycle.edit(edits.iter().map(|(file, _)| file));
    }

    /// A command ended; where it was a check it may close a try.
    pub(super) fn ran(
        &mut self,
        command: &str,
        failure: Option<&Failure>,
        text: &str,
        agent: &AgentId,
        limits: &Limits,
    ) {
        let strength = failure.map(|failure| failure.strength);
        let Some(check) = cycle::closing_name(command, strength, &[]) else {
            return;
        };
        if failure.is_some_and(|failure| failure.transient) {
            return;
        }
        let seen = CheckSeen {
            check: secret::redact(&check).0,
            passed: failure.is_none(),
            failing_tests: signature::failing_tests(text),
            signature: failure.and_then(|failure| failure.signature.clone()),
            strength: strength.unwrap_or_default(),
            tree: self.tree.clone(),
        };
        if let Derived::Try(made) = self.cycle.check(&seen) {
            self.judge(*made, agent, limits);
        }
    }

    fn judge(&mut self, made: DerivedTry, agent: &AgentId, limits: &Limits) {
        self.tries += 1;
        let progress = made.metric.is_some() || !made.evidence.is_empty();
        let facts = Facts {
            id: RecordId::new(format!("observed-{}", self.tries)),
            seq: self.tries,
            breaker_open: false,
            permit: false,
            mission_tries: u32::try_from(self.tries - 1).unwrap_or(u32::MAX),
        };
        let entry = Entry {
            role: WorkRole::Maker,
            agent: agent.clone(),
            strategy: made.strategy,
            result: made.result,
            files: made.files.into_iter().collect(),
            state: made.state,
            signature: made.signature,
            weak: made.strength == Strength::Weak,
            metric: made.metric,
            made: progress,
            evidence: made.evidence,
            transient: false,
            undeclared: true,
        };
        let judged = self.ledger.judge(&entry, &facts, limits);
        if judged.progress {
            self.found.clear();
        }
        let trips = judged
            .trips
            .iter()
            .map(|(trip, ..)| trip.as_str().to_owned());
        let findings = judged.findings.iter().map(|(found, _)| found.to_string());
        for name in findings.chain(trips).chain(judged.warnings.clone()) {
            if !self.found.contains(&name) && self.found.len() < 16 {
                self.found.push(name);
            }
        }
    }
}
