//! `handoff open` (spec 4.1).

use crate::contract::handoff::{HandoffAnswer, HandoffInput, OPENED, Opened, Source};
use crate::contract::refusal::Refusal;
use crate::contract::scope::Scope;
use crate::journal::{Journal, Write};
use crate::ops::context::Context;
use crate::ops::records::{self, Receipt, fresh_id};

use super::{caller, find, perform, refuse, told};

/// Opens an entry. Who asks is the agent's session behind the call, or whom the call names.
///
/// # Errors
/// A text holds a secret, the key was used for another entry, or the store fails.
pub fn open(
    context: &Context,
    input: &HandoffInput,
    journal: &mut impl Journal,
) -> Result<HandoffAnswer, Refusal> {
    check(input)?;
    let request = format!("{input:?}");
    perform(context, "open", &[&request], journal, |write| {
        let mut input = input.clone();
        if let Some(asker) = caller(context, write)?
            && (!context.ancestors.is_empty() || input.asker.is_none())
        {
            input.asker = Some(asker);
        }
        append(context, &input, None, write)
    })
}

/// Opens an entry that another tool wrote, inside a transaction.
///
/// # Errors
/// A text holds a secret, or the store fails.
pub fn open_imported(
    context: &Context,
    input: &HandoffInput,
    source: Source,
    write: &mut dyn Write,
) -> Result<HandoffAnswer, Refusal> {
    check(input)?;
    append(context, input, Some(source), write)
}

fn check(input: &HandoffInput) -> Result<(), Refusal> {
    let mut texts = vec![
        ("project", input.project.as_str()),
        ("question", &*input.question),
        ("tried", &*input.tried),
        ("needed", &*input.needed),
    ];
    texts.extend(input.tags.iter().map(|tag| ("tags", &**tag)));
    texts.extend(input.asker.iter().map(|id| ("asker", id.as_str())));
    texts.extend(input.task.iter().map(|id| ("task_id", id.as_str())));
    texts.extend(input.mission.iter().map(|id| ("mission_id", id.as_str())));
    refuse::check("open", &texts)
}

fn append(
    context: &Context,
    input: &HandoffInput,
    source: Option<Source>,
    write: &mut dyn Write,
) -> Result<HandoffAnswer, Refusal> {
    let id = fresh_id();
    let body = Opened {
        schema: OPENED.to_owned(),
        handoff_id: id.clone(),
        question: input.question.clone(),
        tried: input.tried.clone(),
        needed: input.needed.clone(),
        wants: input.wants,
        tags: input.tags.clone(),
        asker: input.asker.clone(),
        task_id: input.task.clone(),
        mission_id: input.mission.clone(),
        source,
    };
    let project = input.project.clone();
    let scope = match &input.task {
        Some(task) => Scope::Task {
            project: project.clone(),
            task: task.clone(),
        },
        None => Scope::Project {
            project: project.clone(),
        },
    };
    let goal = match &input.mission {
        Some(mission) => Scope::Mission {
            project,
            mission: mission.clone(),
        },
        None => scope.clone(),
    };
    let about = Receipt {
        id,
        goal_hash: records::goal_hash(&goal, write)?,
        parents: Vec::new(),
        scope: &scope,
        agent: input.asker.clone(),
    };
    let record = records::receipt(context, write, about, &body)?;
    let handoff = find(write, record.id.as_str())?;
    told(&handoff, Some(&record), false, write)
}
