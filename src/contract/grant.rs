//! Grants (spec 3.8, 7.2): a person lets through for a while what the guard refuses.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::approval::Approval;
use super::digest::Digest;
use super::guard::Grantable;
use super::ids::{AgentId, ProjectId, RecordId};

/// Schema of [`Grant`].
pub const GRANT: &str = "watchfloor.grant.v1";
/// Schema of [`GrantUsed`].
pub const GRANT_USED: &str = "watchfloor.grant_used.v1";
/// Schema of [`GrantRevoked`].
pub const GRANT_REVOKED: &str = "watchfloor.grant_revoked.v1";

/// Payload of a grant receipt: what is let through, where, and for how long.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Grant {
    /// Always [`GRANT`].
    pub schema: String,
    /// The project that it holds in.
    pub project: ProjectId,
    /// What is let through.
    pub opens: Grantable,
    /// For how many minutes.
    pub minutes: u32,
    /// Why.
    pub reason: String,
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

/// A call that was granted was let through: the grant is used up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GrantUsed {
    /// Always [`GRANT_USED`].
    pub schema: String,
    /// The grant's receipt.
    pub grant_id: RecordId,
    /// Whose call.
    pub agent: AgentId,
    /// The tool.
    pub tool: String,
    /// The call's id, where the harness gives one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
}

/// A grant was taken back before its time. To become stricter needs no signature.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GrantRevoked {
    /// Always [`GRANT_REVOKED`].
    pub schema: String,
    /// The grant's receipt.
    pub grant_id: RecordId,
    /// Why.
    pub reason: String,
}

/// The digest by which a call is granted: of its tool and its input.
#[must_use]
pub fn call_digest(tool: &str, input: &str) -> String {
    Digest::of(format!("{tool}\u{1f}{input}").as_bytes()).to_string()
}
