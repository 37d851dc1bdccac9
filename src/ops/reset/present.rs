//! An approval is presented: verified, used once, and applied; or refused, recorded, and tripped.

use serde_json::Value;

use crate::contract::breaker::{RESET, TRIP, Trigger};
use crate::contract::envelope::ParentRef;
use crate::contract::event::{CHAIN_RESTART, ChainRestart};
use crate::contract::ids::RecordId;
use crate::contract::record::Record;
use crate::contract::refusal::{Code, Refusal};
use crate::contract::scope::Scope;
use crate::journal::{Durability, Journal, Read, Write};
use crate::ops::breaker::{id_of, workers};
use crate::ops::context::Context;
use crate::ops::domain::{self, Agent, Breaker, PRODUCER, Task};
use crate::ops::flags::Flags;
use crate::ops::records;
use crate::ops::records::{Receipt, fresh_id};
use crate::ops::signed::{RESTARTS, may_be_taken};
use crate::ops::store::load;
use crate::ops::trip::{self, Wanted};

use super::refuse_closed;

/// Verifies a signed decision about a breaker and appends its receipt. A bad approval is refused,
/// recorded, and trips `approval_identity`. `unfit` is what is wrong with the envelope that it came
/// in, told when the approval holds.
///
/// # Errors
/// The approval does not hold, the breaker is closed by now, the envelope is unfit, or the store
/// fails.
pub fn present(
    context: &Context,
    breaker: &Breaker,
    signed: &Value,
    schema: &str,
    unfit: Option<Refusal>,
    journal: &mut impl Journal,
    flags: &Flags,
) -> Result<Record, Refusal> {
    let written = journal.write(Durability::Full, |write| {
        let breaker: Breaker =
            load(write, domain::BREAKER, &breaker.row.id)?.unwrap_or_else(|| breaker.clone());
        let next = format!("watchfloor breaker show {}", breaker.row.handle);
        may_be_taken(signed, breaker.needs, &workers(&breaker), &next, write)?;
        refuse_closed(&breaker)?;
        unfit.map_or(Ok(()), Err)?;
        let record = append(context, &breaker, signed, write)?;
        if let Some(restart) = restart(signed, &record.id) {
            write.append(records::event(
                context,
                CHAIN_RESTART,
                None,
                None,
                &restart,
            )?)?;
        }
        Ok(record)
    });
    match written {
        Ok(record) => {
            if schema == RESET {
                // The journal is the truth; a flag that stays is taken down by the next sweep.
                drop(flags.clear(&id_of(breaker)));
            }
            Ok(record)
        }
        Err(refusal) => {
            presented_refused(context, Some(breaker), &refusal, journal, flags)?;
            Err(refusal)
        }
    }
}

/// The restart of the chain that a reset carries, when it does.
fn restart(signed: &Value, reset_id: &RecordId) -> Option<ChainRestart> {
    let checks = signed.get("checks")?.as_array()?;
    let found = checks.iter().find(|check| check["name"] == RESTARTS)?;
    ChainRestart::of_words(found["seen"].as_str()?, reset_id.clone())
}

fn append(
    context: &Context,
    breaker: &Breaker,
    signed: &Value,
    write: &mut dyn Write,
) -> Result<Record, Refusal> {
    let parents = breaker
        .trips
        .iter()
        .map(|trip| ParentRef {
            receipt_id: trip.receipt_id.clone(),
            expected_schema: TRIP.to_owned(),
            expected_producer: PRODUCER.to_owned(),
            digest: Some(trip.digest.clone()),
        })
        .collect();
    let about = Receipt {
        id: fresh_id(),
        goal_hash: breaker.goal_hash.clone(),
        parents,
        scope: &breaker.scope,
        agent: None,
    };
    records::receipt(context, write, about, signed)
}

/// Records a presented approval that was refused, and trips. A refusal that is none of an
/// approval's (a closed breaker, a store that fails) trips nothing.
///
/// # Errors
/// The store fails.
pub fn presented_refused(
    context: &Context,
    breaker: Option<&Breaker>,
    refusal: &Refusal,
    journal: &mut impl Journal,
    flags: &Flags,
) -> Result<(), Refusal> {
    let bad = matches!(
        refusal.code,
        Code::ApprovalUnknown
            | Code::ApprovalUnauthorised
            | Code::ApprovalRevoked
            | Code::ApprovalReplayed
            | Code::ApprovalForged
            | Code::ApprovalOwnWork
    );
    if !bad {
        return Ok(());
    }
    journal.write(Durability::Full, |write| {
        let scope = match breaker {
            Some(breaker) => mission_of(&breaker.scope, write)?,
            None => Scope::Project {
                project: context.project.clone(),
            },
        };
        let wanted = Wanted {
            trigger: Trigger::ApprovalIdentity,
            scope,
            key: Some(refusal.code.as_str().to_owned()),
            reason: format!("an approval was refused: {}", refusal.cause),
            agent: context.agent.clone(),
            proof: breaker
                .map(|breaker| vec![RecordId::new(breaker.row.id.clone())])
                .unwrap_or_default(),
            breaker_id: None,
        };
        trip::open(context, flags, &[wanted], write)?;
        Ok(())
    })
}

/// The mission around a scope; a scope that lies in none stays itself.
fn mission_of(scope: &Scope, read: &dyn Read) -> Result<Scope, Refusal> {
    let mission = match scope {
        Scope::Task { project, task } => {
            let task: Option<Task> = load(
                read,
                domain::TASK,
                &domain::in_project(project, task.as_str()),
            )?;
            task.map(|task| (project.clone(), task.row.mission))
        }
        Scope::Session { agent } => {
            let agent: Option<Agent> = load(read, domain::AGENT, agent.as_str())?;
            agent.map(|agent| {
                (
                    crate::contract::ids::ProjectId::new(agent.row.project),
                    agent.row.mission,
                )
            })
        }
        other => return Ok(other.clone()),
    };
    Ok(match mission {
        Some((project, mission)) if !mission.is_empty() => Scope::Mission {
            project,
            mission: crate::contract::ids::MissionId::new(mission),
        },
        _ => scope.clone(),
    })
}
