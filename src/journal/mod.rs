//! The append-only journal (spec 1): a trait that any store can implement, and the
//! `SQLite` store. No rule is known here; projections call the fold that is handed in.

pub mod clock;
pub mod flags;
pub mod foreign;
pub mod lock;
pub mod paths;
pub mod sqlite;
pub mod unclosed;

pub use clock::{Clock, SystemClock};
pub use paths::{OwnFiles, Paths};

use crate::contract::ids::{RecordId, TaskId};
use crate::contract::record::{Head, Kind, NewRecord, Record};
use crate::contract::refusal::Refusal;
use crate::contract::time::Now;

/// How safely a transaction must be on disk before it is answered (spec 1.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// Survives a power cut: receipts, attempts, events.
    Full,
    /// Survives a killed process: observations.
    Normal,
}

/// Which records to read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// Only records after this position.
    pub after: u64,
    /// Only records before this position.
    pub before: Option<u64>,
    /// Only this kind.
    pub kind: Option<Kind>,
    /// Only this schema.
    pub schema: Option<String>,
    /// Only this task.
    pub task: Option<TaskId>,
    /// At most so many.
    pub limit: usize,
    /// Newest first instead of oldest first.
    pub newest_first: bool,
}

/// One row of a projection: the folded state of one aggregate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateRow {
    /// Which fold, e.g. `task`.
    pub domain: String,
    /// Which aggregate.
    pub key: String,
    /// Order in its pane: higher first, then newest first.
    pub rank: i64,
    /// The last record that touched it.
    pub seq: u64,
    /// The state as a JSON object.
    pub body: String,
}

/// Projection rows, as a fold sees them.
pub trait States {
    /// The body of one aggregate.
    ///
    /// # Errors
    /// The store fails.
    fn get(&self, domain: &str, key: &str) -> Result<Option<String>, Refusal>;

    /// The bodies of a domain in pane order: rank, then newest first.
    ///
    /// # Errors
    /// The store fails.
    fn list(&self, domain: &str, limit: usize, offset: usize) -> Result<Vec<String>, Refusal>;

    /// The bodies of a domain that hold a text somewhere, by key.
    ///
    /// # Errors
    /// The store fails.
    fn find(&self, domain: &str, text: &str) -> Result<Vec<String>, Refusal>;

    /// Writes one aggregate.
    ///
    /// # Errors
    /// The store fails.
    fn put(&mut self, row: &StateRow) -> Result<(), Refusal>;

    /// Removes one aggregate.
    ///
    /// # Errors
    /// The store fails.
    fn remove(&mut self, domain: &str, key: &str) -> Result<(), Refusal>;
}

/// Folds a record into the projections. The same fold serves live state, rebuild and verification.
pub trait Fold: Send + Sync {
    /// Applies one record.
    ///
    /// # Errors
    /// The store fails, or the record's body cannot be read.
    fn apply(&self, record: &Record, states: &mut dyn States) -> Result<(), Refusal>;
}

/// Reads inside one snapshot.
pub trait Read {
    /// Where the chain stands.
    ///
    /// # Errors
    /// The store fails.
    fn head(&self) -> Result<Head, Refusal>;

    /// The store's clock; its UTC is never before the last record.
    ///
    /// # Errors
    /// The store fails.
    fn now(&self) -> Result<Now, Refusal>;

    /// By how many microseconds the clock has jumped since the last record: a jump that the next
    /// record will tell first, and with which running deadlines will move. 0 when it did not.
    ///
    /// # Errors
    /// The store fails.
    fn pending_jump(&self) -> Result<i64, Refusal>;

    /// A record by its id.
    ///
    /// # Errors
    /// The store fails.
    fn by_id(&self, id: &RecordId) -> Result<Option<Record>, Refusal>;

    /// Records whose id ends in these four or more characters, newest first.
    ///
    /// # Errors
    /// The store fails.
    fn by_tail(&self, tail: &str, limit: usize) -> Result<Vec<Record>, Refusal>;

    /// A page of records.
    ///
    /// # Errors
    /// The store fails.
    fn page(&self, page: &Page) -> Result<Vec<Record>, Refusal>;

    /// The body of one aggregate.
    ///
    /// # Errors
    /// The store fails.
    fn state(&self, domain: &str, key: &str) -> Result<Option<String>, Refusal>;

    /// The bodies of a domain in pane order: rank, then newest first.
    ///
    /// # Errors
    /// The store fails.
    fn states(&self, domain: &str, limit: usize, offset: usize) -> Result<Vec<String>, Refusal>;

    /// The bodies of a domain that hold a text somewhere, by key. Looks at every row of the
    /// domain, so it is for what happens seldom.
    ///
    /// # Errors
    /// The store fails.
    fn states_with(&self, domain: &str, text: &str) -> Result<Vec<String>, Refusal>;
}

/// Reads and appends inside one transaction.
pub trait Write: Read {
    /// Appends a record and folds it into the projections. A clock jump is noticed here and
    /// recorded first (spec 1.1).
    ///
    /// # Errors
    /// The id exists already, the fold refuses, or the store fails.
    fn append(&mut self, record: NewRecord) -> Result<Record, Refusal>;
}

/// A store. Its laws are the tests in `tests/store_laws.rs`, which take any store.
pub trait Journal {
    /// Reads in one snapshot.
    ///
    /// # Errors
    /// What the work refuses, or the store fails.
    fn read<T>(&mut self, work: impl FnOnce(&dyn Read) -> Result<T, Refusal>)
    -> Result<T, Refusal>;

    /// Writes in one transaction, which is rolled back when the work refuses. After the commit
    /// the bell is rung.
    ///
    /// # Errors
    /// What the work refuses, or the store fails.
    fn write<T>(
        &mut self,
        durability: Durability,
        work: impl FnOnce(&mut dyn Write) -> Result<T, Refusal>,
    ) -> Result<T, Refusal>;
}
