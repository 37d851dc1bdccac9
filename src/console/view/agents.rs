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
    column("lamp", 10).from(60),
    column("project", 7).from(76),
    column("task", 7),
    column("holds", 6).from(100),
    column("results", 12).from(48),
    column("failed", 9).from(66),
    column("tokens", 6).from(84),
    column("stopped by", 10).from(112),
    column("found", 12).from(112),
    column("last action", 0).share(4).from(124),
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
            match words::lamp(&row.lamp) {
                Some(lamp) => pen.mark(lamp, widths[2]),
                None => pen.cell("", widths[2], role),
            };
            pen.gap(1);
        }
        let mut cell = |at: usize, text: &str, role: Role| {
            if widths[at] > 0 {
                pen.cell(text, widths[at], role).gap(1);
            }
        };
        cell(3, words::project(&row.project), role);
        cell(4, &words::name(&row.task), role);
        let held = model.snapshot.held.get(&row.agent);
        cell(
            5,
            &held.map_or_else(String::new, |h| h.join(" ")),
            Role::Text,
        );
        if widths[6] > 0 {
            spark::write(pen, theme, &row.spark, widths[6]);
            pen.gap(1);
        }
        let mut cell = |at: usize, text: &str, role: Role| {
            if widths[at] > 0 {
                pen.cell(text, widths[at], role).gap(1);
            }
        };
        cell(7, &format!("{} of {}", row.failures, row.attempts), role);
        let tokens = row.tokens.map(words::short_count).unwrap_or_default();
        cell(8, &tokens, role);
        cell(9, row.stopped_by.as_deref().unwrap_or_default(), Role::Text);
        cell(10, &row.findings.join(" "), Role::Notice);
        cell(11, &row.last_action, role);
        pen.cell_right(&words::age(now, &row.last_at), widths[12], Role::Dim);
    };
    let list = List {
        title: "Agents",
        columns: COLUMNS,
        empty: &[
            "No agent has reported yet, and none was found on this machine.",
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
