//! Forms between the screen and the verbs: a grant for a call that the guard refused (spec 5.1).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::breaker::{Approver, ResetCheck};
use super::guard::Grantable;

/// Longest grant in minutes: one day, as a permit.
pub const LONGEST_MINUTES: u32 = 24 * 60;

/// A call that the guard refused.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RefusedRow {
    /// The refusal's record.
    pub id: String,
    /// Its handle.
    pub handle: String,
    /// When, RFC 3339.
    pub at: String,
    /// Whose call.
    pub agent: String,
    /// The tool.
    pub tool: String,
    /// The call in a line, redacted.
    pub action: String,
    /// The project that it was made in.
    pub project: String,
    /// What the guard had against it, and the rule.
    pub why: String,
}

/// A breaker that stops the agent of a refused call: a grant does not open it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InTheWay {
    /// Its handle.
    pub handle: String,
    /// Its first trigger.
    pub trigger: String,
    /// What it covers.
    pub scope: String,
}

/// What a grant needs, as the form shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GrantForm {
    /// The refused call.
    pub refused: RefusedRow,
    /// What a grant could open, the least first.
    pub opens: Vec<Grantable>,
    /// Grants that are about it already: a line each, the newest first.
    pub grants: Vec<String>,
    /// What a machine can tell of it, looked at just now.
    pub checks: Vec<ResetCheck>,
    /// Breakers that stop the agent all the same.
    pub breakers: Vec<InTheWay>,
    /// The weakest role that may sign.
    pub needs: Approver,
    /// Who may sign here: principals with a key at hand and the role.
    pub signers: Vec<String>,
}

/// What the person filled in. The passphrase travels apart and is never part of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GrantRequest {
    /// The refusal's record.
    pub refused_id: String,
    /// What is let through: one of those that the form named.
    pub opens: Grantable,
    /// For how many minutes.
    pub minutes: u32,
    /// Why.
    pub reason: String,
    /// Who signs; the only signer when absent.
    pub principal: Option<String>,
}
