//! An agent that is seen for the first time is registered with whatever is recorded of it first.

use crate::contract::refusal::Refusal;
use crate::contract::tool::{AGENT_SEEN, Caller};
use crate::journal::Write;
use crate::ops::context::Context;
use crate::ops::records::observation;

use super::{Stand, Tree, seen_body};

/// The tree that the first check is measured against, where the agent is new. It is read before
/// the store is locked.
pub(super) fn first_tree(context: &Context, stand: &Stand) -> Option<Tree> {
    if stand.known.is_some() {
        return None;
    }
    stand.first_tree(context)
}

/// Registers an agent that nobody knows yet.
pub(super) fn if_first(
    context: &Context,
    caller: &Caller,
    stand: &Stand,
    tree: Option<Tree>,
    write: &mut dyn Write,
) -> Result<(), Refusal> {
    if stand.known.is_some() {
        return Ok(());
    }
    let body = seen_body(context, caller, stand, "start", tree);
    let (task, agent) = (Some(stand.task.clone()), Some(stand.agent.clone()));
    write.append(observation(context, AGENT_SEEN, task, agent, &body)?)?;
    Ok(())
}
