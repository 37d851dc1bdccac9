//! Approvals: who signed, as what, and the signature (spec 7.1).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::breaker::Approver;

/// A signature on a decision. The signed bytes are the RFC 8785 form of the payload
/// without its `approval`; the signature's namespace is the role's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Approval {
    /// Who signed, as `allowed_signers` names them.
    pub principal: String,
    /// As what.
    pub role: Approver,
    /// `SHA256:` fingerprint of the key.
    pub key: String,
    /// The armoured OpenSSH signature.
    pub signature: String,
}
