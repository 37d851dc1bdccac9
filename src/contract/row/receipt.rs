//! A receipt as the panes show it (spec 2.1, 5.3).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A receipt, newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReceiptRow {
    /// Its id.
    pub id: String,
    /// Short handle, `r-` and the tail of the id.
    pub handle: String,
    /// Its position.
    pub seq: u64,
    /// When it was recorded, RFC 3339.
    pub at: String,
    /// Schema of its payload.
    pub schema: String,
    /// Who wrote it.
    pub producer: String,
    /// The project.
    pub project: String,
    /// The goal that it serves.
    pub goal_hash: Option<String>,
    /// How many parents it names.
    pub parents: u64,
}
