//! What can be read without a tool: the fleet, one handoff, one task's ledger.

use rmcp::model::{ReadResourceResult, Resource, ResourceContents, ResourceTemplate};
use serde::Serialize;

use crate::contract::ids::TaskId;
use crate::contract::refusal::{Code, Refusal};
use crate::ops::context::Context;
use crate::ops::store::{self, JournalUse as _};
use crate::ops::{attempt, handoff, status};

const FLEET: &str = "watchfloor://fleet";
const HANDOFF: &str = "watchfloor://handoff/";
const TASK: &str = "watchfloor://task/";
const JSON: &str = "application/json";
/// Entries of a ledger, the latest ones.
const ENTRIES: usize = 100;

/// What has an address of its own.
pub(super) fn all() -> Vec<Resource> {
    let about = "Agents, tasks, handoffs and breakers at a glance";
    vec![
        Resource::new(FLEET, "fleet")
            .with_description(about)
            .with_mime_type(JSON),
    ]
}

/// What has one for each id.
pub(super) fn templates() -> Vec<ResourceTemplate> {
    let template = |base: &str, name: &str, about: &str| {
        ResourceTemplate::new(format!("{base}{{id}}"), name)
            .with_description(about)
            .with_mime_type(JSON)
    };
    vec![
        template(HANDOFF, "handoff", "One handoff in full, by id or handle"),
        template(TASK, "task", "The latest entries of a task's ledger"),
    ]
}

/// Reads one.
///
/// # Errors
/// There is nothing at the address, or the store fails.
pub(super) fn read(context: &Context, uri: &str) -> Result<ReadResourceResult, Refusal> {
    let mut journal = store::open_readonly(context)?;
    let text = if uri == FLEET {
        text(&journal.read(|read| status::status(context, read))?)
    } else if let Some(id) = uri.strip_prefix(HANDOFF) {
        text(&handoff::show(&decoded(id), &mut journal)?)
    } else if let Some(id) = uri.strip_prefix(TASK) {
        let task = TaskId::new(decoded(id));
        let list = attempt::attempts(Some(&task), 0, ENTRIES, &mut journal)?;
        if list.attempts.is_empty() {
            let cause = format!("the ledger has no entry of task {task}");
            return Err(Refusal::new(Code::NotFound, cause, "watchfloor task list"));
        }
        text(&list)
    } else {
        let cause = format!("there is nothing at {uri}");
        return Err(Refusal::new(Code::NotFound, cause, "watchfloor status"));
    }?;
    let contents = ResourceContents::text(text, uri).with_mime_type(JSON);
    Ok(ReadResourceResult::new(vec![contents]))
}

fn text(answer: &impl Serialize) -> Result<String, Refusal> {
    serde_json::to_string(answer).map_err(|error| {
        let cause = format!("an answer has no JSON form: {error}");
        Refusal::new(Code::Internal, cause, "watchfloor status")
    })
}

/// An id out of an address: `%2F` is a slash.
fn decoded(id: &str) -> String {
    let bytes = id.as_bytes();
    let mut plain = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let hex = id
            .get(at + 1..at + 3)
            .filter(|hex| *byte == b'%' && hex.bytes().all(|c| c.is_ascii_hexdigit()));
        if let Some(decoded) = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            plain.push(decoded);
            at += 3;
        } else {
            plain.push(*byte);
            at += 1;
        }
    }
    String::from_utf8_lossy(&plain).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_holds_any_id() {
        for (address, id) in [
            ("h-7f3a", "h-7f3a"),
            ("session-a%2Fb", "session-a/b"),
            ("100%25", "100%"),
            ("%zz%4", "%zz%4"),
            ("gr%C3%B6%c3%9fe", "größe"),
            ("%+1ö", "%+1ö"),
            ("%ff", "\u{fffd}"),
        ] {
            assert_eq!(decoded(address), id, "{address}");
        }
    }
}
