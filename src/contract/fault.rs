//! One fault of an object, and the fixed order in which faults are reported (spec 2).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is wrong with one place of an object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Fault {
    /// The fault code, e.g. `missing`.
    pub code: String,
    /// Where: keys and indexes joined by dots; empty for the object itself.
    pub path: String,
    /// A sentence for a person.
    pub message: String,
}

impl Fault {
    /// A fault of `code` at `path`.
    pub fn new(
        code: impl Into<String>,
        path: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        Self {
            code: code.into(),
            path: path.into(),
            message: message.into(),
        }
    }
}
