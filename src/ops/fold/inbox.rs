//! Folds messages, and what waits for whom (spec 8.6).

use crate::contract::ids::handle;
use crate::contract::message::{Message, MessageAcknowledged, MessageDelivered, MessageRow};
use crate::contract::record::Record;
use crate::contract::refusal::Refusal;
use crate::contract::time::rfc3339;
use crate::journal::States;
use crate::ops::domain::{self, Inbox};

use super::{agent, load, save};

pub(super) fn sent(record: &Record, body: Message, states: &mut dyn States) -> Result<(), Refusal> {
    let (from, to) = (body.from, body.to);
    let mut inbox: Inbox = load(states, domain::INBOX, to.as_str())?.unwrap_or_default();
    inbox.unread.push(record.id.to_string());
    inbox.unseen.push(record.id.to_string());
    save(states, domain::INBOX, to.as_str(), 0, record.seq, &inbox)?;
    if let Some(from) = &from {
        agent::handed(record, from, &format!("messages {to}"), states)?;
    }
    let row = MessageRow {
        id: record.id.to_string(),
        handle: handle('m', &record.id),
        state: "new".to_owned(),
        kind: body.kind.as_str().to_owned(),
        from: from.map(|from| from.to_string()),
        to: to.to_string(),
        text: body.text,
        re: body.re,
        redacted: body.redacted,
        project: record.project.to_string(),
        at: rfc3339(record.recorded_at),
        delivered_at: None,
        acknowledged_at: None,
        seq: record.seq,
    };
    keep(&row, states)
}

pub(super) fn delivered(
    record: &Record,
    body: &MessageDelivered,
    states: &mut dyn States,
) -> Result<(), Refusal> {
    let to = body.to.as_str();
    let mut inbox: Inbox = load(states, domain::INBOX, to)?.unwrap_or_default();
    inbox.unseen.retain(|id| !body.messages.contains(id));
    save(states, domain::INBOX, to, 0, record.seq, &inbox)?;
    for id in &body.messages {
        let Some(mut row) = load::<MessageRow>(states, domain::MESSAGE, id)? else {
            continue;
        };
        if row.to != to || row.delivered_at.is_some() {
            continue;
        }
        row.delivered_at = Some(rfc3339(record.recorded_at));
        if row.state == "new" {
            "delivered".clone_into(&mut row.state);
        }
        keep(&row, states)?;
    }
    Ok(())
}

pub(super) fn acknowledged(
    record: &Record,
    body: &MessageAcknowledged,
    states: &mut dyn States,
) -> Result<(), Refusal> {
    let Some(mut row) = load::<MessageRow>(states, domain::MESSAGE, &body.message_id)? else {
        return Ok(());
    };
    if row.acknowledged_at.is_some() {
        return Ok(());
    }
    let mut inbox: Inbox = load(states, domain::INBOX, &row.to)?.unwrap_or_default();
    inbox.unread.retain(|id| *id != row.id);
    inbox.unseen.retain(|id| *id != row.id);
    save(states, domain::INBOX, &row.to, 0, record.seq, &inbox)?;
    "acknowledged".clone_into(&mut row.state);
    row.acknowledged_at = Some(rfc3339(record.recorded_at));
    keep(&row, states)
}

/// Messages stay in the order in which they were sent, whatever becomes of them.
fn keep(row: &MessageRow, states: &mut dyn States) -> Result<(), Refusal> {
    save(states, domain::MESSAGE, &row.id, 0, row.seq, row)
}
