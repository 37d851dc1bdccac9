//! Failure codes in life (spec 2.2): what is kept of an unknown failure, what is written once for
//! a new code, and the signed decisions that settle one.

mod answer;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::approval::Approval;
use super::catalog::Entry;
use super::ids::RecordId;

pub use answer::{
    AliasRequest, Caught, CodeAnswer, CodeBench, CodePreview, CodeSample, CodeShown, Decision,
    NearCode, PromoteRequest, Rendered, Undone,
};

/// Schema of [`Signal`].
pub const SIGNAL: &str = "watchfloor.signal.v1";
/// Schema of [`CodeTicket`].
pub const CODE_TICKET: &str = "watchfloor.code_ticket.v1";
/// Schema of [`EvalStub`].
pub const EVAL_STUB: &str = "watchfloor.eval_stub.v1";
/// Schema of [`CodeMemory`].
pub const CODE_MEMORY: &str = "watchfloor.code_memory.v1";
/// Schema of an alias receipt's payload.
pub const ALIAS: &str = "watchfloor.alias_promotion.v1";
/// Schema of a promotion receipt's payload.
pub const PROMOTION: &str = "watchfloor.code_promotion.v1";
/// Schema of the payload of the receipt that takes one of them back.
pub const UNDO: &str = "watchfloor.code_undo.v1";

/// Characters of a failure's raw text that are kept.
pub const RAW_KEPT: usize = 2_000;
/// Characters of the text that a code was minted over that are kept.
pub const NORMAL_KEPT: usize = 4_000;

/// A failure that no catalogue entry knows: its minted code and what that was minted over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Minted {
    /// The minted code, whatever it resolves to.
    pub code: String,
    /// The normal form, redacted, at most [`NORMAL_KEPT`] characters.
    pub normal: String,
}

/// What a failure text was classified as; part of what the product adds to an attempt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Triaged {
    /// The code: of the catalogue, or a minted one that nobody has settled.
    pub code: String,
    /// The raw text, redacted, its middle cut out beyond [`RAW_KEPT`] characters.
    pub raw: String,
    /// Where no entry hit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minted: Option<Minted>,
}

/// A component passed a signal of its own (event).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Signal {
    /// Always [`SIGNAL`].
    pub schema: String,
    /// The layer that it was classified in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layer: Option<String>,
    /// What it was classified as.
    pub triage: Triaged,
}

/// The ticket line of a new code: written once for each (event).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CodeTicket {
    /// Always [`CODE_TICKET`].
    pub schema: String,
    /// The minted code.
    pub code: String,
    /// What to do, in a line.
    pub line: String,
    /// The first observation.
    pub record_id: RecordId,
    /// What to run next.
    pub next_command: String,
}

/// The stub of an eval of a new code: written once for each (event).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EvalStub {
    /// Always [`EVAL_STUB`].
    pub schema: String,
    /// The minted code.
    pub code: String,
    /// The signal that shall be known.
    pub input: String,
    /// What it shall be classified as; absent until the code is settled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect: Option<String>,
    /// The first observation.
    pub record_id: RecordId,
}

/// What shall be remembered of a new code: written once for each (event).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CodeMemory {
    /// Always [`CODE_MEMORY`].
    pub schema: String,
    /// The minted code.
    pub code: String,
    /// What was learnt, in a sentence.
    pub text: String,
    /// The first observation.
    pub record_id: RecordId,
}

/// Payload of an alias receipt: a minted code is a known failure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AliasPromotion {
    /// Always [`ALIAS`].
    pub schema: String,
    /// The minted code.
    pub code: String,
    /// The catalogue entry that it is.
    pub to: String,
    /// Why, where that was said.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// Observations that show it.
    pub proof: Vec<RecordId>,
    /// Fresh for each decision.
    pub nonce: String,
    /// The chain position that the approval confirms.
    pub at_seq: u64,
    /// The chain hash at that position.
    pub at_hash: String,
    /// The signature; left out of the signed bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<Approval>,
}

/// Payload of a promotion receipt: a minted code becomes a catalogue entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CodePromotion {
    /// Always [`PROMOTION`].
    pub schema: String,
    /// The minted code.
    pub code: String,
    /// The new entry.
    pub entry: Entry,
    /// Why, where that was said.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// Observations that show it.
    pub proof: Vec<RecordId>,
    /// Fresh for each decision.
    pub nonce: String,
    /// The chain position that the approval confirms.
    pub at_seq: u64,
    /// The chain hash at that position.
    pub at_hash: String,
    /// The signature; left out of the signed bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<Approval>,
}

/// Payload of the counter-receipt of an alias or a promotion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CodeUndo {
    /// Always [`UNDO`].
    pub schema: String,
    /// The receipt that is taken back.
    pub receipt_id: RecordId,
    /// The minted code that it settled.
    pub code: String,
    /// Fresh for each decision.
    pub nonce: String,
    /// The chain position that the approval confirms.
    pub at_seq: u64,
    /// The chain hash at that position.
    pub at_hash: String,
    /// The signature; left out of the signed bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<Approval>,
}

#[cfg(test)]
mod tests {
    use serde_json::{from_value, json, to_value};

    use super::super::attempt::Derived;
    use super::*;

    #[test]
    fn an_attempt_from_before_codes_were_kept_still_reads() {
        let old = json!({"origin": "declared", "strength": "strong", "transient": false,
            "failure": "it broke", "evidence": []});
        let read: Derived = from_value(old.clone()).unwrap();
        assert_eq!(read.triage, None);
        assert_eq!(to_value(read).unwrap(), old);
        let triage = Triaged {
            code: "disk_full".to_owned(),
            raw: "no space".to_owned(),
            minted: None,
        };
        let mut new = old;
        new["triage"] = json!({"code": "disk_full", "raw": "no space"});
        assert_eq!(from_value::<Derived>(new).unwrap().triage, Some(triage));
    }
}
