//! Reading another tool's `SQLite` file: its rows as texts, and never a byte of it changed.

mod living;

pub use living::{Cell, Foreign};

use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};

use crate::contract::refusal::{Code, Refusal};

/// One row: each column that is not NULL by its name in lower case, as text.
pub type Row = BTreeMap<String, String>;

/// What every `SQLite` file begins with.
const MAGIC: &[u8] = b"SQLite format 3\0";
/// Rows of one table at most.
const ROWS: usize = 100_000;

/// Whether these first bytes are those of a `SQLite` file.
#[must_use]
pub fn is_sqlite(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// Names of the tables, in their order.
///
/// # Errors
/// The file cannot be read as a database.
pub fn tables(path: &Path) -> Result<Vec<String>, Refusal> {
    let read = || -> rusqlite::Result<Vec<String>> {
        let db = open(path)?;
        let mut names = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")?;
        let rows = names.query_map([], |row| row.get(0))?;
        rows.collect()
    };
    read().map_err(|error| unreadable(path, &error))
}

/// The rows of a table, in their order; none where there is no such table.
///
/// # Errors
/// The file cannot be read as a database, or the table is too long.
pub fn rows(path: &Path, table: &str) -> Result<Vec<Row>, Refusal> {
    let known = tables(path)?;
    let Some(name) = known.iter().find(|name| name.eq_ignore_ascii_case(table)) else {
        return Ok(Vec::new());
    };
    let read = || -> rusqlite::Result<Vec<Row>> {
        let db = open(path)?;
        let quoted = name.replace('"', "\"\"");
        let mut statement =
            db.prepare(&format!("SELECT * FROM \"{quoted}\" LIMIT {}", ROWS + 1))?;
        let columns: Vec<String> = statement.column_names().map(str::to_lowercase).collect();
        let rows = statement.query_map([], |row| {
            let mut texts = Row::new();
            for (at, column) in columns.iter().enumerate() {
                if let Some(text) = text(row.get_ref(at)?) {
                    texts.insert(column.clone(), text);
                }
            }
            Ok(texts)
        })?;
        rows.collect()
    };
    let rows = read().map_err(|error| unreadable(path, &error))?;
    if rows.len() > ROWS {
        let cause = format!(
            "table {name} of {} has more than {ROWS} rows",
            path.display()
        );
        return Err(Refusal::new(Code::ImportUnknown, cause, next()));
    }
    Ok(rows)
}

/// Without a write-ahead log the file is opened as one that nobody changes, so that no file is
/// made beside it; with one somebody works there, and its files are there already.
fn open(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    let has_log = std::fs::metadata(&log).is_ok_and(|log| log.len() > 0);
    let mode = if has_log { "mode=ro" } else { "immutable=1" };
    Connection::open_with_flags(locator(path, mode), flags)
}

/// A path and how it is opened, as `SQLite` reads them.
fn locator(path: &Path, mode: &str) -> String {
    let name = path.to_string_lossy();
    let escaped = name
        .replace('%', "%25")
        .replace('?', "%3f")
        .replace('#', "%23");
    format!("file:{escaped}?{mode}")
}

fn text(value: ValueRef<'_>) -> Option<String> {
    match value {
        ValueRef::Null | ValueRef::Blob(_) => None,
        ValueRef::Integer(number) => Some(number.to_string()),
        ValueRef::Real(number) => Some(number.to_string()),
        ValueRef::Text(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
    }
}

fn unreadable(path: &Path, error: &rusqlite::Error) -> Refusal {
    let cause = format!("{} cannot be read as a database: {error}", path.display());
    Refusal::new(Code::ImportUnknown, cause, next())
}

fn next() -> &'static str {
    "watchfloor handoff import --help"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_as_texts_and_nothing_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a b?#%.db");
        let db = Connection::open(&path).unwrap();
        db.execute_batch(
            "PRAGMA journal_mode=WAL; CREATE TABLE Tasks(Id TEXT, n INTEGER, r REAL, b BLOB, x);
             INSERT INTO tasks VALUES('t', 7, 0.5, x'00', NULL);",
        )
        .unwrap();
        drop(db);
        let before = std::fs::read(&path).unwrap();
        assert!(is_sqlite(&before));
        let expected = [("id", "t"), ("n", "7"), ("r", "0.5")];
        let row: Row = expected.map(|(k, v)| (k.to_owned(), v.to_owned())).into();
        assert_eq!(rows(&path, "tasks").unwrap(), [row]);
        assert_eq!(rows(&path, "none").unwrap(), [] as [Row; 0]);
        assert_eq!(tables(&path).unwrap(), ["Tasks"]);
        assert_eq!(std::fs::read(&path).unwrap(), before);
        let there = std::fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(there, 1, "no file beside it");
        std::fs::write(&path, b"SQLite format 3\0 and no more").unwrap();
        assert_eq!(tables(&path).unwrap_err().code, Code::ImportUnknown);
    }

    #[test]
    fn what_lies_in_the_log_of_a_living_database_is_read_too() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("k.db");
        let db = Connection::open(&path).unwrap();
        db.execute_batch("PRAGMA journal_mode=WAL; CREATE TABLE t(id); INSERT INTO t VALUES(1);")
            .unwrap();
        assert_eq!(rows(&path, "t").unwrap().len(), 1);
        drop(db);
    }
}
