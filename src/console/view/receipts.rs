//! The Receipts pane: decisions; the detail tells where each comes from.

use ratatui::buffer::Buffer;

use crate::console::model::Model;
use crate::console::theme::{Role, Theme};
use crate::console::widget::list::{Column, column};
use crate::console::widget::pen::Pen;
use crate::contract::row::ReceiptRow;

use super::layout::Plan;
use super::rows::{List, draw as draw_rows};
use super::words;

const COLUMNS: &[Column] = &[
    column("time", 8),
    column("receipt", 7),
    column("schema", 20).share(3),
    column("made by", 10).share(2),
    column("project", 7).share(1).from(76),
    column("parents", 7),
];

/// Draws the pane.
pub fn draw(model: &Model, theme: Theme, plan: &Plan, buf: &mut Buffer) {
    let offset = model.start.utc_offset_min;
    let row = |pen: &mut Pen<'_>, row: &ReceiptRow, widths: &[usize]| {
        pen.cell(&words::clock_seconds(&row.at, offset), widths[0], Role::Dim)
            .gap(1);
        pen.cell(&row.handle, widths[1], Role::Strong).gap(1);
        pen.cell(words::schema(&row.schema), widths[2], Role::Text)
            .gap(1);
        pen.cell(&words::name(&row.producer), widths[3], Role::Text)
            .gap(1);
        if widths[4] > 0 {
            pen.cell(words::project(&row.project), widths[4], Role::Text)
                .gap(1);
        }
        let role = if row.parents > 0 {
            Role::Text
        } else {
            Role::Dim
        };
        pen.cell_right(&row.parents.to_string(), widths[5], role);
    };
    let list = List {
        title: "Receipts",
        columns: COLUMNS,
        empty: &[
            "No decision was made yet.",
            "Each decision leaves a receipt: a breaker that opens, its reset, an answer, a name for a failure.",
        ],
        id: &|row: &ReceiptRow| row.id.clone(),
        row: &row,
    };
    let page = model.snapshot.receipts.as_ref();
    draw_rows(model, theme, plan, page, &list, buf);
}
