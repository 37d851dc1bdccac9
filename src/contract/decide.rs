//! Forms between the screen and the verbs: a person's decision on an escalated handoff (spec 4.2).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::breaker::Approver;
use super::row::HandoffRow;

/// What a decision needs, as the form shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DecideForm {
    /// The handoff.
    pub handoff: HandoffRow,
    /// What was said so far: a line each, oldest first.
    pub thread: Vec<String>,
    /// The weakest role that may sign.
    pub needs: Approver,
    /// Who may sign here: principals with a key at hand and the role.
    pub signers: Vec<String>,
    /// Receipts that the decision answers.
    pub parents: Vec<String>,
}

/// What the person filled in. The passphrase travels apart and is never part of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DecideRequest {
    /// Id of the handoff.
    pub handoff_id: String,
    /// What is decided, as the asker will read it.
    pub decision: String,
    /// Why.
    pub reason: String,
    /// Who signs; the only signer when absent.
    pub principal: Option<String>,
}

/// What a signed decision answered: a handoff's, an alias's or a promotion's.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Signed {
    /// Handle or code of what was decided.
    pub subject: String,
    /// Its state now, in a word.
    pub state: String,
    /// The receipt.
    pub receipt_id: String,
    /// Its position.
    pub seq: u64,
}
