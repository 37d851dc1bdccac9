//! `inbox ...` (spec 8.6): typed messages between sessions. They are shown at a quiet point, a
//! hook's turn end or a poll, and each is acknowledged once. Nothing is typed into a terminal.

mod ack;
mod list;
mod read;
mod send;

use crate::contract::ids::{AgentId, HANDLE_TAIL};
use crate::contract::message::MessageRow;
use crate::contract::refusal::{Code, Refusal};
use crate::journal::Read;

use super::context::Context;
use super::domain;
use super::store::{load, not_found, session_behind};

pub use ack::ack;
pub use list::{Wanted, list};
pub use read::{deliver, form, has_unseen, read, said, wait};
pub use send::{Posting, post, send};

/// Who calls: the agent's session behind the call, whatever the call says, or whom it names.
fn caller(context: &Context, read: &dyn Read) -> Result<Option<AgentId>, Refusal> {
    let behind = session_behind(context, read)?;
    Ok(behind.or_else(|| context.agent.clone()))
}

/// Whose inbox it is, where only an agent has one.
fn owner(context: &Context, verb: &str, read: &dyn Read) -> Result<AgentId, Refusal> {
    caller(context, read)?.ok_or_else(|| {
        let cause = format!("inbox {verb} needs --agent: only an agent has an inbox");
        Refusal::new(
            Code::Usage,
            cause,
            format!("watchfloor inbox {verb} --help"),
        )
    })
}

/// A message by id, by handle, or by a longer tail of its id.
fn find(read: &dyn Read, id: &str) -> Result<MessageRow, Refusal> {
    let next = "watchfloor inbox list";
    if let Some(row) = load(read, domain::MESSAGE, id)? {
        return Ok(row);
    }
    let tail = id.strip_prefix("m-").unwrap_or(id);
    if tail.chars().count() < HANDLE_TAIL {
        return Err(not_found("message", id, next));
    }
    let mut found = Vec::new();
    for record in read.by_tail(tail, 200)? {
        found.extend(load::<MessageRow>(
            read,
            domain::MESSAGE,
            record.id.as_str(),
        )?);
    }
    match found.len() {
        0 => Err(not_found("message", id, next)),
        1 => Ok(found.swap_remove(0)),
        count => {
            let cause = format!("{id} names {count} messages");
            Err(Refusal::new(Code::HandleAmbiguous, cause, next))
        }
    }
}
