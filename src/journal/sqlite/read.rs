//! Reads inside one snapshot (spec 1.1, 1.2): by id, by handle, by page, by aggregate.

use std::path::Path;

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension as _, Row, params, params_from_iter};

use crate::contract::digest::Digest;
use crate::contract::ids::{AgentId, ProjectId, RecordId, TaskId};
use crate::contract::record::{Head, Kind, Record};
use crate::contract::refusal::Refusal;
use crate::contract::time::Now;

use super::super::clock::Clock;
use super::super::{Page, Read, States as _};
use super::schema::COLUMNS;
use super::states::{Projections, whole};
use super::{SqliteStore, errors, last};

/// A store as it was when its transaction began.
#[derive(Clone, Copy)]
pub(super) struct Snapshot<'c> {
    pub(super) connection: &'c Connection,
    pub(super) path: &'c Path,
    pub(super) clock: &'c dyn Clock,
}

impl<'c> Snapshot<'c> {
    pub(super) fn of(store: &'c SqliteStore) -> Self {
        Self {
            connection: &store.connection,
            path: &store.paths.store,
            clock: &*store.clock,
        }
    }

    pub(super) fn projections(&self) -> Projections<'c> {
        Projections::new(self.connection, self.path)
    }

    fn records(&self, sql: &str, values: Vec<Value>) -> rusqlite::Result<Vec<Record>> {
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map(params_from_iter(values), record)?;
        rows.collect()
    }
}

impl Read for Snapshot<'_> {
    fn head(&self) -> Result<Head, Refusal> {
        let last = last::last(self.connection).map_err(errors::at(self.path))?;
        Ok(last.map_or(Head::EMPTY, |last| last.head()))
    }

    fn now(&self) -> Result<Now, Refusal> {
        Ok(self.head()?.later(self.clock.read()))
    }

    fn pending_jump(&self) -> Result<i64, Refusal> {
        let last = last::last(self.connection).map_err(errors::at(self.path))?;
        let Some(last) = last else { return Ok(0) };
        let jump = last.jump(self.connection, &self.clock.read());
        Ok(jump.map_err(errors::at(self.path))?.unwrap_or(0))
    }

    fn by_id(&self, id: &RecordId) -> Result<Option<Record>, Refusal> {
        let sql = format!(
            "SELECT {COLUMNS} FROM journal WHERE substr(id, -4) = substr(?1, -4) AND id = ?1"
        );
        self.connection
            .prepare_cached(&sql)
            .and_then(|mut s| s.query_row([id.as_str()], record).optional())
            .map_err(errors::at(self.path))
    }

    fn by_tail(&self, tail: &str, limit: usize) -> Result<Vec<Record>, Refusal> {
        let sql = format!(
            "SELECT {COLUMNS} FROM journal WHERE substr(id, -4) = substr(?1, -4) \
             AND substr(id, -length(?1)) = ?1 ORDER BY seq DESC LIMIT ?2"
        );
        let run = || -> rusqlite::Result<Vec<Record>> {
            let mut statement = self.connection.prepare_cached(&sql)?;
            let rows = statement.query_map(params![tail, whole(limit)], record)?;
            rows.collect()
        };
        run().map_err(errors::at(self.path))
    }

    fn page(&self, page: &Page) -> Result<Vec<Record>, Refusal> {
        let (sql, values) = select(page);
        self.records(&sql, values).map_err(errors::at(self.path))
    }

    fn state(&self, domain: &str, key: &str) -> Result<Option<String>, Refusal> {
        self.projections().get(domain, key)
    }

    fn states(&self, domain: &str, limit: usize, offset: usize) -> Result<Vec<String>, Refusal> {
        self.projections().list(domain, limit, offset)
    }

    fn states_with(&self, domain: &str, text: &str) -> Result<Vec<String>, Refusal> {
        self.projections().find(domain, text)
    }
}

/// The statement of a page. One text for each combination of filters, so that each is prepared
/// once; a filter that is absent leaves no term that would hide an index from the planner.
pub(super) fn select(page: &Page) -> (String, Vec<Value>) {
    let mut sql = format!("SELECT {COLUMNS} FROM journal WHERE seq > ?");
    let mut values = vec![Value::Integer(whole(page.after))];
    if let Some(before) = page.before {
        sql.push_str(" AND seq < ?");
        values.push(Value::Integer(whole(before)));
    }
    if let Some(task) = &page.task {
        sql.push_str(" AND task = ?");
        values.push(Value::Text(task.as_str().to_owned()));
    }
    if let Some(kind) = page.kind {
        // With a task its own index is the narrower one; the sign keeps the other out.
        sql.push_str(match (&page.task, kind) {
            (None, Kind::Receipt | Kind::Event | Kind::Observation) => {
                " AND kind <> 'attempt' AND kind = ?"
            }
            _ => " AND +kind = ?",
        });
        values.push(Value::Text(kind.as_str().to_owned()));
    }
    if let Some(schema) = &page.schema {
        sql.push_str(" AND schema = ?");
        values.push(Value::Text(schema.clone()));
    }
    let order = if page.newest_first { "DESC" } else { "ASC" };
    sql.push_str(" ORDER BY seq ");
    sql.push_str(order);
    sql.push_str(" LIMIT ?");
    values.push(Value::Integer(whole(page.limit)));
    (sql, values)
}

