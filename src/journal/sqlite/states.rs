//! The projections as a fold sees them, on the live tables or on a scratch database.

use std::path::Path;

use rusqlite::{Connection, OptionalExtension as _, params};

use crate::contract::refusal::Refusal;

use super::super::{StateRow, States};
use super::errors;

/// Projection rows of one connection.
pub(super) struct Projections<'c> {
    pub(super) connection: &'c Connection,
    pub(super) path: &'c Path,
}

pub(super) const LIST: &str = "SELECT body FROM state WHERE domain = ?1 \
    ORDER BY rank DESC, seq DESC, key LIMIT ?2 OFFSET ?3";
const GET: &str = "SELECT body FROM state WHERE domain = ?1 AND key = ?2";
const PUT: &str = "INSERT INTO state(domain, key, rank, seq, body) VALUES(?1, ?2, ?3, ?4, ?5) \
    ON CONFLICT(domain, key) DO UPDATE \
    SET rank = excluded.rank, seq = excluded.seq, body = excluded.body";
const REMOVE: &str = "DELETE FROM state WHERE domain = ?1 AND key = ?2";

impl Projections<'_> {
    fn text(&self, domain: &str, key: &str) -> rusqlite::Result<Option<String>> {
        self.connection
            .prepare_cached(GET)?
            .query_row([domain, key], |row| row.get(0))
            .optional()
    }

    fn texts(&self, domain: &str, limit: usize, offset: usize) -> rusqlite::Result<Vec<String>> {
        let (limit, offset) = (whole(limit), whole(offset));
        let mut statement = self.connection.prepare_cached(LIST)?;
        let rows = statement.query_map(params![domain, limit, offset], |row| row.get(0))?;
        rows.collect()
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
        self.text(domain, key).map_err(errors::at(self.path))
    }

    fn list(&self, domain: &str, limit: usize, offset: usize) -> Result<Vec<String>, Refusal> {
        self.texts(domain, limit, offset)
            .map_err(errors::at(self.path))
    }

    fn put(&mut self, row: &StateRow) -> Result<(), Refusal> {
        let seq = whole(row.seq);
        self.run(PUT, params![row.domain, row.key, row.rank, seq, row.body])
    }

    fn remove(&mut self, domain: &str, key: &str) -> Result<(), Refusal> {
        self.run(REMOVE, [domain, key])
    }
}

/// A count as `SQLite` holds it; no journal reaches the end of its integers.
pub(super) fn whole(count: impl TryInto<i64>) -> i64 {
    count.try_into().unwrap_or(i64::MAX)
}
