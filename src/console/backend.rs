//! What the console needs from the verbs: one executor and one source of changes.
//!
//! The console asks for the rows it can show and for nothing else, so that a list of a million
//! rows costs as much as one of fifty.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use crate::contract::agent::{Jumped, PauseRequest, ResetAnswer, ResetForm, ResetRequest};
use crate::contract::bench::{AliasRequest, CodeForm, DraftEntry, Preview, PromoteRequest};
use crate::contract::decide::{DecideForm, DecideRequest, Signed};
use crate::contract::going::{Way, WayRow};
use crate::contract::granting::{GrantForm, GrantRequest};
use crate::contract::message::{MessageForm, MessageRequest, MessageSent};
use crate::contract::refusal::Refusal;
use crate::contract::row::{
    AgentRow, AttentionRow, BreakerRow, CodeRow, Counts, HandoffRow, LogRow, ReceiptRow, TaskRow,
};

pub use super::known::{Known, Meaning, Reading};
pub use super::pane::PaneKind;
pub use super::sort::Sort;

/// A window into one list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageWant {
    /// Rows to skip among those that the filter keeps.
    pub offset: usize,
    /// Rows to return at most.
    pub limit: usize,
    /// Keep rows that match this fuzzy pattern; empty keeps all. See [`super::filter`].
    pub filter: String,
    /// The order, over all rows that the filter keeps.
    #[serde(default)]
    pub sort: Sort,
}

/// What the screen can show now. A list that is `None` need not be read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Want {
    /// Only this project.
    pub project: Option<String>,
    /// Rows of *Needs you* to return at most.
    pub attention: usize,
    /// Tasks that go round in circles to return at most.
    pub circles: usize,
    /// Handoffs.
    pub handoffs: Option<PageWant>,
    /// Breakers.
    pub breakers: Option<PageWant>,
    /// Tasks.
    pub tasks: Option<PageWant>,
    /// Failure codes that no catalogue entry knows.
    pub codes: Option<PageWant>,
    /// Receipts.
    pub receipts: Option<PageWant>,
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
    /// The order that it is in.
    #[serde(default)]
    pub sort: Sort,
    /// Set when only that many of the newest rows were searched and sorted.
    pub searched: Option<usize>,
    /// The rows.
    pub rows: Vec<T>,
}

impl<T> Default for Page<T> {
    fn default() -> Self {
        Self {
            offset: 0,
            total: 0,
            all: 0,
            filter: String::new(),
            sort: Sort::Default,
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
    /// Handoffs that an agent waits for now.
    #[serde(default)]
    pub blocking: u64,
    /// Codes that are due to be named.
    #[serde(default)]
    pub codes_due: u64,
    /// Tasks that go round in circles: how many, and the first ones where they were wanted.
    #[serde(default)]
    pub circles: Circles,
    /// Handoffs, when wanted.
    #[serde(default)]
    pub handoffs: Option<Page<HandoffRow>>,
    /// Breakers, when wanted.
    pub breakers: Option<Page<BreakerRow>>,
    /// Tasks, when wanted.
    pub tasks: Option<Page<TaskRow>>,
    /// Minted codes, when wanted.
    #[serde(default)]
    pub codes: Option<Page<CodeRow>>,
    /// Receipts, when wanted.
    #[serde(default)]
    pub receipts: Option<Page<ReceiptRow>>,
    /// Agents, when wanted.
    pub agents: Option<Page<AgentRow>>,
    /// Handles of the handoffs that each agent holds, where agents were wanted.
    #[serde(default)]
    pub held: BTreeMap<String, Vec<String>>,
    /// Records, when wanted.
    pub log: Option<Page<LogRow>>,
    /// Why nothing can be written, when that is so.
    pub readonly: Option<String>,
    /// Where the store is.
    pub store: String,
    /// Said about identities for a week after the first one was made, or when none exists.
    pub identity_notice: Option<String>,
}

/// Handles of the claimed handoffs by who holds them.
#[must_use]
pub fn held(rows: &[HandoffRow]) -> BTreeMap<String, Vec<String>> {
    let mut held: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.state == "claimed") {
        if let Some(holder) = &row.holder {
            let handles = held.entry(holder.clone()).or_default();
            handles.push(row.handle.clone());
        }
    }
    held
}

/// The tasks that go round in circles.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Circles {
    /// How many there are, however many of them are shown.
    pub total: usize,
    /// The first ones.
    pub rows: Vec<TaskRow>,
}

impl Circles {
    /// Those among some tasks.
    #[must_use]
    pub fn among(tasks: Vec<TaskRow>, limit: usize) -> Self {
        let mut rows = tasks;
        rows.retain(circles);
        let total = rows.len();
        rows.truncate(limit);
        Self { total, rows }
    }
}

