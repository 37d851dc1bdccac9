//! Who calls and on what it works, for a server that stays: by the session that stands behind it
//! now, not by what a call says.

use crate::contract::ids::TaskId;
use crate::contract::refusal::Refusal;
use crate::journal::Journal;

use super::context::Context;
use super::domain::{self, Agent};
use super::store::{load, session_behind};

/// The surroundings with the agent whose session stands behind them, and with the task that it
/// works on where the environment names none. Without such a session the named agent stays.
///
/// # Errors
/// The store fails.
pub fn known(context: &Context, journal: &mut impl Journal) -> Result<Context, Refusal> {
    journal.read(|read| {
        let mut context = context.clone();
        context.agent = session_behind(&context, read)?.or(context.agent);
        let Some(agent) = &context.agent else {
            return Ok(context);
        };
        let Some(known) = load::<Agent>(read, domain::AGENT, agent.as_str())? else {
            return Ok(context);
        };
        let row = known.row;
        if row.project == context.project.as_str() && !row.task.is_empty() {
            context.task = context.task.or(Some(TaskId::new(row.task)));
        }
        Ok(context)
    })
}
