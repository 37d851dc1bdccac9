//! `task`, `mission`, `limits`.

use crate::contract::goal::{GOAL, Goal, PrimaryProof};
use crate::contract::ids::{MissionId, TaskId};
use crate::contract::mission::MissionState;
use crate::contract::refusal::Refusal;
use crate::contract::row::TaskRow;
use crate::ops::context::Context;
use crate::ops::{mission as missions, store};

use super::args::{MissionVerb, TaskVerb};
use super::input::input;
use super::out::{Reply, usage};
use super::table::{plain, table};

/// Tasks as a table.
pub fn task_table(tasks: &[TaskRow]) -> String {
    let rows: Vec<Vec<String>> = tasks
        .iter()
        .map(|row| {
            let lanes: Vec<String> = row
                .lanes
                .iter()
                .map(|step| format!("{}{}", step.lane, if step.failed { "✗" } else { "✓" }))
                .collect();
            let state = match &row.due {
                Some(due) if row.state == "open" => due.clone(),
                _ => row.state.clone(),
            };
            vec![
                row.task.clone(),
                state,
                lanes.join(" "),
                format!("{} of {}", row.failing, row.tries),
                row.agent.clone(),
                row.mission.clone(),
            ]
        })
        .collect();
    table(
        &["task", "state", "tries", "failing", "agent", "mission"],
        &rows,
    )
}

/// `task list | show`.
pub fn task(context: &Context, verb: &TaskVerb) -> Result<Reply, Refusal> {
    let mut journal = store::open_readonly(context)?;
    match verb {
        TaskVerb::List { range } => {
            let list = missions::tasks(range.since, range.limit, &mut journal)?;
            let human = task_table(&list.tasks);
            Reply::of(&list, human)
        }
        TaskVerb::Show { id } => {
            let row = missions::task(context, &TaskId::new(id.clone()), &mut journal)?;
            let mut human = task_table(std::slice::from_ref(&row));
            if let Some(signature) = &row.signature {
                let said = row.failure.clone().unwrap_or_default();
                human = format!(
                    "{human}latest failure {signature} ({} times) {}\n",
                    row.same,
                    plain(&said)
                );
            }
            Reply::of(&row, human)
        }
    }
}

/// `mission new | list | show | move`.
pub fn mission(context: &Context, verb: MissionVerb) -> Result<Reply, Refusal> {
    match verb {
        MissionVerb::New { id, outcome, goal } => {
            let goal = match goal {
                Some(file) => Goal::parse(&input(&file)?).map_err(|faults| {
                    Refusal::of_faults(
                        "the goal",
                        faults,
                        "watchfloor schema show watchfloor.goal.v1",
                    )
                })?,
                None => plain_goal(outcome.unwrap_or_default())?,
            };
            let mut journal = store::open(context)?;
            let answer = missions::new(context, &MissionId::new(id), &goal, &mut journal)?;
            let human = format!(
                "mission {} is {}; goal {}",
                answer.mission, answer.state, answer.goal_hash
            );
            Reply::of(&answer, human)
        }
        MissionVerb::Move { id, to, reason } => {
            let to = state(&to)?;
            let mut journal = store::open(context)?;
            let flags = store::flags(context);
            let answer = missions::go(
                context,
                &MissionId::new(id),
                to,
                &reason,
                &mut journal,
                &flags,
            )?;
            let human = format!("mission {} is {}", answer.mission, answer.state);
            Reply::of(&answer, human)
        }
        MissionVerb::List { range } => {
            let mut journal = store::open_readonly(context)?;
            let list = missions::list(range.since, range.limit, &mut journal)?;
            let rows: Vec<Vec<String>> = list
                .missions
                .iter()
                .map(|row| {
                    vec![
                        row.mission.clone(),
                        row.state.clone(),
                        row.tries.to_string(),
                        row.tasks.len().to_string(),
                        row.outcome.clone(),
                    ]
                })
                .collect();
            Reply::of(
                &list,
                table(&["mission", "state", "tries", "tasks", "outcome"], &rows),
            )
        }
        MissionVerb::Show { id } => {
            let mut journal = store::open_readonly(context)?;
            let shown = missions::show(context, &MissionId::new(id), &mut journal)?;
            let human = format!(
                "mission {} is {}\noutcome: {}\ngoal {} ({})\ntries {}; tasks {}",
                shown.row.mission,
                shown.row.state,
                plain(&shown.row.outcome),
                shown.row.goal_hash,
                if shown.goal_hash_holds {
                    "holds"
                } else {
                    "does not hold"
                },
                shown.row.tries,
                plain(&shown.row.tasks.join(", ")),
            );
            Reply::of(&shown, human)
        }
    }
}

fn plain_goal(outcome: String) -> Result<Goal, Refusal> {
    if outcome.trim().is_empty() {
        return Err(usage(
            "a goal needs an outcome",
            "watchfloor mission new --help",
        ));
    }
    Ok(Goal {
        schema: GOAL.to_owned(),
        outcome,
        primary_proof: PrimaryProof::default(),
        completion_criteria: Vec::new(),
        allowed_scope: Vec::new(),
        forbidden_drift: Vec::new(),
        retry_budget: 2,
        stop_condition: String::new(),
        final_report_rule: String::new(),
    })
}

pub(super) fn state(text: &str) -> Result<MissionState, Refusal> {
    MissionState::parse(text).ok_or_else(|| {
        usage(
            format!("{text} is no state of a mission"),
            "watchfloor mission move --help",
        )
    })
}

/// `limits show`.
pub fn limits(context: &Context) -> Result<Reply, Refusal> {
    let l = &context.limits;
    let human = format!(
        "max_iterations {} tries in a mission\nmax_repairs {} failing tries after the first in a task\n\
         max_same_signature {} failing tries with one signature\nmax_weak {} tries\nchurn {} tries\n\
         min_free {} MiB or 2 %\nmin_inodes {}",
        l.max_iterations,
        l.max_repairs,
        l.max_same_signature,
        l.max_weak,
        l.churn,
        l.min_free_bytes >> 20,
        l.min_free_inodes
    );
    Reply::of(l, human)
}
