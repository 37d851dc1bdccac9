//! The verbs on the made-up fleet.

use std::sync::atomic::Ordering;

use zeroize::Zeroizing;

use crate::console::backend::{
    Backend, Circles, Known, Meaning, PaneKind, Reading, Snapshot, Want, held,
};
use crate::console::form::Submission;
use crate::contract::agent::{Jumped, PauseRequest, ResetAnswer, ResetForm, ResetRequest};
use crate::contract::bench::{
    AliasRequest, CodeForm, DraftEntry, KnownCode, Preview, PromoteRequest,
};
use crate::contract::breaker::{Approver, ResetCheck};
use crate::contract::catalog::Catalog;
use crate::contract::decide::{DecideForm, DecideRequest, Signed};
use crate::contract::going::{Way, WayRow};
use crate::contract::granting::{GrantForm, GrantRequest};
use crate::contract::message::{MessageForm, MessageRequest, MessageRow, MessageSent};
use crate::contract::mission::MissionState;
use crate::contract::refusal::{Code, Refusal};
use crate::contract::time::rfc3339;
use crate::rules::triage;

use super::{FakeBackend, MINUTE, count, fleet, going, page, vocabulary};

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
            held: held(&self.handoffs),
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

    fn message_form(&mut self, agent: &str) -> Result<MessageForm, Refusal> {
        self.readable()?;
        let row = self.agents.iter().find(|row| row.agent == agent);
        let row = row.ok_or_else(|| Refusal::new(Code::NotFound, "no such agent", ""))?;
        Ok(MessageForm {
            agent: row.clone(),
            unread: 2,
            unseen: 1,
        })
    }

    fn message(&mut self, request: &MessageRequest) -> Result<MessageSent, Refusal> {
        self.readable()?;
        let sent = self.sign(
            "m-30c2".to_owned(),
            "new",
            Submission::Message(request.clone()),
        );
        let message = MessageRow {
            id: sent.receipt_id,
            handle: sent.subject,
            to: request.to.clone(),
            text: request.text.clone(),
            ..MessageRow::default()
        };
        Ok(MessageSent {
            message,
            known: true,
        })
    }

    fn pause(&mut self, request: &PauseRequest) -> Result<Signed, Refusal> {
        self.readable()?;
        let handle = "b-9d01".to_owned();
        Ok(self.sign(handle, "open", Submission::Pause(request.clone())))
    }

    fn grant_form(&mut self, kind: PaneKind, id: &str) -> Result<GrantForm, Refusal> {
        self.readable()?;
        self.refused_call(kind, id)
    }

    fn grant(
        &mut self,
        request: &GrantRequest,
        passphrase: Zeroizing<String>,
    ) -> Result<Signed, Refusal> {
        self.opens(&passphrase)?;
        let handle = "r-5a17".to_owned();
        Ok(self.sign(handle, "running", Submission::Grant(request.clone())))
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

    fn ways(&mut self, agent: &str) -> Result<Vec<WayRow>, Refusal> {
        self.readable()?;
        Ok(going::ways(agent))
    }

    fn diff(&mut self, agent: &str) -> Result<Reading, Refusal> {
        self.readable()?;
        let diff = going::diff(agent, &self.changed);
        let slow = self.slow;
        Ok(Box::new(move |stop| {
            while slow && !stop.load(Ordering::Relaxed) {
                std::thread::yield_now();
            }
            Ok(diff)
        }))
    }

    fn jump(&mut self, agent: &str, way: Way) -> Result<Jumped, Refusal> {
        if way == Way::Terminal {
            return Ok(Jumped {
                said: "it runs in the tmux pane main:1.0".to_owned(),
                copy: None,
            });
        }
        let path = format!("/home/user/{agent}.jsonl");
        Ok(Jumped {
            said: format!("its transcript: {path}"),
            copy: Some(path),
        })
    }

    fn stop(&mut self, reason: &str) -> Result<String, Refusal> {
        self.stops.push(reason.to_owned());
        Ok("The fleet is stopped: the flag is set and recorded.".to_owned())
    }

    fn checkpoint(&mut self) {}
}
