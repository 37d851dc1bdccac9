//! A backend that holds a made-up fleet in memory: for tests and for looking at screens.

mod fleet;

use std::time::Duration;

use zeroize::Zeroizing;

use crate::contract::agent::{Detail, ResetAnswer, ResetForm, ResetRequest, Section};
use crate::contract::breaker::{Approver, ResetCheck};
use crate::contract::ids::{AgentId, ProjectId, RecordId, TaskId};
use crate::contract::mission::MissionState;
use crate::contract::refusal::{Code, Refusal};
use crate::contract::row::{AgentRow, AttentionRow, BreakerRow, Counts, LogRow, TaskRow};
use crate::contract::time::rfc3339;

use super::backend::{Backend, Change, Changes, Page, PageWant, PaneKind, Snapshot, Want, task_id};
use super::filter::{Filter, Searchable};

/// One minute in microseconds.
const MINUTE: i64 = 60_000_000;

/// A fleet in memory.
#[derive(Debug, Default)]
pub struct FakeBackend {
    /// The time that the rows are told relative to, UTC microseconds.
    pub now_us: i64,
    /// Position of the made-up journal.
    pub seq: u64,
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
            attention: fleet::attention(&breakers),
            breakers,
            tasks: fleet::tasks(&ago),
            agents: fleet::agents(&ago),
            records: 4_812,
            passphrase: "correct horse".to_owned(),
            ..Self::default()
        }
    }

    fn counts(&self) -> Counts {
        let count = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
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
            codes_due: 0,
            codes_new: 0,
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
            searched: (!want.filter.is_empty() && self.records > 10_000).then_some(10_000),
            rows: (want.offset..end)
                .map(|at| self.log_row(kept.get(at).copied().unwrap_or(at)))
                .collect(),
        }
    }

    fn readable(&self) -> Result<(), Refusal> {
        if self.broken {
            let cause = "the store did not answer within 5 seconds";
            return Err(Refusal::new(Code::StoreBusy, cause, "watchfloor status"));
        }
        Ok(())
    }
}

fn page<T: Clone + Searchable>(rows: &[T], want: &PageWant) -> Page<T> {
    let mut filter = Filter::new(&want.filter);
    let kept: Vec<&T> = rows.iter().filter(|r| filter.keeps(&r.words())).collect();
    Page {
        offset: want.offset,
        total: kept.len(),
        all: rows.len(),
        filter: want.filter.clone(),
        searched: None,
        rows: kept
            .into_iter()
            .skip(want.offset)
            .take(want.limit)
            .cloned()
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
            breakers: want.breakers.as_ref().map(|w| page(&self.breakers, w)),
            tasks: want.tasks.as_ref().map(|w| page(&self.tasks, w)),
            agents: want.agents.as_ref().map(|w| page(&self.agents, w)),
            log: want.log.as_ref().map(|w| self.log(w)),
            readonly: self.readonly.clone(),
            store: "in memory".to_owned(),
            identity_notice: self.identity_notice.clone(),
        })
    }

    fn detail(&mut self, kind: PaneKind, id: &str) -> Result<Detail, Refusal> {
        self.readable()?;
        let lines = |texts: &[&str]| texts.iter().map(ToString::to_string).collect();
        let section = |heading: &str, texts: &[&str]| Section {
            heading: heading.to_owned(),
            lines: lines(texts),
        };
        let found = match kind {
            PaneKind::Breakers => self.breakers.iter().find(|b| b.id == id).map(|b| Detail {
                title: format!("{} {}", b.trigger, b.handle),
                sections: vec![
                    section("Why it opened", &[&b.reason]),
                    section(
                        "Who is stopped",
                        &["codex-2 refused at +0.02 s", "codex-5 at +1.4 s"],
                    ),
                    section(
                        "A reset still lacks",
                        &["a signature by a human", "evidence"],
                    ),
                    section(
                        "Proof",
                        &["observation o-88ab, receipt r-19d2, digest holds"],
                    ),
                ],
            }),
            PaneKind::Tasks => self
                .tasks
                .iter()
                .find(|t| task_id(t) == id)
                .map(|t| Detail {
                    title: format!("task {}", t.task),
                    sections: vec![section(
                        "Latest failure",
                        &[t.failure.as_deref().unwrap_or("none")],
                    )],
                }),
            PaneKind::Agents => self.agents.iter().find(|a| a.agent == id).map(|a| Detail {
                title: format!("agent {}", a.agent),
                sections: vec![section("Last action", &[&a.last_action])],
            }),
            PaneKind::Log => Some(Detail {
                title: format!("record {id}"),
                sections: vec![section("Body", &["{ \"example\": true }"])],
            }),
            PaneKind::Overview => None,
        };
        found.ok_or_else(|| {
            Refusal::new(Code::NotFound, format!("no row {id}"), "watchfloor status")
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
        self.readable()?;
        if *passphrase != self.passphrase {
            let cause = "the passphrase does not open the key";
            return Err(Refusal::new(Code::PassphraseWrong, cause, ""));
        }
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
        self.attention = fleet::attention(&self.breakers);
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
