//! The Breakers pane.

use ratatui::buffer::Buffer;

use crate::console::model::Model;
use crate::console::theme::{Role, Theme};
use crate::console::widget::list::{Column, column};
use crate::console::widget::pen::Pen;
use crate::contract::row::BreakerRow;

use super::layout::Plan;
use super::rows::{List, draw as draw_rows};
use super::words;

const COLUMNS: &[Column] = &[
    column("state", 8),
    column("trigger", 12),
    column("stops", 10).share(1),
    column("reset by", 8),
    column("refused", 7).from(56),
    column("reason", 8).share(4).from(72),
    column("opened", 7),
];

/// Draws the pane.
pub fn draw(model: &Model, theme: Theme, plan: &Plan, buf: &mut Buffer) {
    let now = model.now_us();
    let row = |pen: &mut Pen<'_>, row: &BreakerRow, widths: &[usize]| {
        let open = row.state == "open";
        let strong = if open { Role::Strong } else { Role::Dim };
        let role = if open { Role::Text } else { Role::Dim };
        let scope = words::scope(&row.scope, row.project.as_deref());
        pen.mark(words::state(&row.state), widths[0]).gap(1);
        pen.cell(&words::spaced(&row.trigger), widths[1], strong)
            .gap(1);
        pen.cell(&scope, widths[2], role).gap(1);
        pen.cell(&words::who(&row.needs), widths[3], role).gap(1);
        if widths[4] > 0 {
            let count = if row.refused > 0 { role } else { Role::Dim };
            pen.cell(&row.refused.to_string(), widths[4], count).gap(1);
        }
        if widths[5] > 0 {
            pen.cell(&row.reason, widths[5], role).gap(1);
        }
        pen.cell_right(&words::age(now, &row.opened_at), widths[6], Role::Dim);
    };
    let list = List {
        title: "Breakers",
        columns: COLUMNS,
        empty: &[
            "No breaker was ever opened, so nothing is stopped.",
            "One opens by itself when work goes round in circles or touches what it must not. To stop everything by hand, press ! twice.",
        ],
        id: &|row: &BreakerRow| row.id.clone(),
        row: &row,
    };
    draw_rows(
        model,
        theme,
        plan,
        model.snapshot.breakers.as_ref(),
        &list,
        buf,
    );
}
