//! The Agents pane.

use ratatui::buffer::Buffer;

use crate::console::model::Model;
use crate::console::theme::{Role, Theme};
use crate::console::widget::list::{Column, column};
use crate::console::widget::pen::Pen;
use crate::console::widget::spark;
use crate::contract::row::AgentRow;

use super::layout::Plan;
use super::rows::{List, draw as draw_rows};
use super::words;

const COLUMNS: &[Column] = &[
    column("agent", 9).share(1),
    column("state", 9),
    column("project", 7).from(66),
    column("task", 7),
    column("results", 12).from(48),
    column("failed", 9),
    column("stopped by", 10).from(76),
    column("last action", 0).share(4).from(96),
    column("last", 7),
];

/// Draws the pane.
pub fn draw(model: &Model, theme: Theme, plan: &Plan, buf: &mut Buffer) {
    let now = model.now_us();
    let row = |pen: &mut Pen<'_>, row: &AgentRow, widths: &[usize]| {
        let state = words::state(&row.state);
        let role = if state == Role::Ended {
            Role::Dim
        } else {
            Role::Text
        };
        pen.cell(&words::name(&row.agent), widths[0], Role::Strong)
            .gap(1);
        pen.mark(state, widths[1]).gap(1);
        if widths[2] > 0 {
            pen.cell(words::project(&row.project), widths[2], role)
                .gap(1);
        }
        pen.cell(&words::name(&row.task), widths[3], role).gap(1);
        if widths[4] > 0 {
            spark::write(pen, theme, &row.spark, widths[4]);
            pen.gap(1);
        }
        let failed = format!("{} of {}", row.failures, row.attempts);
        pen.cell(&failed, widths[5], role).gap(1);
        if widths[6] > 0 {
            let by = row.stopped_by.as_deref().unwrap_or_default();
            pen.cell(by, widths[6], Role::Text).gap(1);
        }
        if widths[7] > 0 {
            pen.cell(&row.last_action, widths[7], role).gap(1);
        }
        pen.cell_right(&words::age(now, &row.last_at), widths[8], Role::Dim);
    };
    let list = List {
        title: "Agents",
        columns: COLUMNS,
        empty: &[
            "No agent has reported yet.",
            "docs/HOOKS.md tells how to join an agent program; watchfloor demo shows a scripted one.",
        ],
        id: &|row: &AgentRow| row.agent.clone(),
        row: &row,
    };
    draw_rows(
        model,
        theme,
        plan,
        model.snapshot.agents.as_ref(),
        &list,
        buf,
    );
}
