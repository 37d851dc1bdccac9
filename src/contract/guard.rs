//! What the guard is asked and answers about a tool call (spec 3.8).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::breaker::Trigger;
use super::guard_rule::GuardRule;

/// What is to become of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GuardOutcome {
    /// Nothing stands against it.
    Allow,
    /// Refused, without a breaker.
    Deny,
    /// Refused, and a breaker opens.
    Trip,
    /// Not understood, or too large: refused where it may change things.
    Indeterminate,
}

/// What the guard says of a call or of a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// What is to become of it.
    pub outcome: GuardOutcome,
    /// The trigger, where a breaker opens.
    pub trigger: Option<Trigger>,
    /// The rule that says so, e.g. `git.force`.
    pub rule: Option<String>,
    /// Why, in words for the model and the person; never with a secret in it.
    pub reason: String,
    /// Whether every part of the call was understood as only reading.
    pub only_reads: bool,
    /// What a grant could name to let it through.
    pub wants: Option<Grantable>,
}

impl Judgement {
    /// Nothing stands against the call.
    #[must_use]
    pub fn allow(only_reads: bool) -> Self {
        Self {
            outcome: GuardOutcome::Allow,
            trigger: None,
            rule: None,
            reason: String::new(),
            only_reads,
            wants: None,
        }
    }
}

/// What a signed grant opens (spec 3.8, 7.2).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "kind", content = "value")]
pub enum Grantable {
    /// One call, by the digest of its tool and input; it is used up by that call.
    Call(String),
    /// A host that may be reached.
    Host(String),
    /// A path that may be changed, and everything under it.
    Path(String),
    /// A protected branch that may be written.
    Branch(String),
}

/// Whether the guard refuses, or only says what it would have done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GuardMode {
    /// Refuses.
    #[default]
    Enforce,
    /// Records what would have happened.
    Observe,
}

/// Which findings open a breaker (spec 3.6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Preset {
    /// A git conflict or divergence opens the breaker `git`.
    #[default]
    Contract,
    /// A git conflict or divergence is a finding.
    Field,
}

/// What is configured for the guard, and where a call stands. Without a file the defaults hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Branches that nobody pushes to, moves or deletes.
    pub protected_branches: Vec<String>,
    /// Words that name a production context, host, database or bucket.
    pub production: Vec<String>,
    /// Hosts of forges that git and ssh may speak to.
    pub forge_hosts: Vec<String>,
    /// Names and addresses of the configured human principals: authorship by them is forged.
    pub principals: Vec<String>,
    /// Refuse, or only record.
    pub mode: GuardMode,
    /// Which findings trip.
    pub preset: Preset,
    /// Root of the workspace: files inside may be removed.
    pub workspace: String,
    /// Working directory of the call.
    pub cwd: String,
    /// The branch that is checked out there, where it matters and is known.
    pub branch: Option<String>,
    /// Home folder, for `~`; empty when unknown.
    pub home: String,
    /// Folder of the store, which no agent changes.
    pub store: String,
    /// Folder of the configuration, which no agent changes.
    pub config: String,
    /// What signed grants open now.
    pub grants: Vec<Grantable>,
    /// Rules of the user's own.
    pub rules: Vec<GuardRule>,
    /// Why the guard cannot judge as it is configured: then nothing that changes things passes.
    pub fault: Option<String>,
}

impl Default for Policy {
    fn default() -> Self {
        let list = |words: &[&str]| words.iter().map(ToString::to_string).collect();
        Self {
            protected_branches: list(&["main", "master"]),
            production: list(&["prod", "production", "live"]),
            forge_hosts: list(&["github.com", "gitlab.com", "bitbucket.org", "codeberg.org"]),
            principals: list(&["operator"]),
            mode: GuardMode::default(),
            preset: Preset::default(),
            workspace: String::new(),
            cwd: String::new(),
            branch: None,
            home: String::new(),
            store: String::new(),
            config: String::new(),
            grants: Vec::new(),
            rules: Vec::new(),
            fault: None,
        }
    }
}

/// Answer of `guard rules check`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct GuardRulesAnswer {
    /// Whether every file can be read and every example holds.
    pub valid: bool,
    /// How many rules were checked.
    pub rules: usize,
    /// What is wrong: the file, the rule, and what of it.
    pub faults: Vec<String>,
}

/// Answer of `guard check`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct GuardAnswer {
    /// What is to become of it.
    pub outcome: GuardOutcome,
    /// The trigger, where a breaker opens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trigger: Option<Trigger>,
    /// The rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Why.
    pub reason: String,
    /// Grants of the project, by handle, without which it would not be let through.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub granted_by: Vec<String>,
}
