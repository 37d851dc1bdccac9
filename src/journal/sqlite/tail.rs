//! Following the journal (spec 1.2): the bell wakes a reader, a look at the data version once
//! a second is its net.

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use notify::event::ModifyKind;
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};

use crate::contract::record::Record;
use crate::contract::refusal::Refusal;

use super::super::{Fold, Journal as _, Page, States};
use super::{SqliteStore, errors, open};

/// How long a change may go unnoticed when no bell was heard.
const NET: Duration = Duration::from_secs(1);
/// Records that one call delivers at most.
const BATCH: usize = 1_000;

/// A reader that waits for new records. Between two calls it holds no transaction.
pub struct Tail {
    store: SqliteStore,
    after: u64,
    seen_version: i64,
    bell: Receiver<()>,
    /// Absent where the system grants no watch; the net alone works then.
    _watcher: Option<RecommendedWatcher>,
}

impl std::fmt::Debug for Tail {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tail")
            .field("after", &self.after)
            .finish_non_exhaustive()
    }
}

/// A tail reads records only.
struct NoFold;

impl Fold for NoFold {
    fn apply(&self, _record: &Record, _states: &mut dyn States) -> Result<(), Refusal> {
        Ok(())
    }
}

impl Tail {
    /// Follows the store at `path` from the record after `after`.
    ///
    /// # Errors
    /// As [`open_readonly`](super::open_readonly).
    pub fn open(path: impl AsRef<Path>, after: u64) -> Result<Self, Refusal> {
        let store = open::open_readonly(path, Arc::new(NoFold))?;
        let (send, bell) = mpsc::sync_channel(1);
        let ring = move |event: notify::Result<notify::Event>| {
            if event.is_ok_and(|event| rung(event.kind)) {
                // A full channel is rung already.
                let _ = send.try_send(());
            }
        };
        let watcher = notify::recommended_watcher(ring)
            .and_then(|mut watcher| {
                watcher.watch(&store.paths.bell, RecursiveMode::NonRecursive)?;
                Ok(watcher)
            })
            .ok();
        Ok(Self {
            store,
            after,
            seen_version: -1,
            bell,
            _watcher: watcher,
        })
    }

    /// The position of the last record that was delivered.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.after
    }

    /// Waits for records after the last delivered one: at most 1,000 of them, oldest first, or
    /// none when `timeout` has passed.
    ///
    /// # Errors
    /// The store fails.
    pub fn next(&mut self, timeout: Duration) -> Result<Vec<Record>, Refusal> {
        let deadline = Instant::now() + timeout;
        let mut fresh = self.fetch()?;
        while fresh.is_empty() {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            let rang = self.listen(left.min(NET));
            if rang || self.changed()? {
                fresh = self.fetch()?;
            }
        }
        Ok(fresh)
    }

    /// Waits until the bell rings; `false` when it did not.
    fn listen(&self, patience: Duration) -> bool {
        match self.bell.recv_timeout(patience) {
            Ok(()) => true,
            Err(RecvTimeoutError::Timeout) => false,
            Err(RecvTimeoutError::Disconnected) => {
                // No watcher: the net is all there is.
                std::thread::sleep(patience);
                false
            }
        }
    }

    /// Whether another connection committed since the last look.
    fn changed(&mut self) -> Result<bool, Refusal> {
        let version = self
            .store
            .connection
            .prepare_cached("PRAGMA data_version")
            .and_then(|mut statement| statement.query_row([], |row| row.get(0)))
            .map_err(errors::at(&self.store.paths.store))?;
        let changed = version != self.seen_version;
        self.seen_version = version;
        Ok(changed)
    }

    fn fetch(&mut self) -> Result<Vec<Record>, Refusal> {
        let page = Page {
            after: self.after,
            limit: BATCH,
            ..Page::default()
        };
        let records = self.store.read(|read| read.page(&page))?;
        if let Some(last) = records.last() {
            self.after = last.seq;
        }
        Ok(records)
    }
}

/// Whether an event of the bell file is a ring. Opening and closing it, as this reader's own
/// process may do, is none.
fn rung(kind: EventKind) -> bool {
    matches!(
        kind,
        EventKind::Modify(ModifyKind::Data(_) | ModifyKind::Any) | EventKind::Any
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use notify::event::{AccessKind, DataChange};

    #[test]
    fn only_a_changed_byte_is_a_ring() {
        assert!(rung(EventKind::Modify(ModifyKind::Data(DataChange::Any))));
        assert!(!rung(EventKind::Access(AccessKind::Any)));
    }
}
