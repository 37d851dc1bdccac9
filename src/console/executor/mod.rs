//! The one effect executor: the screen's wishes through the verbs, and the bell as its changes.

mod bell;
mod codes;
mod glance;
mod lists;

use zeroize::Zeroizing;

use crate::contract::agent::{Jumped, PauseRequest, ResetAnswer, ResetForm, ResetRequest};
use crate::contract::bench::{AliasRequest, CodeForm, DraftEntry, Preview, PromoteRequest};
use crate::contract::decide::{DecideForm, DecideRequest, Signed};
use crate::contract::going::{Way, WayRow};
use crate::contract::granting::{GrantForm, GrantRequest};
use crate::contract::ids::AgentId;
use crate::contract::message::{MessageForm, MessageKind, MessageRequest, MessageSent};
use crate::contract::refusal::Refusal;
use crate::contract::scope::Scope;
use crate::ops::context::Context;
use crate::ops::inbox::{self, Posting};
use crate::ops::moved::StoreFile;
use crate::ops::store::{self, JournalUse, Store};
use crate::ops::{
    detail, diff, grant, handoff, identity, jump, receipt, reset, status, stop, sweep,
};

use super::backend::{Backend, Known, Meaning, PaneKind, Reading, Snapshot, Want, split_task_id};
use lists::{Receipts, page};

pub use bell::Bell;

/// The verbs on the user's store.
pub struct Executor {
    context: Context,
    journal: Store,
    file: StoreFile,
    receipts: Receipts,
    readonly: bool,
    notice: Option<String>,
}

impl Executor {
    /// Opens the store for the console; `notice` is said in the header all the time. A store that cannot be written is shown all the same.
    ///
    /// # Errors
    /// The store is missing, damaged or newer.
    pub fn open(context: Context, readonly: bool, notice: Option<String>) -> Result<Self, Refusal> {
        let mut journal = if readonly {
            store::open_readonly(&context)?
        } else {
            store::for_gate(&context)?
        };
        if !readonly {
            // What a crash left between flag file and journal is brought together first.
            drop(sweep::reconcile(
                &context,
                &mut journal,
                &store::flags(&context),
            ));
        }
        Ok(Self {
            file: StoreFile::of(&context)?,
            receipts: Receipts::default(),
            context,
            journal,
            readonly,
            notice,
        })
    }

    fn why_readonly(&self) -> Option<String> {
        self.readonly.then(|| "opened with --readonly".to_owned())
    }
}

impl Backend for Executor {
    fn status(&mut self, want: &Want) -> Result<Snapshot, Refusal> {
        self.file.check(&self.context)?;
        let readonly = self.why_readonly();
        let path = self.context.store.display().to_string();
        let said = self.notice.clone();
        let receipts = &mut self.receipts;
        self.journal.read(|read| {
            let counts = status::counts(read)?;
            let head = read.head()?.seq;
            let at = read.now()?.utc_us;
            let project = want.project.as_deref();
            let totals = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
            let handoffs = page(
                want.handoffs.as_ref(),
                totals(counts.handoffs),
                project,
                |l, o| handoff::rows(read, l, o),
            )?;
            let breakers = page(
                want.breakers.as_ref(),
                totals(counts.breakers),
                project,
                |l, o| status::breakers(read, l, o),
            )?;
            let tasks = page(
                want.tasks.as_ref(),
                totals(counts.tasks),
                project,
                |l, o| status::tasks(read, l, o),
            )?;
            let codes = page(
                want.codes.as_ref(),
                totals(counts.codes),
                project,
                |l, o| crate::ops::codes::rows(read, l, o),
            )?;
            let agents = page(
                want.agents.as_ref(),
                totals(counts.agents),
                project,
                |l, o| status::agents(read, l, o),
            )?;
            let log = page(want.log.as_ref(), totals(head), project, |limit, offset| {
                let before = (head + 1).saturating_sub(offset as u64);
                status::log(read, Some(before), limit)
            })?;
            let receipts = match &want.receipts {
                Some(want) => {
                    receipts.catch_up(read, head)?;
                    Some(receipts.page(want, project))
                }
                None => None,
            };
            let mut attention = glance::attention(&self.context, &counts, read, want)?;
            attention.truncate(want.attention);
            Ok(Snapshot {
                seq: head,
                at: crate::contract::time::rfc3339(at),
                now_us: at,
                codes_due: counts.codes_due,
                counts,
                attention,
                blocking: glance::blocking(read)?,
                circles: glance::circles(read, want)?,
                handoffs,
                breakers,
                tasks,
                codes,
                receipts,
                agents,
                held: glance::holding(want, read)?,
                log,
                readonly,
                store: path,
                identity_notice: match said {
                    Some(said) => Some(said),
                    None => identity::notice(read)?,
                },
            })
        })
    }

