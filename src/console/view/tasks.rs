//! The Tasks pane.

use ratatui::buffer::Buffer;

use crate::console::model::Model;
use crate::console::theme::{Role, Theme};
use crate::console::widget::lane;
use crate::console::widget::list::{Column, column};
use crate::console::widget::pen::Pen;
use crate::contract::row::TaskRow;

use super::layout::Plan;
use super::rows::{List, draw as draw_rows};
use super::words;

const COLUMNS: &[Column] = &[
    column("task", 6).share(2),
    column("project", 7).share(1).from(50),
    column("state", 11),
    column("tries, oldest first", 23),
    column("next step", 18).from(76),
    column("failure", 0).share(4).from(100),
    column("last", 7),
];

/// What a task waits for, in words, with its role.
#[must_use]
pub fn due(row: &TaskRow) -> Option<(Role, String)> {
    row.due
        .as_deref()
        .map(|due| (Role::Due, words::spaced(due)))
}

fn next_step(row: &TaskRow) -> (Role, String) {
    let leaks = words::count(row.leaks, "leak");
    match (due(row), row.state.as_str()) {
        (Some(due), _) => due,
        (None, "escalated") if row.leaks > 0 => (Role::Leak, format!("reset, {leaks}")),
        (None, "escalated") => (Role::Escalated, "reset its breaker".to_owned()),
        (None, _) if row.leaks > 0 => (Role::Leak, leaks),
        (None, _) => (Role::Dim, String::new()),
    }
}

/// Whether a task goes round in circles: held, with a due step, or failing the same way again.
#[must_use]
pub fn circles(row: &TaskRow) -> bool {
    row.state == "escalated"
        || row.due.is_some()
        || row.same >= 2
        || row.churn >= 3
        || row.leaks > 0
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
        match due(row) {
            Some((role, _)) if widths[4] == 0 && row.state == "open" => {
                pen.mark(role, widths[2]);
            }
            _ => {
                pen.mark(words::task_state(&row.state), widths[2]);
            }
        }
        pen.gap(1);
        lane::write(pen, theme, &row.lanes, widths[3]);
        pen.gap(1);
        if widths[4] > 0 {
            let (role, text) = next_step(row);
            pen.cell(&text, widths[4], role);
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
