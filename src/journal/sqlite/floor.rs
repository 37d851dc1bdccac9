//! What reading a store costs at the least: the yardstick of every read in this program.

use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use crate::contract::refusal::Refusal;

use super::errors;

/// Opens the database, reads its last position, and nothing else. No check is made.
///
/// # Errors
/// There is no database to read.
pub fn floor_read(path: impl AsRef<Path>) -> Result<i64, Refusal> {
    let path = path.as_ref();
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(errors::at(path))?;
    let max: Option<i64> = connection
        .query_row("SELECT max(seq) FROM journal", [], |row| row.get(0))
        .map_err(errors::at(path))?;
    Ok(max.unwrap_or(0))
}
