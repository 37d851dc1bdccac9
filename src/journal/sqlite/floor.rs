//! What reading and verifying a store cost at the least: the yardsticks of this program.

use std::hint::black_box;
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};
use rustix::time::{ClockId, clock_gettime};

use crate::contract::digest::Digest;
use crate::contract::refusal::Refusal;

use super::schema::COLUMNS;
use super::states::whole;
use super::{append, errors, read};

/// Records that are held in memory at a time.
const STRETCH: usize = 1_000;

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
    // The verbs that are measured against this end without taking their connection apart, too.
    std::mem::forget(connection);
    Ok(max.unwrap_or(0))
}

/// Hashes the two texts of every record, as a verification must, and gives the processor time that
/// the hashing alone took. Nothing is compared.
///
/// # Errors
/// There is no database to read.
pub fn floor_hash(path: impl AsRef<Path>) -> Result<Duration, Refusal> {
    let path = path.as_ref();
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(errors::at(path))?;
    hashing(&connection).map_err(errors::at(path))
}

fn hashing(connection: &Connection) -> rusqlite::Result<Duration> {
    let sql = format!("SELECT {COLUMNS} FROM journal WHERE seq > ?1 ORDER BY seq LIMIT ?2");
    let mut statement = connection.prepare(&sql)?;
    let (mut took, mut after, mut previous) = (Duration::ZERO, 0, Digest::ZERO);
    loop {
        let rows = statement.query_map([whole(after), whole(STRETCH)], read::record)?;
        let mut inputs = Vec::with_capacity(STRETCH);
        for record in rows {
            let record = record?;
            after = record.seq;
            let covered = append::columns(&record).covered(&previous);
            previous = record.hash;
            inputs.push((record.body, covered));
        }
        if inputs.is_empty() {
            return Ok(took);
        }
        let start = processor();
        for (body, covered) in &inputs {
            black_box(Digest::of(body.as_bytes()));
            black_box(Digest::of(covered));
        }
        took += processor().saturating_sub(start);
    }
}

/// Processor time of this thread: what other programs do meanwhile does not count.
fn processor() -> Duration {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    let (seconds, nanos) = (u64::try_from(now.tv_sec), u32::try_from(now.tv_nsec));
    Duration::new(seconds.unwrap_or(0), nanos.unwrap_or(0))
}
