//! Forms between the screen and the verbs: details, and the reset of a breaker (spec 5.3).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::breaker::{Approver, ResetCheck};
use super::ids::RecordId;
use super::mission::MissionState;
use super::row::BreakerRow;

/// The detail of one row: headed sections of plain lines. Texts are not yet neutralised.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Detail {
    /// What it is.
    pub title: String,
    /// Its sections, the most telling first.
    pub sections: Vec<Section>,
}

/// One section of a [`Detail`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Section {
    /// Its heading.
    pub heading: String,
    /// Its lines.
    pub lines: Vec<String>,
}

/// Where an agent was gone to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Jumped {
    /// In a sentence.
    pub said: String,
    /// What to copy: the path of its transcript, where no pane could be gone to.
    pub copy: Option<String>,
}

/// What a reset of a breaker needs, as the form shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ResetForm {
    /// The breaker.
    pub breaker: BreakerRow,
    /// Proof of the trip: a line a record.
    pub proof: Vec<String>,
    /// The agents in scope and what became of them: a line each.
    pub stopped: Vec<String>,
    /// The machine checks, made just now.
    pub checks: Vec<ResetCheck>,
    /// The states that a mission may go to; empty for anything but a mission.
    pub targets: Vec<MissionState>,
    /// The weakest role that may sign.
    pub needs: Approver,
    /// Who may sign here: principals with a key at hand and the role.
    pub signers: Vec<String>,
    /// Trip receipts that the reset answers.
    pub parents: Vec<String>,
}

/// What the person filled in. The passphrase travels apart and is never part of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ResetRequest {
    /// The breaker.
    pub breaker_id: RecordId,
    /// What was wrong.
    pub cause: String,
    /// What was done.
    pub fix: String,
    /// What shows it: paths or receipt ids.
    pub evidence: Vec<String>,
    /// Where a mission goes.
    pub to: Option<MissionState>,
    /// Who signs; the only signer when absent.
    pub principal: Option<String>,
}

/// What a reset answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ResetAnswer {
    /// The breaker.
    pub id: String,
    /// Its handle.
    pub handle: String,
    /// Its first trigger.
    pub trigger: String,
    /// What it covered.
    pub scope: String,
    /// `open` or `closed`.
    pub state: String,
    /// What is still missing, by name.
    pub lacks: Vec<String>,
    /// The machine checks.
    pub checks: Vec<ResetCheck>,
    /// The reset receipt, once made.
    pub receipt_id: Option<String>,
    /// Position of the reset.
    pub seq: Option<u64>,
}

/// What a person filled in to pause an agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PauseRequest {
    /// The agent.
    pub agent: String,
    /// Why, as the receipt of the stop will say.
    pub reason: String,
}
