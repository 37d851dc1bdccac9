//! The Tasks pane.

use ratatui::buffer::Buffer;

use crate::console::backend::task_id;
use crate::console::model::Model;
use crate::console::theme::{Role, Theme};
use crate::console::widget::lane;
use crate::console::widget::list::{Column, column};
use crate::console::widget::pen::Pen;
use crate::console::widget::text;
use crate::contract::row::{BreakerRow, TaskRow};

use super::layout::Plan;
use super::rows::{List, draw as draw_rows};
use super::words;

const COLUMNS: &[Column] = &[
    column("task", 6).share(2),
    column("project", 7).share(1).from(50),
    column("state", 11),
    column("tries, old to new", 17),
    column("next step", 20).from(76),
    column("failure", 0).share(4).from(100),
    column("last", 7),
];

/// The open breaker that holds a task: its own, or one of something wider.
#[must_use]
pub fn held_by<'a>(model: &'a Model, row: &TaskRow) -> Option<&'a BreakerRow> {
    let rows = model.snapshot.breakers.iter().flat_map(|page| &page.rows);
    rows.filter(|breaker| breaker.state == "open" && covers(breaker, row))
        .min_by_key(|breaker| width(breaker))
}

/// How much a breaker stops, from a task to the whole fleet: the narrowest is the task's own.
fn width(breaker: &BreakerRow) -> usize {
    let kinds = ["task", "mission", "project"];
    let kind = breaker.scope.split(':').next().unwrap_or_default();
    kinds
        .iter()
        .position(|one| *one == kind)
        .unwrap_or(kinds.len())
}

fn covers(breaker: &BreakerRow, row: &TaskRow) -> bool {
    let here = breaker.project.as_ref().is_none_or(|p| *p == row.project);
    match breaker.scope.split_once(':') {
        None => breaker.scope == "fleet",
        Some(("project", project)) => project == row.project,
        Some(("mission", mission)) => here && mission == row.mission,
        Some(("task", task)) => here && task == row.task,
        Some(_) => false,
    }
}

/// Where a task stands on the ladder of debugger, second opinion and trip: 0 to 3.
#[must_use]
pub fn rung(model: &Model, row: &TaskRow) -> usize {
    if row.state == "escalated" || held_by(model, row).is_some() {
        return 3;
    }
    match row.due.as_deref() {
        Some("second_opinion_due") => 2,
        Some(_) => 1,
        None => 0,
    }
}

/// What a task waits for, in words. A step is not due while a breaker holds the task.
#[must_use]
pub fn next_step(model: &Model, row: &TaskRow) -> (Role, String) {
    let leaks = match row.leaks {
        0 => String::new(),
        n => format!(", {}", words::count(n, "leak")),
    };
    match (rung(model, row), held_by(model, row)) {
        (3, Some(breaker)) => {
            let trigger = words::spaced(&breaker.trigger);
            (Role::Escalated, format!("{trigger}, open{leaks}"))
        }
        (3, None) => (Role::Escalated, format!("held by a breaker{leaks}")),
        (0, _) if row.leaks > 0 => (Role::Leak, words::count(row.leaks, "leak")),
        (0, _) => (Role::Dim, String::new()),
        _ => {
            let due = words::spaced(row.due.as_deref().unwrap_or_default());
            (Role::Due, due)
        }
    }
}

/// What the detail tells before what the store does: lanes, ladder, the file that churns.
#[must_use]
pub fn facts(model: &Model, theme: Theme, row: &TaskRow) -> Vec<Vec<(Role, String)>> {
    let mut lanes: Vec<(Role, String)> = Vec::new();
    for step in &row.lanes {
        let role = if step.failed {
            Role::Failed
        } else {
            Role::Passed
        };
        lanes.push((Role::Strong, text::cut(&step.lane, 1)));
        lanes.push((role, format!("{} ", theme.symbol(role))));
    }
    let rung = rung(model, row);
    let mut ladder = Vec::new();
    for (at, name) in ["debugger", "second opinion", "trip"].iter().enumerate() {
        let here = at + 1 == rung;
        let role = match (here, at + 1 < rung) {
            (true, _) if rung == 3 => Role::Escalated,
            (true, _) => Role::Due,
            (false, true) => Role::Text,
            (false, false) => Role::Dim,
        };
        let mark = if here { theme.symbol(role) } else { " " };
        ladder.push((role, format!("{mark} {} {name}   ", at + 1)));
    }
    let (role, step) = next_step(model, row);
    let mut rows = vec![
        vec![(Role::Title, "strategies, oldest try first".to_owned())],
        lanes,
        Vec::new(),
        vec![(Role::Title, "ladder".to_owned())],
        ladder,
    ];
    if !step.is_empty() {
        rows.push(vec![(role, format!("{} {step}", theme.symbol(role)))]);
    }
    if let Some(file) = &row.churn_file {
        rows.push(Vec::new());
        rows.push(vec![(Role::Title, "file in the most tries".to_owned())]);
        let bar = theme
            .gauge(true)
            .repeat(usize::try_from(row.churn.min(20)).unwrap_or(0));
        rows.push(vec![
            (Role::Notice, format!("{bar} ")),
            (
                Role::Text,
                format!("{} in {}", file, words::count(row.churn, "try")),
            ),
        ]);
    }
    rows
}

/// Draws the pane.
pub fn draw(model: &Model, theme: Theme, plan: &Plan, buf: &mut Buffer) {
    let now = model.now_us();
    let row = |pen: &mut Pen<'_>, row: &TaskRow, widths: &[usize]| {
        pen.cell(&words::name(&row.task), widths[0], Role::Strong)
            .gap(1);
        if widths[1] > 0 {
            pen.cell(words::project(&row.project), widths[1], Role::Text)
                .gap(1);
        }
        // Where the next step has no column of its own, it stands in place of "open".
        let (step_role, step) = next_step(model, row);
        match step_role {
            Role::Due if widths[4] == 0 => pen.mark(Role::Due, widths[2]),
            Role::Escalated => pen.mark(Role::Escalated, widths[2]),
            _ => pen.mark(words::task_state(&row.state), widths[2]),
        };
        pen.gap(1);
        lane::write(pen, theme, &row.lanes, widths[3]);
        pen.gap(1);
        if widths[4] > 0 {
            pen.cell(&step, widths[4], step_role);
            pen.gap(1);
        }
        if widths[5] > 0 {
            let failure = row.failure.as_deref().unwrap_or_default();
            pen.cell(failure, widths[5], Role::Text).gap(1);
        }
        pen.cell_right(&words::age(now, &row.last_at), widths[6], Role::Dim);
    };
    let list = List {
        title: "Tasks",
        columns: COLUMNS,
        empty: &[
            "No try was recorded yet.",
            "Tries come in by themselves once an agent program calls the hook: docs/HOOKS.md tells how. To look around first, run watchfloor demo.",
        ],
        id: &|row: &TaskRow| task_id(row),
        row: &row,
    };
    draw_rows(
        model,
        theme,
        plan,
        model.snapshot.tasks.as_ref(),
        &list,
        buf,
    );
}
