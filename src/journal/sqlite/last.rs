//! The last record of the journal, and how far the wall clock jumped since (spec 1.1).

use rusqlite::{Connection, OptionalExtension as _};

use crate::contract::digest::Digest;
use crate::contract::event::{CLOCK_JUMP, ClockJump};
use crate::contract::record::{Head, Record};
use crate::contract::time::{JUMP_US, Now};

use super::super::clock::UNKNOWN_BOOT;
use super::read::{digest, seq};
use super::states::whole;

/// What the next record needs to know about the one before it.
#[derive(Clone, Debug)]
pub(super) struct Last {
    pub(super) seq: u64,
    pub(super) hash: Digest,
    pub(super) recorded_at: i64,
    boot: String,
    mono_us: i64,
    wall: Wall,
}

/// What the wall clock showed when a record was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wall {
    /// This many microseconds.
    Known(i64),
    /// Perhaps less than `recorded_at`: the record before it has the same one.
    Held,
}

const LAST: &str = "SELECT seq, hash, recorded_at, boot, mono_us FROM journal \
    ORDER BY seq DESC LIMIT 2";

/// The last record; `None` for an empty journal.
pub(super) fn last(connection: &Connection) -> rusqlite::Result<Option<Last>> {
    let mut statement = connection.prepare_cached(LAST)?;
    let mut rows = statement.query([])?;
    let Some(row) = rows.next()? else {
        return Ok(None);
    };
    let recorded_at = row.get(2)?;
    let mut last = Last {
        seq: seq(row, 0)?,
        hash: digest(row, 1)?,
        recorded_at,
        boot: row.get(3)?,
        mono_us: row.get(4)?,
        wall: Wall::Known(recorded_at),
    };
    if let Some(before) = rows.next()?
        && before.get::<_, i64>(2)? == recorded_at
    {
        last.wall = Wall::Held;
    }
    Ok(Some(last))
}

impl Last {
    /// A record that was just written while the wall clock showed `wall_us`.
    pub(super) fn written(record: &Record, wall_us: i64) -> Self {
        Self {
            seq: record.seq,
            hash: record.hash,
            recorded_at: record.recorded_at,
            boot: record.boot.clone(),
            mono_us: record.mono_us,
            wall: Wall::Known(wall_us),
        }
    }

    pub(super) fn head(&self) -> Head {
        Head {
            seq: self.seq,
            hash: self.hash,
            recorded_at: self.recorded_at,
        }
    }

    /// By how many microseconds the wall clock moved more than the monotonic one since this
    /// record, when that is a jump. Idle time and a reboot are none.
    pub(super) fn jump(&self, connection: &Connection, now: &Now) -> rusqlite::Result<Option<i64>> {
        if self.boot != now.boot || now.boot == UNKNOWN_BOOT {
            return Ok(None);
        }
        let wall = match self.wall {
            Wall::Known(wall) => Some(wall),
            Wall::Held => self.held_wall(connection)?,
        };
        let Some(wall) = wall else {
            return Ok(None);
        };
        let passed = now.utc_us.saturating_sub(wall);
        let shift = passed.saturating_sub(now.mono_us.saturating_sub(self.mono_us));
        Ok((shift.unsigned_abs() > JUMP_US.unsigned_abs()).then_some(shift))
    }

    /// The wall clock at this record, from the first one with the same `recorded_at`, whose
    /// time was not held: what passed on the monotonic clock since, and the jumps recorded
    /// since. `None` across a reboot.
    fn held_wall(&self, connection: &Connection) -> rusqlite::Result<Option<i64>> {
        let first = self.first_of_run(connection)?;
        let start = connection
            .prepare_cached("SELECT boot, mono_us FROM journal WHERE seq = ?1")?
            .query_row([whole(first)], |row| {
                Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?))
            })
            .optional()?;
        let Some((boot, mono_us)) = start else {
            return Ok(None);
        };
        if boot != self.boot {
            return Ok(None);
        }
        let mut jumps = connection.prepare_cached(
            "SELECT body FROM journal WHERE kind <> 'attempt' AND kind = 'event' \
             AND seq > ?1 AND schema = ?2",
        )?;
        let mut rows = jumps.query((whole(first), CLOCK_JUMP))?;
        let mut shift = 0;
        while let Some(row) = rows.next()? {
            let body = row.get_ref(0)?.as_str()?;
            shift += serde_json::from_str(body).map_or(0, |jump: ClockJump| jump.shift_us);
        }
        Ok(Some(self.recorded_at + (self.mono_us - mono_us) + shift))
    }

    /// The first position with this `recorded_at`, by halving: times never fall.
    fn first_of_run(&self, connection: &Connection) -> rusqlite::Result<u64> {
        let mut at = connection.prepare_cached("SELECT recorded_at FROM journal WHERE seq = ?1")?;
        let (mut low, mut high) = (1, self.seq);
        while low < high {
            let middle = low + (high - low) / 2;
            let time: i64 = at.query_row([whole(middle)], |row| row.get(0))?;
            if time < self.recorded_at {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        Ok(low)
    }
}
