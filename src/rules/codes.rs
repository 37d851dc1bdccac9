//! The life of a minted code, and of the user's part of the catalogue (spec 2.2): what is counted,
//! what may be decided, and what a decision changes. Pure.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::contract::catalog::{Catalog, Entry, is_forbidden_label, is_minted};
use crate::contract::code::{Decision, Undone};
use crate::contract::fault::Fault;
use crate::contract::ids::RecordId;
use crate::contract::json::{is_blank, is_space};
use crate::contract::refusal::{Code, Refusal};

/// Where a minted code stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Seen once: provisional.
    New,
    /// Seen again: a person must promote or alias it.
    Due,
    /// It is a known failure.
    Aliased,
    /// It became an entry.
    Promoted,
}

impl State {
    /// The state as it is written.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Due => "due",
            Self::Aliased => "aliased",
            Self::Promoted => "promoted",
        }
    }

    /// Its order in the pane: higher first.
    #[must_use]
    pub fn rank(self) -> i64 {
        match self {
            Self::Due => 2,
            Self::New => 1,
            Self::Aliased | Self::Promoted => 0,
        }
    }
}

/// What is counted and decided about one minted code.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Life {
    /// Observations.
    pub count: u64,
    /// Decisions, oldest first.
    pub decisions: Vec<Decision>,
}

/// What happens to a minted code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// It was seen.
    Seen,
    /// Somebody settled it.
    Settled(Decision),
    /// The decision of this receipt was taken back.
    TakenBack(RecordId, Undone),
}

impl Life {
    /// The decision that stands.
    #[must_use]
    pub fn settled(&self) -> Option<&Decision> {
        self.decisions.iter().rev().find(|d| d.undone.is_none())
    }

    /// Where it stands.
    #[must_use]
    pub fn state(&self) -> State {
        match self.settled() {
            Some(decision) if decision.verb == "promote" => State::Promoted,
            Some(_) => State::Aliased,
            None if self.count < 2 => State::New,
            None => State::Due,
        }
    }

    /// Whether it may be settled now.
    ///
    /// # Errors
    /// Somebody settled it: who, when, and as what.
    pub fn open(&self, code: &str) -> Result<(), Refusal> {
        let Some(by) = self.settled() else {
            return Ok(());
        };
        let did = if by.verb == "promote" {
            "promoted"
        } else {
            "aliased"
        };
        let cause = format!("{} {did} {code} to {} at {}", by.by, by.to, by.at);
        let next = format!("watchfloor triage show {code}");
        Err(Refusal::new(Code::CodeSettled, cause, next))
    }

    /// Whether the decision of a receipt can be taken back now.
    ///
    /// # Errors
    /// It was taken back before: who, and when.
    pub fn standing(&self, code: &str, receipt: &RecordId) -> Result<&Decision, Refusal> {
        let next = format!("watchfloor triage show {code}");
        let mut decisions = self.decisions.iter();
        let Some(decision) = decisions.find(|d| d.receipt_id == *receipt) else {
            let cause = format!("{receipt} decided nothing about {code}");
            return Err(Refusal::new(Code::NotFound, cause, next));
        };
        match &decision.undone {
            None => Ok(decision),
            Some(undone) => {
                let cause = format!("{} took it back at {}", undone.by, undone.at);
                Err(Refusal::new(Code::CodeSettled, cause, next))
            }
        }
    }

    /// Applies what happened.
    pub fn evolve(&mut self, event: Event) {
        match event {
            Event::Seen => self.count += 1,
            Event::Settled(decision) => self.decisions.push(decision),
            Event::TakenBack(receipt, undone) => {
                for decision in &mut self.decisions {
                    if decision.receipt_id == receipt && decision.undone.is_none() {
                        decision.undone = Some(undone.clone());
                    }
                }
            }
        }
    }
}

/// An entry that somebody promoted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Promoted {
    /// Its receipt.
    pub receipt_id: RecordId,
    /// The minted code that it was.
    pub minted: String,
    /// The entry.
    pub entry: Entry,
}

/// What the receipts say of the user's part of the catalogue.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Vocabulary {
    /// Promoted entries, oldest first.
    pub entries: Vec<Promoted>,
    /// Minted codes, what they are aliases of, and the receipts that say so.
    pub aliases: BTreeMap<String, (String, RecordId)>,
}

impl Vocabulary {
    /// The catalogue that the file shall hold. A promoted code leads to its entry, whether the
    /// entry's tokens hit its signals or not.
    #[must_use]
    pub fn catalog(&self) -> Catalog {
        let promoted = self
            .entries
            .iter()
            .map(|p| (p.minted.clone(), p.entry.code.clone()));
        let aliased = self
            .aliases
            .iter()
            .map(|(minted, (to, _))| (minted.clone(), to.clone()));
        Catalog {
            codes: self.entries.iter().map(|p| p.entry.clone()).collect(),
            aliases: promoted.chain(aliased).collect(),
            ..Catalog::empty()
        }
    }

    /// Where an entry comes from.
    #[must_use]
    pub fn promoted(&self, code: &str) -> Option<&Promoted> {
        self.entries.iter().find(|p| p.entry.code == code)
    }

