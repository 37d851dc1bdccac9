//! The kanban database of Hermes: `tasks`, their runs and their comments.

use std::path::Path;

use crate::contract::refusal::{Code, Refusal};
use crate::journal::foreign::{self, Row};

use super::{Item, Standing};

/// How entries name where they came from.
const SYSTEM: &str = "hermes_kanban";

/// Items, and how many rows are none.
pub(super) fn read(path: &Path) -> Result<(&'static str, Vec<Item>, u64), Refusal> {
    let tasks = foreign::rows(path, "tasks")?;
    let tables = foreign::tables(path)?;
    let is_board = tables.iter().any(|name| name.eq_ignore_ascii_case("tasks"))
        && tasks
            .iter()
            .all(|row| row.contains_key("id") && row.contains_key("status"));
    if !is_board {
        let cause = format!(
            "{} is no kanban board: it needs a table tasks with id, title, body and status, and has {}",
            path.display(),
            tables.join(", ")
        );
        let next = "watchfloor handoff import --help";
        return Err(Refusal::new(Code::ImportUnknown, cause, next));
    }
    let runs = foreign::rows(path, "task_runs")?;
    let comments = foreign::rows(path, "task_comments")?;
    let items = tasks
        .iter()
        .map(|task| item(task, &runs, &comments))
        .collect();
    Ok((SYSTEM, items, 0))
}

fn item(task: &Row, runs: &[Row], comments: &[Row]) -> Item {
    let text = |name: &str| task.get(name).cloned().unwrap_or_default();
    let id = text("id");
    let status = text("status").to_lowercase();
    let of_task = |row: &&Row| row.get("task_id") == Some(&id);
    let mut tried: Vec<String> = runs.iter().filter(of_task).filter_map(run).collect();
    tried.extend(task.get("last_failure_error").cloned());
    tried.extend(comments.iter().filter(of_task).filter_map(comment));
    tried.dedup();
    Item {
        at: match status.as_str() {
            "done" | "archived" => Standing::Ended,
            "running" | "review" | "scheduled" => Standing::AtWork,
            _ => Standing::Waits,
        },
        title: text("title"),
        needed: text("body"),
        tried,
        asker: task
            .get("created_by")
            .or_else(|| task.get("assignee"))
            .cloned(),
        tags: [SYSTEM.to_owned(), status, text("block_kind")]
            .into_iter()
            .filter(|tag| !tag.is_empty())
            .collect(),
        id,
    }
}

/// A run as a line: how it ended, and why.
fn run(row: &Row) -> Option<String> {
    let ended = row.get("outcome").or_else(|| row.get("status"));
    let said = row.get("error").or_else(|| row.get("summary"))?;
    Some(format!("{}: {said}", ended.map_or("run", String::as_str)))
}

fn comment(row: &Row) -> Option<String> {
    let said = row.get("body")?;
    let author = row.get("author").map_or("somebody", String::as_str);
    Some(format!("{author}: {said}"))
}
