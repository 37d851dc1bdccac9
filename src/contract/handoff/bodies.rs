//! Payloads of a handoff's receipts, bodies of its events, and the observation of a late answer.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Class, Ending, Lapse, Wants};
use crate::contract::approval::Approval;
use crate::contract::ids::{AgentId, MissionId, RecordId, TaskId};

/// Where an imported entry came from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// `hermes_kanban` or `beads`.
    pub system: String,
    /// The item's id there.
    pub item: String,
}

/// An agent is stuck and asks. The receipt's id is the entry's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Opened {
    /// Always [`super::OPENED`].
    pub schema: String,
    /// The entry: the id of this receipt.
    pub handoff_id: RecordId,
    /// What is asked.
    pub question: String,
    /// What the asker tried already.
    pub tried: String,
    /// What the answer must hold.
    pub needed: String,
    /// What is wanted.
    pub wants: Wants,
    /// Words to filter by.
    #[serde(default)]
    pub tags: Vec<String>,
    /// Who asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asker: Option<AgentId>,
    /// The task that it came up in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<TaskId>,
    /// The mission that it came up in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mission_id: Option<MissionId>,
    /// Where it was imported from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
}

/// One agent took an entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Claimed {
    /// Always [`super::CLAIMED`].
    pub schema: String,
    /// The entry.
    pub handoff_id: RecordId,
    /// Who holds it now.
    pub holder: AgentId,
    /// The claim's fencing number, from 1.
    pub epoch: u64,
}

/// The holder answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Answered {
    /// Always [`super::ANSWERED`].
    pub schema: String,
    /// The entry.
    pub handoff_id: RecordId,
    /// Who answers.
    pub holder: AgentId,
    /// The epoch of the claim.
    pub epoch: u64,
    /// The answer.
    pub text: String,
}

/// What became of an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Used {
    /// Always [`super::USED`].
    pub schema: String,
    /// The entry.
    pub handoff_id: RecordId,
    /// The answer's receipt.
    pub answer_id: RecordId,
    /// Who used it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asker: Option<AgentId>,
    /// What was done with it, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// What shows it, each as `name@digest`.
    pub evidence: Vec<String>,
}

/// An entry ended without an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Closed {
    /// Always [`super::CLOSED`].
    pub schema: String,
    /// The entry.
    pub handoff_id: RecordId,
    /// Why.
    pub ending: Ending,
    /// In words.
    pub reason: String,
    /// Who did it, or whose claim it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<AgentId>,
    /// The epoch of the last claim; 0 before the first one.
    pub epoch: u64,
    /// When it ended, UTC microseconds: a time limit that passed unseen is earlier than its record.
    pub at_us: i64,
}

/// An entry needs a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Escalated {
    /// Always [`super::ESCALATED`].
    pub schema: String,
    /// The entry.
    pub handoff_id: RecordId,
    /// What makes it a person's.
    pub class: Class,
    /// Why, in words.
    pub reason: String,
    /// Who escalated it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<AgentId>,
}

/// A person decided an escalated entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Decision {
    /// Always [`super::DECISION`].
    pub schema: String,
    /// The entry.
    pub handoff_id: RecordId,
    /// The escalation that it answers.
    pub escalation_id: RecordId,
    /// The decision.
    pub text: String,
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

/// The holder asked back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Asked {
    /// Always [`super::ASKED`].
    pub schema: String,
    /// The entry.
    pub handoff_id: RecordId,
    /// Who asks.
    pub holder: AgentId,
    /// The epoch of the claim.
    pub epoch: u64,
    /// The question.
    pub question: String,
}

/// The asker told more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Replied {
    /// Always [`super::REPLIED`].
    pub schema: String,
    /// The entry.
    pub handoff_id: RecordId,
    /// Who replies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<AgentId>,
    /// The reply.
    pub text: String,
}

/// A claim came to nothing, and the entry is open again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reopened {
    /// Always [`super::REOPENED`].
    pub schema: String,
    /// The entry.
    pub handoff_id: RecordId,
    /// Why.
    pub lapse: Lapse,
    /// Whose claim it was.
    pub holder: AgentId,
    /// Its epoch.
    pub epoch: u64,
    /// When, UTC microseconds: a claim that lapsed unseen lapsed before its record.
    pub at_us: i64,
}

/// An agent waits for an entry; its lease lasts 30 seconds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Waiting {
    /// Always [`super::WAITING`].
    pub schema: String,
    /// The entry.
    pub handoff_id: RecordId,
    /// Who waits.
    pub agent: AgentId,
    /// Host of the waiting process.
    pub host: String,
    /// The waiting process.
    pub pid: u32,
    /// When it started, in clock ticks since boot.
    pub started: u64,
}

/// An answer of a claim that had lapsed by then (observation). Secrets are taken out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LateAnswer {
    /// Always [`super::LATE`].
    pub schema: String,
    /// The entry.
    pub handoff_id: RecordId,
    /// Who answered.
    pub agent: AgentId,
    /// The epoch that it answered with.
    pub epoch: u64,
    /// What it said.
    pub text: String,
}