    /// What refuses an alias; all of it.
    #[must_use]
    pub fn alias_faults(&self, minted: &str, to: &str) -> Vec<Fault> {
        let mut faults = minted_fault(minted);
        if is_forbidden_label(to) {
            let message = "names a symptom: look underneath and name that";
            faults.push(Fault::new("forbidden_code", "to", message));
        } else if self.promoted(to).is_none() && !Catalog::shipped().is_code(to) {
            let message = format!("names {to}, which is no entry");
            faults.push(Fault::new("dangling_alias", "to", message));
        }
        faults
    }

    /// What refuses a promotion; all of it. `signals` are past signals of the code.
    #[must_use]
    pub fn promotion_faults(&self, minted: &str, entry: &Entry, signals: &[String]) -> Vec<Fault> {
        let mut faults = minted_fault(minted);
        let shape = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        if entry.code.is_empty() || !entry.code.chars().all(shape) || is_minted(&entry.code) {
            if !is_forbidden_label(&entry.code) {
                let message =
                    "a code is lower-case letters, digits and _, and none of a minted form";
                faults.push(Fault::new("code_shape", "code", message));
            }
        } else if Catalog::shipped().is_code(&entry.code) {
            let message = "the shipped catalogue has this code: alias to it";
            faults.push(Fault::new("duplicate_code", "code", message));
        }
        for (path, text) in [
            ("cause", &entry.cause),
            ("next_command", &entry.next_command),
        ] {
            if is_blank(text) {
                faults.push(Fault::new("string_too_short", path, "must not be blank"));
            }
        }
        if entry.tokens.is_empty() {
            let message = "without a token nothing is ever hit";
            faults.push(Fault::new("too_short", "match", message));
        }
        let mut with = self.catalog();
        let prefix = format!("codes.{}.", with.codes.len());
        with.codes.push(entry.clone());
        for fault in with.faults_over(Catalog::shipped()) {
            if let Some(path) = fault.path.strip_prefix(&prefix) {
                faults.push(Fault::new(&fault.code, path, fault.message.clone()));
            }
        }
        faults.extend(dead_tokens(entry, signals));
        let hit = |signal: &String| {
            let mut tokens = entry.tokens.iter();
            tokens.any(|token| !token.trim().is_empty() && signal.contains(&token.to_lowercase()))
        };
        if !signals.is_empty() && !entry.tokens.is_empty() && !signals.iter().any(hit) {
            let message = "no token hits a past signal of the code";
            faults.push(Fault::new("signal_missed", "match", message));
        }
        faults
    }

    /// What the author of a promotion should know.
    #[must_use]
    pub fn promotion_warnings(&self, entry: &Entry) -> Vec<Fault> {
        let alone = Catalog {
            codes: vec![entry.clone()],
            ..Catalog::empty()
        };
        let told = alone.warnings_over(Catalog::shipped()).into_iter();
        told.map(|w| Fault::new(&w.code, w.path.trim_start_matches("codes.0."), w.message))
            .collect()
    }

    /// Aliases that would lead nowhere without a promoted entry.
    #[must_use]
    pub fn leaning_on(&self, code: &str) -> Vec<String> {
        let aliases = self.aliases.iter();
        aliases
            .filter(|(_, (to, _))| to == code)
            .map(|(minted, _)| minted.clone())
            .collect()
    }

    /// A minted code was aliased.
    pub fn alias(&mut self, minted: &str, to: &str, receipt: RecordId) {
        self.aliases
            .insert(minted.to_owned(), (to.to_owned(), receipt));
    }

    /// A minted code was promoted.
    pub fn promote(&mut self, minted: &str, entry: Entry, receipt: RecordId) {
        self.entries.push(Promoted {
            receipt_id: receipt,
            minted: minted.to_owned(),
            entry,
        });
    }

    /// The decision of a receipt was taken back.
    pub fn take_back(&mut self, receipt: &RecordId) {
        self.entries.retain(|p| p.receipt_id != *receipt);
        self.aliases.retain(|_, (_, of)| of != receipt);
    }
}

fn minted_fault(minted: &str) -> Vec<Fault> {
    if is_minted(minted) {
        return Vec::new();
    }
    let message = "only a minted code is settled";
    vec![Fault::new("code_shape", "minted", message)]
}

/// What a regular expression would look like. Tokens are compared as they stand, so one of these
/// that no past signal holds never hits anything.
const PATTERNS: [&str; 12] = [
    ".*", ".+", ".?", "\\d", "\\s", "\\w", "\\b", "[^", "[a-z", "[0-9", "(?", "]+",
];

fn dead_tokens(entry: &Entry, signals: &[String]) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (at, token) in entry.tokens.iter().enumerate() {
        let lower = token.to_lowercase();
        let pattern = PATTERNS.iter().any(|mark| lower.contains(mark));
        let place = format!("match.{at}");
        if pattern && !signals.iter().any(|signal| signal.contains(&lower)) {
            let message = "looks like a pattern, and tokens are compared as they stand";
            faults.push(Fault::new("dead_token", place, message));
        } else if lower.contains("  ") || lower.contains(|c| c != ' ' && is_space(c)) {
            let message = "holds white space that a normal form never holds";
            faults.push(Fault::new("dead_token", place, message));
        }
    }
    faults
}

#[cfg(test)]
mod tests;
