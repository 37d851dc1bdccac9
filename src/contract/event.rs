//! Bodies of the internal events and observations (spec 1.1). Events are strict;
//! observations are folded as far as they can be read.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::approval::Approval;
use super::breaker::Approver;
use super::goal::Goal;
use super::ids::{AgentId, MissionId, RecordId, TaskId};
use super::mission::{MissionState, TaskState};

/// Schema of [`Plan`].
pub const PLAN: &str = "watchfloor.plan.v1";
/// Schema of [`MissionNew`].
pub const MISSION_NEW: &str = "watchfloor.mission_new.v1";
/// Schema of [`MissionMoved`].
pub const MISSION_MOVED: &str = "watchfloor.mission_moved.v1";
/// Schema of [`TaskMoved`].
pub const TASK_MOVED: &str = "watchfloor.task_moved.v1";
/// Schema of [`Prompted`].
pub const PROMPTED: &str = "watchfloor.prompted.v1";
/// Schema of [`IdentityAdded`].
pub const IDENTITY_ADDED: &str = "watchfloor.identity_added.v1";
/// Schema of [`IdentityRevoked`].
pub const IDENTITY_REVOKED: &str = "watchfloor.identity_revoked.v1";
/// Schema of [`Keyed`].
pub const KEYED: &str = "watchfloor.keyed.v1";
/// Schema of [`ClockJump`].
pub const CLOCK_JUMP: &str = "watchfloor.clock_jump.v1";
/// Schema of [`ChainRestart`].
pub const CHAIN_RESTART: &str = "watchfloor.chain_restart.v1";
/// Schema of [`PermitExpired`].
pub const PERMIT_EXPIRED: &str = "watchfloor.permit_expired.v1";
/// Schema of [`GateAnswered`].
pub const GATE_ANSWERED: &str = "watchfloor.gate_answered.v1";
/// Schema of [`CallRefused`].
pub const CALL_REFUSED: &str = "watchfloor.call_refused.v1";

/// An agent says what it will try.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Always [`PLAN`].
    pub schema: String,
    /// The task.
    pub task_id: TaskId,
    /// Its mission.
    pub mission_id: MissionId,
    /// Who.
    pub agent: AgentId,
    /// The assumed cause.
    pub hypothesis: String,
    /// What will be tried.
    pub strategy: String,
}

/// A mission with a goal of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MissionNew {
    /// Always [`MISSION_NEW`].
    pub schema: String,
    /// The mission.
    pub mission_id: MissionId,
    /// Its goal.
    pub goal: Goal,
    /// The goal's hash.
    pub goal_hash: String,
}

/// A mission went from one state to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MissionMoved {
    /// Always [`MISSION_MOVED`].
    pub schema: String,
    /// The mission.
    pub mission_id: MissionId,
    /// Where it was.
    pub from: MissionState,
    /// Where it is now.
    pub to: MissionState,
    /// Why.
    pub reason: String,
}

/// A task went to another state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TaskMoved {
    /// Always [`TASK_MOVED`].
    pub schema: String,
    /// The task.
    pub task_id: TaskId,
    /// Where it is now.
    pub to: TaskState,
}

/// A person prompted a session: its generated mission counts its tries anew (spec 3.2).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Prompted {
    /// Always [`PROMPTED`].
    pub schema: String,
    /// The session's mission.
    pub mission_id: MissionId,
    /// The session.
    pub agent: AgentId,
}

/// A signer was added.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IdentityAdded {
    /// Always [`IDENTITY_ADDED`].
    pub schema: String,
    /// Its name in `allowed_signers`.
    pub principal: String,
    /// `SHA256:` fingerprint.
    pub key: String,
    /// The public key in OpenSSH form.
    pub public_key: String,
    /// What it may approve as.
    pub roles: Vec<Approver>,
    /// The first one: trusted on first use.
    pub first_use: bool,
    /// Fresh for each decision.
    pub nonce: String,
    /// Who approved it, when it is not the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<Approval>,
}

