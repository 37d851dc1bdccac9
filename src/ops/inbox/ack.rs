//! `inbox ack`: of any number of acknowledgements one counts.

use crate::contract::message::{ACKNOWLEDGED, MessageAcknowledged, MessageRow};
use crate::contract::refusal::{Code, Refusal};
use crate::journal::{Durability, Journal};
use crate::ops::context::Context;
use crate::ops::domain;
use crate::ops::keyed;
use crate::ops::records::event;
use crate::ops::store::load;

use super::{find, owner};

/// Takes a message.
///
/// # Errors
/// There is none, it is for another agent, it was taken before, or the store fails.
pub fn ack(context: &Context, id: &str, journal: &mut impl Journal) -> Result<MessageRow, Refusal> {
    journal.write(Durability::Full, |write| {
        keyed::once(context, "inbox ack", id.as_bytes(), write, |write| {
            let agent = owner(context, "ack", write)?;
            let row = find(write, id)?;
            let handle = &row.handle;
            if row.to != agent.as_str() {
                let cause = format!("{handle} is for {}, not for {agent}", row.to);
                return Err(Refusal::new(
                    Code::MessageForeign,
                    cause,
                    "watchfloor inbox list",
                ));
            }
            if let Some(at) = &row.acknowledged_at {
                let cause = format!("{handle} was acknowledged at {at}, and counts once");
                return Err(Refusal::new(
                    Code::MessageAcknowledged,
                    cause,
                    "watchfloor inbox list",
                ));
            }
            let body = MessageAcknowledged {
                schema: ACKNOWLEDGED.to_owned(),
                message_id: row.id.clone(),
                by: agent.clone(),
            };
            write.append(event(context, ACKNOWLEDGED, None, Some(agent), &body)?)?;
            Ok(load(write, domain::MESSAGE, &row.id)?.unwrap_or(row))
        })
    })
}
