//! What signed grants open in a project.

use serde::{Deserialize, Serialize};

use crate::contract::guard::Grantable;
use crate::contract::ids::{ProjectId, RecordId};

/// The grants of one project, oldest first: those that run, and the latest that are over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grants {
    /// The project.
    pub project: ProjectId,
    /// The grants.
    pub grants: Vec<GrantState>,
}

/// One grant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GrantState {
    /// Its receipt.
    pub id: RecordId,
    /// What it opens.
    pub opens: Grantable,
    /// Until when, UTC microseconds.
    pub until_us: i64,
    /// Why.
    pub reason: String,
    /// Who signed it.
    pub by: String,
    /// `used` or `revoked`, when it ended before its time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<String>,
    /// Where its receipt stands.
    pub seq: u64,
}

impl GrantState {
    /// Whether it opens anything at this time.
    #[must_use]
    pub fn runs(&self, now_us: i64) -> bool {
        self.ended.is_none() && self.until_us > now_us
    }
}
