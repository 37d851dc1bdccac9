//! The vocabulary bench: what is known of a minted code, and what naming it would change
//! (spec 2.2, 5.1).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::breaker::Approver;
use super::row::CodeRow;

/// Schema of an alias receipt's payload.
pub const ALIAS: &str = "watchfloor.alias_promotion.v1";
/// Schema of a promotion receipt's payload.
pub const PROMOTION: &str = "watchfloor.code_promotion.v1";

/// A minted code with its samples and what looks like it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Bench {
    /// The code.
    pub code: CodeRow,
    /// What was observed, newest first. Secrets are taken out, control characters are not.
    pub samples: Vec<Sample>,
    /// Codes that look like it, the nearest first.
    pub near: Vec<Near>,
}

/// One observation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Sample {
    /// When, RFC 3339.
    pub at: String,
    /// The agent.
    pub agent: Option<String>,
    /// The task.
    pub task: Option<String>,
    /// What was said.
    pub text: String,
}

/// A code that looks like another one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Near {
    /// The code: a minted one, or one of the catalogue.
    pub code: String,
    /// How much of the words they share, in percent.
    pub percent: u8,
    /// What it says: a sample of a minted code, the cause of a known one.
    pub text: String,
}

/// What an alias or a promotion needs, as the form shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CodeForm {
    /// The bench of the minted code.
    pub bench: Bench,
    /// Entries that it can be made an alias of, in the order of the catalogue.
    pub entries: Vec<KnownCode>,
    /// Layers that the catalogue has.
    pub layers: Vec<String>,
    /// The weakest role that may sign.
    pub needs: Approver,
    /// Who may sign here: principals with a key at hand and the role.
    pub signers: Vec<String>,
    /// Receipts or observations that the decision answers.
    pub parents: Vec<String>,
}

/// An entry of the catalogue, to pick from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct KnownCode {
    /// The code.
    pub code: String,
    /// Its layer.
    pub layer: Option<String>,
    /// Why it happens.
    pub cause: String,
    /// What to run next.
    pub next_command: String,
}

/// The entry that a promotion would add.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DraftEntry {
    /// The minted code that it settles.
    pub minted: String,
    /// Its own code.
    pub code: String,
    /// Its layer; an entry without one fits everywhere.
    pub layer: Option<String>,
    /// Texts that give it away.
    pub tokens: Vec<String>,
    /// Why it happens.
    pub cause: String,
    /// What to run next.
    pub next_command: String,
    /// Whether it can be got over without a person.
    pub recoverable: bool,
}

/// What a draft would change. Nothing of it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Preview {
    /// Past signals that its tokens catch: a line each, the newest first.
    pub caught: Vec<String>,
    /// How many there are in all.
    pub caught_total: u64,
    /// Past verdicts that would be another: a line each.
    pub changed: Vec<String>,
    /// How many there are in all.
    pub changed_total: u64,
    /// Entries that would be shadowed, by code.
    pub shadowed: Vec<String>,
    /// Why the catalogue would refuse it, as it stands.
    pub faults: Vec<String>,
    /// How many of the newest signals were looked through.
    pub searched: u64,
}

/// An alias, as the person chose it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AliasRequest {
    /// The minted code.
    pub minted: String,
    /// The entry that it turned out to be.
    pub to: String,
    /// Why.
    pub reason: String,
    /// Who signs; the only signer when absent.
    pub principal: Option<String>,
}

/// A promotion, as the person filled it in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PromoteRequest {
    /// The new entry.
    pub entry: DraftEntry,
    /// Why.
    pub reason: String,
    /// Who signs; the only signer when absent.
    pub principal: Option<String>,
}
