//! The edit-check cycle of one session in one task (spec 3.1, derived tries): which checks
//! that a hook saw end are tries, and what was changed for them.

mod checks;
mod outcome;
mod shell;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::contract::attempt::{Better, Metric};
use crate::contract::digest::Digest;
use crate::contract::safety::Outcome;
use crate::contract::signature::{SignatureId, Strength};
use crate::contract::tool::CheckSeen;

pub use checks::{check_name, check_name_with, closing_name, command_name, is_check};
pub use outcome::{hides_exit, is_pending};

/// Strategy of a try that changed nothing.
pub const RERUN: &str = "rerun";
/// The failing check with nothing changed that is a try, and each after it.
const UNCHANGED: u32 = 3;
/// Edited files that are remembered between two checks.
const EDITS: usize = 4096;
/// Checks that are remembered.
const CHECKS: usize = 64;

/// What a check that ended means.
#[derive(Clone, Debug, PartialEq)]
pub enum Derived {
    /// It is recorded as seen; no entry.
    Observation,
    /// It closes a cycle: an entry of the attempt ledger.
    Try(Box<DerivedTry>),
}

/// An entry that a closed cycle makes. One that changed nothing and passed is an analysis
/// that brings progress.
#[derive(Clone, Debug, PartialEq)]
pub struct DerivedTry {
    /// The plan's, `rerun`, or `undeclared:<state>`.
    pub strategy: String,
    /// Made under a plan; otherwise it is an undeclared try.
    pub planned: bool,
    /// Files that were changed, in order.
    pub files: Vec<String>,
    /// Digest of the changed content, where it is known.
    pub state: Option<String>,
    /// The check's result.
    pub result: Outcome,
    /// The failure's signature.
    pub signature: Option<SignatureId>,
    /// How much the signature says.
    pub strength: Strength,
    /// Failing tests before and now, when there are fewer: progress was made.
    pub metric: Option<Metric>,
    /// What shows the progress, as `check:<name>@<digest of the content>`. It is progress also
    /// where the task's metric is another one, but for each content once, so that going to and
    /// fro brings none.
    pub evidence: Vec<String>,
    /// Nothing had changed since the last check.
    pub rerun: bool,
}

/// What is known about a check that was run in the task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Known {
    /// Number of the last edit that a passing run of it has seen.
    seen: u64,
    /// It failed, and has not passed since.
    failing: bool,
    /// The fewest failing tests since it last passed, where its output told.
    fewest: Option<u64>,
    /// When it last ended, counted in checks.
    ended: u64,
}

/// The cycle's state: plain data of one session in one task.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cycle {
    /// Files changed since the last try, and the number of their last edit.
    edits: BTreeMap<String, u64>,
    edit: u64,
    /// Digests at the last check, by path; unknown before the first one.
    tree: Option<BTreeMap<String, String>>,
    /// Failing checks in a row with nothing changed.
    unchanged: u32,
    checks: BTreeMap<String, Known>,
    ended: u64,
    plan: Option<String>,
}

impl Cycle {
    /// The session starts with a working tree as it is. What differs at its first check was
    /// changed since, also when no tool told of it. Later starts move nothing.
    pub fn begin(&mut self, tree: &BTreeMap<String, String>) {
        self.tree.get_or_insert_with(|| tree.clone());
    }

    /// Whether the tree that the next check is measured against is known.
    #[must_use]
    pub fn begun(&self) -> bool {
        self.tree.is_some()
    }

    /// A tool wrote files.
    pub fn edit<S: AsRef<str>>(&mut self, files: impl IntoIterator<Item = S>) {
        self.edit += 1;
        for file in files {
            let file = file.as_ref();
            if self.edits.len() < EDITS || self.edits.contains_key(file) {
                self.edits.insert(file.to_owned(), self.edit);
            }
        }
    }

    /// Files that are known to have changed; a caller reads them again when a check ends.
    #[must_use]
    pub fn paths(&self) -> Vec<String> {
        let tree = self.tree.iter().flat_map(BTreeMap::keys);
        self.edits.keys().chain(tree).cloned().collect()
    }

    /// The agent said what it will try; it stands until the next plan.
    pub fn plan(&mut self, strategy: &str) {
        self.plan = Some(strategy.to_owned());
    }

    /// A check ended. `seen.tree` holds the digest of every changed file that exists, the
    /// edited ones included.
    ///
    /// A failing check closes the cycle, whichever check it is. A passing one closes it only
    /// when it is progress; otherwise the same check sees the same edits no second time, and
    /// another check still does: `build` passing does not hide the edit from `test`.
    pub fn check(&mut self, seen: &CheckSeen) -> Derived {
        let last = self.tree.replace(seen.tree.clone());
        if let Some(last) = &last {
            self.notice(last, &seen.tree);
        }
        let known = self.checks.get(&seen.check).copied().unwrap_or_default();
        let end = End {
            seen,
            files: self.changed_since(known.seen),
            last: last.unwrap_or_default(),
            known,
        };
        let derived = if seen.passed {
            self.passed(&end)
        } else {
            self.failed(&end)
        };
        if matches!(derived, Derived::Try(_)) && !end.files.is_empty() {
            self.edits.clear();
        }
        derived
    }

