//! Appending inside one transaction (spec 1.1): position, id, time, chain, fold.

use std::cell::OnceCell;

use rusqlite::{ErrorCode, params};
use uuid::{NoContext, Timestamp, Uuid};

use crate::contract::digest::Digest;
use crate::contract::event::{CLOCK_JUMP, ClockJump};
use crate::contract::ids::{AgentId, ProjectId, RecordId, TaskId};
use crate::contract::record::{Columns, Head, Kind, NewRecord, Record};
use crate::contract::refusal::{Code, Refusal};
use crate::contract::time::Now;

use super::super::{Fold, Page, Read, States as _, Write};
use super::errors;
use super::last::{self, Last};
use super::read::Snapshot;
use super::states::{Projections, whole};

const INSERT: &str = "INSERT INTO journal(seq, kind, id, schema, producer, project, task, agent, \
    recorded_at, boot, mono_us, body, body_sha256, hash) \
    VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)";

/// Who writes the store's own records.
const PRODUCER: &str = "watchfloor";

/// A transaction that appends.
pub(super) struct Writing<'c> {
    snapshot: Snapshot<'c>,
    fold: &'c dyn Fold,
    states: Projections<'c>,
    /// The last record, once it was looked up; `None` for an empty journal.
    last: OnceCell<Option<Last>>,
    appended: Option<u64>,
    /// A record was inserted but not folded: the transaction must not be committed.
    broken: Option<Refusal>,
}

impl<'c> Writing<'c> {
    pub(super) fn new(snapshot: Snapshot<'c>, fold: &'c dyn Fold) -> Self {
        Self {
            snapshot,
            fold,
            states: snapshot.projections(),
            last: OnceCell::new(),
            appended: None,
            broken: None,
        }
    }

    /// Writes the projections. The last position that was appended, or why nothing of this may
    /// be committed.
    pub(super) fn finish(self) -> Result<Option<u64>, Refusal> {
        if let Some(refusal) = self.broken {
            return Err(refusal);
        }
        self.states.flush()?;
        Ok(self.appended)
    }

    fn last(&self) -> Result<Option<Last>, Refusal> {
        if let Some(last) = self.last.get() {
            return Ok(last.clone());
        }
        let found = last::last(self.snapshot.connection);
        let found = found.map_err(errors::at(self.snapshot.path))?;
        Ok(self.last.get_or_init(|| found).clone())
    }

    fn jump(&self, now: &Now) -> Result<Option<i64>, Refusal> {
        match self.last()? {
            Some(last) => last
                .jump(self.snapshot.connection, now)
                .map_err(errors::at(self.snapshot.path)),
            None => Ok(None),
        }
    }

    fn store(&mut self, new: NewRecord, now: &Now) -> Result<Record, Refusal> {
        let head = self.last()?.map(|last| last.head());
        let record = complete(new, head.as_ref(), now);
        self.insert(&record)?;
        if let Err(refusal) = self.fold.apply(&record, &mut self.states) {
            self.broken = Some(refusal.clone());
            return Err(refusal);
        }
        self.last = OnceCell::from(Some(Last::written(&record, now.utc_us)));
        self.appended = Some(record.seq);
        Ok(record)
    }

    fn insert(&self, record: &Record) -> Result<(), Refusal> {
        let values = params![
            whole(record.seq),
            record.kind.as_str(),
            record.id.as_str(),
            record.schema,
            record.producer,
            record.project.as_str(),
            record.task.as_ref().map(TaskId::as_str),
            record.agent.as_ref().map(AgentId::as_str),
            record.recorded_at,
            record.boot,
            record.mono_us,
            record.body,
            &record.body_sha256.0[..],
            &record.hash.0[..],
        ];
        self.snapshot
            .connection
            .prepare_cached(INSERT)
            .and_then(|mut insert| insert.execute(values))
            .map(|_| ())
            .map_err(|error| self.refused(record, error))
    }

    fn refused(&self, record: &Record, error: rusqlite::Error) -> Refusal {
        let twice = error.sqlite_error_code() == Some(ErrorCode::ConstraintViolation)
            && matches!(self.snapshot.by_id(&record.id), Ok(Some(_)));
        if !twice {
            return errors::at(self.snapshot.path)(error);
        }
        Refusal::new(
            Code::KeyConflict,
            format!("a record with the id {} exists already", record.id),
            format!("watchfloor receipt show {}", record.id),
        )
    }
}

