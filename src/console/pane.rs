//! The panes, and with them the kinds of rows.

use serde::{Deserialize, Serialize};

use super::sort::Sort;

/// One pane.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum PaneKind {
    /// What needs a person, and the state of the fleet.
    #[default]
    Overview,
    /// Questions between agents.
    Handoffs,
    /// Breakers.
    Breakers,
    /// Tasks.
    Tasks,
    /// Failure codes that no catalogue entry knows.
    Codes,
    /// Receipts.
    Receipts,
    /// Agents.
    Agents,
    /// Journal records.
    Log,
}

impl PaneKind {
    /// Every pane, in the order of the tabs.
    pub const ALL: [Self; 8] = [
        Self::Overview,
        Self::Handoffs,
        Self::Breakers,
        Self::Tasks,
        Self::Codes,
        Self::Receipts,
        Self::Agents,
        Self::Log,
    ];

    /// Its name on the tab.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Overview => "Overview",
            Self::Handoffs => "Handoffs",
            Self::Breakers => "Breakers",
            Self::Tasks => "Tasks",
            Self::Codes => "Codes",
            Self::Receipts => "Receipts",
            Self::Agents => "Agents",
            Self::Log => "Log",
        }
    }

    /// What it shows, in a sentence.
    #[must_use]
    pub fn about(self) -> &'static str {
        match self {
            Self::Overview => "what needs you, what is stopped, who is working",
            Self::Handoffs => "who asks, who holds it and how long still",
            Self::Breakers => "what stopped work, why, and what a reset still lacks",
            Self::Tasks => "tries of each task, and which go round in circles",
            Self::Codes => "failures that no catalogue entry knows yet",
            Self::Receipts => "decisions, and where each comes from",
            Self::Agents => "who works on what, and who is stopped",
            Self::Log => "every record of the journal, newest first",
        }
    }

    /// Its position among the tabs, from 0.
    #[must_use]
    pub fn index(self) -> usize {
        Self::ALL.iter().position(|p| *p == self).unwrap_or(0)
    }

    /// The orders that its list can be in, the default one first.
    #[must_use]
    pub fn sorts(self) -> &'static [Sort] {
        match self {
            Self::Handoffs => &[
                Sort::Default,
                Sort::Project,
                Sort::Agent,
                Sort::Deadline,
                Sort::Newest,
            ],
            Self::Breakers => &[
                Sort::Default,
                Sort::Project,
                Sort::Name,
                Sort::Refused,
                Sort::Newest,
            ],
            Self::Tasks => &[
                Sort::Default,
                Sort::Project,
                Sort::Name,
                Sort::Failures,
                Sort::Newest,
            ],
            Self::Codes => &[Sort::Default, Sort::Name, Sort::Count, Sort::Newest],
            Self::Agents => &[
                Sort::Default,
                Sort::Project,
                Sort::Name,
                Sort::Failures,
                Sort::Refused,
            ],
            // These are in the journal's order, and as long as it is.
            Self::Overview | Self::Receipts | Self::Log => &[Sort::Default],
        }
    }
}
