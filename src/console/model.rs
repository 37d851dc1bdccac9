//! What the console knows. Only [`super::update::update`] changes it.

use std::collections::BTreeSet;

use tui_input::Input;

use crate::contract::row::{AgentRow, BreakerRow, CodeRow, HandoffRow, LogRow};
use crate::contract::time::parse_rfc3339;

use super::backend::{Known, PaneKind, Snapshot, Sort, Want, task_id};
use super::event::Refused;
use super::form::{Draft, Name, Subject};
use super::keymap::KeyMap;
pub use super::overlay::{DiffView, Going, Overlay, Palette, Triage};
use super::view::layout::Plan;
use super::view::overview;

/// Twice `!` within this many microseconds stops the fleet.
pub const STOP_WITHIN_US: i64 = 1_000_000;
/// Microseconds between two attempts to reach a store that does not answer.
const RETRY_US: i64 = 2_000_000;
/// One second: a time limit that is nearly over.
const SECOND_US: i64 = 1_000_000;
/// The last minutes of a time limit are counted in seconds.
const NEARLY_US: i64 = 2 * MINUTE_US;
/// Left forms whose texts are kept.
const DRAFTS: usize = 8;
/// One minute: the header's clock and the ages.
const MINUTE_US: i64 = 60_000_000;

/// Where a list stands.
#[derive(Clone, Debug, Default)]
pub struct ListState {
    /// Rows above the screen.
    pub offset: usize,
    /// The selected row, counted from the list's start.
    pub selected: usize,
    /// The selected row's id, by which it is found again when rows come in above it.
    pub id: Option<String>,
    /// The filter, as typed.
    pub filter: Input,
    /// The order.
    pub sort: Sort,
    /// Ids of the marked rows.
    pub marks: BTreeSet<String>,
}

/// Which half of a pane the keys move in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Focus {
    /// The list.
    #[default]
    List,
    /// The detail.
    Detail,
}

/// The detail beside, below or above a list.
#[derive(Clone, Debug, Default)]
pub struct DetailState {
    /// What was asked for last.
    pub asked: Option<(PaneKind, String)>,
    /// What came, and for what.
    pub loaded: Option<((PaneKind, String), Result<Known, Refused>)>,
    /// Lines above the screen.
    pub scroll: usize,
}

/// A line at the foot of the screen, until the next key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// What it says.
    pub text: String,
    /// Whether it tells of a failure.
    pub bad: bool,
}

/// What the caller decides before the first event.
#[derive(Clone, Debug, Default)]
pub struct Start {
    /// Only this project.
    pub project: Option<String>,
    /// Write nothing.
    pub readonly: bool,
    /// Minutes that local time is ahead of UTC; `None` shows UTC and says so.
    pub utc_offset_min: Option<i32>,
    /// UTC microseconds.
    pub now_us: i64,
    /// Columns and rows.
    pub size: (u16, u16),
    /// What the keys mean.
    pub keys: KeyMap,
    /// What is wrong with the configuration, a sentence each.
    pub problems: Vec<String>,
}

/// The whole state of the console.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch of its own; no two make one state"
)]
#[derive(Clone, Debug)]
pub struct Model {
    /// What was decided before the first event; its time and size are kept current.
    pub start: Start,
    /// The pane.
    pub pane: PaneKind,
    /// What was read last. Lists that were not wanted keep their former rows.
    pub snapshot: Snapshot,
    /// Whether anything was read yet.
    pub loaded: bool,
    /// Where the lists stand, by [`PaneKind::index`]. The Overview's selection counts its items.
    pub lists: [ListState; 8],
    /// Which half has the keys.
    pub focus: Focus,
    /// The detail.
    pub detail: DetailState,
    /// A window above.
    pub overlay: Option<Overlay>,
    /// The filter is being typed.
    pub typing: bool,
    /// A line at the foot.
    pub message: Option<Message>,
    /// No refresh by itself.
    pub paused: bool,
    /// Changes that came while paused.
    pub missed: u64,
    /// The Log keeps its newest record selected.
    pub follow: bool,
    /// Why the store does not answer.
    pub trouble: Option<Refused>,
    /// When `!` was pressed once.
    pub stop_armed_us: Option<i64>,
    /// Whether changes are reported.
    pub watched: bool,
    /// What was asked for last, and when.
    pub asked: Option<(Want, i64)>,
    /// What was typed into forms that were left, the newest last.
    pub drafts: Vec<Draft>,
}

impl Model {
    /// A console that has read nothing yet.
    #[must_use]
    pub fn new(start: Start) -> Self {
        Self {
            start,
            pane: PaneKind::Overview,
            snapshot: Snapshot::default(),
            loaded: false,
            lists: Default::default(),
            focus: Focus::List,
            detail: DetailState::default(),
            overlay: None,
            typing: false,
            message: None,
            paused: false,
            missed: 0,
            follow: true,
            trouble: None,
            stop_armed_us: None,
            watched: true,
            asked: None,
            drafts: Vec::new(),
        }
    }

    /// Keeps what was typed into a form that is left.
    pub fn keep_draft(&mut self, draft: Draft) {
        self.drafts.retain(|known| known.subject != draft.subject);
        if self.drafts.len() >= DRAFTS {
            self.drafts.remove(0);
        }
        self.drafts.push(draft);
    }

    /// Takes out what was typed into such a form before.
    pub fn take_draft(&mut self, subject: &Subject) -> Option<Draft> {
        let at = self.drafts.iter().position(|d| d.subject == *subject)?;
        Some(self.drafts.remove(at))
    }

    /// The current time in UTC microseconds, as the last event told it.
    #[must_use]
    pub fn now_us(&self) -> i64 {
        self.start.now_us
    }

