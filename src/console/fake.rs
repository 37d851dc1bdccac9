//! A backend that holds a made-up fleet in memory: for tests and for looking at screens.

mod detail;
mod fleet;
mod going;
mod refused;
mod verbs;
mod vocabulary;

use std::time::Duration;

use zeroize::Zeroizing;

use crate::contract::agent::ResetRequest;
use crate::contract::decide::Signed;
use crate::contract::event::CALL_REFUSED;
use crate::contract::granting::RefusedRow;
use crate::contract::ids::{AgentId, ProjectId, RecordId, TaskId};
use crate::contract::refusal::{Code, Refusal};
use crate::contract::row::{
    AgentRow, AttentionRow, BreakerRow, CodeRow, Counts, HandoffRow, LogRow, ReceiptRow, TaskRow,
};
use crate::contract::time::rfc3339;

use super::backend::{Change, Changes, Page, PageWant};
use super::filter::{Filter, Searchable};
use super::form::Submission;
use super::sort::{Sortable, sort};

/// One minute in microseconds.
const MINUTE: i64 = 60_000_000;

/// A fleet in memory.
#[derive(Debug, Default)]
pub struct FakeBackend {
    /// The time that the rows are told relative to, UTC microseconds.
    pub now_us: i64,
    /// Position of the made-up journal.
    pub seq: u64,
    /// Handoffs.
    pub handoffs: Vec<HandoffRow>,
    /// Minted codes.
    pub codes: Vec<CodeRow>,
    /// Receipts.
    pub receipts: Vec<ReceiptRow>,
    /// Decisions, aliases and promotions that were written.
    pub signed: Vec<Submission>,
    /// Breakers.
    pub breakers: Vec<BreakerRow>,
    /// Tasks.
    pub tasks: Vec<TaskRow>,
    /// Agents.
    pub agents: Vec<AgentRow>,
    /// Records in the Log.
    pub records: usize,
    /// The call that the guard refused.
    pub refused: RefusedRow,
    /// Whether a diff is read until nobody waits for it any more.
    pub slow: bool,
    /// A line that was added in every working tree.
    pub changed: String,
    /// What needs a person.
    pub attention: Vec<AttentionRow>,
    /// Said under the tabs.
    pub identity_notice: Option<String>,
    /// Why nothing can be written.
    pub readonly: Option<String>,
    /// The passphrase that opens the key.
    pub passphrase: String,
    /// Resets that were written.
    pub resets: Vec<ResetRequest>,
    /// Stops that were written.
    pub stops: Vec<String>,
    /// Refuse to read.
    pub broken: bool,
}

impl FakeBackend {
    /// A store in which nothing ever happened.
    #[must_use]
    pub fn empty(now_us: i64) -> Self {
        Self {
            now_us,
            ..Self::default()
        }
    }

    /// Four agents, two open breakers, two tasks in circles.
    #[must_use]
    pub fn full(now_us: i64) -> Self {
        let ago = |minutes: i64| rfc3339(now_us - minutes * MINUTE);
        let breakers = fleet::breakers(&ago);
        Self {
            now_us,
            seq: 4_812,
            attention: fleet::attention(&breakers, &ago),
            breakers,
            handoffs: vocabulary::handoffs(&ago, &|minutes| rfc3339(now_us + minutes * MINUTE)),
            codes: vocabulary::codes(&ago),
            receipts: vocabulary::receipts(&ago),
            tasks: fleet::tasks(&ago),
            agents: fleet::agents(&ago),
            records: 4_812,
            refused: refused::row(&ago),
            changed: "    token.refresh_before(Duration::from_secs(5))?;".to_owned(),
            passphrase: "correct horse".to_owned(),
            ..Self::default()
        }
    }

    fn counts(&self) -> Counts {
        Counts {
            agents: count(self.agents.len()),
            stopped: count(self.agents.iter().filter(|a| a.state == "stopped").count()),
            tasks: count(self.tasks.len()),
            escalated: count(self.tasks.iter().filter(|t| t.state == "escalated").count()),
            due: count(self.tasks.iter().filter(|t| t.due.is_some()).count()),
            missions: 2,
            breakers_open: count(self.breakers.iter().filter(|b| b.state == "open").count()),
            breakers: count(self.breakers.len()),
            attempts: self.agents.iter().map(|a| a.attempts).sum(),
            failures: self.agents.iter().map(|a| a.failures).sum(),
            leaks: self.tasks.iter().map(|t| t.leaks).sum(),
            refused: self.agents.iter().map(|a| a.refused).sum(),
            ..Counts::default()
        }
    }

