//! What the model asks the outside to do. The model itself never does any of it.

use crate::contract::agent::ResetRequest;

use super::backend::{PaneKind, Want};

/// One wish of the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Read these rows.
    Refresh(Want),
    /// Read the detail of one row.
    OpenDetail {
        /// Kind of row.
        kind: PaneKind,
        /// The row.
        id: String,
    },
    /// Read the reset form and make its machine checks again.
    LoadReset {
        /// The breaker.
        breaker_id: String,
    },
    /// Sign and write a reset with the passphrase that the vault holds.
    SubmitReset(Box<ResetRequest>),
    /// The emergency stop of the whole fleet.
    Stop {
        /// Why, as the receipt will say.
        reason: String,
    },
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
        matches!(self, Self::SubmitReset(_) | Self::Stop { .. })
    }
}