/// Reads a row of [`COLUMNS`].
pub(super) fn record(row: &Row<'_>) -> rusqlite::Result<Record> {
    let kind: String = row.get(1)?;
    let kind = Kind::parse(&kind).ok_or_else(|| unreadable(1, "an unknown kind"))?;
    Ok(Record {
        seq: seq(row, 0)?,
        kind,
        id: RecordId::new(row.get::<_, String>(2)?),
        schema: row.get(3)?,
        producer: row.get(4)?,
        project: ProjectId::new(row.get::<_, String>(5)?),
        task: row.get::<_, Option<String>>(6)?.map(TaskId::new),
        agent: row.get::<_, Option<String>>(7)?.map(AgentId::new),
        recorded_at: row.get(8)?,
        boot: row.get(9)?,
        mono_us: row.get(10)?,
        body: row.get(11)?,
        body_sha256: digest(row, 12)?,
        hash: digest(row, 13)?,
    })
}

pub(super) fn seq(row: &Row<'_>, at: usize) -> rusqlite::Result<u64> {
    u64::try_from(row.get::<_, i64>(at)?).map_err(|_| unreadable(at, "a negative seq"))
}

pub(super) fn digest(row: &Row<'_>, at: usize) -> rusqlite::Result<Digest> {
    let bytes = row.get_ref(at)?.as_blob()?;
    let bytes = bytes.try_into().map_err(|_| unreadable(at, "no digest"))?;
    Ok(Digest(bytes))
}

fn unreadable(column: usize, what: &str) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Null, what.into())
}

#[cfg(test)]
mod tests {
    use super::super::schema;
    use super::*;

    #[test]
    fn no_page_scans_or_sorts() {
        let db = Connection::open_in_memory().unwrap();
        db.execute_batch(&schema::all()).unwrap();
        let plan = |sql: &str, values: Vec<Value>| -> String {
            let mut statement = db.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
            let rows = statement
                .query_map(params_from_iter(values), |row| row.get::<_, String>(3))
                .unwrap();
            rows.map(Result::unwrap).collect::<Vec<_>>().join("; ")
        };
        for newest_first in [false, true] {
            for (task, kind, index) in [
                (None, None, "INTEGER PRIMARY KEY"),
                (Some("T"), None, "journal_task"),
                (Some("T"), Some(Kind::Receipt), "journal_task"),
                (Some("T"), Some(Kind::Attempt), "journal_task"),
                (None, Some(Kind::Receipt), "journal_kind"),
                (None, Some(Kind::Event), "journal_kind"),
                (None, Some(Kind::Attempt), "INTEGER PRIMARY KEY"),
            ] {
                let page = Page {
                    task: task.map(TaskId::new),
                    kind,
                    before: Some(9),
                    limit: 5,
                    newest_first,
                    ..Page::default()
                };
                let (sql, values) = select(&page);
                let plan = plan(&sql, values);
                assert!(plan.contains(index), "{sql}: {plan}");
                assert!(!plan.contains("SCAN"), "{sql}: {plan}");
                assert!(!plan.contains("TEMP B-TREE"), "{sql}: {plan}");
            }
        }
        let tail = "SELECT id FROM journal WHERE substr(id, -4) = substr(?1, -4) \
                    AND substr(id, -length(?1)) = ?1 ORDER BY seq DESC LIMIT ?2";
        let values = vec![Value::Text("abcd".into()), Value::Integer(3)];
        let plan = plan(tail, values);
        // One row in 65,536 has these four hex digits: few enough to sort.
        assert!(plan.contains("journal_id (<expr>=?)"), "{plan}");
        let list = super::super::states::LIST
            .replace("?1", "'d'")
            .replace("?2", "1");
        let plan = {
            let list = list.replace("?3", "0");
            let mut s = db.prepare(&format!("EXPLAIN QUERY PLAN {list}")).unwrap();
            let rows = s.query_map([], |row| row.get::<_, String>(3)).unwrap();
            rows.map(Result::unwrap).collect::<Vec<_>>().join("; ")
        };
        assert!(
            plan.contains("state_order") && !plan.contains("TEMP"),
            "{plan}"
        );
    }
}