    fn detail(&mut self, kind: PaneKind, id: &str) -> Result<Known, Refusal> {
        let journal = &mut self.journal;
        Ok(match kind {
            PaneKind::Overview | PaneKind::Breakers => {
                Known::Plain(detail::breaker(&self.context, id, journal)?)
            }
            PaneKind::Tasks => {
                let (project, task) = split_task_id(id).unwrap_or(("", id));
                Known::Plain(detail::task(&self.context, project, task, journal)?)
            }
            PaneKind::Agents => Known::Plain(detail::agent(id, journal)?),
            PaneKind::Log => Known::Plain(detail::record(id, journal)?),
            PaneKind::Receipts => {
                let catalog = crate::ops::codes::by_receipts(journal)?;
                Known::Tree(Box::new(receipt::provenance(id, &catalog, journal)?))
            }
            PaneKind::Handoffs => Known::Plain(detail::handoff(id, journal)?),
            PaneKind::Codes => Known::Bench(Box::new(codes::bench(&self.context, id, journal)?)),
        })
    }

    fn reset_form(&mut self, breaker_id: &str) -> Result<ResetForm, Refusal> {
        reset::form(&self.context, breaker_id, &mut self.journal)
    }

    fn reset(
        &mut self,
        request: &ResetRequest,
        passphrase: Zeroizing<String>,
    ) -> Result<ResetAnswer, Refusal> {
        // What is signed must not go into a file that nobody will read again.
        self.file.check(&self.context)?;
        let flags = store::flags(&self.context);
        let mut once = Some(passphrase);
        let mut ask = |_: &str| Ok(once.take().unwrap_or_default());
        reset::reset(&self.context, request, &mut ask, &mut self.journal, &flags)
    }

    fn decide_form(&mut self, handoff_id: &str) -> Result<DecideForm, Refusal> {
        handoff::form(&self.context, handoff_id, &mut self.journal)
    }

    fn decide(
        &mut self,
        request: &DecideRequest,
        passphrase: Zeroizing<String>,
    ) -> Result<Signed, Refusal> {
        self.file.check(&self.context)?;
        let text = match request.reason.trim() {
            "" => request.decision.trim().to_owned(),
            reason => format!("{} (because {reason})", request.decision.trim()),
        };
        let flags = store::flags(&self.context);
        let mut once = Some(passphrase);
        let decided = handoff::decide(
            &self.context,
            &request.handoff_id,
            &text,
            request.principal.as_deref(),
            &mut |_: &str| Ok(once.take().unwrap_or_default()),
            &mut self.journal,
            &flags,
        )?;
        Ok(Signed {
            subject: decided.handle,
            state: "decided".to_owned(),
            receipt_id: decided.record_id.unwrap_or_default(),
            seq: decided.seq,
        })
    }

    fn code_form(&mut self, code: &str) -> Result<CodeForm, Refusal> {
        codes::form(&self.context, code, &mut self.journal)
    }

    fn preview(&mut self, draft: &DraftEntry) -> Result<Preview, Refusal> {
        codes::preview(draft, &mut self.journal)
    }

    fn alias(
        &mut self,
        request: &AliasRequest,
        passphrase: Zeroizing<String>,
    ) -> Result<Signed, Refusal> {
        self.file.check(&self.context)?;
        codes::alias(&self.context, request, passphrase, &mut self.journal)
    }

