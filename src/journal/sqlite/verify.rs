//! Walking the chain (spec 1.1): every row, every column, and the first bad position.
//!
//! A row is checked against the stored hash of the row before it, so any stretch of the journal
//! can be checked by itself. Stretches are shared out among a few threads, each with a connection
//! of its own that holds no snapshot between two of them.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use rusqlite::Connection;
use rusqlite::types::ValueRef;

use crate::contract::digest::Digest;
use crate::contract::event::ChainRestart;
use crate::contract::record::{Columns, Head, Kind};
use crate::contract::refusal::{Code, Refusal};

use super::deep::Progress;
use super::schema::COLUMNS;
use super::states::whole;
use super::{SqliteStore, last, open, restarts};

/// The first record that does not verify.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bad {
    /// Its position.
    pub seq: u64,
    /// What is wrong with it.
    pub why: String,
}

/// What a walk over the whole chain found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyReport {
    /// Records that the walk covered: the position of the last one.
    pub rows: u64,
    /// Where the chain stood when the walk began.
    pub head: Head,
    /// The first bad record; `None` when all verify that no restart leaves out.
    pub first_bad: Option<Bad>,
    /// The restarts that leave records out, oldest first. The caller checks their signatures.
    pub restarts: Vec<ChainRestart>,
}

/// Rows of one stretch.
const STRETCH: u64 = 8_192;
/// Threads at most.
const THREADS: usize = 4;

impl SqliteStore {
    /// Verifies the whole chain. `progress` is told how many rows of how many are done, and may
    /// break off. Errors of a damaged database are a finding, not a failure.
    ///
    /// # Errors
    /// `progress` broke off (`verify_failed`), or the store cannot be opened again.
    pub fn verify(
        &self,
        progress: impl FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<VerifyReport, Refusal> {
        let head = match bounds(&self.connection) {
            Ok(Bounds::Rows(head)) => head,
            Ok(Bounds::Bad(bad)) => return Ok(report(Head::EMPTY, Some(bad), Vec::new())),
            Err(error) => {
                let why = format!("the database is damaged after seq 0: {error}");
                return Ok(report(Head::EMPTY, Some(Bad { seq: 1, why }), Vec::new()));
            }
        };
        let restarts = restarts::recorded(&self.connection);
        let stretches = stretches(&restarts::kept(head.seq, &restarts));
        let first_bad = walk(self.store(), &stretches, progress)?;
        Ok(report(head, first_bad, restarts))
    }
}

fn report(head: Head, first_bad: Option<Bad>, restarts: Vec<ChainRestart>) -> VerifyReport {
    VerifyReport {
        rows: head.seq,
        head,
        first_bad,
        restarts,
    }
}

/// Ranges of records cut into pieces of at most [`STRETCH`].
fn stretches(ranges: &[(u64, u64)]) -> Vec<(u64, u64)> {
    let mut cut = Vec::new();
    for &(mut from, to) in ranges {
        while from <= to {
            let end = (from + STRETCH - 1).min(to);
            cut.push((from, end));
            from = end + 1;
        }
    }
    cut
}

enum Bounds {
    Rows(Head),
    Bad(Bad),
}

fn bounds(connection: &Connection) -> rusqlite::Result<Bounds> {
    let (first, last): (Option<i64>, Option<i64>) = connection.query_row(
        "SELECT (SELECT min(seq) FROM journal), (SELECT max(seq) FROM journal)",
        [],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    if first.is_some_and(|seq| seq < 1) {
        return Ok(Bounds::Bad(Bad {
            seq: 1,
            why: "there is a record before seq 1".to_owned(),
        }));
    }
    match last::last(connection) {
        Ok(last) => Ok(Bounds::Rows(last.map_or(Head::EMPTY, |last| last.head()))),
        // The last row itself cannot be read as one; the walk says why.
        Err(_) => Ok(Bounds::Rows(Head {
            seq: last.and_then(|seq| u64::try_from(seq).ok()).unwrap_or(0),
            ..Head::EMPTY
        })),
    }
}

/// Shares the stretches out and gathers the first bad position.
fn walk(
    path: &Path,
    stretches: &[(u64, u64)],
    mut progress: impl FnMut(Progress) -> ControlFlow<()>,
) -> Result<Option<Bad>, Refusal> {
    let total = stretches.iter().map(|(from, to)| to - from + 1).sum();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = cores.min(THREADS).min(stretches.len());
    let (next, limit) = (AtomicUsize::new(0), AtomicUsize::new(stretches.len()));
    let (send, receive) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let (send, next, limit) = (send.clone(), &next, &limit);
            scope.spawn(move || worker(path, stretches, next, limit, &send));
        }
        drop(send);
        let (mut done, mut first) = (0, None::<Bad>);
        for result in &receive {
            let (checked, bad) = result.inspect_err(|_| limit.store(0, Ordering::Relaxed))?;
            done += checked;
            if let Some(bad) = bad
                && first.as_ref().is_none_or(|known| bad.seq < known.seq)
            {
                first = Some(bad);
            }
            if progress(Progress { done, total }).is_break() {
                limit.store(0, Ordering::Relaxed);
                return Err(broken_off());
            }
        }
        Ok(first)
    })
}

/// The refusal of a walk that its caller broke off.
pub(super) fn broken_off() -> Refusal {
    Refusal::new(
        Code::VerifyFailed,
        "the verification was broken off before its end",
        "watchfloor verify",
    )
}

type Checked = Result<(u64, Option<Bad>), Refusal>;

