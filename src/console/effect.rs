//! What the model asks the outside to do. The model itself never does any of it.

use crate::contract::bench::DraftEntry;
use crate::contract::going::Way;

use super::backend::{PaneKind, Want};
use super::form::{Subject, Submission};

/// One wish of the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Read these rows.
    Refresh(Box<Want>),
    /// Read the detail of one row.
    OpenDetail {
        /// Kind of row.
        kind: PaneKind,
        /// The row.
        id: String,
    },
    /// Read what a form shows and make its machine checks again.
    LoadForm(Subject),
    /// Tell what an entry would change.
    Preview(DraftEntry),
    /// Tell what a text means.
    Classify(String),
    /// Sign and write with the passphrase that the vault holds.
    Submit(Box<Submission>),
    /// Look where one can go from an agent.
    Ways(String),
    /// Go to an agent: its terminal pane, or its transcript.
    Jump(String, Way),
    /// Read the diff of an agent's working tree.
    Diff(String),
    /// Nobody waits for that diff any more.
    CancelDiff,
    /// The emergency stop of the whole fleet.
    Stop {
        /// Why, as the receipt will say.
        reason: String,
    },
    /// Give a text to the terminal's clipboard.
    Copy(String),
    /// Wipe the passphrase.
    WipePassphrase,
    /// Give the terminal back and stop the process until it is continued.
    Suspend,
    /// Draw every cell again.
    Repaint,
    /// Leave.
    Quit,
}

impl Effect {
    /// Whether it changes the store.
    #[must_use]
    pub fn writes(&self) -> bool {
        matches!(self, Self::Submit(_) | Self::Stop { .. })
    }
}
