//! The acceptance of handoffs between two agents (spec 4.6): what was set up, and what it came to.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Schema of [`Began`], an observation in the acceptance's own store.
pub const BEGAN: &str = "watchfloor.acceptance_began.v1";
/// Schema of [`Accepted`], an event in the user's store.
pub const ACCEPTANCE: &str = "watchfloor.acceptance.v1";

/// An acceptance was set up; everything after this record is the agents' own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Began {
    /// Always [`BEGAN`].
    pub schema: String,
    /// Program of A, who asks.
    pub a: String,
    /// Program of B, who answers.
    pub b: String,
    /// Digest of the fact that A needs.
    pub fact: String,
    /// How B was given it.
    pub given: String,
    /// What A was given, looked through for the fact: files, prompt, script and environment.
    pub a_inputs: u64,
    /// Where among them the fact was found.
    pub a_holds: Vec<String>,
}

/// One of the two agents.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Participant {
    /// Its program: `pi`, `codex` ..., or `plain`.
    pub harness: String,
    /// What the program says of its version; empty for a plain process.
    pub version: String,
    /// The agent, as the journal names it; empty where it recorded nothing.
    pub agent: String,
}

/// One of the seven points.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Point {
    /// Its number, 1 to 7.
    pub number: u8,
    /// What must hold.
    pub claim: String,
    /// Whether it does.
    pub holds: bool,
    /// What shows it, or shows that it does not: a sentence each, with the records' positions.
    pub proof: Vec<String>,
}

/// What an acceptance came to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Accepted {
    /// Always [`ACCEPTANCE`].
    pub schema: String,
    /// All seven points hold.
    pub passed: bool,
    /// Plain processes stood in for agent programs: that does not count for a roll-out.
    pub plain: bool,
    /// The host that it ran on.
    pub host: String,
    /// Who asked.
    pub a: Participant,
    /// Who answered.
    pub b: Participant,
    /// The seven points.
    pub points: Vec<Point>,
}
