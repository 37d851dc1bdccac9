//! Asking a database that another program is working in, without leaving a trace beside it.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, OpenFlags, ToSql, params_from_iter};

use crate::contract::refusal::Refusal;

use super::{MAGIC, locator, unreadable};

/// Rows that one question answers at most.
const ROWS: usize = 4_000;
/// How long a question waits for the other program.
const PATIENCE: Duration = Duration::from_millis(200);
/// Where a header tells how it is written: 2 is a write-ahead log.
const READ_VERSION: usize = 19;

/// One value of a row; a blob is as good as nothing.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// NULL, or a blob.
    Nothing,
    /// A whole number.
    Int(i64),
    /// Another number.
    Real(f64),
    /// A text; what is no UTF-8 in it is replaced.
    Text(String),
}

impl Cell {
    /// The text, where it is one.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The number as a whole one.
    #[must_use]
    pub fn whole(&self) -> Option<i64> {
        match self {
            Self::Int(number) => Some(*number),
            #[expect(clippy::cast_possible_truncation, reason = "`as` saturates")]
            Self::Real(number) => Some(*number as i64),
            _ => None,
        }
    }

    /// The number.
    #[must_use]
    pub fn number(&self) -> Option<f64> {
        match self {
            #[expect(
                clippy::cast_precision_loss,
                reason = "times and counts stay far below"
            )]
            Self::Int(number) => Some(*number as f64),
            Self::Real(number) => Some(*number),
            _ => None,
        }
    }
}

impl ToSql for Cell {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Nothing => ValueRef::Null,
            Self::Int(number) => ValueRef::Integer(*number),
            Self::Real(number) => ValueRef::Real(*number),
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
        }))
    }
}

/// Another program's database, open for questions.
pub struct Foreign {
    db: Connection,
    path: PathBuf,
}

impl Foreign {
    /// Opens it so that no file is made beside it: with a write-ahead log that is in use as any
    /// reader would; without one in use as a file that nobody writes to now, because a reader
    /// would make the log's files; one that is written in place as any reader would.
    ///
    /// # Errors
    /// It cannot be read as a database.
    pub fn open(path: &Path) -> Result<Self, Refusal> {
        let beside = |end: &str| {
            let mut name = path.as_os_str().to_owned();
            name.push(end);
            std::fs::metadata(name).is_ok_and(|file| file.len() > 0)
        };
        let in_use = beside("-wal") && beside("-shm");
        let mode = if logged(path) && !in_use {
            "immutable=1"
        } else {
            "mode=ro"
        };
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
        let open = || {
            let db = Connection::open_with_flags(locator(path, mode), flags)?;
            db.busy_timeout(PATIENCE)?;
            db.execute_batch("PRAGMA query_only=1; PRAGMA cache_size=-512; PRAGMA mmap_size=0")?;
            Ok(db)
        };
        let db = open().map_err(|error| unreadable(path, &error))?;
        Ok(Self {
            db,
            path: path.to_path_buf(),
        })
    }

    /// The columns of a table; none where there is no such table.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn columns(&self, table: &str) -> Result<Vec<String>, Refusal> {
        let names = self.ask(
            "SELECT name FROM pragma_table_info(?1)",
            &[Cell::Text(table.to_owned())],
        )?;
        let texts = names.into_iter().filter_map(|mut row| row.pop());
        Ok(texts
            .filter_map(|cell| cell.text().map(str::to_owned))
            .collect())
    }

    /// The rows that a question answers, at most 4,000.
    ///
    /// # Errors
    /// It cannot be read, or has no such columns.
    pub fn ask(&self, sql: &str, given: &[Cell]) -> Result<Vec<Vec<Cell>>, Refusal> {
        let ask = || -> rusqlite::Result<Vec<Vec<Cell>>> {
            let mut statement = self.db.prepare(sql)?;
            let width = statement.column_count();
            let mut found = statement.query(params_from_iter(given))?;
            let mut rows = Vec::new();
            while let Some(row) = found.next()? {
                let cells = (0..width).map(|at| row.get_ref(at).map(cell));
                rows.push(cells.collect::<rusqlite::Result<_>>()?);
                if rows.len() >= ROWS {
                    break;
                }
            }
            Ok(rows)
        };
        ask().map_err(|error| unreadable(&self.path, &error))
    }
}

/// Whether the file says that it has a write-ahead log.
fn logged(path: &Path) -> bool {
    let mut header = [0; READ_VERSION + 1];
    let read = std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut header));
    read.is_ok() && header.starts_with(MAGIC) && header[READ_VERSION] == 2
}

fn cell(value: ValueRef<'_>) -> Cell {
    match value {
        ValueRef::Null | ValueRef::Blob(_) => Cell::Nothing,
        ValueRef::Integer(number) => Cell::Int(number),
        ValueRef::Real(number) => Cell::Real(number),
        ValueRef::Text(bytes) => Cell::Text(String::from_utf8_lossy(bytes).into_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn beside(folder: &Path) -> BTreeSet<String> {
        let files = std::fs::read_dir(folder).unwrap();
        files
            .map(|file| file.unwrap().file_name().to_string_lossy().into_owned())
            .collect()
    }

    fn count(path: &Path) -> i64 {
        let rows = Foreign::open(path).unwrap();
        let rows = rows.ask("SELECT count(*) FROM t", &[]).unwrap();
        rows[0][0].whole().unwrap()
    }

    #[test]
    fn a_database_in_use_is_read_with_its_log_and_nothing_is_left_beside_it() {
        for mode in ["WAL", "DELETE"] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("a b%.db");
            let db = Connection::open(&path).unwrap();
            db.execute_batch(&format!(
                "PRAGMA journal_mode={mode}; CREATE TABLE t(a, b TEXT); INSERT INTO t VALUES(1, 'x'), (2.5, NULL);"
            ))
            .unwrap();
            let files = beside(folder.path());
            assert_eq!(count(&path), 2, "{mode}");
            db.execute_batch("INSERT INTO t VALUES(3, x'00')").unwrap();
            assert_eq!(count(&path), 3, "{mode}");
            assert_eq!(beside(folder.path()), files, "{mode}");
            drop(db);
            let files = beside(folder.path());
            let bytes = std::fs::read(&path).unwrap();
            let foreign = Foreign::open(&path).unwrap();
            assert_eq!(foreign.columns("t").unwrap(), ["a", "b"]);
            assert_eq!(foreign.columns("none").unwrap(), [] as [String; 0]);
            let rows = foreign.ask(
                "SELECT a, b FROM t WHERE a > ?1 ORDER BY a",
                &[Cell::Int(1)],
            );
            assert_eq!(
                rows.unwrap(),
                [
                    [Cell::Real(2.5), Cell::Nothing],
                    [Cell::Int(3), Cell::Nothing]
                ]
            );
            assert!(foreign.ask("INSERT INTO t VALUES(4, 4)", &[]).is_err());
            drop(foreign);
            assert_eq!(beside(folder.path()), files, "{mode}");
            assert_eq!(std::fs::read(&path).unwrap(), bytes, "{mode}");
        }
    }

    #[test]
    fn what_is_no_database_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.db");
        assert!(Foreign::open(&path).is_err());
        std::fs::write(&path, "SQLite format 3\0 and no more").unwrap();
        let opened = Foreign::open(&path).and_then(|db| db.columns("t"));
        assert!(opened.is_err());
    }
}
