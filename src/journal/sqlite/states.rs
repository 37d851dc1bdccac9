//! The projections as a fold sees them, on the live tables or on a scratch database.
//!
//! A record touches few rows and each of them several times. A row is therefore read once and
//! written once a transaction: in between it lies in memory, where nobody else may change it,
//! because the transaction holds the only right to write.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::{Connection, OptionalExtension as _, params};

use crate::contract::refusal::Refusal;

use super::super::{StateRow, States};
use super::errors;

/// Projection rows of one connection, inside one transaction.
pub(super) struct Projections<'c> {
    connection: &'c Connection,
    path: &'c Path,
    /// By domain, then key; in the order of the table, which is the order of writing.
    rows: RefCell<BTreeMap<String, BTreeMap<String, Known>>>,
}

/// What is known about a row.
enum Known {
    /// As the table has it.
    Read(Option<String>),
    /// To be written.
    Put(StateRow),
    /// To be removed.
    Removed,
}

impl Known {
    fn body(&self) -> Option<String> {
        match self {
            Self::Read(body) => body.clone(),
            Self::Put(row) => Some(row.body.clone()),
            Self::Removed => None,
        }
    }
}

pub(super) const LIST: &str = "SELECT body FROM state WHERE domain = ?1 \
    ORDER BY rank DESC, seq DESC, key LIMIT ?2 OFFSET ?3";
const FIND: &str = "SELECT body FROM state WHERE domain = ?1 AND instr(body, ?2) > 0 ORDER BY key";
const GET: &str = "SELECT body FROM state WHERE domain = ?1 AND key = ?2";
const PUT: &str = "INSERT INTO state(domain, key, rank, seq, body) VALUES(?1, ?2, ?3, ?4, ?5) \
    ON CONFLICT(domain, key) DO UPDATE \
    SET rank = excluded.rank, seq = excluded.seq, body = excluded.body";
const REMOVE: &str = "DELETE FROM state WHERE domain = ?1 AND key = ?2";

impl<'c> Projections<'c> {
    pub(super) fn new(connection: &'c Connection, path: &'c Path) -> Self {
        Self {
            connection,
            path,
            rows: RefCell::default(),
        }
    }

    /// Writes what was put and removed. Rows that were read stay known.
    pub(super) fn flush(&self) -> Result<(), Refusal> {
        for (domain, rows) in &mut *self.rows.borrow_mut() {
            for (key, known) in rows {
                let now = match known {
                    Known::Read(_) => continue,
                    Known::Put(row) => {
                        let seq = whole(row.seq);
                        self.run(PUT, params![row.domain, row.key, row.rank, seq, row.body])?;
                        Some(std::mem::take(&mut row.body))
                    }
                    Known::Removed => {
                        self.run(REMOVE, [domain, key])?;
                        None
                    }
                };
                *known = Known::Read(now);
            }
        }
        Ok(())
    }

    /// Forgets all rows, which must have been written: a transaction has ended.
    pub(super) fn forget(&self) {
        self.rows.borrow_mut().clear();
    }

    fn know(&self, domain: &str, key: &str, known: Known) {
        let mut rows = self.rows.borrow_mut();
        match rows.get_mut(domain) {
            Some(rows) => rows.insert(key.to_owned(), known),
            None => rows
                .entry(domain.to_owned())
                .or_default()
                .insert(key.to_owned(), known),
        };
    }

    fn known<T>(&self, domain: &str, key: &str, view: impl FnOnce(&Known) -> T) -> Option<T> {
        let rows = self.rows.borrow();
        Some(view(rows.get(domain)?.get(key)?))
    }

    fn text(&self, domain: &str, key: &str) -> rusqlite::Result<Option<String>> {
        self.connection
            .prepare_cached(GET)?
            .query_row([domain, key], |row| row.get(0))
            .optional()
    }

    fn texts(&self, sql: &str, values: impl rusqlite::Params) -> Result<Vec<String>, Refusal> {
        self.flush()?;
        let texts = || -> rusqlite::Result<Vec<String>> {
            let mut statement = self.connection.prepare_cached(sql)?;
            let rows = statement.query_map(values, |row| row.get(0))?;
            rows.collect()
        };
        texts().map_err(errors::at(self.path))
    }

    fn run(&self, sql: &str, values: impl rusqlite::Params) -> Result<(), Refusal> {
        self.connection
            .prepare_cached(sql)
            .and_then(|mut statement| statement.execute(values))
            .map(|_| ())
            .map_err(errors::at(self.path))
    }
}

impl States for Projections<'_> {
    fn get(&self, domain: &str, key: &str) -> Result<Option<String>, Refusal> {
        if let Some(body) = self.known(domain, key, Known::body) {
            return Ok(body);
        }
        let body = self.text(domain, key).map_err(errors::at(self.path))?;
        self.know(domain, key, Known::Read(body.clone()));
        Ok(body)
    }

    fn list(&self, domain: &str, limit: usize, offset: usize) -> Result<Vec<String>, Refusal> {
        self.texts(LIST, params![domain, whole(limit), whole(offset)])
    }

    fn find(&self, domain: &str, text: &str) -> Result<Vec<String>, Refusal> {
        self.texts(FIND, [domain, text])
    }

    fn put(&mut self, row: &StateRow) -> Result<(), Refusal> {
        self.know(&row.domain, &row.key, Known::Put(row.clone()));
        Ok(())
    }

    fn remove(&mut self, domain: &str, key: &str) -> Result<(), Refusal> {
        self.know(domain, key, Known::Removed);
        Ok(())
    }
}

/// A count as `SQLite` holds it; no journal reaches the end of its integers.
pub(super) fn whole(count: impl TryInto<i64>) -> i64 {
    count.try_into().unwrap_or(i64::MAX)
}
