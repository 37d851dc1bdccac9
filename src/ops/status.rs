//! `status`: the whole screen as data (spec 5.2, 9).

use crate::contract::record::{Kind, Record};
use crate::contract::refusal::Refusal;
use serde_json::Value;

use crate::contract::row::{
    AgentRow, BreakerRow, Counts, LogRow, MissionRow, STATUS_ROWS, Status, TaskRow, WHAT,
};
use crate::contract::time::rfc3339;
use crate::journal::{Page, Read};

pub use super::attention::attention;
use super::codes;
use super::context::Context;
use super::domain::{self, Agent, Breaker, Mission, Task};
use super::flagged;
use super::gone;
use super::handoff;
use super::store::{list, load};

/// Reads everything that the first screen shows, in one snapshot, and the flags beside it.
///
/// # Errors
/// The store fails.
pub fn status(context: &Context, read: &dyn Read) -> Result<Status, Refusal> {
    let counts = counts(read)?;
    let at = rfc3339(read.now()?.utc_us);
    let flags = flagged::look(context, read)?;
    let mut first = flagged::attention(&flags, &at);
    first.extend(attention(&counts, read)?);
    first.truncate(STATUS_ROWS);
    Ok(Status {
        seq: read.head()?.seq,
        at,
        attention: first,
        flags,
        counts,
        handoffs: handoff::rows(read, STATUS_ROWS, 0)?,
        breakers: breakers(read, STATUS_ROWS, 0)?,
        tasks: tasks(read, STATUS_ROWS, 0)?,
        codes: codes::rows(read, STATUS_ROWS, 0)?,
        agents: list::<Agent>(read, domain::AGENT, STATUS_ROWS, 0)?
            .into_iter()
            .map(|agent| gone::effective(context, agent))
            .collect(),
    })
}

/// The totals.
///
/// # Errors
/// The store fails.
pub fn counts(read: &dyn Read) -> Result<Counts, Refusal> {
    Ok(load(read, domain::COUNT, domain::ALL)?.unwrap_or_default())
}

/// Breakers in pane order.
///
/// # Errors
/// The store fails.
pub fn breakers(read: &dyn Read, limit: usize, offset: usize) -> Result<Vec<BreakerRow>, Refusal> {
    Ok(list::<Breaker>(read, domain::BREAKER, limit, offset)?
        .into_iter()
        .map(|b| b.row)
        .collect())
}

/// Tasks in pane order.
///
/// # Errors
/// The store fails.
pub fn tasks(read: &dyn Read, limit: usize, offset: usize) -> Result<Vec<TaskRow>, Refusal> {
    Ok(list::<Task>(read, domain::TASK, limit, offset)?
        .into_iter()
        .map(|t| t.row)
        .collect())
}

/// Agents in pane order.
///
/// # Errors
/// The store fails.
pub fn agents(read: &dyn Read, limit: usize, offset: usize) -> Result<Vec<AgentRow>, Refusal> {
    Ok(list::<Agent>(read, domain::AGENT, limit, offset)?
        .into_iter()
        .map(|a| a.row)
        .collect())
}

/// Missions in pane order.
///
/// # Errors
/// The store fails.
pub fn missions(read: &dyn Read, limit: usize, offset: usize) -> Result<Vec<MissionRow>, Refusal> {
    Ok(list::<Mission>(read, domain::MISSION, limit, offset)?
        .into_iter()
        .map(|m| m.row)
        .collect())
}

/// Records, newest first.
///
/// # Errors
/// The store fails.
pub fn log(read: &dyn Read, before: Option<u64>, limit: usize) -> Result<Vec<LogRow>, Refusal> {
    let page = Page {
        before,
        limit,
        newest_first: true,
        ..Page::default()
    };
    Ok(read.page(&page)?.into_iter().map(row).collect())
}

/// Records, oldest first: the newest ones, or those after a position.
///
/// # Errors
/// The store fails.
pub fn records(read: &dyn Read, since: Option<u64>, limit: usize) -> Result<Vec<Record>, Refusal> {
    let page = Page {
        after: since.unwrap_or(0),
        limit,
        newest_first: since.is_none(),
        ..Page::default()
    };
    let mut records = read.page(&page)?;
    if since.is_none() {
        records.reverse();
    }
    Ok(records)
}

/// What a record says, in a line; the store's view of the log says the same.
fn what(record: &Record) -> String {
    let body: Value = serde_json::from_str(&record.body).unwrap_or_default();
    let text = |key: &str| body.get(key).and_then(Value::as_str);
    let said = match record.kind {
        Kind::Receipt => text("payload_schema").map(str::to_owned),
        Kind::Attempt => {
            let parts = ["role", "result", "strategy"].map(|key| text(key).unwrap_or_default());
            Some(parts.join(" "))
        }
        Kind::Event | Kind::Observation => text("action").map(str::to_owned),
    };
    let said = said.unwrap_or_else(|| record.schema.clone());
    said.chars().take(WHAT).collect()
}

/// A record as the log shows it.
#[must_use]
pub fn row(record: Record) -> LogRow {
    LogRow {
        what: what(&record),
        seq: record.seq,
        at: rfc3339(record.recorded_at),
        kind: record.kind.as_str().to_owned(),
        schema: record.schema,
        project: record.project,
        task: record.task,
        agent: record.agent,
        id: record.id,
    }
}
