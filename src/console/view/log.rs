//! The Log pane.

use ratatui::buffer::Buffer;

use crate::console::model::Model;
use crate::console::theme::{Role, Theme};
use crate::console::widget::list::{Column, column};
use crate::console::widget::pen::Pen;
use crate::contract::row::LogRow;

use super::layout::Plan;
use super::rows::{List, draw as draw_rows};
use super::words;

const COLUMNS: &[Column] = &[
    column("time", 8),
    column("record", 24).share(3),
    column("project", 7).share(1).from(64),
    column("task", 6).share(1),
    column("agent", 8).share(1),
    column("number", 8),
];

/// Draws the pane.
pub fn draw(model: &Model, theme: Theme, plan: &Plan, buf: &mut Buffer) {
    let offset = model.start.utc_offset_min;
    let row = |pen: &mut Pen<'_>, row: &LogRow, widths: &[usize]| {
        let task = row.task.as_ref().map_or("", |t| t.as_str());
        let agent = row.agent.as_ref().map_or("", |a| a.as_str());
        pen.cell(&words::clock_seconds(&row.at, offset), widths[0], Role::Dim)
            .gap(1);
        pen.cell(&words::record(row), widths[1], Role::Strong)
            .gap(1);
        if widths[2] > 0 {
            pen.cell(words::project(row.project.as_str()), widths[2], Role::Text)
                .gap(1);
        }
        pen.cell(&words::name(task), widths[3], Role::Text).gap(1);
        pen.cell(&words::name(agent), widths[4], Role::Text).gap(1);
        pen.cell_right(&row.seq.to_string(), widths[5], Role::Dim);
    };
    let title = if model.follow {
        "Log, following"
    } else {
        "Log, f follows"
    };
    let list = List {
        title,
        columns: COLUMNS,
        empty: &[
            "The journal is empty.",
            "Records come from hooks, from the agents' own calls and from the command line. docs/HOOKS.md tells how to join an agent program; watchfloor demo shows a scripted one.",
        ],
        id: &|row: &LogRow| row.id.to_string(),
        row: &row,
    };
    draw_rows(model, theme, plan, model.snapshot.log.as_ref(), &list, buf);
}
