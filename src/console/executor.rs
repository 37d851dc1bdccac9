//! The one effect executor: the screen's wishes through the verbs, and the bell as its changes.

use std::time::Duration;

use zeroize::Zeroizing;

use crate::contract::agent::{Detail, ResetAnswer, ResetForm, ResetRequest};
use crate::contract::refusal::Refusal;
use crate::contract::row::{AttentionRow, Counts};
use crate::contract::scope::Scope;
use crate::ops::context::Context;
use crate::ops::store::{self, Follow, JournalUse, Reading, Store};
use crate::ops::{attention, detail, identity, reset, status, stop, sweep};

use super::backend::{
    Backend, Change, Changes, Page, PageWant, PaneKind, Snapshot, Want, split_task_id,
};
use super::filter::{Filter, Searchable};

/// A filter looks through so many of the newest rows, and says so.
const SEARCHED: usize = 10_000;

/// The verbs on the user's store.
pub struct Executor {
    context: Context,
    journal: Store,
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
        let readonly = self.why_readonly();
        let path = self.context.store.display().to_string();
        let said = self.notice.clone();
        self.journal.read(|read| {
            let counts = status::counts(read)?;
            let head = read.head()?.seq;
            let at = read.now()?.utc_us;
            let project = want.project.as_deref();
            let totals = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
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
            let mut attention = attention(&counts, read, want)?;
            attention.truncate(want.attention);
            Ok(Snapshot {
                seq: head,
                at: crate::contract::time::rfc3339(at),
                now_us: at,
                counts,
                attention,
                breakers,
                tasks,
                agents,
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

    fn detail(&mut self, kind: PaneKind, id: &str) -> Result<Detail, Refusal> {
        let journal = &mut self.journal;
        match kind {
            PaneKind::Overview | PaneKind::Breakers => detail::breaker(&self.context, id, journal),
            PaneKind::Tasks => {
                let (project, task) = split_task_id(id).unwrap_or(("", id));
                detail::task(&self.context, project, task, journal)
            }
            PaneKind::Agents => detail::agent(id, journal),
            PaneKind::Log => detail::record(id, journal),
        }
    }

    fn reset_form(&mut self, breaker_id: &str) -> Result<ResetForm, Refusal> {
        reset::form(&self.context, breaker_id, &mut self.journal)
    }

    fn reset(
        &mut self,
        request: &ResetRequest,
        passphrase: Zeroizing<String>,
    ) -> Result<ResetAnswer, Refusal> {
        let flags = store::flags(&self.context);
        let mut once = Some(passphrase);
        let mut ask = |_: &str| Ok(once.take().unwrap_or_default());
        reset::reset(&self.context, request, &mut ask, &mut self.journal, &flags)
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

/// Rows that wait the longest first, of one project where only that is shown.
fn attention(
    counts: &Counts,
    read: &dyn Reading,
    want: &Want,
) -> Result<Vec<AttentionRow>, Refusal> {
    let mut rows = attention::attention(counts, read)?;
    if let Some(project) = &want.project {
        let open = status::breakers(read, SEARCHED, 0)?;
        let here = |row: &AttentionRow| {
            let breaker = open.iter().find(|breaker| breaker.id == row.id);
            breaker.is_none_or(|b| b.project.as_ref().is_none_or(|p| p == project))
        };
        rows.retain(here);
    }
    Ok(rows)
}

/// One window of a list. Without filter and project it is read as it lies; else the newest rows
/// are looked through.
fn page<T: Searchable + InProject>(
    want: Option<&PageWant>,
    all: usize,
    project: Option<&str>,
    mut rows: impl FnMut(usize, usize) -> Result<Vec<T>, Refusal>,
) -> Result<Option<Page<T>>, Refusal> {
    let Some(want) = want else { return Ok(None) };
    if want.filter.trim().is_empty() && project.is_none() {
        let rows = rows(want.limit, want.offset)?;
        return Ok(Some(Page {
            offset: want.offset,
            total: all,
            all,
            filter: want.filter.clone(),
            searched: None,
            rows,
        }));
    }
    let mut filter = Filter::new(&want.filter);
    let mut found = rows(SEARCHED, 0)?;
    let searched = found.len();
    found.retain(|row| project.is_none_or(|p| row.in_project(p)) && filter.keeps(&row.words()));
    let total = found.len();
    let rows = found
        .into_iter()
        .skip(want.offset)
        .take(want.limit)
        .collect();
    Ok(Some(Page {
        offset: want.offset,
        total,
        all,
        filter: want.filter.clone(),
        searched: (searched < all).then_some(searched),
        rows,
    }))
}

/// Whether a row belongs to a project; what lies in none belongs to all.
trait InProject {
    /// Whether it does.
    fn in_project(&self, project: &str) -> bool;
}

impl InProject for crate::contract::row::BreakerRow {
    fn in_project(&self, project: &str) -> bool {
        self.project.as_deref().is_none_or(|own| own == project)
    }
}

impl InProject for crate::contract::row::TaskRow {
    fn in_project(&self, project: &str) -> bool {
        self.project == project
    }
}

impl InProject for crate::contract::row::AgentRow {
    fn in_project(&self, project: &str) -> bool {
        self.project == project
    }
}

impl InProject for crate::contract::row::LogRow {
    fn in_project(&self, project: &str) -> bool {
        self.project.as_str() == project
    }
}

/// The bell beside the store.
pub struct Bell(Follow);

impl Bell {
    /// Follows the store from where it stands.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn of(context: &Context) -> Result<Self, Refusal> {
        let head = store::open_readonly(context)?.read(|read| Ok(read.head()?.seq))?;
        Ok(Self(store::follow(context, head)?))
    }
}

impl Changes for Bell {
    fn wait(&mut self, timeout: Duration) -> Change {
        match self.0.next(timeout) {
            Ok(records) if records.is_empty() => Change::Quiet,
            Ok(_) => Change::Grew,
            Err(_) => Change::Lost,
        }
    }
}
