//! Where a receipt comes from: its parents to any depth, each edge with its checks (spec 2.1).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The tree of one receipt, in the order in which it is read: a node before its parents.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Provenance {
    /// The nodes; the receipt itself is the first.
    pub nodes: Vec<Node>,
    /// Whether every edge is trusted and no cycle was met.
    pub trusted: bool,
    /// Whether nodes were left out because there are too many.
    pub cut: bool,
}

/// A receipt in a tree.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Node {
    /// Edges between it and the receipt that the tree is of.
    pub depth: u16,
    /// Its id, as it is referred to.
    pub receipt_id: String,
    /// Short handle.
    pub handle: String,
    /// Schema of its payload; empty when there is no such receipt.
    pub schema: String,
    /// Who wrote it.
    pub producer: String,
    /// When it was recorded, RFC 3339.
    pub at: String,
    /// SHA-256 of its stored bytes.
    pub digest: String,
    /// The edge from its child; the receipt itself has none.
    pub edge: Option<Edge>,
    /// It stands among its own descendants: its parents are not shown again.
    pub cycle: bool,
    /// It stood in this tree before: its parents are shown there.
    pub shown_above: bool,
}

/// A reference from a receipt to its parent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Edge {
    /// The checks that could be made: exists, schema, producer, `goal_hash`, digest; or structure.
    pub checks: Vec<EdgeCheck>,
    /// Whether all hold.
    pub trusted: bool,
    /// The digest that the child names, where it names one.
    pub digest: Option<String>,
}

/// One check of an edge.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EdgeCheck {
    /// Its name.
    pub name: String,
    /// Whether it holds.
    pub holds: bool,
    /// Where it does not: what was expected and what was found.
    pub why: Option<String>,
}
