//! Windows into the lists of the store: filtered, of one project, in an order.

use std::collections::VecDeque;

use crate::console::backend::{Page, PageWant};
use crate::console::filter::{Filter, Searchable};
use crate::console::sort::{Sort, Sortable, sort};
use crate::contract::refusal::Refusal;
use crate::contract::row::{
    AgentRow, BreakerRow, CodeRow, HandoffRow, LogRow, ReceiptRow, TaskRow,
};
use crate::ops::receipt;
use crate::ops::store::Reading;

/// A filter and an order look through so many of the first rows, and say so.
pub(super) const SEARCHED: usize = 10_000;

/// One window of a list. In its own order, without filter and project, it is read as it lies; else
/// the first rows are looked through and sorted, and it is said when there are more.
pub(super) fn page<T: Searchable + InProject + Sortable>(
    want: Option<&PageWant>,
    all: usize,
    project: Option<&str>,
    mut rows: impl FnMut(usize, usize) -> Result<Vec<T>, Refusal>,
) -> Result<Option<Page<T>>, Refusal> {
    let Some(want) = want else { return Ok(None) };
    if want.filter.trim().is_empty() && project.is_none() && want.sort == Sort::Default {
        let rows = rows(want.limit, want.offset)?;
        return Ok(Some(Page {
            offset: want.offset,
            total: all,
            all,
            filter: want.filter.clone(),
            sort: want.sort,
            searched: None,
            rows,
        }));
    }
    let mut filter = Filter::new(&want.filter);
    let mut found = rows(SEARCHED, 0)?;
    let searched = found.len();
    found.retain(|row| project.is_none_or(|p| row.in_project(p)) && filter.keeps(&row.words()));
    sort(&mut found, want.sort);
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
        sort: want.sort,
        searched: (searched < all).then_some(searched),
        rows,
    }))
}

/// Whether a row belongs to a project; what lies in none belongs to all.
pub(super) trait InProject {
    /// Whether it does.
    fn in_project(&self, project: &str) -> bool;
}

impl InProject for BreakerRow {
    fn in_project(&self, project: &str) -> bool {
        self.project.as_deref().is_none_or(|own| own == project)
    }
}

impl InProject for TaskRow {
    fn in_project(&self, project: &str) -> bool {
        self.project == project
    }
}

impl InProject for AgentRow {
    fn in_project(&self, project: &str) -> bool {
        self.project == project
    }
}

impl InProject for LogRow {
    fn in_project(&self, project: &str) -> bool {
        self.project.as_str() == project
    }
}

impl InProject for HandoffRow {
    fn in_project(&self, project: &str) -> bool {
        self.project == project
    }
}

impl InProject for CodeRow {
    fn in_project(&self, project: &str) -> bool {
        self.project == project
    }
}

impl InProject for ReceiptRow {
    fn in_project(&self, project: &str) -> bool {
        self.project == project
    }
}

/// Rows of receipts, newest first. Records never change, so those that were read are kept and only
/// what came since is read: a list of decisions among a million records costs what it holds.
#[derive(Default)]
pub(super) struct Receipts {
    upto: u64,
    rows: VecDeque<ReceiptRow>,
    more: bool,
}

impl Receipts {
    /// Reads what came since.
    pub(super) fn catch_up(&mut self, read: &dyn Reading, head: u64) -> Result<(), Refusal> {
        if head < self.upto {
            *self = Self::default();
        }
        if head > self.upto {
            for row in receipt::rows_after(read, self.upto, SEARCHED)? {
                self.rows.push_front(row);
            }
            self.more |= self.rows.len() >= SEARCHED;
            self.rows.truncate(SEARCHED);
            self.upto = head;
        }
        Ok(())
    }

    /// One window of them.
    pub(super) fn page(&self, want: &PageWant, project: Option<&str>) -> Page<ReceiptRow> {
        let mut filter = Filter::new(&want.filter);
        let found: Vec<&ReceiptRow> = self
            .rows
            .iter()
            .filter(|row| project.is_none_or(|p| row.in_project(p)) && filter.keeps(&row.words()))
            .collect();
        Page {
            offset: want.offset,
            total: found.len(),
            all: self.rows.len(),
            filter: want.filter.clone(),
            sort: want.sort,
            searched: self.more.then_some(self.rows.len()),
            rows: found
                .into_iter()
                .skip(want.offset)
                .take(want.limit)
                .cloned()
                .collect(),
        }
    }
}