/// A signer was revoked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IdentityRevoked {
    /// Always [`IDENTITY_REVOKED`].
    pub schema: String,
    /// Its name.
    pub principal: String,
    /// `SHA256:` fingerprint.
    pub key: String,
    /// Why.
    pub reason: String,
    /// Fresh for each decision.
    pub nonce: String,
    /// Who approved it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<Approval>,
}

/// A verb was called with a key: the same call again answers the same (spec 1.1).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Keyed {
    /// Always [`KEYED`].
    pub schema: String,
    /// The verb.
    pub verb: String,
    /// The caller's key.
    pub key: String,
    /// Digest of what was asked.
    pub request: String,
    /// What was answered.
    pub answer: serde_json::Value,
}

/// The wall clock moved against the monotonic one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClockJump {
    /// Always [`CLOCK_JUMP`].
    pub schema: String,
    /// By how many microseconds running deadlines move.
    pub shift_us: i64,
}

/// A person let the chain go on behind records that do not verify (spec 3.6). The reset receipt
/// that carries the signature says the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChainRestart {
    /// Always [`CHAIN_RESTART`].
    pub schema: String,
    /// The first record that does not verify.
    pub first_bad: u64,
    /// The hash of the record before it; zeros when there is none.
    pub last_good: String,
    /// The last record that is left out: verification goes on behind it.
    pub after: u64,
    /// The stored hash of that record, from which the chain goes on.
    pub after_hash: String,
    /// The signed reset receipt.
    pub reset_id: RecordId,
}

impl ChainRestart {
    /// What the signed reset says of it.
    #[must_use]
    pub fn words(&self) -> String {
        format!(
            "first bad record {}, last good hash {}; goes on after record {} with {}",
            self.first_bad, self.last_good, self.after, self.after_hash
        )
    }

    /// Reads what [`ChainRestart::words`] gave.
    #[must_use]
    pub fn of_words(words: &str, reset_id: RecordId) -> Option<Self> {
        let rest = words.strip_prefix("first bad record ")?;
        let (first_bad, rest) = rest.split_once(", last good hash ")?;
        let (last_good, rest) = rest.split_once("; goes on after record ")?;
        let (after, after_hash) = rest.split_once(" with ")?;
        Some(Self {
            schema: CHAIN_RESTART.to_owned(),
            first_bad: first_bad.parse().ok()?,
            last_good: last_good.to_owned(),
            after: after.parse().ok()?,
            after_hash: after_hash.to_owned(),
            reset_id,
        })
    }
}

/// A permit ran out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PermitExpired {
    /// Always [`PERMIT_EXPIRED`].
    pub schema: String,
    /// The permit's receipt.
    pub permit_id: RecordId,
}

/// The gate let an agent begin (observation).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GateAnswered {
    /// Always [`GATE_ANSWERED`].
    pub schema: String,
    /// The task.
    pub task_id: TaskId,
    /// Who asked.
    pub agent: AgentId,
    /// With which strategy.
    pub strategy: String,
}

/// A tool call was refused (observation).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CallRefused {
    /// Always [`CALL_REFUSED`].
    pub schema: String,
    /// Whose call.
    pub agent: AgentId,
    /// The tool.
    pub tool: String,
    /// The call's id, where the harness gives one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
    /// The breaker that refused it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub breaker_id: Option<RecordId>,
    /// The refusal's code.
    pub code: String,
    /// Digest of the tool and its input, by which one call is granted.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub call: String,
    /// The call in a line, redacted.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub action: String,
    /// What the guard had against it, when it was the guard.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guard: Option<super::guarded::GuardSaid>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_restart_is_read_as_it_is_told() {
        let restart = ChainRestart {
            schema: CHAIN_RESTART.to_owned(),
            first_bad: 7,
            last_good: "sha256:aa".to_owned(),
            after: 19,
            after_hash: "sha256:bb".to_owned(),
            reset_id: RecordId::new("r-1"),
        };
        let read = ChainRestart::of_words(&restart.words(), RecordId::new("r-1"));
        assert_eq!(read, Some(restart));
        assert_eq!(
            ChainRestart::of_words("2 records hold", RecordId::new("r")),
            None
        );
    }
}
