//! The product's own records as they are handed to the journal: receipts, events, observations.

use serde::Serialize;

use crate::contract::digest::Digest;
use crate::contract::envelope::{self, Draft, ENVELOPE, ParentRef};
use crate::contract::goal::Goal;
use crate::contract::ids::{AgentId, MissionId, RecordId, TaskId};
use crate::contract::record::{Kind, NewRecord, Record};
use crate::contract::refusal::{Code, Refusal};
use crate::contract::scope::Scope;
use crate::journal::{Page, Read, Write};

use super::context::Context;
use super::domain::{self, Agent, Mission, PRODUCER};
use super::fold::generated_goal;
use super::store::load;

/// A fresh time-ordered id.
#[must_use]
pub fn fresh_id() -> RecordId {
    RecordId::new(uuid::Uuid::now_v7().to_string())
}

/// The goal that receipts of a scope carry: its mission's, or the fleet's.
///
/// # Errors
/// The store fails.
pub fn goal_hash(scope: &Scope, read: &dyn Read) -> Result<String, Refusal> {
    let (project, mission) = match scope {
        Scope::Mission { project, mission } => (project.clone(), Some(mission.clone())),
        Scope::Task { project, task } => {
            let key = domain::in_project(project, task.as_str());
            let task_state: Option<domain::Task> = load(read, domain::TASK, &key)?;
            let mission = task_state.map_or_else(
                || crate::contract::row::default_mission(None, task),
                |t| MissionId::new(t.row.mission),
            );
            (project.clone(), Some(mission))
        }
        Scope::Session { agent } => {
            let known: Option<Agent> = load(read, domain::AGENT, agent.as_str())?;
            match known {
                Some(agent) => (
                    crate::contract::ids::ProjectId::new(agent.row.project),
                    Some(MissionId::new(agent.row.mission)),
                ),
                None => return Ok(Goal::fleet().hash().to_string()),
            }
        }
        Scope::Project { .. } | Scope::Fleet => return Ok(Goal::fleet().hash().to_string()),
    };
    let Some(mission) = mission else {
        return Ok(Goal::fleet().hash().to_string());
    };
    let known: Option<Mission> = load(
        read,
        domain::MISSION,
        &domain::in_project(&project, mission.as_str()),
    )?;
    Ok(known.map_or_else(
        || generated_goal(&mission).hash().to_string(),
        |m| m.row.goal_hash,
    ))
}

/// What an own receipt is about.
pub struct Receipt<'a> {
    /// Its id.
    pub id: RecordId,
    /// The goal it serves.
    pub goal_hash: String,
    /// Receipts it follows from.
    pub parents: Vec<ParentRef>,
    /// What it is about.
    pub scope: &'a Scope,
    /// Who it is about.
    pub agent: Option<AgentId>,
}

/// Appends one of the product's own receipts.
///
/// # Errors
/// The store fails.
pub fn receipt<T: Serialize>(
    context: &Context,
    write: &mut dyn Write,
    about: Receipt<'_>,
    payload: &T,
) -> Result<Record, Refusal> {
    let draft = Draft {
        receipt_id: about.id.clone(),
        producer: PRODUCER.to_owned(),
        emitted_at_us: write.now()?.utc_us,
        goal_hash: Digest::parse(&about.goal_hash).unwrap_or_else(|| Goal::fleet().hash()),
        parent_refs: about.parents,
        triage_code: None,
    };
    let envelope = envelope::build(draft, payload, &|_| false)?;
    let task = match about.scope {
        Scope::Task { task, .. } => Some(task.clone()),
        _ => None,
    };
    write.append(NewRecord {
        kind: Kind::Receipt,
        id: Some(about.id),
        schema: ENVELOPE.to_owned(),
        producer: PRODUCER.to_owned(),
        project: about
            .scope
            .project()
            .cloned()
            .unwrap_or_else(|| context.project.clone()),
        task,
        agent: about.agent,
        body: envelope.to_text()?,
    })
}

/// The newest records of a page, newest last, and whether more lie before them.
///
/// # Errors
/// The store fails.
pub fn newest(read: &dyn Read, page: Page) -> Result<(Vec<Record>, bool), Refusal> {
    let limit = page.limit;
    let mut records = read.page(&Page {
        limit: limit.saturating_add(1),
        newest_first: true,
        ..page
    })?;
    let more = records.len() > limit;
    records.truncate(limit);
    records.reverse();
    Ok((records, more))
}

/// An event record of the product's own.
///
/// # Errors
/// The body has no JSON form, which is a fault of the product.
pub fn event<T: Serialize>(
    context: &Context,
    schema: &str,
    task: Option<TaskId>,
    agent: Option<AgentId>,
    body: &T,
) -> Result<NewRecord, Refusal> {
    record(context, Kind::Event, schema, task, agent, body)
}

/// An observation record of the product's own.
///
/// # Errors
/// The body has no JSON form, which is a fault of the product.
pub fn observation<T: Serialize>(
    context: &Context,
    schema: &str,
    task: Option<TaskId>,
    agent: Option<AgentId>,
    body: &T,
) -> Result<NewRecord, Refusal> {
    record(context, Kind::Observation, schema, task, agent, body)
}

fn record<T: Serialize>(
    context: &Context,
    kind: Kind,
    schema: &str,
    task: Option<TaskId>,
    agent: Option<AgentId>,
    body: &T,
) -> Result<NewRecord, Refusal> {
    Ok(NewRecord {
        kind,
        id: None,
        schema: schema.to_owned(),
        producer: PRODUCER.to_owned(),
        project: context.project.clone(),
        task,
        agent,
        body: serde_json::to_string(body).map_err(|error| no_form(&error))?,
    })
}

fn no_form(error: &serde_json::Error) -> Refusal {
    Refusal::new(
        Code::Internal,
        format!("a record has no JSON form: {error}"),
        "watchfloor verify --deep",
    )
}
