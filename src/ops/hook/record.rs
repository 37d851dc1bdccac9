//! What is recorded of a call before it runs: of one that simply passes, nothing.

use crate::contract::event::{CALL_REFUSED, CallRefused};
use crate::contract::guarded::{CALL_ALLOWED, CallAllowed, GUARD_WOULD, GuardWould};
use crate::contract::ids::RecordId;
use crate::contract::refusal::Refusal;
use crate::contract::tool::ToolCall;
use crate::journal::{Durability, Journal};
use crate::ops::context::Context;
use crate::ops::records::observation;
use crate::ops::store::Store;

use super::guard::{self, Sight};
use super::{Stand, register, waits};

/// A call, and where it stands.
pub(super) struct Recorder<'a> {
    pub(super) context: &'a Context,
    pub(super) call: &'a ToolCall,
    pub(super) stand: &'a Stand,
}

impl Recorder<'_> {
    /// Records a refusal. It stands even when it cannot be recorded.
    pub(super) fn refused(
        &self,
        sight: &Sight,
        refusal: &Refusal,
        breaker_id: Option<RecordId>,
        journal: &mut Store,
    ) -> Refusal {
        let Self {
            context,
            call,
            stand,
        } = *self;
        let body = CallRefused {
            schema: CALL_REFUSED.to_owned(),
            agent: stand.agent.clone(),
            tool: call.tool.clone(),
            call_id: call.call_id.clone(),
            breaker_id,
            code: refusal.code.as_str().to_owned(),
            call: guard::digest(call),
            action: sight.action(call),
            guard: sight.refuses(call).then(|| sight.said()),
        };
        let tree = register::first_tree(context, stand);
        let (task, agent) = (Some(stand.task.clone()), Some(stand.agent.clone()));
        drop(journal.write(Durability::Normal, |write| {
            register::if_first(context, &call.caller, stand, tree.clone(), write)?;
            write.append(observation(
                context,
                CALL_REFUSED,
                task.clone(),
                agent.clone(),
                &body,
            )?)
        }));
        refusal.clone()
    }

    /// Records what the guard would have done, where it does nothing.
    pub(super) fn would(&self, sight: &Sight, journal: &mut Store) -> Result<(), Refusal> {
        let Self {
            context,
            call,
            stand,
        } = *self;
        let said = sight.said();
        let body = GuardWould {
            schema: GUARD_WOULD.to_owned(),
            agent: stand.agent.clone(),
            tool: call.tool.clone(),
            call_id: call.call_id.clone(),
            happened: false,
            mode: sight.mode(),
            outcome: sight.judged.outcome,
            trigger: said.trigger,
            rule: said.rule,
            reason: said.reason,
            action: sight.action(call),
        };
        let (task, agent) = (Some(stand.task.clone()), Some(stand.agent.clone()));
        journal.write(Durability::Normal, |write| {
            write.append(observation(
                context,
                GUARD_WOULD,
                task.clone(),
                agent.clone(),
                &body,
            )?)?;
            Ok(())
        })
    }

    /// The call may run. Nothing is written of it, unless the agent is new, or the same call was
    /// refused before and its result is none of that one.
    pub(super) fn passes(&self, journal: &mut Store) -> Result<(), Refusal> {
        let Self {
            context,
            call,
            stand,
        } = *self;
        let (task, agent) = (Some(stand.task.clone()), Some(stand.agent.clone()));
        if stand.known.is_none() {
            let tree = register::first_tree(context, stand);
            return journal.write(Durability::Normal, |write| {
                register::if_first(context, &call.caller, stand, tree.clone(), write)
            });
        }
        if stand.waits() {
            journal.write(Durability::Normal, |write| {
                waits::no_more(context, stand, write)
            })?;
        }
        if stand.refused(call).is_none() {
            return Ok(());
        }
        let body = CallAllowed {
            schema: CALL_ALLOWED.to_owned(),
            agent: stand.agent.clone(),
            tool: call.tool.clone(),
            call_id: call.call_id.clone(),
            call: guard::digest(call),
        };
        journal.write(Durability::Normal, |write| {
            write.append(observation(
                context,
                CALL_ALLOWED,
                task.clone(),
                agent.clone(),
                &body,
            )?)?;
            Ok(())
        })
    }
}