/// Adds what the store assigns.
fn complete(new: NewRecord, head: Option<&Head>, now: &Now) -> Record {
    let (seq, previous, before) = head.map_or((0, Digest::ZERO, i64::MIN), |head| {
        (head.seq, head.hash, head.recorded_at)
    });
    let recorded_at = now.utc_us.max(before);
    let mut record = Record {
        seq: seq + 1,
        kind: new.kind,
        id: new.id.unwrap_or_else(|| fresh_id(recorded_at)),
        schema: new.schema,
        producer: new.producer,
        project: new.project,
        task: new.task,
        agent: new.agent,
        recorded_at,
        boot: now.boot.clone(),
        mono_us: now.mono_us,
        body_sha256: Digest::of(new.body.as_bytes()),
        body: new.body,
        hash: Digest::ZERO,
    };
    record.hash = columns(&record).chain(&previous);
    record
}

/// The columns that a record's hash covers.
pub(super) fn columns(record: &Record) -> Columns<'_> {
    Columns {
        seq: record.seq,
        kind: record.kind.as_str(),
        id: record.id.as_str(),
        schema: &record.schema,
        producer: &record.producer,
        project: record.project.as_str(),
        task: record.task.as_ref().map(TaskId::as_str),
        agent: record.agent.as_ref().map(AgentId::as_str),
        recorded_at: record.recorded_at,
        boot: &record.boot,
        mono_us: record.mono_us,
        body_sha256: &record.body_sha256.0,
    }
}

/// A `UUIDv7` of the time in UTC microseconds.
fn fresh_id(utc_us: i64) -> RecordId {
    let us = u64::try_from(utc_us).unwrap_or(0);
    let nanos = u32::try_from(us % 1_000_000).unwrap_or(0) * 1_000;
    let time = Timestamp::from_unix(NoContext, us / 1_000_000, nanos);
    RecordId::new(Uuid::new_v7(time).to_string())
}

/// The event that a jump of the wall clock is recorded as.
fn jump_event(shift_us: i64, project: &ProjectId) -> Result<NewRecord, Refusal> {
    let body = ClockJump {
        schema: CLOCK_JUMP.to_owned(),
        shift_us,
    };
    Ok(NewRecord {
        kind: Kind::Event,
        id: None,
        schema: CLOCK_JUMP.to_owned(),
        producer: PRODUCER.to_owned(),
        project: project.clone(),
        task: None,
        agent: None,
        body: serde_json::to_string(&body).map_err(|error| {
            Refusal::new(Code::Internal, error.to_string(), "watchfloor verify")
        })?,
    })
}

impl Write for Writing<'_> {
    fn append(&mut self, record: NewRecord) -> Result<Record, Refusal> {
        if let Some(refusal) = &self.broken {
            return Err(refusal.clone());
        }
        let now = self.snapshot.clock.read();
        if let Some(shift_us) = self.jump(&now)? {
            self.store(jump_event(shift_us, &record.project)?, &now)?;
        }
        self.store(record, &now)
    }
}

impl Read for Writing<'_> {
    fn head(&self) -> Result<Head, Refusal> {
        Ok(self.last()?.map_or(Head::EMPTY, |last| last.head()))
    }

    fn now(&self) -> Result<Now, Refusal> {
        Ok(self.head()?.later(self.snapshot.clock.read()))
    }

    fn pending_jump(&self) -> Result<i64, Refusal> {
        self.snapshot.pending_jump()
    }

    fn by_id(&self, id: &RecordId) -> Result<Option<Record>, Refusal> {
        self.snapshot.by_id(id)
    }

    fn by_tail(&self, tail: &str, limit: usize) -> Result<Vec<Record>, Refusal> {
        self.snapshot.by_tail(tail, limit)
    }

    fn page(&self, page: &Page) -> Result<Vec<Record>, Refusal> {
        self.snapshot.page(page)
    }

    fn state(&self, domain: &str, key: &str) -> Result<Option<String>, Refusal> {
        self.states.get(domain, key)
    }

    fn states(&self, domain: &str, limit: usize, offset: usize) -> Result<Vec<String>, Refusal> {
        self.states.list(domain, limit, offset)
    }

    fn states_with(&self, domain: &str, text: &str) -> Result<Vec<String>, Refusal> {
        self.states.find(domain, text)
    }
}