    fn promote(
        &mut self,
        request: &PromoteRequest,
        passphrase: Zeroizing<String>,
    ) -> Result<Signed, Refusal> {
        self.file.check(&self.context)?;
        codes::promote(&self.context, request, passphrase, &mut self.journal)
    }

    fn message_form(&mut self, agent: &str) -> Result<MessageForm, Refusal> {
        inbox::form(agent, &mut self.journal)
    }

    fn message(&mut self, request: &MessageRequest) -> Result<MessageSent, Refusal> {
        self.file.check(&self.context)?;
        // The console is the operator's, whatever its environment names.
        let context = Context {
            agent: None,
            ..self.context.clone()
        };
        let posting = Posting {
            to: AgentId::new(request.to.clone()),
            kind: MessageKind::Notification,
            text: request.text.clone(),
            re: None,
        };
        inbox::send(&context, &posting, &mut self.journal)
    }

    fn pause(&mut self, request: &PauseRequest) -> Result<Signed, Refusal> {
        self.file.check(&self.context)?;
        let agent = AgentId::new(request.agent.clone());
        let (scope, reason) = (Scope::Session { agent }, request.reason.trim());
        let stopped = stop::stop(&self.context, &scope, reason, store::utc_us())?;
        Ok(Signed {
            subject: stopped.handle,
            state: "open".to_owned(),
            receipt_id: stopped.id,
            seq: 0,
        })
    }

    fn grant_form(&mut self, kind: PaneKind, id: &str) -> Result<GrantForm, Refusal> {
        let of = match kind {
            PaneKind::Agents => grant::Of::Agent(id),
            PaneKind::Breakers => grant::Of::Breaker(id),
            _ => grant::Of::Record(id),
        };
        grant::form(&self.context, of, &mut self.journal)
    }

    fn grant(
        &mut self,
        request: &GrantRequest,
        passphrase: Zeroizing<String>,
    ) -> Result<Signed, Refusal> {
        self.file.check(&self.context)?;
        let flags = store::flags(&self.context);
        let mut once = Some(passphrase);
        let mut ask = |_: &str| Ok(once.take().unwrap_or_default());
        let row = grant::allow(&self.context, request, &mut ask, &mut self.journal, &flags)?;
        Ok(Signed {
            subject: row.handle,
            state: row.state,
            receipt_id: row.id,
            seq: row.seq,
        })
    }

    fn classify(&mut self, text: &str) -> Result<Meaning, Refusal> {
        let found = crate::ops::codes::classify(&self.context, text, None, None)?.classified;
        Ok(Meaning {
            code: found.code,
            cause: found.cause,
            next_command: found.next_command,
            recoverable: found.recoverable,
            ambiguous: found.ambiguous,
            matched: found.matched_tokens,
        })
    }

    fn ways(&mut self, agent: &str) -> Result<Vec<WayRow>, Refusal> {
        jump::ways(&self.context, agent, &mut self.journal)
    }

    fn jump(&mut self, agent: &str, way: Way) -> Result<Jumped, Refusal> {
        jump::jump(&self.context, agent, way, &mut self.journal)
    }

    fn diff(&mut self, agent: &str) -> Result<Reading, Refusal> {
        let place = diff::place(&self.context, agent, &mut self.journal)?;
        Ok(Box::new(move |stop| diff::read(&place, stop)))
    }

    fn stop(&mut self, reason: &str) -> Result<String, Refusal> {
        let stopped = stop::stop(&self.context, &Scope::Fleet, reason, store::utc_us())?;
        Ok(match stopped.cause {
            None => format!("The fleet is stopped ({}).", stopped.handle),
            Some(_) => "The fleet is stopped; its receipt is written later.".to_owned(),
        })
    }

    fn checkpoint(&mut self) {
        if !self.readonly {
            let flags = store::flags(&self.context);
            drop(sweep::tick(&self.context, &mut self.journal, &flags));
            drop(store::checkpoint(&mut self.journal));
        }
    }
}
