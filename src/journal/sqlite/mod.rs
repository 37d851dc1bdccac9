//! The `SQLite` store (spec 1.2): one file, one chain, any number of processes.

mod append;
mod deep;
mod errors;
mod filesystem;
mod floor;
mod init;
mod last;
mod open;
mod quarantine;
mod read;
mod restarts;
pub mod schema;
mod states;
mod tail;
mod verify;
mod views;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::contract::refusal::Refusal;

use super::clock::Clock;
use super::lock;
use super::paths::Paths;
use super::{Durability, Fold, Journal, Read, Write};

pub(super) use errors::shell;

pub use deep::{DeepReport, Difference, Progress};
pub use floor::{floor_hash, floor_read};
pub use init::{init, init_with_clock};
pub use open::{open, open_readonly, open_readonly_with_clock, open_to_rebuild, open_with_clock};
pub use quarantine::quarantine;
pub use tail::Tail;
pub use verify::{Bad, VerifyReport};

/// How long a verb waits for its turn to write.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// After so many records without a checkpoint, the next durable write makes one. A commit puts
/// about eight pages into the write-ahead log, so this keeps the log near its first size of
/// 4 MiB; a log of 1,000 commits would be 30 MB, which a process that opens the store alone
/// must read whole.
pub const CHECKPOINT_EVERY: u64 = 128;

/// A store in one `SQLite` file.
pub struct SqliteStore {
    connection: Connection,
    paths: Paths,
    fold: Arc<dyn Fold>,
    clock: Arc<dyn Clock>,
    patience: Duration,
    checkpoints: bool,
    synchronous: Option<Durability>,
    bell: Option<std::fs::File>,
}

impl std::fmt::Debug for SqliteStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SqliteStore")
            .field("paths", &self.paths)
            .finish_non_exhaustive()
    }
}

impl SqliteStore {
    /// The store's files.
    #[must_use]
    pub fn paths(&self) -> &Paths {
        &self.paths
    }

    /// How long a write may wait for its turn; [`PATIENCE`] at first. Hooks and `stop` set a
    /// shorter time.
    ///
    /// # Errors
    /// The store fails.
    pub fn set_patience(&mut self, patience: Duration) -> Result<(), Refusal> {
        self.patience = patience;
        self.connection
            .busy_timeout(patience)
            .map_err(errors::at(&self.paths.store))
    }

    /// Whether this process makes the checkpoint that falls due every [`CHECKPOINT_EVERY`]
    /// records; a hook never does (spec 1.2).
    pub fn set_checkpoints(&mut self, on: bool) {
        self.checkpoints = on;
    }

    /// Moves what the write-ahead log holds into the database, as far as no reader is in the
    /// way, so that the log starts again from its beginning. For `tick` and the console.
    ///
    /// # Errors
    /// The queue of writers is not free in time, or the store fails.
    pub fn checkpoint(&mut self) -> Result<(), Refusal> {
        let store = &self.paths.store;
        let held =
            lock::take(&self.paths.lock, self.patience).map_err(|e| errors::lock(store, &e))?;
        let seq = read::Snapshot::of(self).head()?.seq;
        self.move_log(&held, seq)
    }

    /// Checkpoints under the writers' lock: nobody appends behind it, so the whole log is moved
    /// and the next writer starts it anew in place.
    fn move_log(&self, held: &lock::Held, seq: u64) -> Result<(), Refusal> {
        self.connection
            .query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))
            .map_err(errors::at(&self.paths.store))?;
        open::note_checkpoint(held.file(), seq);
        Ok(())
    }

    /// Makes the checkpoint that has fallen due; its failure is none of the write's.
    fn checkpoint_when_due(&self, held: &lock::Held, durability: Durability, seq: u64) {
        if !self.checkpoints || durability != Durability::Full {
            return;
        }
        let last = open::noted_checkpoint(held.file());
        if seq.saturating_sub(last) >= CHECKPOINT_EVERY || last > seq {
            let _ = self.move_log(held, seq);
        }
    }

    fn synchronous(&mut self, durability: Durability) -> Result<(), Refusal> {
        if self.synchronous == Some(durability) {
            return Ok(());
        }
        let sql = match durability {
            Durability::Full => "PRAGMA synchronous=FULL",
            Durability::Normal => "PRAGMA synchronous=NORMAL",
        };
        self.connection
            .execute_batch(sql)
            .map_err(errors::at(&self.paths.store))?;
        self.synchronous = Some(durability);
        Ok(())
    }

    fn store(&self) -> &Path {
        &self.paths.store
    }
}

impl Journal for SqliteStore {
    fn read<T>(
        &mut self,
        work: impl FnOnce(&dyn Read) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        let snapshot = Transaction::new_unchecked(&self.connection, TransactionBehavior::Deferred)
            .map_err(errors::at(self.store()))?;
        let answer = work(&read::Snapshot::of(self));
        drop(snapshot);
        answer
    }

    fn write<T>(
        &mut self,
        durability: Durability,
        work: impl FnOnce(&mut dyn Write) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        self.synchronous(durability)?;
        let held = lock::take(&self.paths.lock, self.patience)
            .map_err(|e| errors::lock(self.store(), &e))?;
        let transaction =
            Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate)
                .map_err(errors::at(self.store()))?;
        let mut writing = append::Writing::new(read::Snapshot::of(self), &*self.fold);
        let answer = work(&mut writing)?;
        let reached = writing.finish()?;
        transaction.commit().map_err(errors::at(self.store()))?;
        if let Some(seq) = reached {
            open::ring(&mut self.bell, &self.paths.bell);
            if durability == Durability::Full {
                open::note_head(held.file(), seq);
            }
            self.checkpoint_when_due(&held, durability, seq);
        }
        Ok(answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::ids::ProjectId;
    use crate::contract::record::{Kind, NewRecord, Record};
    use crate::contract::refusal::Code;
    use crate::journal::States;

    struct Nothing;

    impl Fold for Nothing {
        fn apply(&self, _: &Record, _: &mut dyn States) -> Result<(), Refusal> {
            Ok(())
        }
    }

    #[test]
    fn a_database_at_its_limit_is_full_and_stays_whole() {
        let dir = tempfile::tempdir().unwrap();
        let mut store = init(dir.path().join("s.db"), Arc::new(Nothing)).unwrap();
        store
            .connection
            .query_row("PRAGMA max_page_count=40", [], |_| Ok(()))
            .unwrap();
        let big = || NewRecord {
            kind: Kind::Event,
            id: None,
            schema: "s".into(),
            producer: "p".into(),
            project: ProjectId::new("q"),
            task: None,
            agent: None,
            body: "x".repeat(20_000),
        };
        let mut last = 0;
        let refusal = loop {
            match store.write(Durability::Full, |write| write.append(big())) {
                Ok(record) => last = record.seq,
                Err(refusal) => break refusal,
            }
        };
        assert_eq!(refusal.code, Code::StoreFull);
        assert_eq!(store.read(|read| read.head()).unwrap().seq, last);
        let report = store.verify(|_| std::ops::ControlFlow::Continue(()));
        assert_eq!(report.unwrap().first_bad, None);
    }
}