    fn log_row(&self, index: usize) -> LogRow {
        let number = self.records - index;
        let kinds = [
            "attempt_recorded",
            "tool_call",
            "gate_checked",
            "breaker_tripped",
        ];
        LogRow {
            seq: u64::try_from(number).unwrap_or(0),
            at: rfc3339(self.now_us - i64::try_from(index).unwrap_or(0) * 7_000_000),
            kind: kinds[number % kinds.len()].to_owned(),
            schema: if number % kinds.len() == 1 {
                CALL_REFUSED.to_owned()
            } else {
                "watchfloor.example.v1".to_owned()
            },
            project: ProjectId::new("/srv/api/.git"),
            task: (!number.is_multiple_of(3)).then(|| TaskId::new(format!("T-{:02}", number % 13))),
            agent: Some(AgentId::new(format!("codex-{}", number % 5))),
            id: RecordId::new(format!("018f-{number:08}")),
            what: format!("example {number}"),
        }
    }

    fn log(&self, want: &PageWant) -> Page<LogRow> {
        let mut filter = Filter::new(&want.filter);
        let kept: Vec<usize> = if want.filter.is_empty() {
            Vec::new()
        } else {
            (0..self.records.min(10_000))
                .filter(|at| filter.keeps(&self.log_row(*at).words()))
                .collect()
        };
        let total = if want.filter.is_empty() {
            self.records
        } else {
            kept.len()
        };
        let end = (want.offset + want.limit).min(total);
        Page {
            offset: want.offset,
            total,
            all: self.records,
            filter: want.filter.clone(),
            sort: want.sort,
            searched: (!want.filter.is_empty() && self.records > 10_000).then_some(10_000),
            rows: (want.offset..end)
                .map(|at| self.log_row(kept.get(at).copied().unwrap_or(at)))
                .collect(),
        }
    }

    fn opens(&self, passphrase: &Zeroizing<String>) -> Result<(), Refusal> {
        self.readable()?;
        if **passphrase != self.passphrase {
            let cause = "the passphrase does not open the key";
            return Err(Refusal::new(Code::PassphraseWrong, cause, ""));
        }
        Ok(())
    }

    fn sign(&mut self, subject: String, state: &str, what: Submission) -> Signed {
        self.signed.push(what);
        self.seq += 1;
        Signed {
            subject,
            state: state.to_owned(),
            receipt_id: "r-30c2".to_owned(),
            seq: self.seq,
        }
    }

    fn settle(&mut self, minted: &str, state: &str, entry: &str) -> Result<(), Refusal> {
        let row = self.codes.iter_mut().find(|row| row.code == minted);
        let row = row.ok_or_else(|| Refusal::new(Code::NotFound, "no such code", ""))?;
        state.clone_into(&mut row.state);
        row.resolves_to = Some(entry.to_owned());
        Ok(())
    }

    fn readable(&self) -> Result<(), Refusal> {
        if self.broken {
            let cause = "the store did not answer within 5 seconds";
            return Err(Refusal::new(Code::StoreBusy, cause, "watchfloor status"));
        }
        Ok(())
    }
}

fn count(n: usize) -> u64 {
    u64::try_from(n).unwrap_or(u64::MAX)
}

fn page<T: Clone + Searchable + Sortable>(rows: &[T], want: &PageWant) -> Page<T> {
    let mut filter = Filter::new(&want.filter);
    let mut kept: Vec<T> = rows.to_vec();
    kept.retain(|row| filter.keeps(&row.words()));
    sort(&mut kept, want.sort);
    Page {
        offset: want.offset,
        total: kept.len(),
        all: rows.len(),
        filter: want.filter.clone(),
        sort: want.sort,
        searched: None,
        rows: kept
            .into_iter()
            .skip(want.offset)
            .take(want.limit)
            .collect(),
    }
}

/// A source of changes that never reports one.
#[derive(Debug, Default)]
pub struct NoChanges;

impl Changes for NoChanges {
    fn wait(&mut self, timeout: Duration) -> Change {
        std::thread::sleep(timeout);
        Change::Quiet
    }
}
