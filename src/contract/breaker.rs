//! The circuit breaker's receipts (spec 3.6): trip, permit, reset.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::approval::Approval;
use super::ids::{AgentId, RecordId};
use super::mission::MissionState;
use super::scope::Scope;

/// Schema of a trip receipt's payload.
pub const TRIP: &str = "watchfloor.breaker_trip.v1";
/// Schema of a reset receipt's payload.
pub const RESET: &str = "watchfloor.breaker_reset.v1";
/// Schema of a permit receipt's payload.
pub const PERMIT: &str = "watchfloor.permit.v1";

/// What opens a breaker.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Trigger {
    /// Too many failing tries.
    Retry,
    /// Going round in circles.
    Oscillation,
    /// A forbidden transition.
    State,
    /// A dangerous git action.
    Git,
    /// A production or live system.
    Prod,
    /// A secret.
    Secret,
    /// A check that had passed fails.
    Regression,
    /// Remote access without a grant.
    Ssh,
    /// No space, or an action that takes it.
    Disk,
    /// A bad approval, or tampering.
    ApprovalIdentity,
    /// The store or a repository is damaged.
    Persistence,
    /// By hand.
    Manual,
}

impl Trigger {
    /// Every trigger.
    pub const ALL: [Self; 12] = [
        Self::Retry,
        Self::Oscillation,
        Self::State,
        Self::Git,
        Self::Prod,
        Self::Secret,
        Self::Regression,
        Self::Ssh,
        Self::Disk,
        Self::ApprovalIdentity,
        Self::Persistence,
        Self::Manual,
    ];

    /// The trigger as it is written.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Retry => "retry",
            Self::Oscillation => "oscillation",
            Self::State => "state",
            Self::Git => "git",
            Self::Prod => "prod",
            Self::Secret => "secret",
            Self::Regression => "regression",
            Self::Ssh => "ssh",
            Self::Disk => "disk",
            Self::ApprovalIdentity => "approval_identity",
            Self::Persistence => "persistence",
            Self::Manual => "manual",
        }
    }

    /// Reads a trigger.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|trigger| trigger.as_str() == text)
    }

    /// The trigger's number in the flag file, from 1.
    #[must_use]
    pub fn number(self) -> u8 {
        Self::ALL
            .iter()
            .position(|t| *t == self)
            .map_or(0, |at| u8::try_from(at + 1).unwrap_or(0))
    }
}

/// Who may approve. A human may do all that a lead may.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Approver {
    /// A lead.
    Lead,
    /// A person.
    Human,
}

impl Approver {
    /// The role as it is written.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Lead => "lead",
            Self::Human => "human",
        }
    }

    /// Reads a role.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Lead, Self::Human]
            .into_iter()
            .find(|role| role.as_str() == text)
    }

    /// The signature namespace of the role (spec 7.1).
    #[must_use]
    pub fn namespace(self) -> &'static str {
        match self {
            Self::Lead => "watchfloor-lead",
            Self::Human => "watchfloor-human",
        }
    }
}

/// Payload of a trip receipt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Trip {
    /// Always [`TRIP`].
    pub schema: String,
    /// The breaker that this opens or is added to: the id of its first trip receipt.
    pub breaker_id: RecordId,
    /// What opened it.
    pub trigger: Trigger,
    /// What it covers.
    pub scope: Scope,
    /// Signature or rule; with scope and trigger the breaker's key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Why, in a sentence.
    pub reason: String,
    /// Who made the entry that opened it, when an agent did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentId>,
    /// Records that prove it.
    #[serde(default)]
    pub proof: Vec<RecordId>,
    /// Agents in scope at that moment.
    #[serde(default)]
    pub agents: Vec<AgentId>,
    /// The journal's position before the trip.
    pub at_seq: u64,
}

/// Payload of a permit receipt: one agent may work in the scope of an open breaker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Permit {
    /// Always [`PERMIT`].
    pub schema: String,
    /// The breaker.
    pub breaker_id: RecordId,
    /// What the permit covers.
    pub scope: Scope,
    /// Who may work.
    pub agent: AgentId,
    /// For how many minutes.
    pub minutes: u32,
    /// Why.
    pub cause: String,
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

/// One machine check of a reset.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResetCheck {
    /// The check's name, e.g. `disk_has_space`.
    pub name: String,
    /// Whether it holds.
    pub holds: bool,
    /// What was seen.
    pub seen: String,
}

/// Payload of a reset receipt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reset {
    /// Always [`RESET`].
    pub schema: String,
    /// The breaker.
    pub breaker_id: RecordId,
    /// Every trip receipt that it closes.
    pub trips: Vec<RecordId>,
    /// What the breaker covered.
    pub scope: Scope,
    /// What was wrong.
    pub cause: String,
    /// What was done about it.
    pub fix: String,
    /// What shows it.
    pub evidence: Vec<String>,
    /// The state that a mission goes to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<MissionState>,
    /// What a machine checked at that moment.
    pub checks: Vec<ResetCheck>,
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
    use super::*;

    #[test]
    fn triggers_are_read_as_written_and_numbered_from_one() {
        for (at, trigger) in Trigger::ALL.into_iter().enumerate() {
            assert_eq!(Trigger::parse(trigger.as_str()), Some(trigger));
            assert_eq!(serde_json::to_value(trigger).unwrap(), trigger.as_str());
            assert_eq!(usize::from(trigger.number()), at + 1);
        }
        assert_eq!(Trigger::parse("Retry"), None);
        assert_eq!(Trigger::ApprovalIdentity.as_str(), "approval_identity");
    }

    #[test]
    fn roles_are_read_as_written() {
        assert_eq!(Approver::parse("lead"), Some(Approver::Lead));
        assert_eq!(Approver::parse("human"), Some(Approver::Human));
        assert_eq!(Approver::parse("maker"), None);
        assert_eq!(Approver::Human.namespace(), "watchfloor-human");
        assert_eq!(Approver::Lead.namespace(), "watchfloor-lead");
    }
}
