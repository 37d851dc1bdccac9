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
use rusqlite::{Connection, OptionalExtension as _, ToSql, params};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::contract::refusal::Refusal;

use super::super::{StateRow, States};
use super::{errors, views};

/// Projection rows of one connection, inside one transaction.
pub(super) struct Projections<'c> {
    connection: &'c Connection,
    path: &'c Path,
    /// By domain, then key, which is the order of writing.
    rows: RefCell<BTreeMap<String, BTreeMap<String, Known>>>,
}

/// What is known about a row.
struct Known {
    /// Its place in the table, when it is there.
    place: Option<i64>,
    what: What,
}

/// What becomes of a row.
enum What {
    /// It stays as the table has it.
    Read(Option<String>),
    /// It is written.
    Put(StateRow),
    /// It is removed.
    Removed,
}

impl Known {
    fn body(&self) -> Option<String> {
        match &self.what {
            What::Read(body) => body.clone(),
            What::Put(row) => Some(row.body.clone()),
            What::Removed => None,
        }
    }
}

pub(super) const LIST: &str = "SELECT body FROM state WHERE domain = ?1 \
    ORDER BY rank DESC, seq DESC, key LIMIT ?2 OFFSET ?3";
const FIND: &str = "SELECT body FROM state WHERE domain = ?1 AND instr(body, ?2) > 0 ORDER BY key";
const GET: &str = "SELECT rowid, body FROM state WHERE domain = ?1 AND key = ?2";
const INSERT: &str = "INSERT INTO state VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)";
/// In place: the index of the keys is not touched.
const UPDATE: &str = "UPDATE state SET rank=?,seq=?,body=? WHERE rowid=?";
const UPDATE_SHOWN: &str = "UPDATE state SET rank=?,seq=?,body=?,c0=?,c1=?,c2=?,c3=?,c4=?,c5=?,c6=?,c7=?,c8=?,c9=?,c10=?,c11=?,c12=?,c13=?,c14=?,c15=?,c16=?,c17=?,c18=?,c19=?,c20=?,c21=?,c22=?,c23=?,c24=?,c25=?,c26=?,c27=?,c28=?,c29=?,c30=?,c31=? WHERE rowid=?";
const REMOVE: &str = "DELETE FROM state WHERE rowid = ?1";

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
        for rows in self.rows.borrow_mut().values_mut() {
            for known in rows.values_mut() {
                let now = match &mut known.what {
                    What::Read(_) => continue,
                    What::Put(row) => {
                        let place = self.write(row, known.place);
                        known.place = Some(place.map_err(errors::at(self.path))?);
                        Some(std::mem::take(&mut row.body))
                    }
                    What::Removed => {
                        if let Some(place) = known.place.take() {
                            self.run(REMOVE, [place])?;
                        }
                        None
                    }
                };
                known.what = What::Read(now);
            }
        }
        Ok(())
    }

    /// Forgets all rows, which must have been written: a transaction has ended.
    pub(super) fn forget(&self) {
        self.rows.borrow_mut().clear();
    }

    /// Writes a row where it stands, or as a new one; answers its place.
    fn write(&self, row: &StateRow, place: Option<i64>) -> rusqlite::Result<i64> {
        let view = views::of(&row.domain);
        let mut cells = view.map_or_else(Vec::new, |view| cells(&row.body, view.fields));
        let sql = match (place, view) {
            (None, _) => INSERT,
            (Some(_), None) => UPDATE,
            (Some(_), Some(_)) => UPDATE_SHOWN,
        };
        if view.is_some() || place.is_none() {
            cells.resize(views::CELLS, Value::Null);
        }
        let mut put = self.connection.prepare_cached(sql)?;
        let mut at = 0;
        let mut bind = |value: &dyn ToSql| {
            at += 1;
            put.raw_bind_parameter(at, value)
        };
        if place.is_none() {
            bind(&row.domain)?;
            bind(&row.key)?;
        }
        bind(&row.rank)?;
        bind(&whole(row.seq))?;
        bind(&row.body)?;
        for cell in &cells {
            bind(cell)?;
        }
        if let Some(place) = place {
            bind(&place)?;
        }
        put.raw_execute()?;
        Ok(place.unwrap_or_else(|| self.connection.last_insert_rowid()))
    }

    /// What is known of a row, read when nobody has asked for it yet.
    fn look<T>(
        &self,
        domain: &str,
        key: &str,
        view: impl FnOnce(&mut Known) -> T,
    ) -> Result<T, Refusal> {
        let known = |rows: &BTreeMap<String, BTreeMap<String, Known>>| {
            rows.get(domain).is_some_and(|rows| rows.contains_key(key))
        };
        if !known(&self.rows.borrow()) {
            let found = self.read(domain, key).map_err(errors::at(self.path))?;
            let (place, body) =
                found.map_or((None, None), |(place, body)| (Some(place), Some(body)));
            let known = Known {
                place,
                what: What::Read(body),
            };
            let mut rows = self.rows.borrow_mut();
            rows.entry(domain.to_owned())
                .or_default()
                .insert(key.to_owned(), known);
        }
        let mut rows = self.rows.borrow_mut();
        let row = rows.get_mut(domain).and_then(|rows| rows.get_mut(key));
        // It was put there just now.
        row.map(view)
            .ok_or_else(|| errors::damaged(self.path, "a projection is gone"))
    }

    fn read(&self, domain: &str, key: &str) -> rusqlite::Result<Option<(i64, String)>> {
        self.connection
            .prepare_cached(GET)?
            .query_row([domain, key], |row| Ok((row.get(0)?, row.get(1)?)))
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
        self.look(domain, key, |known| known.body())
    }

    fn list(&self, domain: &str, limit: usize, offset: usize) -> Result<Vec<String>, Refusal> {
        self.texts(LIST, params![domain, whole(limit), whole(offset)])
    }

    fn find(&self, domain: &str, text: &str) -> Result<Vec<String>, Refusal> {
        self.texts(FIND, [domain, text])
    }

    fn put(&mut self, row: &StateRow) -> Result<(), Refusal> {
        let put = What::Put(row.clone());
        self.look(&row.domain, &row.key, |known| known.what = put)
    }

    fn remove(&mut self, domain: &str, key: &str) -> Result<(), Refusal> {
        self.look(domain, key, |known| known.what = What::Removed)
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
    fn the_statements_have_a_place_for_every_column() {
        assert_eq!(INSERT.matches('?').count(), 5 + views::CELLS);
        assert_eq!(UPDATE_SHOWN.matches('?').count(), 4 + views::CELLS);
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
