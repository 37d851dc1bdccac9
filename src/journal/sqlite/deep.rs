//! Deep verification and rebuilding (spec 1.1): all records go through the fold again, and the
//! projections are compared with, or replaced by, what comes out.

use std::cmp::Ordering;
use std::fmt::Write as _;
use std::ops::ControlFlow;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row, Rows, Transaction, TransactionBehavior};

use crate::contract::refusal::{Code, Refusal};

use super::super::lock;
use super::super::{Durability, Page, Read as _};
use super::read::Snapshot;
use super::states::Projections;
use super::verify::broken_off;
use super::{SqliteStore, errors, open, schema, views};

/// How far a long walk has come, in records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Records done.
    pub done: u64,
    /// Records in all.
    pub total: u64,
}

/// The first place where the projections and a replay of the journal part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Which fold, or `schema` or `database` when the file itself is not as it must be.
    pub domain: String,
    /// Which aggregate.
    pub key: String,
    /// What the replay gives; `None` when it has no such row.
    pub replayed: Option<String>,
    /// What the store holds; `None` when it has no such row.
    pub stored: Option<String>,
}

/// What a deep verification found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeepReport {
    /// Records that were replayed.
    pub rows: u64,
    /// Projection rows that the replay gave and that were compared.
    pub states: u64,
    /// The first difference; `None` when all agree.
    pub first_difference: Option<Difference>,
}

/// Records that are replayed between two reports of progress.
const BATCH: usize = 1_000;

impl SqliteStore {
    /// Checks the database's own structure, then folds all records into a scratch database and
    /// compares the projections row by row, both ways.
    ///
    /// # Errors
    /// `progress` broke off (`verify_failed`), the fold refuses a record, or the store fails.
    pub fn verify_deep(
        &self,
        mut progress: impl FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<DeepReport, Refusal> {
        let refuse = errors::at(self.store());
        if let Some(found) = structure(&self.connection).map_err(&refuse)? {
            return Ok(DeepReport {
                rows: 0,
                states: 0,
                first_difference: Some(found),
            });
        }
        // A nameless database lives in a temporary file of SQLite's own, as far as it outgrows memory.
        let scratch = Connection::open("").map_err(&refuse)?;
        scratch.execute_batch(&schema::state()).map_err(&refuse)?;
        // Without a snapshot first: nobody may hold one for as long as a replay takes. What came
        // meanwhile is caught up inside the snapshot that is compared.
        let reached = self.replay(&scratch, 0, &mut progress)?;
        let snapshot = Transaction::new_unchecked(&self.connection, TransactionBehavior::Deferred)
            .map_err(&refuse)?;
        let rows = self.replay(&scratch, reached, &mut progress)?;
        let (states, first_difference) = compare(&scratch, &self.connection).map_err(&refuse)?;
        drop(snapshot);
        Ok(DeepReport {
            rows,
            states,
            first_difference,
        })
    }

    /// Makes everything but the journal anew, in one transaction: indexes, triggers, views, and
    /// all projections by a replay. Returns the number of records that were replayed.
    ///
    /// # Errors
    /// `progress` broke off (`verify_failed`), the fold refuses a record, or the store fails;
    /// the projections are then as they were.
    pub fn rebuild(
        &mut self,
        mut progress: impl FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<u64, Refusal> {
        self.synchronous(Durability::Full)?;
        let held = lock::take(&self.paths.lock, self.patience)
            .map_err(|e| errors::lock(self.store(), &e))?;
        let refuse = errors::at(&self.paths.store);
        let transaction =
            Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate)
                .map_err(&refuse)?;
        remake(&self.connection).map_err(&refuse)?;
        let rows = self.replay(&self.connection, 0, &mut progress)?;
        transaction.commit().map_err(&refuse)?;
        open::ring(&mut self.bell, &self.paths.bell);
        drop(held);
        Ok(rows)
    }

    /// Folds all records after `after` into the projections of `target`; returns the last seq.
    fn replay(
        &self,
        target: &Connection,
        after: u64,
        progress: &mut impl FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<u64, Refusal> {
        let source = Snapshot::of(self);
        let mut states = Projections::new(target, self.store());
        let own = std::ptr::eq(target, &raw const self.connection);
        let batch = |sql: &str| {
            if own {
                return Ok(());
            }
            target.execute_batch(sql).map_err(errors::at(self.store()))
        };
        let mut page = Page {
            after,
            limit: BATCH,
            ..Page::default()
        };
        loop {
            let records = source.page(&page)?;
            let Some(last) = records.last() else {
                return Ok(page.after);
            };
            page.after = last.seq;
            batch("BEGIN")?;
            for record in &records {
                self.fold.apply(record, &mut states)?;
            }
            states.flush()?;
            states.forget();
            batch("COMMIT")?;
            let total = source.head()?.seq;
            let done = page.after;
            if progress(Progress { done, total }).is_break() {
                return Err(broken_off());
            }
        }
    }
}

/// Replaces every object of the database but the journal's table by this version's own.
fn remake(connection: &Connection) -> rusqlite::Result<()> {
    let made = connection
        .prepare(
            "SELECT type, name FROM sqlite_schema WHERE sql IS NOT NULL AND name <> 'journal' \
             ORDER BY type = 'table'",
        )?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<Vec<(String, String)>>>()?;
    for (kind, name) in made {
        // What hangs on a table goes with it.
        let name = name.replace('"', "\"\"");
        connection.execute_batch(&format!("DROP {kind} IF EXISTS \"{name}\""))?;
    }
    connection.execute_batch(&schema::around_the_journal())?;
    connection.pragma_update(None, "user_version", schema::VERSION)
}

/// Whether tables, triggers and views are the ones that a store has, and the trees are whole.
fn structure(connection: &Connection) -> rusqlite::Result<Option<Difference>> {
    let wanted = Connection::open_in_memory()?;
    wanted.execute_batch(&schema::all())?;
    let (theirs, ours) = (objects(&wanted)?, objects(connection)?);
    let name = |sql: &(String, String)| sql.0.clone();
    for object in &theirs {
        if !ours.contains(object) {
            let stored = ours.iter().find(|o| o.0 == object.0).map(|o| o.1.clone());
            let replayed = Some(object.1.clone());
            return Ok(Some(broken("schema", &name(object), replayed, stored)));
        }
    }
    for object in &ours {
        if !theirs.contains(object) {
            let stored = Some(object.1.clone());
            return Ok(Some(broken("schema", &name(object), None, stored)));
        }
    }
    let whole: String = connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    Ok((whole != "ok").then(|| broken("database", "", Some("ok".to_owned()), Some(whole))))
}

fn broken(domain: &str, key: &str, replayed: Option<String>, stored: Option<String>) -> Difference {
    Difference {
        domain: domain.to_owned(),
        key: key.to_owned(),
        replayed,
        stored,
    }
}

fn objects(connection: &Connection) -> rusqlite::Result<Vec<(String, String)>> {
    let mut statement = connection.prepare(
        "SELECT name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' \
         ORDER BY name",
    )?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    rows.collect()
}

const ROWS: &str = "SELECT * FROM state ORDER BY domain, key";

/// Walks both tables side by side.
fn compare(
    replayed: &Connection,
    stored: &Connection,
) -> rusqlite::Result<(u64, Option<Difference>)> {
    let (mut left, mut right) = (replayed.prepare(ROWS)?, stored.prepare(ROWS)?);
    let (mut left, mut right): (Rows<'_>, Rows<'_>) = (left.query([])?, right.query([])?);
    let mut states = 0;
    let (mut a, mut b) = (left.next()?, right.next()?);
    loop {
        let order = match (a, b) {
            (None, None) => return Ok((states, None)),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(a), Some(b)) => place(a)?.cmp(&place(b)?),
        };
        let (only_a, only_b) = match order {
            Ordering::Less => (a, None),
            Ordering::Greater => (None, b),
            Ordering::Equal => (a, b),
        };
        if order != Ordering::Equal || !same(a, b)? {
            return Ok((states, Some(difference(only_a, only_b)?)));
        }
        states += 1;
        (a, b) = (left.next()?, right.next()?);
    }
}

fn place<'r>(row: &'r Row<'_>) -> rusqlite::Result<(&'r [u8], &'r [u8])> {
    Ok((bytes(row.get_ref(0)?), bytes(row.get_ref(1)?)))
}