/// Whether a task goes round in circles: held, with a due step, or failing the same way again.
#[must_use]
pub fn circles(row: &TaskRow) -> bool {
    row.state == "escalated"
        || row.due.is_some()
        || row.same >= 2
        || row.churn >= 3
        || row.leaks > 0
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

    /// Reads one row with all that is known about it. The id is [`HandoffRow::id`],
    /// [`BreakerRow::id`], [`task_id`], [`CodeRow::code`], [`ReceiptRow::id`],
    /// [`AgentRow::agent`] or [`LogRow::id`], by the kind.
    ///
    /// # Errors
    /// A refusal when there is no such row, or the store cannot be read.
    fn detail(&mut self, kind: PaneKind, id: &str) -> Result<Known, Refusal>;

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

    /// Reads what a decision on an escalated handoff needs. Writes nothing.
    ///
    /// # Errors
    /// A refusal when the handoff is not escalated, decided, unknown, or the store cannot be read.
    fn decide_form(&mut self, handoff_id: &str) -> Result<DecideForm, Refusal>;

    /// Signs and writes a decision.
    ///
    /// # Errors
    /// A refusal when the passphrase is wrong, the role may not sign, or the store cannot write.
    fn decide(
        &mut self,
        request: &DecideRequest,
        passphrase: Zeroizing<String>,
    ) -> Result<Signed, Refusal>;

    /// Reads what an alias or a promotion of a minted code needs. Writes nothing.
    ///
    /// # Errors
    /// A refusal when the code is settled, unknown, or the store cannot be read.
    fn code_form(&mut self, code: &str) -> Result<CodeForm, Refusal>;

    /// What an entry would change, were it in the catalogue. Writes nothing.
    ///
    /// # Errors
    /// A refusal when the store cannot be read.
    fn preview(&mut self, draft: &DraftEntry) -> Result<Preview, Refusal>;

    /// Signs and writes an alias.
    ///
    /// # Errors
    /// A refusal when the passphrase is wrong, the role may not sign, or the store cannot write.
    fn alias(
        &mut self,
        request: &AliasRequest,
        passphrase: Zeroizing<String>,
    ) -> Result<Signed, Refusal>;

    /// Signs and writes a promotion.
    ///
    /// # Errors
    /// A refusal when the entry does not hold, the passphrase is wrong, the role may not sign, or
    /// the store cannot write.
    fn promote(
        &mut self,
        request: &PromoteRequest,
        passphrase: Zeroizing<String>,
    ) -> Result<Signed, Refusal>;

    /// Reads what a message's form shows of an agent. Writes nothing.
    ///
    /// # Errors
    /// A refusal when there is no such agent, or the store cannot be read.
    fn message_form(&mut self, agent: &str) -> Result<MessageForm, Refusal>;

    /// Leaves a message in an agent's inbox, as the operator.
    ///
    /// # Errors
    /// A refusal when the text is too long, the inbox is full, or the store cannot write.
    fn message(&mut self, request: &MessageRequest) -> Result<MessageSent, Refusal>;

    /// Stops one agent's session, as `stop --scope agent:ID` does.
    ///
    /// # Errors
    /// A refusal when not even the flag could be set.
    fn pause(&mut self, request: &PauseRequest) -> Result<Signed, Refusal>;

    /// Reads what a grant needs: of the refused call that a record of the Log tells, or of the one
    /// that an agent's or a breaker's row means. Writes nothing.
    ///
    /// # Errors
    /// A refusal when there is no such call, something other than the guard refused it, or the
    /// store cannot be read.
    fn grant_form(&mut self, kind: PaneKind, id: &str) -> Result<GrantForm, Refusal>;

    /// Signs and writes a grant.
    ///
    /// # Errors
    /// A refusal when the passphrase is wrong, the role may not sign, or the store cannot write.
    fn grant(
        &mut self,
        request: &GrantRequest,
        passphrase: Zeroizing<String>,
    ) -> Result<Signed, Refusal>;

    /// What a text means by the catalogue in force. Writes nothing.
    ///
    /// # Errors
    /// A refusal for a blank text or a bare verdict word.
    fn classify(&mut self, text: &str) -> Result<Meaning, Refusal>;

    /// The ways to an agent: which are open, and where each leads.
    ///
    /// # Errors
    /// A refusal when there is no such agent, or the store cannot be read.
    fn ways(&mut self, agent: &str) -> Result<Vec<WayRow>, Refusal>;

    /// Goes to an agent: its terminal pane, or its transcript.
    ///
    /// # Errors
    /// A refusal when that way is closed.
    fn jump(&mut self, agent: &str, way: Way) -> Result<Jumped, Refusal>;

    /// Finds the working tree of an agent, and answers what reads its diff: that takes its time, and
    /// is done in a thread of its own.
    ///
    /// # Errors
    /// A refusal when none is known, or the store cannot be read.
    fn diff(&mut self, agent: &str) -> Result<Reading, Refusal>;

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