/// Takes stretch after stretch until none is left below the limit, which falls to the first
/// stretch with a bad row.
fn worker(
    path: &Path,
    stretches: &[(u64, u64)],
    next: &AtomicUsize,
    limit: &AtomicUsize,
    send: &mpsc::Sender<Checked>,
) {
    let connection = match open::connection(path) {
        Ok(connection) => connection,
        Err(refusal) => {
            let _ = send.send(Err(refusal));
            return;
        }
    };
    loop {
        let at = next.fetch_add(1, Ordering::Relaxed);
        if at >= limit.load(Ordering::Relaxed) {
            return;
        }
        let Some(&(from, to)) = stretches.get(at) else {
            return;
        };
        let bad = stretch(&connection, from, to);
        if bad.is_some() {
            limit.fetch_min(at, Ordering::Relaxed);
        }
        if send.send(Ok((to - from + 1, bad))).is_err() {
            return;
        }
    }
}

/// The columns of a row in their order, texts as the bytes that they are: `SQLite` gives a text
/// by a copy with an end mark, and bytes where they lie. The table is strict, so that a text
/// column holds a text or nothing.
const BORROWED: &str = "seq, CAST(kind AS BLOB), CAST(id AS BLOB), CAST(schema AS BLOB), \
    CAST(producer AS BLOB), CAST(project AS BLOB), CAST(task AS BLOB), CAST(agent AS BLOB), \
    recorded_at, CAST(boot AS BLOB), mono_us, CAST(body AS BLOB), body_sha256, hash";

/// A text that was read as its bytes.
fn text(value: ValueRef<'_>) -> Option<&str> {
    std::str::from_utf8(value.as_blob().ok()?).ok()
}

/// Checks the rows `from..=to`.
fn stretch(connection: &Connection, from: u64, to: u64) -> Option<Bad> {
    let mut good = from - 1;
    let mut check = || -> rusqlite::Result<Option<Bad>> {
        let mut statement = connection.prepare_cached(&format!(
            "SELECT {BORROWED} FROM journal WHERE seq BETWEEN ?1 AND ?2 ORDER BY seq"
        ))?;
        let mut rows = statement.query([whole(from.saturating_sub(1).max(1)), whole(to)])?;
        let mut previous = (from == 1).then_some(Digest::ZERO);
        while let Some(row) = rows.next()? {
            let number = row.get_ref(0)?.as_i64().unwrap_or(0);
            if previous.is_none() && number == whole(from - 1) {
                // A hash of another size is that row's fault, which its own stretch tells.
                previous = Some(stored_hash(row.get_ref(13)?).unwrap_or(Digest::ZERO));
                continue;
            }
            let seq = good + 1;
            if number != whole(seq) {
                let why = format!("the record is missing; the next one is seq {number}");
                return Ok(Some(Bad { seq, why }));
            }
            match row_hash(row, previous.unwrap_or(Digest::ZERO))? {
                Ok(hash) => previous = Some(hash),
                Err(why) => return Ok(Some(Bad { seq, why })),
            }
            good = seq;
        }
        Ok((good < to).then(|| Bad {
            seq: good + 1,
            why: "the record is missing".to_owned(),
        }))
    };
    check().unwrap_or_else(|error| {
        Some(Bad {
            seq: good + 1,
            why: format!("the database is damaged after seq {good}: {error}"),
        })
    })
}

fn stored_hash(value: ValueRef<'_>) -> Option<Digest> {
    value.as_blob().ok()?.try_into().ok().map(Digest)
}

/// The hash of a row whose columns, body and stored hash fit each other; else what does not.
fn row_hash(row: &rusqlite::Row<'_>, previous: Digest) -> rusqlite::Result<Result<Digest, String>> {
    let mut texts = [""; 7];
    for (found, column) in texts.iter_mut().zip([1, 2, 3, 4, 5, 9, 11]) {
        match text(row.get_ref(column)?) {
            Some(read) => *found = read,
            None => return Ok(Err(wrong(column, "a text"))),
        }
    }
    let mut about = [None; 2];
    for (found, column) in about.iter_mut().zip([6, 7]) {
        let value = row.get_ref(column)?;
        if value != ValueRef::Null {
            match text(value) {
                Some(read) => *found = Some(read),
                None => return Ok(Err(wrong(column, "a text or absent"))),
            }
        }
    }
    let [kind, id, schema, producer, project, boot, body] = texts;
    let (Ok(recorded_at), Ok(mono_us)) = (row.get_ref(8)?.as_i64(), row.get_ref(10)?.as_i64())
    else {
        return Ok(Err(wrong(8, "a number, or mono_us is not")));
    };
    if Kind::parse(kind).is_none() {
        return Ok(Err(format!("its kind {kind:?} is unknown")));
    }
    let Some(body_sha256) = stored_hash(row.get_ref(12)?) else {
        return Ok(Err(wrong(12, "a digest")));
    };
    if Digest::of(body.as_bytes()) != body_sha256 {
        return Ok(Err("its body is not the one of body_sha256".to_owned()));
    }
    let columns = Columns {
        seq: u64::try_from(row.get_ref(0)?.as_i64().unwrap_or(0)).unwrap_or(0),
        kind,
        id,
        schema,
        producer,
        project,
        task: about[0],
        agent: about[1],
        recorded_at,
        boot,
        mono_us,
        body_sha256: &body_sha256.0,
    };
    let hash = columns.chain(&previous);
    if stored_hash(row.get_ref(13)?) == Some(hash) {
        return Ok(Ok(hash));
    }
    Ok(Err(
        "its columns and the hash before it do not give its hash".to_owned(),
    ))
}

fn wrong(column: usize, what: &str) -> String {
    let name = COLUMNS.split(", ").nth(column).unwrap_or("a column");
    format!("{} is not {what}", name.trim())
}
