//! `:`: every command by its name, with its keys; what is not possible now says why.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;

use crate::console::model::{Model, Palette};
use crate::console::theme::{Role, Theme};
use crate::console::update::palette;
use crate::console::widget::pen::{Pen, cells};

use super::form::line_of_text;
use super::header::keys;
use super::layout::{Heading, Plan, inner, middle, window};

/// Columns of the palette at most.
const WIDTH: u16 = 90;
/// Rows of it at most.
const HEIGHT: u16 = 22;

fn size(plan: &Plan) -> (u16, u16) {
    (WIDTH, HEIGHT.min(plan.body.height))
}

/// The first command that is seen, so that the chosen one is.
fn from(open: &Palette, rows: usize) -> usize {
    (open.chosen + 1).saturating_sub(rows)
}

/// The command at a place, by its position among the matches.
#[must_use]
pub fn line_at(open: &Palette, plan: &Plan, at: Position) -> Option<usize> {
    let inside = inner(middle(plan.body, size(plan)), plan.class);
    let row = usize::from(at.y.checked_sub(inside.y + 1)?);
    let rows = usize::from(inside.height.saturating_sub(1));
    let line = from(open, rows) + row;
    let count = palette(open.input.value()).len();
    (inside.contains(at) && line < count).then_some(line)
}

/// Draws the window.
pub fn draw(model: &Model, open: &Palette, theme: Theme, plan: &Plan, buf: &mut Buffer) {
    let found = palette(open.input.value());
    // Reasons are those of the pane under the palette.
    let mut below = model.clone();
    below.overlay = None;
    let heading = Heading {
        title: "Commands".to_owned(),
        right: found.len().to_string(),
        focus: true,
        bad: false,
    };
    let inside = window(buf, theme, plan.class, plan.body, size(plan), &heading);
    let mut pen = Pen::new(buf, theme, inside, 0);
    pen.text(": ", Role::Key);
    line_of_text(&mut pen, theme, &open.input, true, "");
    let rows = usize::from(inside.height.saturating_sub(1));
    let first = from(open, rows);
    for (row, command) in found.iter().skip(first).take(rows).enumerate() {
        let chosen = first + row == open.chosen;
        let mut pen = Pen::new(buf, theme, inside, cells(row + 1));
        pen.text(if chosen { theme.pointer() } else { " " }, Role::Focus);
        if chosen {
            pen.patch(theme.style(Role::Selected));
        }
        let reason = (command.disabled_reason)(&below);
        let (role, text, told) = match &reason {
            Some(reason) => (Role::Dim, format!("not now: {reason}"), Role::Notice),
            None => (Role::Strong, command.doc.to_owned(), Role::Text),
        };
        pen.cell(&keys(model, command, 2), 10, Role::Key)
            .gap(1)
            .cell(command.title, 16, role)
            .gap(1)
            .text(&text, told)
            .fill();
    }
    if found.is_empty() {
        Pen::new(buf, theme, inside, 1)
            .gap(1)
            .text("No command has that name.", Role::Text);
    }
}
