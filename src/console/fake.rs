//! A backend that holds a made-up fleet in memory: for tests and for looking at screens.

mod detail;
mod fleet;
mod vocabulary;

use std::time::Duration;

use zeroize::Zeroizing;

use crate::contract::agent::{ResetAnswer, ResetForm, ResetRequest};
use crate::contract::bench::{
    AliasRequest, CodeForm, DraftEntry, KnownCode, Preview, PromoteRequest,
};
use crate::contract::breaker::{Approver, ResetCheck};
use crate::contract::catalog::Catalog;
use crate::contract::decide::{DecideForm, DecideRequest, Signed};
use crate::contract::ids::{AgentId, ProjectId, RecordId, TaskId};
use crate::contract::mission::MissionState;
use crate::contract::refusal::{Code, Refusal};
use crate::contract::row::{
    AgentRow, AttentionRow, BreakerRow, CodeRow, Counts, HandoffRow, LogRow, ReceiptRow, TaskRow,
};
use crate::contract::time::rfc3339;
use crate::rules::triage;

use super::backend::{
    Backend, Change, Changes, Circles, Known, Meaning, Page, PageWant, PaneKind, Snapshot, Want,
};
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
            schema: "watchfloor.example.v1".to_owned(),
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

impl Backend for FakeBackend {
    fn status(&mut self, want: &Want) -> Result<Snapshot, Refusal> {
        self.readable()?;
        Ok(Snapshot {
            seq: self.seq,
            at: rfc3339(self.now_us),
            now_us: self.now_us,
            counts: self.counts(),
            attention: self
                .attention
                .iter()
                .take(want.attention)
                .cloned()
                .collect(),
            blocking: count(
                self.handoffs
                    .iter()
                    .filter(|h| h.priority == "blocking")
                    .count(),
            ),
            codes_due: count(self.codes.iter().filter(|c| c.state == "due").count()),
            circles: Circles::among(self.tasks.clone(), want.circles),
            handoffs: want.handoffs.as_ref().map(|w| page(&self.handoffs, w)),
            breakers: want.breakers.as_ref().map(|w| page(&self.breakers, w)),
            tasks: want.tasks.as_ref().map(|w| page(&self.tasks, w)),
            codes: want.codes.as_ref().map(|w| page(&self.codes, w)),
            receipts: want.receipts.as_ref().map(|w| page(&self.receipts, w)),
            agents: want.agents.as_ref().map(|w| page(&self.agents, w)),
            log: want.log.as_ref().map(|w| self.log(w)),
            readonly: self.readonly.clone(),
            store: "in memory".to_owned(),
            identity_notice: self.identity_notice.clone(),
        })
    }

    fn detail(&mut self, kind: PaneKind, id: &str) -> Result<Known, Refusal> {
        self.readable()?;
        self.known(kind, id).ok_or_else(|| {
            Refusal::new(Code::NotFound, format!("no row {id}"), "watchfloor status")
        })
    }

    fn decide_form(&mut self, handoff_id: &str) -> Result<DecideForm, Refusal> {
        self.readable()?;
        let row = self.handoffs.iter().find(|row| row.id == handoff_id);
        let row = row.ok_or_else(|| Refusal::new(Code::NotFound, "no such handoff", ""))?;
        Ok(DecideForm {
            handoff: row.clone(),
            thread: vec!["pi-1 escalated it: the account is a person's".to_owned()],
            needs: Approver::Human,
            signers: vec!["ops@laptop".to_owned()],
            parents: vec!["018f-0000-44aa".to_owned()],
        })
    }

    fn decide(
        &mut self,
        request: &DecideRequest,
        passphrase: Zeroizing<String>,
    ) -> Result<Signed, Refusal> {
        self.opens(&passphrase)?;
        let found = self
            .handoffs
            .iter_mut()
            .find(|row| row.id == request.handoff_id);
        let row = found.ok_or_else(|| Refusal::new(Code::NotFound, "no such handoff", ""))?;
        row.decision = Some(request.decision.clone());
        let handle = row.handle.clone();
        Ok(self.sign(handle, "decided", Submission::Decide(request.clone())))
    }

    fn code_form(&mut self, code: &str) -> Result<CodeForm, Refusal> {
        self.readable()?;
        let bench = self.bench(code);
        let bench = bench.ok_or_else(|| Refusal::new(Code::NotFound, "no such code", ""))?;
        let catalog = Catalog::shipped();
        Ok(CodeForm {
            bench,
            entries: catalog
                .codes
                .iter()
                .map(|entry| KnownCode {
                    code: entry.code.clone(),
                    layer: entry.layer.clone(),
                    cause: entry.cause.clone(),
                    next_command: entry.next_command.clone(),
                })
                .collect(),
            layers: vec!["build".to_owned(), "network".to_owned()],
            needs: Approver::Lead,
            signers: vec!["ops@laptop".to_owned()],
            parents: vec!["018f-0000-88ab".to_owned()],
        })
    }

