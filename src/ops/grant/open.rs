//! What grants open for a tool call, and how a call uses one up.

use serde_json::Value;

use crate::contract::grant::{GRANT, GRANT_USED, GrantUsed};
use crate::contract::guard::Grantable;
use crate::contract::ids::RecordId;
use crate::contract::refusal::Refusal;
use crate::contract::tool::ToolCall;
use crate::journal::{Durability, Journal, Read};
use crate::ops::context::Context;
use crate::ops::domain::GrantState;
use crate::ops::records::event;
use crate::ops::store::deadline;

use super::add::verify_approval;
use super::of_project;

/// The grants that run in the project now. Anybody who can write the file can write a row of
/// it; what counts is the signature of the receipt behind each.
///
/// # Errors
/// The store fails.
pub(crate) fn running(context: &Context, read: &dyn Read) -> Result<Vec<GrantState>, Refusal> {
    let known = of_project(&context.project, read)?;
    if known.is_empty() {
        return Ok(known);
    }
    let now = deadline(read)?;
    let mut running = Vec::new();
    for one in known {
        if one.runs(now) && holds(&one, read)? {
            running.push(one);
        }
    }
    Ok(running)
}

fn holds(one: &GrantState, read: &dyn Read) -> Result<bool, Refusal> {
    let Some(record) = read.by_id(&one.id)? else {
        return Ok(false);
    };
    let body: Value = serde_json::from_str(&record.body).unwrap_or_default();
    let payload = &body["payload"];
    let opens: Option<Grantable> = serde_json::from_value(payload["opens"].clone()).ok();
    Ok(body["payload_schema"] == GRANT
        && opens.as_ref() == Some(&one.opens)
        && verify_approval(payload, read).is_ok())
}

/// Uses a grant of one call up: of two calls at once one goes through. Answers whether this one
/// does.
///
/// # Errors
/// The store fails: the call is not let through then.
pub(crate) fn use_up(
    context: &Context,
    id: &RecordId,
    call: &ToolCall,
    journal: &mut impl Journal,
) -> Result<bool, Refusal> {
    journal.write(Durability::Full, |write| {
        let running = running(context, write)?;
        if !running.iter().any(|one| one.id == *id) {
            return Ok(false);
        }
        let agent = call.caller.agent();
        let body = GrantUsed {
            schema: GRANT_USED.to_owned(),
            grant_id: id.clone(),
            agent: agent.clone(),
            tool: call.tool.clone(),
            call_id: call.call_id.clone(),
        };
        write.append(event(context, GRANT_USED, None, Some(agent), &body)?)?;
        Ok(true)
    })
}
