//! `attempt plan`: an agent says what it will try.

use serde::{Deserialize, Serialize};

use crate::contract::event::{PLAN, Plan};
use crate::contract::ids::{AgentId, TaskId};
use crate::contract::refusal::{Code, Refusal};
use crate::contract::secret;
use crate::journal::{Durability, Journal};
use crate::ops::context::Context;
use crate::ops::records::event;
use crate::ops::{gate, keyed, sweep};

use super::mission_of;

/// What `attempt plan` answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Planned {
    /// The event's id.
    pub id: String,
    /// Its position.
    pub seq: u64,
    /// The task.
    pub task: String,
    /// The strategy.
    pub strategy: String,
}

/// Declares what an agent will try. Refused while the gate says no.
///
/// # Errors
/// The gate refuses, or the store fails.
pub fn plan(
    context: &Context,
    task: &TaskId,
    agent: &AgentId,
    hypothesis: &str,
    strategy: &str,
    journal: &mut impl Journal,
) -> Result<Planned, Refusal> {
    let request = format!("{task}\u{1f}{agent}\u{1f}{hypothesis}\u{1f}{strategy}");
    if let Some(hit) = secret::find(&request).first() {
        let cause = format!("the plan holds a secret of kind {}", hit.kind);
        return Err(Refusal::new(
            Code::SecretInRecord,
            cause,
            "take the secret out and plan again",
        ));
    }
    journal.write(Durability::Full, |write| {
        keyed::once(
            context,
            "attempt plan",
            request.as_bytes(),
            write,
            |write| {
                let mission_id = mission_of(context, task, agent, write)?;
                let place = context.place(Some(task), Some(&mission_id), Some(agent));
                sweep::permits(context, &place, write)?;
                gate::refuse_when_stopped(&place, write)?;
                let body = Plan {
                    schema: PLAN.to_owned(),
                    task_id: task.clone(),
                    mission_id,
                    agent: agent.clone(),
                    hypothesis: hypothesis.to_owned(),
                    strategy: strategy.to_owned(),
                };
                let record = write.append(event(
                    context,
                    PLAN,
                    Some(task.clone()),
                    Some(agent.clone()),
                    &body,
                )?)?;
                Ok(Planned {
                    id: record.id.to_string(),
                    seq: record.seq,
                    task: task.to_string(),
                    strategy: strategy.to_owned(),
                })
            },
        )
    })
}
