//! The projections as a fold sees them, on the live tables or on a scratch database.
//!
//! A record touches few rows and each of them several times. A row is therefore read once and
//! written once a transaction: in between it lies in memory, where nobody else may change it,
//! because the transaction holds the only right to write.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension as _, params};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::contract::refusal::Refusal;

use super::super::{StateRow, States};
use super::{errors, views};

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
/// One text for every row, so that a commit prepares it once.
const PUT: &str = "REPLACE INTO state VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)";
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
                        self.write(row)?;
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

    fn write(&self, row: &StateRow) -> Result<(), Refusal> {
        let put = || -> rusqlite::Result<()> {
            let mut put = self.connection.prepare_cached(PUT)?;
            put.raw_bind_parameter(1, &row.domain)?;
            put.raw_bind_parameter(2, &row.key)?;
            put.raw_bind_parameter(3, row.rank)?;
            put.raw_bind_parameter(4, whole(row.seq))?;
            put.raw_bind_parameter(5, &row.body)?;
            let shown = views::of(&row.domain).map(|view| cells(&row.body, view.fields));
            let mut shown = shown.into_iter().flatten();
            for at in 0..views::CELLS {
                put.raw_bind_parameter(6 + at, shown.next().unwrap_or(Value::Null))?;
            }
            put.raw_execute().map(drop)
        };
        put().map_err(errors::at(self.path))
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

/// The row that a body holds, its fields as SQL has them: lists and objects as their JSON text.
#[derive(Deserialize)]
struct Shown<'b> {
    #[serde(borrow)]
    row: BTreeMap<Cow<'b, str>, &'b RawValue>,
}

/// The fields of the row that a body holds, in this order. A body without a row has no cells.
fn cells(body: &str, fields: &[&str]) -> Vec<Value> {
    let Ok(Shown { row }) = serde_json::from_str(body) else {
        return Vec::new();
    };
    let cell = |field: &&str| row.get(*field).map_or(Value::Null, |raw| cell(raw.get()));
    fields.iter().map(cell).collect()
}

fn cell(json: &str) -> Value {
    match json.as_bytes().first() {
        Some(b'"') => serde_json::from_str(json).map_or(Value::Null, Value::Text),
        Some(b'[' | b'{') => Value::Text(json.to_owned()),
        Some(b't') => Value::Integer(1),
        Some(b'f') => Value::Integer(0),
        Some(b'n') | None => Value::Null,
        Some(_) => match json.parse() {
            Ok(whole) => Value::Integer(whole),
            Err(_) => json.parse().map_or(Value::Null, Value::Real),
        },
    }
}

/// A count as `SQLite` holds it; no journal reaches the end of its integers.
pub(super) fn whole(count: impl TryInto<i64>) -> i64 {
    count.try_into().unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_statement_has_a_place_for_every_column() {
        assert_eq!(PUT.matches('?').count(), 5 + views::CELLS);
    }

    #[test]
    fn fields_stand_in_cells_as_sql_has_them() {
        let body = r#"{"row":{"a":"x\"y","b":[1,"z"],"c":true,"d":null,"e":7,"f":0.5},"more":{}}"#;
        let text = |text: &str| Value::Text(text.to_owned());
        let found = cells(body, &["e", "a", "b", "c", "d", "f", "g"]);
        let wanted = [
            Value::Integer(7),
            text("x\"y"),
            text("[1,\"z\"]"),
            Value::Integer(1),
            Value::Null,
            Value::Real(0.5),
            Value::Null,
        ];
        assert_eq!(found, wanted);
        assert!(cells("{}", &["a"]).is_empty());
    }
}
