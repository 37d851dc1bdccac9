//! What the hooks observe of the guard (spec 3.8): what it would have done, what it could not
//! understand, and calls that ran although they had been refused.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::breaker::Trigger;
use super::guard::{Grantable, GuardMode, GuardOutcome};
use super::ids::AgentId;

/// Schema of [`GuardWould`].
pub const GUARD_WOULD: &str = "watchfloor.guard_would.v1";
/// Schema of [`CallAllowed`].
pub const CALL_ALLOWED: &str = "watchfloor.call_allowed.v1";
/// Schema of [`HookLeak`].
pub const HOOK_LEAK: &str = "watchfloor.hook_leak.v1";

/// The guard had something against a call or a result that nothing was done about (observation):
/// it only observes here, the call only reads, or it is a finding by the preset.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GuardWould {
    /// Always [`GUARD_WOULD`].
    pub schema: String,
    /// Whose call.
    pub agent: AgentId,
    /// The tool.
    pub tool: String,
    /// The call's id, where the harness gives one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
    /// Whether it was about a result, and not a call before it ran.
    #[serde(default)]
    pub happened: bool,
    /// Whether the guard refuses here at all.
    pub mode: GuardMode,
    /// What would have become of it.
    pub outcome: GuardOutcome,
    /// The breaker that would have opened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trigger: Option<Trigger>,
    /// The rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Why.
    pub reason: String,
    /// The call in a line, redacted.
    pub action: String,
}

/// A call that had been refused before was let through now (observation): its result is none of
/// the refused one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CallAllowed {
    /// Always [`CALL_ALLOWED`].
    pub schema: String,
    /// Whose call.
    pub agent: AgentId,
    /// The tool.
    pub tool: String,
    /// The call's id, where the harness gives one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
    /// Digest of the tool and its input.
    pub call: String,
}

/// A call ran although it had been refused (observation): the harness did not keep to the answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HookLeak {
    /// Always [`HOOK_LEAK`].
    pub schema: String,
    /// Whose call.
    pub agent: AgentId,
    /// Its harness.
    pub harness: String,
    /// The tool.
    pub tool: String,
    /// The call's id, where the harness gives one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
    /// Digest of the tool and its input.
    pub call: String,
    /// The code that it had been refused with.
    pub code: String,
    /// The trigger that the guard had refused it for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trigger: Option<Trigger>,
    /// The rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The call in a line, redacted.
    pub action: String,
}

/// What the guard said of a call that was refused, as the refusal's record tells it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GuardSaid {
    /// The breaker that opened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trigger: Option<Trigger>,
    /// The rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Why.
    #[serde(default)]
    pub reason: String,
    /// The host, path or branch that a grant could name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wants: Option<Grantable>,
}
