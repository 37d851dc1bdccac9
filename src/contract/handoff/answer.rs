//! What the verbs of a handoff answer (spec 9).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What each verb answers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HandoffAnswer {
    /// The entry.
    pub id: String,
    /// Its short handle.
    pub handle: String,
    /// `open`, `claimed`, `resolved`, `blocked` or `escalated`.
    pub state: String,
    /// `blocking` while an agent waits for it, else `background`.
    pub priority: String,
    /// Who holds it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holder: Option<String>,
    /// The epoch of its last claim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epoch: Option<u64>,
    /// When the running time limit ends, RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<String>,
    /// Position of the last record about it.
    pub seq: u64,
    /// The record that the verb wrote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record_id: Option<String>,
    /// All that there is to know about it, where the verb shows the entry.
    #[serde(flatten)]
    pub brief: Option<Brief>,
}

/// An entry in full: what the next holder needs so that no dead end is walked twice.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Brief {
    /// Its project.
    pub project: String,
    /// What is asked.
    pub question: String,
    /// What the asker tried already.
    pub tried: String,
    /// What the answer must hold.
    pub needed: String,
    /// `answer` or `action`.
    pub wants: String,
    /// Words to filter by.
    pub tags: Vec<String>,
    /// Who asks.
    pub asker: Option<String>,
    /// The task that it came up in.
    pub task: Option<String>,
    /// The mission that it came up in.
    pub mission: Option<String>,
    /// Follow-up questions that were asked; one is free.
    pub follow_ups: u64,
    /// The follow-up question that waits for a reply.
    pub follow_up: Option<String>,
    /// What was said since it was opened, oldest first.
    pub thread: Vec<ThreadLine>,
    /// Answers that came too late for their claim.
    pub hints: Vec<ThreadLine>,
    /// Tries of the task that failed, oldest first.
    pub ledger: Vec<LedgerLine>,
    /// The answer.
    pub answer: Option<String>,
    /// Its receipt.
    pub answer_id: Option<String>,
    /// Whether the asker told what it did with the answer.
    pub used: bool,
    /// The class of an escalation.
    pub class: Option<String>,
    /// Why it ended without an answer.
    pub reason: Option<String>,
    /// What a person decided.
    pub decision: Option<String>,
}

/// One record about an entry.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ThreadLine {
    /// Its position.
    pub seq: u64,
    /// When it was recorded, RFC 3339.
    pub at: String,
    /// Its id.
    pub id: String,
    /// Schema of what it says.
    pub schema: String,
    /// Who it is by, where an agent or a person is named.
    pub by: Option<String>,
    /// What happened, in a word or two.
    pub what: String,
    /// What was said.
    pub text: String,
}

/// A try that failed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LedgerLine {
    /// Its position.
    pub seq: u64,
    /// Who tried.
    pub agent: String,
    /// What was tried.
    pub strategy: String,
    /// The assumed cause.
    pub hypothesis: String,
    /// The failure's signature.
    pub signature: Option<String>,
    /// What the failure said, in a line.
    pub failure: Option<String>,
}
