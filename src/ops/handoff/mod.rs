//! `handoff ...` (spec 4): one agent is stuck, another answers, the first goes on. Both touch
//! only the store.

mod brief;
mod case;
mod claim;
mod decide;
mod end;
mod form;
mod held;
mod import;
mod list;
mod live;
mod open;
mod refuse;
mod talk;
mod wait;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::contract::handoff::HandoffAnswer;
use crate::contract::ids::{AgentId, HANDLE_TAIL};
use crate::contract::record::Record;
use crate::contract::refusal::{Code, Exit, Refusal};
use crate::journal::{Durability, Journal, Read, Write};

use super::context::Context;
use super::domain::{self, Handoff};
use super::keyed;
use super::store::{load, not_found, session_behind};

pub use brief::thread;
pub use claim::{Filter, claim, next};
pub use decide::{NEEDS, decide, presented};
pub use end::{block, escalate, used};
pub use form::{form, said};
pub use held::{Ties, answered, lend, ties};
pub use import::{Imported, Taken, import};
pub use list::{Handoffs, HolderSeen, Listed, Log, Shown, Wanted, list, log, rows, show};
pub use live::{Sight, expire_all};
pub use open::{open, open_imported};
pub use talk::{answer, ask, release, reply};
pub use wait::{Waiting, wait};

/// An entry by id, by handle, or by a longer tail of its id.
///
/// # Errors
/// There is none, or more than one fits.
pub fn find(read: &dyn Read, id: &str) -> Result<Handoff, Refusal> {
    if let Some(handoff) = load(read, domain::HANDOFF, id)? {
        return Ok(handoff);
    }
    let tail = id.strip_prefix("h-").unwrap_or(id);
    let next = "watchfloor handoff list";
    if tail.chars().count() < HANDLE_TAIL {
        return Err(not_found("handoff", id, next));
    }
    let mut found = Vec::new();
    for record in read.by_tail(tail, 200)? {
        found.extend(load::<Handoff>(read, domain::HANDOFF, record.id.as_str())?);
    }
    match (found.len(), found.pop()) {
        (1, Some(handoff)) => Ok(handoff),
        (_, None) => Err(not_found("handoff", id, next)),
        (count, Some(last)) => {
            let mut ids: Vec<&str> = found.iter().map(|h| h.row.id.as_str()).collect();
            ids.push(&last.row.id);
            let cause = format!("{id} names {count} handoffs: {}", ids.join(", "));
            Err(Refusal::new(Code::HandleAmbiguous, cause, next))
        }
    }
}

/// Who calls: the agent's session behind the call, whatever the call says, or whom it names.
fn caller(context: &Context, read: &dyn Read) -> Result<Option<AgentId>, Refusal> {
    let behind = if context.ancestors.is_empty() {
        None
    } else {
        session_behind(context, read)?
    };
    Ok(behind.or_else(|| context.agent.clone()))
}

/// Who calls, where only an agent can.
fn agent(context: &Context, verb: &str, read: &dyn Read) -> Result<AgentId, Refusal> {
    caller(context, read)?.ok_or_else(|| {
        let cause = format!("handoff {verb} needs --agent: only an agent can hold an entry");
        Refusal::new(
            Code::Usage,
            cause,
            format!("watchfloor handoff {verb} --help"),
        )
    })
}

/// Runs a verb once for its key. What time has brought and a late answer are recorded even where
/// the call itself is refused, so a plain refusal does not roll them back.
fn perform<T: Serialize + DeserializeOwned>(
    context: &Context,
    verb: &str,
    request: &[&str],
    journal: &mut impl Journal,
    work: impl FnOnce(&mut dyn Write) -> Result<T, Refusal>,
) -> Result<T, Refusal> {
    let request = request.join("\u{1f}");
    let verb = format!("handoff {verb}");
    journal.write(Durability::Full, |write| {
        match keyed::once(context, &verb, request.as_bytes(), write, work) {
            Err(refusal) if refusal.code.exit() == Exit::Refused => Ok(Err(refusal)),
            done => done.map(Ok),
        }
    })?
}

/// What a verb answers about an entry as it stands in the journal now.
fn told(
    handoff: &Handoff,
    record: Option<&Record>,
    full: bool,
    read: &dyn Read,
) -> Result<HandoffAnswer, Refusal> {
    let mut handoff: Handoff =
        load(read, domain::HANDOFF, &handoff.row.id)?.unwrap_or_else(|| handoff.clone());
    Sight::of(read)?.see(&mut handoff);
    let brief = if full {
        Some(brief::brief(&handoff, read)?)
    } else {
        None
    };
    let row = handoff.row;
    Ok(HandoffAnswer {
        id: row.id,
        handle: row.handle,
        state: row.state,
        priority: row.priority,
        holder: row.holder,
        epoch: (row.epoch > 0).then_some(row.epoch),
        deadline: row.deadline,
        seq: record.map_or(row.last_seq, |record| record.seq),
        record_id: record.map(|record| record.id.to_string()),
        brief,
    })
}
