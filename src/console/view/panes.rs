//! `0`: the list of all panes.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;

use crate::console::backend::PaneKind;
use crate::console::commands::{COMMANDS, Id};
use crate::console::model::Model;
use crate::console::theme::{Role, Theme};
use crate::console::widget::pen::{Pen, cells};

use super::header::keys;
use super::layout::{Heading, Plan, inner, middle, window};

fn size() -> (u16, u16) {
    (74, cells(PaneKind::ALL.len() + 2))
}

/// The line at a place.
#[must_use]
pub fn line_at(plan: &Plan, at: Position) -> Option<usize> {
    let inside = inner(middle(plan.body, size()), plan.class);
    let line = usize::from(at.y.checked_sub(inside.y)?);
    (inside.contains(at) && line < PaneKind::ALL.len()).then_some(line)
}

/// Draws the window.
pub fn draw(model: &Model, theme: Theme, plan: &Plan, chosen: usize, buf: &mut Buffer) {
    let heading = Heading {
        title: "All panes".to_owned(),
        right: PaneKind::ALL.len().to_string(),
        focus: true,
        bad: false,
    };
    let inside = window(buf, theme, plan.class, plan.body, size(), &heading);
    for (at, pane) in PaneKind::ALL.into_iter().enumerate() {
        let command = COMMANDS.iter().find(|c| c.id == Id::Pane(pane));
        let keys = command.map(|c| keys(model, c, 2)).unwrap_or_default();
        let mut pen = Pen::new(buf, theme, inside, cells(at));
        pen.text(
            if at == chosen { theme.pointer() } else { " " },
            Role::Focus,
        )
        .gap(1);
        if at == chosen {
            pen.patch(theme.style(Role::Selected));
        }
        pen.cell(&keys, 4, Role::Key)
            .cell(pane.title(), 10, Role::Strong)
            .text(pane.about(), Role::Text)
            .fill();
    }
}