    /// A command ended that ran as an agent of its own (spec 6.5). Its exit is an entry, also where
    /// a check of the same outcome is an observation: a first failure without an edit is what its
    /// work came to, and one that passed is read and counts as no try. A further failure with
    /// nothing changed stays an observation until it is a rerun.
    pub fn exit(&mut self, seen: &CheckSeen) -> Derived {
        let first = self.ended == 0;
        match self.check(seen) {
            Derived::Observation if seen.passed || first => Derived::Try(Box::new(DerivedTry {
                strategy: self.named(&digest_of(&[], &seen.tree)),
                planned: self.plan.is_some(),
                files: Vec::new(),
                state: None,
                result: outcome(seen),
                signature: seen.signature.clone(),
                strength: seen.strength,
                metric: None,
                evidence: Vec::new(),
                rerun: false,
            })),
            derived => derived,
        }
    }

    /// The plan's strategy, or one that is equal to itself alone.
    fn named(&self, state: &Digest) -> String {
        let plan = self.plan.clone();
        plan.unwrap_or_else(|| format!("undeclared:{state}"))
    }

    fn passed(&mut self, end: &End<'_>) -> Derived {
        let now = Known {
            seen: self.edit,
            ..Known::default()
        };
        self.remember(&end.seen.check, now);
        if !end.known.failing {
            return Derived::Observation;
        }
        self.unchanged = 0;
        let mut made = self.try_of(end);
        made.progress(end.seen, end.known.fewest.unwrap_or(1).max(1), 0);
        Derived::Try(Box::new(made))
    }

    fn failed(&mut self, end: &End<'_>) -> Derived {
        let unchanged = end.files.is_empty();
        let known = &end.known;
        let fewest = match (known.fewest, end.seen.failing_tests) {
            // A count that moved by itself is no new mark to beat.
            (known, _) if unchanged && end.known.failing => known,
            (Some(known), Some(now)) => Some(known.min(now)),
            (known, now) => known.or(now),
        };
        let now = Known {
            failing: true,
            fewest,
            ..*known
        };
        self.remember(&end.seen.check, now);
        if unchanged {
            self.unchanged = self.unchanged.saturating_add(1);
            if self.unchanged < UNCHANGED {
                return Derived::Observation;
            }
        } else {
            self.unchanged = 0;
        }
        let mut made = self.try_of(end);
        made.signature.clone_from(&end.seen.signature);
        made.strength = end.seen.strength;
        if let (Some(before), Some(after)) = (known.fewest, end.seen.failing_tests)
            && after < before
            && !unchanged
        {
            made.progress(end.seen, before, after);
        }
        Derived::Try(Box::new(made))
    }

    fn try_of(&self, end: &End<'_>) -> DerivedTry {
        let rerun = end.files.is_empty();
        let digest = digest_of(&end.files, &end.seen.tree);
        let strategy = if rerun {
            RERUN.to_owned()
        } else {
            self.named(&digest)
        };
        // Names alone tell no content apart.
        let known = |file: &String| end.seen.tree.contains_key(file) || end.last.contains_key(file);
        DerivedTry {
            strategy,
            planned: self.plan.is_some(),
            files: end.files.clone(),
            state: end.files.iter().any(known).then(|| digest.to_string()),
            result: outcome(end.seen),
            signature: None,
            strength: Strength::default(),
            metric: None,
            evidence: Vec::new(),
            rerun,
        }
    }

    /// Takes paths whose digest is another than at the last check for edited.
    fn notice(&mut self, last: &BTreeMap<String, String>, tree: &BTreeMap<String, String>) {
        let paths: BTreeSet<&String> = last.keys().chain(tree.keys()).collect();
        let moved = |path: &&String| last.get(*path) != tree.get(*path);
        self.edit(paths.into_iter().filter(moved));
    }

    fn changed_since(&self, edit: u64) -> Vec<String> {
        let later = self.edits.iter().filter(|(_, number)| **number > edit);
        later.map(|(file, _)| file.clone()).collect()
    }

    /// Keeps what is known about a check; the one that ended longest ago makes room.
    fn remember(&mut self, check: &str, known: Known) {
        self.ended += 1;
        let ended = self.ended;
        self.checks
            .insert(check.to_owned(), Known { ended, ..known });
        if self.checks.len() > CHECKS {
            let oldest = self.checks.iter().min_by_key(|(_, known)| known.ended);
            if let Some(name) = oldest.map(|(name, _)| name.clone()) {
                self.checks.remove(&name);
            }
        }
    }
}

fn outcome(seen: &CheckSeen) -> Outcome {
    if seen.passed {
        Outcome::Pass
    } else {
        Outcome::Fail
    }
}

/// A check that ended, with what was known before it.
struct End<'a> {
    seen: &'a CheckSeen,
    /// What was changed for it.
    files: Vec<String>,
    /// The tree at the check before it.
    last: BTreeMap<String, String>,
    known: Known,
}

impl DerivedTry {
    /// Fewer failing tests than ever since the check last passed.
    fn progress(&mut self, seen: &CheckSeen, before: u64, after: u64) {
        self.metric = Some(Metric {
            name: format!("failing tests: {}", seen.check),
            before: number(before),
            after: number(after),
            better: Better::Lower,
        });
        let content: Vec<String> = seen.tree.keys().chain(&self.files).cloned().collect();
        let digest = digest_of(&content, &seen.tree);
        self.evidence = vec![format!("check:{}@{digest}", seen.check)];
    }
}

/// The digest over sorted paths and their digests; a path without one is gone.
fn digest_of(files: &[String], tree: &BTreeMap<String, String>) -> Digest {
    let files: BTreeSet<&String> = files.iter().collect();
    let mut text = String::new();
    for file in files {
        let digest = tree.get(file).map_or("-", String::as_str);
        for part in [file.as_str(), digest] {
            text.push_str(&part.len().to_string());
            text.extend([":", part, "\n"]);
        }
    }
    Digest::of(text.as_bytes())
}

fn number(count: u64) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}
