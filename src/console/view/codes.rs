//! The Codes pane: failures that no catalogue entry knows.

use ratatui::buffer::Buffer;

use crate::console::model::Model;
use crate::console::theme::{Role, Theme};
use crate::console::widget::list::{Column, column};
use crate::console::widget::pen::Pen;
use crate::contract::row::CodeRow;

use super::layout::Plan;
use super::rows::{List, draw as draw_rows};
use super::words;

const COLUMNS: &[Column] = &[
    column("state", 10),
    column("code", 26).share(1),
    column("seen", 5),
    column("first", 7).from(76),
    column("last", 7),
    column("is", 14).share(1).from(110),
    column("sample", 0).share(4).from(66),
];

/// The state's role.
#[must_use]
pub fn state(row: &CodeRow) -> Role {
    match row.state.as_str() {
        "new" => Role::New,
        "due" => Role::Due,
        "aliased" => Role::Aliased,
        "promoted" => Role::Promoted,
        _ => Role::Unknown,
    }
}

/// Whether a person has still to say what it is.
#[must_use]
pub fn pending(row: &CodeRow) -> bool {
    matches!(row.state.as_str(), "new" | "due")
}

/// Draws the pane.
pub fn draw(model: &Model, theme: Theme, plan: &Plan, buf: &mut Buffer) {
    let now = model.now_us();
    let row = |pen: &mut Pen<'_>, row: &CodeRow, widths: &[usize]| {
        let role = if pending(row) { Role::Text } else { Role::Dim };
        pen.mark(state(row), widths[0]).gap(1);
        pen.cell(&row.code, widths[1], Role::Strong).gap(1);
        pen.cell_right(&format!("{}x", row.count), widths[2], role)
            .gap(1);
        if widths[3] > 0 {
            pen.cell_right(&words::age(now, &row.first_at), widths[3], Role::Dim)
                .gap(1);
        }
        pen.cell_right(&words::age(now, &row.last_at), widths[4], Role::Dim)
            .gap(1);
        if widths[5] > 0 {
            let is = row.resolves_to.as_deref().unwrap_or_default();
            pen.cell(is, widths[5], role).gap(1);
        }
        if widths[6] > 0 {
            pen.cell(&row.sample, widths[6], role);
        }
    };
    let list = List {
        title: "Failure codes without an entry",
        columns: COLUMNS,
        empty: &[
            "Every failure so far is one that the catalogue knows.",
            "A failure that it does not know gets a code of its own here. Seen twice it is due: a person says what it is, with a or p. To ask what a text means, press t.",
        ],
        id: &|row: &CodeRow| row.code.clone(),
        row: &row,
    };
    let page = model.snapshot.codes.as_ref();
    draw_rows(model, theme, plan, page, &list, buf);
}
