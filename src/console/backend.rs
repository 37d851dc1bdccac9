//! What the console needs from the verbs: one executor and one source of changes.
//!
//! The console asks for the rows it can show and for nothing else, so that a list of a million
//! rows costs as much as one of fifty.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use crate::contract::agent::{Detail, ResetAnswer, ResetForm, ResetRequest};
use crate::contract::refusal::Refusal;
use crate::contract::row::{AgentRow, AttentionRow, BreakerRow, Counts, LogRow, TaskRow};

/// The panes, and with them the kinds of rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PaneKind {
    /// What needs a person, and the state of the fleet.
    #[default]
    Overview,
    /// Breakers.
    Breakers,
    /// Tasks.
    Tasks,
    /// Agents.
    Agents,
    /// Journal records.
    Log,
}

impl PaneKind {
    /// Every pane, in the order of the tabs.
    pub const ALL: [Self; 5] = [
        Self::Overview,
        Self::Breakers,
        Self::Tasks,
        Self::Agents,
        Self::Log,
    ];

    /// Its name on the tab.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Overview => "Overview",
            Self::Breakers => "Breakers",
            Self::Tasks => "Tasks",
            Self::Agents => "Agents",
            Self::Log => "Log",
        }
    }

    /// What it shows, in a sentence.
    #[must_use]
    pub fn about(self) -> &'static str {
        match self {
            Self::Overview => "what needs you, what is stopped, who is working",
            Self::Breakers => "what stopped work, why, and what a reset still lacks",
            Self::Tasks => "tries of each task, and which go round in circles",
            Self::Agents => "who works on what, and who is stopped",
            Self::Log => "every record of the journal, newest first",
        }
    }

    /// Its position among the tabs, from 0.
    #[must_use]
    pub fn index(self) -> usize {
        Self::ALL.iter().position(|p| *p == self).unwrap_or(0)
    }
}

/// A window into one list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageWant {
    /// Rows to skip among those that the filter keeps.
    pub offset: usize,
    /// Rows to return at most.
    pub limit: usize,
    /// Keep rows that match this fuzzy pattern; empty keeps all. See [`super::filter`].
    pub filter: String,
}

/// What the screen can show now. A list that is `None` need not be read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Want {
    /// Only this project.
    pub project: Option<String>,
    /// Rows of *Needs you* to return at most.
    pub attention: usize,
    /// Breakers.
    pub breakers: Option<PageWant>,
    /// Tasks.
    pub tasks: Option<PageWant>,
    /// Agents.
    pub agents: Option<PageWant>,
    /// Records.
    pub log: Option<PageWant>,
}

/// One window of a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Page<T> {
    /// Rows skipped.
    pub offset: usize,
    /// Rows that the filter keeps.
    pub total: usize,
    /// Rows with no filter.
    pub all: usize,
    /// The filter that made it.
    pub filter: String,
    /// Set when only that many of the newest rows were searched.
    pub searched: Option<usize>,
    /// The rows, in the list's default order.
    pub rows: Vec<T>,
}

impl<T> Default for Page<T> {
    fn default() -> Self {
        Self {
            offset: 0,
            total: 0,
            all: 0,
            filter: String::new(),
            searched: None,
            rows: Vec::new(),
        }
    }
}

impl<T> Page<T> {
    /// The row at an absolute position, when this window holds it.
    #[must_use]
    pub fn at(&self, index: usize) -> Option<&T> {
        self.rows.get(index.checked_sub(self.offset)?)
    }
}

/// The state of the store at one position.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// Position of the journal.
    pub seq: u64,
    /// When it was read, RFC 3339.
    pub at: String,
    /// When it was read, UTC microseconds.
    pub now_us: i64,
    /// Totals.
    pub counts: Counts,
    /// What needs a person, most pressing first.
    pub attention: Vec<AttentionRow>,
    /// Breakers, when wanted.
    pub breakers: Option<Page<BreakerRow>>,
    /// Tasks, when wanted.
    pub tasks: Option<Page<TaskRow>>,
    /// Agents, when wanted.
    pub agents: Option<Page<AgentRow>>,
    /// Records, when wanted.
    pub log: Option<Page<LogRow>>,
    /// Why nothing can be written, when that is so.
    pub readonly: Option<String>,
    /// Where the store is.
    pub store: String,
    /// Said about identities for a week after the first one was made, or when none exists.
    pub identity_notice: Option<String>,
}

/// The id by which a task is asked for: project, U+001F, task.
#[must_use]
pub fn task_id(row: &TaskRow) -> String {
    format!("{}\u{1f}{}", row.project, row.task)
}

/// Project and task of an id made by [`task_id`].
#[must_use]
pub fn split_task_id(id: &str) -> Option<(&str, &str)> {
    id.split_once('\u{1f}')
}

/// The verbs, as the console calls them. It runs in a thread of its own, one call at a time.
///
/// Every call reads the store as it is; the console keeps no copy of what it wrote.
pub trait Backend: Send {
    /// Reads what the screen can show, in one read transaction.
    ///
    /// # Errors
    /// A refusal when the store cannot be read.
    fn status(&mut self, want: &Want) -> Result<Snapshot, Refusal>;

    /// Reads one row with all that is known about it. The id is [`BreakerRow::id`], [`task_id`],
    /// [`AgentRow::agent`] or [`LogRow::id`], by the kind.
    ///
    /// # Errors
    /// A refusal when there is no such row, or the store cannot be read.
    fn detail(&mut self, kind: PaneKind, id: &str) -> Result<Detail, Refusal>;

    /// Reads what a reset needs and makes the machine checks now. Writes nothing.
    ///
    /// # Errors
    /// A refusal when the breaker is closed, unknown, or the store cannot be read.
    fn reset_form(&mut self, breaker_id: &str) -> Result<ResetForm, Refusal>;

    /// Signs and writes a reset.
    ///
    /// # Errors
    /// A refusal when the passphrase is wrong, the role may not sign, or the store cannot write.
    fn reset(
        &mut self,
        request: &ResetRequest,
        passphrase: Zeroizing<String>,
    ) -> Result<ResetAnswer, Refusal>;

    /// Stops the whole fleet and answers in a sentence what was done.
    ///
    /// # Errors
    /// A refusal when not even the flag could be set.
    fn stop(&mut self, reason: &str) -> Result<String, Refusal>;

    /// Called when the console has been idle for a while, and once at its end.
    fn checkpoint(&mut self);
}

/// What a wait for changes ended with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// The journal grew.
    Grew,
    /// The time ran out and nothing happened.
    Quiet,
    /// The watch cannot go on.
    Lost,
}

/// A source of changes. It runs in a thread of its own.
pub trait Changes: Send {
    /// Blocks until the journal grew since the last answer, or the time ran out. What grew while
    /// no one waited is answered at once, so that nothing is missed between two calls.
    fn wait(&mut self, timeout: Duration) -> Change;
}