    /// The list of the current pane.
    #[must_use]
    pub fn list(&self) -> &ListState {
        &self.lists[self.pane.index()]
    }

    /// The list of the current pane.
    pub fn list_mut(&mut self) -> &mut ListState {
        &mut self.lists[self.pane.index()]
    }

    /// Where everything is on the screen.
    #[must_use]
    pub fn plan(&self) -> Plan {
        Plan::of(self)
    }

    /// Whether the masked field has the focus, so that text must go to the vault.
    #[must_use]
    pub fn masked(&self) -> bool {
        matches!(&self.overlay, Some(Overlay::Form(f)) if f.focus == Name::Passphrase && !f.sending)
    }

    /// Rows of the current list, as far as the filter keeps them.
    #[must_use]
    pub fn total(&self) -> usize {
        let s = &self.snapshot;
        match self.pane {
            PaneKind::Overview => overview::items(self).len(),
            PaneKind::Handoffs => s.handoffs.as_ref().map_or(0, |p| p.total),
            PaneKind::Breakers => s.breakers.as_ref().map_or(0, |p| p.total),
            PaneKind::Tasks => s.tasks.as_ref().map_or(0, |p| p.total),
            PaneKind::Codes => s.codes.as_ref().map_or(0, |p| p.total),
            PaneKind::Receipts => s.receipts.as_ref().map_or(0, |p| p.total),
            PaneKind::Agents => s.agents.as_ref().map_or(0, |p| p.total),
            PaneKind::Log => s.log.as_ref().map_or(0, |p| p.total),
        }
    }

    /// Kind and id of the row at a position of the current list, when it was read.
    #[must_use]
    pub fn row_id(&self, index: usize) -> Option<(PaneKind, String)> {
        let s = &self.snapshot;
        let id = match self.pane {
            PaneKind::Overview => {
                let item = overview::items(self).into_iter().nth(index)?;
                return Some((item.kind, item.id));
            }
            PaneKind::Handoffs => s.handoffs.as_ref()?.at(index)?.id.clone(),
            PaneKind::Breakers => s.breakers.as_ref()?.at(index)?.id.clone(),
            PaneKind::Tasks => task_id(s.tasks.as_ref()?.at(index)?),
            PaneKind::Codes => s.codes.as_ref()?.at(index)?.code.clone(),
            PaneKind::Receipts => s.receipts.as_ref()?.at(index)?.id.clone(),
            PaneKind::Agents => s.agents.as_ref()?.at(index)?.agent.clone(),
            PaneKind::Log => s.log.as_ref()?.at(index)?.id.to_string(),
        };
        Some((self.pane, id))
    }

    /// Kind and id of the selected row.
    #[must_use]
    pub fn target(&self) -> Option<(PaneKind, String)> {
        self.row_id(self.list().selected)
    }

    /// A breaker that was read, by its id.
    #[must_use]
    pub fn breaker(&self, id: &str) -> Option<&BreakerRow> {
        let page = self.snapshot.breakers.as_ref()?;
        page.rows.iter().find(|row| row.id == id)
    }

    /// A handoff that was read, by its id.
    #[must_use]
    pub fn handoff(&self, id: &str) -> Option<&HandoffRow> {
        let page = self.snapshot.handoffs.as_ref()?;
        page.rows.iter().find(|row| row.id == id)
    }

    /// A minted code that was read.
    #[must_use]
    pub fn code(&self, code: &str) -> Option<&CodeRow> {
        let page = self.snapshot.codes.as_ref()?;
        page.rows.iter().find(|row| row.code == code)
    }

    /// An agent that was read, by its id.
    #[must_use]
    pub fn agent(&self, id: &str) -> Option<&AgentRow> {
        let page = self.snapshot.agents.as_ref()?;
        page.rows.iter().find(|row| row.agent == id)
    }

    /// A record of the Log that was read, by its id.
    #[must_use]
    pub fn record(&self, id: &str) -> Option<&LogRow> {
        let page = self.snapshot.log.as_ref()?;
        page.rows.iter().find(|row| row.id.as_str() == id)
    }

    /// Why nothing can be written, when that is so.
    #[must_use]
    pub fn readonly(&self) -> Option<&str> {
        match &self.snapshot.readonly {
            Some(reason) => Some(reason),
            None if self.start.readonly => Some("opened read-only"),
            None => None,
        }
    }

    /// Whether no one will say when there is something to read.
    #[must_use]
    pub fn blind(&self) -> bool {
        self.trouble.is_some() || !self.watched || !self.loaded
    }

    /// When the console wants to be woken, in UTC microseconds.
    #[must_use]
    pub fn wake_us(&self) -> i64 {
        let now = self.now_us();
        let mut wake = now - now.rem_euclid(MINUTE_US) + MINUTE_US;
        if let Some(armed) = self.stop_armed_us {
            wake = wake.min(armed + STOP_WITHIN_US + 1);
        }
        if self.blind() && !self.paused {
            wake = wake.min(self.asked.as_ref().map_or(now, |(_, at)| *at) + RETRY_US);
        }
        if let Some(Overlay::Form(form)) = &self.overlay
            && !form.sending
        {
            wake = wake.min(form.check_due_us());
        }
        if self.counts_down() {
            wake = wake.min(now + SECOND_US);
        }
        wake
    }

    /// Whether a time limit that is nearly over is on the screen.
    fn counts_down(&self) -> bool {
        if !matches!(self.pane, PaneKind::Overview | PaneKind::Handoffs) {
            return false;
        }
        let now = self.now_us();
        let rows = self.snapshot.handoffs.iter().flat_map(|page| &page.rows);
        rows.filter_map(|row| parse_rfc3339(row.deadline.as_deref()?))
            .any(|end| (0..NEARLY_US).contains(&(end - now)))
    }
}