fn bytes(value: ValueRef<'_>) -> &[u8] {
    value.as_bytes().unwrap_or_default()
}

fn same(a: Option<&Row<'_>>, b: Option<&Row<'_>>) -> rusqlite::Result<bool> {
    let (Some(a), Some(b)) = (a, b) else {
        return Ok(false);
    };
    for column in 0..5 + views::CELLS {
        if a.get_ref(column)? != b.get_ref(column)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn difference(a: Option<&Row<'_>>, b: Option<&Row<'_>>) -> rusqlite::Result<Difference> {
    let text = |value: ValueRef<'_>| String::from_utf8_lossy(bytes(value)).into_owned();
    let show = |row: &Row<'_>| -> rusqlite::Result<String> {
        let (rank, seq) = (row.get_ref(2)?.as_i64(), row.get_ref(3)?.as_i64());
        let (rank, seq) = (rank.unwrap_or(0), seq.unwrap_or(0));
        let body = text(row.get_ref(4)?);
        let mut shown = format!("rank {rank}, seq {seq}, body {body}");
        for cell in 0..views::CELLS {
            let value = row.get_ref(5 + cell)?;
            if value != ValueRef::Null {
                let _ = write!(shown, ", c{cell} {value:?}");
            }
        }
        Ok(shown)
    };
    let (mut domain, mut key) = (String::new(), String::new());
    if let Some(row) = a.or(b) {
        domain = text(row.get_ref(0)?);
        key = text(row.get_ref(1)?);
    }
    let replayed = a.map(show).transpose()?;
    let stored = b.map(show).transpose()?;
    Ok(broken(&domain, &key, replayed, stored))
}

impl DeepReport {
    /// The report as a refusal, when it holds a difference.
    #[must_use]
    pub fn refusal(&self) -> Option<Refusal> {
        let found = self.first_difference.as_ref()?;
        Some(Refusal::new(
            Code::VerifyFailed,
            format!(
                "the projections disagree with the journal at {} {:?}",
                found.domain, found.key
            ),
            "watchfloor rebuild",
        ))
    }
}
