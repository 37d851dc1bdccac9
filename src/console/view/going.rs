//! `o`: where one can go from an agent, each way with its key, and why those that are closed are.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;

use crate::console::commands::{COMMANDS, Id};
use crate::console::model::{Going, Model};
use crate::console::theme::{Role, Theme};
use crate::console::widget::pen::{Pen, cells};
use crate::console::widget::text;
use crate::contract::going::Way;

use super::header::keys;
use super::layout::{Heading, Plan, inner, middle, window};
use super::words;

/// Columns of the window at most.
const WIDTH: u16 = 90;
/// Rows of each way: its name, and up to two of where it leads.
const ROWS: usize = 3;
/// Columns before what is said of a way.
const INDENT: usize = 6;

fn size() -> (u16, u16) {
    (WIDTH, cells(Way::ALL.len() * ROWS + 2))
}

/// The way at a place.
#[must_use]
pub fn line_at(open: &Going, plan: &Plan, at: Position) -> Option<usize> {
    let inside = inner(middle(plan.body, size()), plan.class);
    let row = usize::from(at.y.checked_sub(inside.y)?) / ROWS;
    let known = open.ways.is_some() && row < Way::ALL.len();
    (inside.contains(at) && known).then_some(row)
}

/// Draws the window.
pub fn draw(model: &Model, open: &Going, theme: Theme, plan: &Plan, buf: &mut Buffer) {
    let heading = Heading {
        title: format!("Go to {}", words::name(&open.agent)),
        right: String::new(),
        focus: true,
        bad: false,
    };
    let inside = window(buf, theme, plan.class, plan.body, size(), &heading);
    let room = usize::from(inside.width).saturating_sub(INDENT + 1);
    for (at, way) in Way::ALL.into_iter().enumerate() {
        let top = at * ROWS;
        let chosen = at == open.chosen;
        let command = COMMANDS.iter().find(|c| c.id == Id::Go(way));
        let key = command.map(|c| keys(model, c, 1)).unwrap_or_default();
        let row = open.way(way);
        let is_open = row.is_some_and(|row| row.open);
        let role = if is_open { Role::Strong } else { Role::Dim };
        let mut pen = Pen::new(buf, theme, inside, cells(top));
        let pointer = if chosen { theme.pointer() } else { " " };
        pen.text(pointer, Role::Focus).gap(1);
        if chosen {
            pen.patch(theme.style(Role::Selected));
        }
        pen.cell(&key, INDENT - 2, Role::Key)
            .text(way.title(), role)
            .fill();
        let (said, role) = match (row, &open.ways) {
            (Some(row), _) if row.open => (row.said.clone(), Role::Text),
            (Some(row), _) => (format!("not now: {}", row.said), Role::Notice),
            (None, Some(Err(refused))) => (refused.line(), Role::Danger),
            (None, _) => ("looking ...".to_owned(), Role::Dim),
        };
        for (line, part) in text::wrap(&said, room, ROWS - 1).iter().enumerate() {
            Pen::new(buf, theme, inside, cells(top + 1 + line))
                .gap(INDENT)
                .text(part, role);
        }
    }
}
