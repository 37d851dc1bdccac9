//! What the verbs of codes are asked and answer, for the command line and the console.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::breaker::Approver;
use super::super::catalog::Entry;
use super::super::fault::Fault;
use super::super::ids::RecordId;
use super::super::row::CodeRow;

/// A decision about a code, and whether it still stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Decision {
    /// Its receipt.
    pub receipt_id: RecordId,
    /// `alias` or `promote`.
    pub verb: String,
    /// The catalogue entry that the code became.
    pub to: String,
    /// Who signed.
    pub by: String,
    /// When, RFC 3339.
    pub at: String,
    /// How it was taken back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undone: Option<Undone>,
}

/// How a decision was taken back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Undone {
    /// The counter-receipt.
    pub receipt_id: RecordId,
    /// Who signed it.
    pub by: String,
    /// When, RFC 3339.
    pub at: String,
}

/// One observation of a code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CodeSample {
    /// The record.
    pub id: RecordId,
    /// Where it stands.
    pub seq: u64,
    /// When, RFC 3339.
    pub at: String,
    /// The task.
    pub task: Option<String>,
    /// Who.
    pub agent: Option<String>,
    /// The raw text as it was kept; not yet neutralised.
    pub raw: String,
}

/// `triage show`: a catalogue entry, or a minted code and all that is known of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CodeShown {
    /// The code that was asked for.
    pub code: String,
    /// `known` for a catalogue entry; else as [`CodeRow::state`].
    pub state: String,
    /// The entry that it is or resolves to.
    pub entry: Option<Entry>,
    /// Where the entry comes from: `shipped`, or the receipt that promoted it.
    pub entry_from: Option<String>,
    /// What to run next.
    pub next_command: String,
    /// What is counted, for a minted code.
    pub row: Option<CodeRow>,
    /// What the code was minted over.
    pub normal: Option<String>,
    /// The latest observations, newest first, at most ten.
    pub samples: Vec<CodeSample>,
    /// Every decision about it, oldest first.
    pub decisions: Vec<Decision>,
    /// The records that were written once for it: ticket line, eval stub, memory.
    pub cards: Vec<RecordId>,
    /// Minted codes that resolve to this entry.
    pub aliases: Vec<String>,
}

/// A past signal that a change would catch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Caught {
    /// The record.
    pub id: RecordId,
    /// Where it stands.
    pub seq: u64,
    /// What it is classified as now.
    pub now: String,
    /// What it would be classified as.
    pub then: String,
    /// What it says, in a line.
    pub sample: String,
}

/// What an alias or a promotion would change (spec 2.2). Nothing is written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CodePreview {
    /// The minted code.
    pub code: String,
    /// The catalogue entry that it would become.
    pub to: String,
    /// How many past signals were looked at, the newest ones.
    pub looked_at: u64,
    /// How many of them the change would catch.
    pub caught: u64,
    /// What those say that it would catch: a line each, newest first, at most twenty.
    pub samples: Vec<String>,
    /// How many of them would be classified otherwise.
    pub changed: u64,
    /// Those that would be classified otherwise, newest first, at most twenty.
    pub changes: Vec<Caught>,
    /// Shipped entries that the new tokens would hide, wholly or in part.
    pub hidden: Vec<String>,
    /// What refuses the change; empty when it may be signed.
    pub faults: Vec<Fault>,
    /// What its author should know.
    pub warnings: Vec<Fault>,
}

/// A code that may be the same failure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NearCode {
    /// The other minted code.
    pub code: String,
    /// How much their normal forms have in common, in percent of all their words.
    pub alike: u8,
    /// As [`CodeRow::state`].
    pub state: String,
    /// Observations.
    pub count: u64,
    /// What it resolves to.
    pub resolves_to: Option<String>,
    /// What it said, in a line.
    pub sample: String,
}

/// The vocabulary bench of one code: all that naming it needs, in one reading.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CodeBench {
    /// The code.
    pub shown: CodeShown,
    /// Codes that may be the same failure, the most alike first, at most ten.
    pub near: Vec<NearCode>,
    /// Entries that it may be an alias of: those of its layer that share words with it, the
    /// likeliest first, at most ten.
    pub targets: Vec<String>,
    /// A first draft of a promotion.
    pub draft: Entry,
    /// The weakest role that may sign.
    pub needs: Approver,
    /// Who may sign here: principals with a key at hand and the role.
    pub signers: Vec<String>,
}

/// What a person filled in for an alias. The passphrase travels apart.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AliasRequest {
    /// The minted code.
    pub code: String,
    /// The catalogue entry.
    pub to: String,
    /// Why; may be left out.
    pub reason: String,
    /// Who signs; the first one here whose role suffices when absent.
    pub principal: Option<String>,
}

/// What a person filled in for a promotion. The passphrase travels apart.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PromoteRequest {
    /// The minted code.
    pub code: String,
    /// The new entry.
    pub entry: Entry,
    /// Why; may be left out.
    pub reason: String,
    /// Who signs; the first one here whose role suffices when absent.
    pub principal: Option<String>,
}

/// Whether the user's catalogue file holds what the receipts say.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Rendered {
    /// The file.
    pub file: String,
    /// It holds what the receipts say.
    pub holds: bool,
    /// Why not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// What to run then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_command: Option<String>,
    /// Where a file that was edited by hand was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<String>,
}

/// What `triage alias`, `promote` and `undo` answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CodeAnswer {
    /// The minted code.
    pub code: String,
    /// Its state now.
    pub state: String,
    /// The entry that it resolves to now.
    pub resolves_to: Option<String>,
    /// The receipt.
    pub receipt_id: String,
    /// Its short handle.
    pub handle: String,
    /// Its position.
    pub seq: u64,
    /// What its author should know.
    pub warnings: Vec<Fault>,
    /// The user's catalogue file.
    pub catalog: Rendered,
}
