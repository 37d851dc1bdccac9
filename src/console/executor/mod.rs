//! The one effect executor: the screen's wishes through the verbs, and the bell as its changes.

mod codes;
mod lists;
mod needs;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use zeroize::Zeroizing;

use crate::contract::agent::{Jumped, ResetAnswer, ResetForm, ResetRequest};
use crate::contract::bench::{AliasRequest, CodeForm, DraftEntry, Preview, PromoteRequest};
use crate::contract::decide::{DecideForm, DecideRequest, Signed};
use crate::contract::ids::AgentId;
use crate::contract::message::{MessageForm, MessageKind, MessageRequest, MessageSent};
use crate::contract::refusal::Refusal;
use crate::contract::row::STATUS_ROWS;
use crate::contract::scope::Scope;
use crate::ops::context::Context;
use crate::ops::inbox::{self, Posting};
use crate::ops::moved::StoreFile;
use crate::ops::store::{self, Follow, JournalUse, Reading, Store};
use crate::ops::{detail, handoff, identity, jump, receipt, reset, status, stop, sweep};

use super::backend::{
    Backend, Change, Changes, Circles, Known, Meaning, PaneKind, Snapshot, Want, held,
    split_task_id,
};
use lists::{InProject, Receipts, page};

/// Tasks that are looked through for those that go round in circles. Held ones and those with a due
/// step come first in their list, then the newest.
const CIRCLES_SEARCHED: usize = 1_000;
/// Handoffs that are looked through for those that an agent holds.
const HANDOFFS_SEARCHED: usize = 200;
/// How often it is looked whether the store still lies where it was.
const LOOK: Duration = Duration::from_secs(2);

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
            let mut attention = needs::attention(&counts, read, want)?;
            attention.truncate(want.attention);
            Ok(Snapshot {
                seq: head,
                at: crate::contract::time::rfc3339(at),
                now_us: at,
                codes_due: counts.codes_due,
                counts,
                attention,
                blocking: blocking(read)?,
                circles: circles(read, want)?,
                handoffs,
                breakers,
                tasks,
                codes,
                receipts,
                agents,
                held: holding(want, read)?,
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

    fn jump(&mut self, agent: &str) -> Result<Jumped, Refusal> {
        jump::jump(agent, &mut self.journal)
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

/// What each agent holds. Claimed handoffs stand near the top of their list.
fn holding(want: &Want, read: &dyn Reading) -> Result<BTreeMap<String, Vec<String>>, Refusal> {
    if want.agents.is_none() {
        return Ok(BTreeMap::new());
    }
    Ok(held(&handoff::rows(read, HANDOFFS_SEARCHED, 0)?))
}

/// Open handoffs that an agent waits for now: they stand at the top of their pane.
fn blocking(read: &dyn Reading) -> Result<u64, Refusal> {
    let rows = handoff::rows(read, STATUS_ROWS, 0)?;
    let waiting = rows
        .iter()
        .filter(|row| row.state == "open" && row.priority == "blocking");
    Ok(waiting.count() as u64)
}

/// The tasks that go round in circles, counted however many of them are shown.
fn circles(read: &dyn Reading, want: &Want) -> Result<Circles, Refusal> {
    if want.circles == 0 {
        return Ok(Circles::default());
    }
    let mut tasks = status::tasks(read, CIRCLES_SEARCHED, 0)?;
    if let Some(project) = &want.project {
        tasks.retain(|row| row.in_project(project));
    }
    Ok(Circles::among(tasks, want.circles))
}

/// The bell beside the store, and whether the store still lies there.
pub struct Bell {
    follow: Follow,
    context: Context,
    file: StoreFile,
    gone: bool,
}

impl Bell {
    /// Follows the store from where it stands.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn of(context: &Context) -> Result<Self, Refusal> {
        let head = store::open_readonly(context)?.read(|read| Ok(read.head()?.seq))?;
        Ok(Self {
            follow: store::follow(context, head)?,
            file: StoreFile::of(context)?,
            context: context.clone(),
            gone: false,
        })
    }
}

impl Changes for Bell {
    fn wait(&mut self, timeout: Duration) -> Change {
        let begun = Instant::now();
        loop {
            let left = timeout.saturating_sub(begun.elapsed());
            match self.follow.next(left.min(LOOK)) {
                Ok(records) if records.is_empty() => {}
                Ok(_) => return Change::Grew,
                Err(_) => return Change::Lost,
            }
            // Nobody rings for a file that was moved, deleted or overwritten.
            let gone = self.file.check(&self.context).is_err();
            if gone != self.gone {
                self.gone = gone;
                return Change::Grew;
            }
            if begun.elapsed() >= timeout {
                return Change::Quiet;
            }
        }
    }
}
