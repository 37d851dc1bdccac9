//! `inbox read`, and what a hook shows at a quiet point.

use std::time::{Duration, Instant};

use crate::contract::ids::AgentId;
use crate::contract::message::{DELIVERED, MessageDelivered, MessageForm, MessageRow, Messages};
use crate::contract::refusal::{Code, Refusal};
use crate::contract::text::neutral;
use crate::journal::{Durability, Journal, Read, Write};
use crate::ops::context::Context;
use crate::ops::domain::{self, Agent, Inbox};
use crate::ops::records::observation;
use crate::ops::store::{self, Over, load, not_found};

use super::owner;

/// Messages that a hook shows at once, at most.
const AT_ONCE: usize = 10;
/// Characters of them that a hook shows at once, at most; the first is always shown.
const ROOM: usize = 6_000;

/// What waits for an agent, oldest first; it counts as shown from now on. Nothing is acknowledged.
///
/// # Errors
/// Nobody is named, or the store fails.
pub fn read(
    context: &Context,
    limit: usize,
    journal: &mut impl Journal,
) -> Result<Messages, Refusal> {
    let (agent, waiting, unseen) = journal.read(|read| {
        let agent = owner(context, "read", read)?;
        let inbox = inbox(&agent, read)?;
        let waiting = rows(&inbox.unread, limit, read)?;
        let unseen: Vec<String> = waiting
            .messages
            .iter()
            .filter(|row| inbox.unseen.contains(&row.id))
            .map(|row| row.id.clone())
            .collect();
        Ok((agent, waiting, unseen))
    })?;
    if unseen.is_empty() {
        return Ok(waiting);
    }
    journal.write(Durability::Normal, |write| {
        let inbox = inbox(&agent, write)?;
        let fresh: Vec<String> = unseen
            .into_iter()
            .filter(|id| inbox.unseen.contains(id))
            .collect();
        show(context, &agent, fresh, write)
    })?;
    Ok(waiting)
}

/// As [`read`], and waits until there is something, or `over` says that nobody waits any more.
///
/// # Errors
/// As [`read`]; or nothing came in time.
pub fn wait(
    context: &Context,
    limit: usize,
    patience: Duration,
    over: Over<'_>,
    journal: &mut impl Journal,
) -> Result<Messages, Refusal> {
    let until = Instant::now() + patience;
    let after = journal.read(|read| Ok(read.head()?.seq))?;
    let mut tail = store::follow(context, after)?;
    loop {
        let waiting = read(context, limit, journal)?;
        if !waiting.messages.is_empty() {
            return Ok(waiting);
        }
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() || over.is_some_and(|over| over()) {
            let cause = format!("no message came within {} seconds", patience.as_secs());
            return Err(Refusal::new(
                Code::WaitRanOut,
                cause,
                "watchfloor inbox read --wait 60",
            ));
        }
        store::rest(&mut tail, left, over)?;
    }
}

/// Whether there is anything that an agent was not shown yet.
///
/// # Errors
/// The store fails.
pub fn has_unseen(agent: &AgentId, read: &dyn Read) -> Result<bool, Refusal> {
    Ok(!inbox(agent, read)?.unseen.is_empty())
}

/// What was not shown to an agent yet, as much of it as fits a turn; it counts as shown with this
/// transaction. For a hook's quiet points: the end of a turn, the start of a session.
///
/// # Errors
/// The store fails.
pub fn deliver(
    context: &Context,
    agent: &AgentId,
    write: &mut dyn Write,
) -> Result<Vec<MessageRow>, Refusal> {
    let inbox = inbox(agent, write)?;
    let mut fit = rows(&inbox.unseen, AT_ONCE, write)?.messages;
    let mut room = ROOM;
    let shown = fit
        .iter()
        .take_while(|row| {
            let length = row.text.chars().count();
            let fits = length <= room || room == ROOM;
            room = room.saturating_sub(length);
            fits
        })
        .count();
    fit.truncate(shown);
    let ids = fit.iter().map(|row| row.id.clone()).collect();
    show(context, agent, ids, write)?;
    Ok(fit)
}

/// What the form of a message shows of whom it goes to.
///
/// # Errors
/// There is no such agent, or the store fails.
pub fn form(agent: &str, journal: &mut impl Journal) -> Result<MessageForm, Refusal> {
    journal.read(|read| {
        let known: Agent = load(read, domain::AGENT, agent)?
            .ok_or_else(|| not_found("agent", agent, "watchfloor status"))?;
        let inbox = inbox(&AgentId::new(agent), read)?;
        Ok(MessageForm {
            agent: known.row,
            unread: inbox.unread.len(),
            unseen: inbox.unseen.len(),
        })
    })
}

/// Messages as a model reads them: who says what, and how each is taken. Empty where there are
/// none.
#[must_use]
pub fn said(messages: &[MessageRow]) -> String {
    let mut lines = Vec::new();
    for row in messages {
        let from = row.from.as_deref().map_or_else(
            || "the operator".to_owned(),
            |from| format!("agent {}", neutral(from)),
        );
        // A line of a text never looks like the head of another message.
        let text = row.text.replace('\n', "\n  ");
        let re = row.re.as_ref().map(|re| format!(", about {re}"));
        lines.push(format!(
            "{} {} from {from}{}: {}",
            row.kind,
            row.handle,
            re.unwrap_or_default(),
            text
        ));
    }
    if let Some(first) = messages.first() {
        lines.insert(0, "Watchfloor, messages for this session:".to_owned());
        lines.push(format!(
            "Take each with: watchfloor inbox ack {}",
            first.handle
        ));
    }
    lines.join("\n")
}

fn inbox(agent: &AgentId, read: &dyn Read) -> Result<Inbox, Refusal> {
    Ok(load(read, domain::INBOX, agent.as_str())?.unwrap_or_default())
}

fn rows(ids: &[String], limit: usize, read: &dyn Read) -> Result<Messages, Refusal> {
    let mut messages = Vec::new();
    for id in ids.iter().take(limit) {
        messages.extend(load::<MessageRow>(read, domain::MESSAGE, id)?);
    }
    Ok(Messages {
        messages,
        more: ids.len() > limit,
    })
}

fn show(
    context: &Context,
    agent: &AgentId,
    messages: Vec<String>,
    write: &mut dyn Write,
) -> Result<(), Refusal> {
    if messages.is_empty() {
        return Ok(());
    }
    let body = MessageDelivered {
        schema: DELIVERED.to_owned(),
        to: agent.clone(),
        messages,
    };
    let record = observation(context, DELIVERED, None, Some(agent.clone()), &body)?;
    write.append(record).map(drop)
}
