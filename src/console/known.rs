//! What the backend answers beside lists and forms.

use std::sync::atomic::AtomicBool;

use serde::{Deserialize, Serialize};

use crate::contract::agent::Detail;
use crate::contract::bench::Bench;
use crate::contract::going::TreeDiff;
use crate::contract::provenance::Provenance;
use crate::contract::refusal::Refusal;

/// What a text means by the catalogue.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meaning {
    /// A code of the catalogue, or a minted one.
    pub code: String,
    /// Why it happens.
    pub cause: String,
    /// What to run next.
    pub next_command: String,
    /// Whether it can be got over without a person.
    pub recoverable: bool,
    /// Whether nobody has said yet what it is.
    pub ambiguous: bool,
    /// What of the text gave it away.
    pub matched: Vec<String>,
}

/// All that is known of one row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Known {
    /// Headed sections.
    Plain(Detail),
    /// Where a receipt comes from.
    Tree(Box<Provenance>),
    /// Samples of a minted code and what looks like it.
    Bench(Box<Bench>),
}

/// What reads a diff; it ends early when the switch is set.
pub type Reading = Box<dyn FnOnce(&AtomicBool) -> Result<TreeDiff, Refusal> + Send>;