    fn preview(&mut self, draft: &DraftEntry) -> Result<Preview, Refusal> {
        self.readable()?;
        Ok(vocabulary::preview(&self.codes, draft))
    }

    fn alias(
        &mut self,
        request: &AliasRequest,
        passphrase: Zeroizing<String>,
    ) -> Result<Signed, Refusal> {
        self.opens(&passphrase)?;
        self.settle(&request.minted, "aliased", &request.to)?;
        Ok(self.sign(
            request.minted.clone(),
            "aliased",
            Submission::Alias(request.clone()),
        ))
    }

    fn promote(
        &mut self,
        request: &PromoteRequest,
        passphrase: Zeroizing<String>,
    ) -> Result<Signed, Refusal> {
        self.opens(&passphrase)?;
        self.settle(&request.entry.minted, "promoted", &request.entry.code)?;
        Ok(self.sign(
            request.entry.minted.clone(),
            "promoted",
            Submission::Promote(request.clone()),
        ))
    }

    fn classify(&mut self, text: &str) -> Result<Meaning, Refusal> {
        let found = triage::classify(Catalog::shipped(), text, None)?;
        Ok(Meaning {
            code: found.code,
            cause: found.cause,
            next_command: found.next_command,
            recoverable: found.recoverable,
            ambiguous: found.ambiguous,
            matched: found.matched_tokens,
        })
    }

    fn reset_form(&mut self, breaker_id: &str) -> Result<ResetForm, Refusal> {
        self.readable()?;
        let row = self
            .breakers
            .iter()
            .find(|b| b.id == breaker_id && b.state == "open");
        let Some(row) = row else {
            let cause = "the breaker is closed already";
            return Err(Refusal::new(
                Code::BreakerClosed,
                cause,
                "watchfloor status",
            ));
        };
        let mission = row.scope.starts_with("mission:");
        Ok(ResetForm {
            breaker: row.clone(),
            proof: vec!["observation o-88ab, receipt r-19d2, digest holds".to_owned()],
            stopped: vec![
                "codex-2 refused at +0.02 s".to_owned(),
                "codex-5 refused at +1.4 s".to_owned(),
                "claude-3 was idle".to_owned(),
            ],
            checks: vec![
                ResetCheck {
                    name: "no_secret_in_last_calls".to_owned(),
                    holds: true,
                    seen: "50 calls, none".to_owned(),
                },
                ResetCheck {
                    name: "chain_holds".to_owned(),
                    holds: true,
                    seen: format!("{} records", self.records),
                },
            ],
            targets: if mission {
                vec![
                    MissionState::Blocked,
                    MissionState::Active,
                    MissionState::Escalated,
                ]
            } else {
                Vec::new()
            },
            needs: Approver::parse(&row.needs).unwrap_or(Approver::Human),
            signers: vec!["ops@laptop".to_owned()],
            parents: vec!["018f-0000-19d2".to_owned()],
        })
    }

    fn reset(
        &mut self,
        request: &ResetRequest,
        passphrase: Zeroizing<String>,
    ) -> Result<ResetAnswer, Refusal> {
        self.opens(&passphrase)?;
        let id = request.breaker_id.as_str();
        let Some(row) = self.breakers.iter_mut().find(|b| b.id == id) else {
            return Err(Refusal::new(Code::NotFound, "no such breaker", ""));
        };
        "closed".clone_into(&mut row.state);
        self.resets.push(request.clone());
        self.seq += 1;
        let answer = ResetAnswer {
            id: row.id.clone(),
            handle: row.handle.clone(),
            trigger: row.trigger.clone(),
            scope: row.scope.clone(),
            state: row.state.clone(),
            lacks: Vec::new(),
            checks: Vec::new(),
            receipt_id: Some("r-20f1".to_owned()),
            seq: Some(self.seq),
        };
        let ago = |minutes: i64| rfc3339(self.now_us - minutes * MINUTE);
        self.attention = fleet::attention(&self.breakers, &ago);
        Ok(answer)
    }

    fn stop(&mut self, reason: &str) -> Result<String, Refusal> {
        self.stops.push(reason.to_owned());
        Ok("The fleet is stopped: the flag is set and recorded.".to_owned())
    }

    fn checkpoint(&mut self) {}
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
