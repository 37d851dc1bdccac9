//! `0`: the list of all panes.

use ratatui::buffer::Buffer;

use crate::console::backend::PaneKind;
use crate::console::commands::{COMMANDS, Id};
use crate::console::theme::{Role, Theme};
use crate::console::widget::pen::{Pen, cells};

use super::header::keys;
use super::layout::{Heading, Plan, window};

/// Draws the window.
pub fn draw(theme: Theme, plan: &Plan, chosen: usize, buf: &mut Buffer) {
    let heading = Heading {
        title: "All panes".to_owned(),
        right: PaneKind::ALL.len().to_string(),
        focus: true,
        bad: false,
    };
    let size = (74, cells(PaneKind::ALL.len() + 2));
    let inside = window(buf, theme, plan.class, plan.body, size, &heading);
    for (at, pane) in PaneKind::ALL.into_iter().enumerate() {
        let command = COMMANDS.iter().find(|c| c.id == Id::Pane(pane));
        let keys = command.map(|c| keys(c, 2)).unwrap_or_default();
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
