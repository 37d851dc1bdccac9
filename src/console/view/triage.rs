//! `t`: what a text means, as it is typed: code, cause, next command.

use ratatui::buffer::Buffer;

use crate::console::model::Triage;
use crate::console::theme::{Role, Theme};
use crate::console::widget::pen::{Pen, cells};
use crate::console::widget::text;

use super::form::line_of_text;
use super::layout::{Heading, Plan, window};
use super::words;

/// Columns of the window at most.
const WIDTH: u16 = 90;
/// Columns of the names at the left.
const NAMES: usize = 10;

/// The answer: names and texts.
fn answer(open: &Triage, room: usize) -> Vec<(&'static str, Role, String)> {
    let mut lines = Vec::new();
    let mut add = |name: &'static str, role: Role, said: &str, rows: usize| {
        let mut name = name;
        for row in text::wrap(said, room, rows) {
            lines.push((name, role, row));
            name = "";
        }
    };
    match &open.answer {
        _ if open.input.value().trim().is_empty() => {
            let said = "Type or paste what went wrong, as the tool said it.";
            add("", Role::Dim, said, 2);
        }
        Some((_, Ok(meaning))) => {
            add("code", Role::Strong, &meaning.code, 2);
            add("cause", Role::Text, &meaning.cause, 4);
            add("next", Role::Key, &meaning.next_command, 3);
            let over = if meaning.ambiguous {
                "nobody has said yet what this is; the code is provisional"
            } else if meaning.recoverable {
                "it can be got over without a person"
            } else {
                "it needs a person"
            };
            add("", Role::Dim, over, 2);
            if !meaning.matched.is_empty() {
                let matched: Vec<String> = meaning.matched.iter().map(|m| words::name(m)).collect();
                add("because", Role::Dim, &matched.join(", "), 2);
            }
            if open.of_row {
                add(
                    "",
                    Role::Dim,
                    "what you type takes the place of the row's text",
                    2,
                );
            }
        }
        Some((_, Err(refused))) => add("", Role::Notice, &refused.line(), 4),
        None => add("", Role::Dim, "looking it up ...", 1),
    }
    lines
}

/// Draws the window.
pub fn draw(open: &Triage, theme: Theme, plan: &Plan, buf: &mut Buffer) {
    let width = WIDTH.min(plan.body.width);
    let room = usize::from(width.saturating_sub(4)).saturating_sub(NAMES);
    let lines = answer(open, room);
    let right = match (open.command(), open.on_answer) {
        (None, _) => "",
        (Some(_), true) => "y copies the command",
        (Some(_), false) => "Enter, then y copies the command",
    };
    let heading = Heading {
        title: "What does it mean?".to_owned(),
        right: right.to_owned(),
        focus: true,
        bad: false,
    };
    // As high as its longest answer, so that it does not jump while one types.
    let size = (width, 13.max(cells(lines.len() + 4)));
    let inside = window(buf, theme, plan.class, plan.body, size, &heading);
    let inside = ratatui::layout::Rect {
        x: inside.x + 1,
        width: inside.width.saturating_sub(2),
        ..inside
    };
    let mut pen = Pen::new(buf, theme, inside, 0);
    let (role, pointer) = if open.on_answer {
        (Role::Dim, " ")
    } else {
        (Role::Focus, theme.pointer())
    };
    pen.cell("text", NAMES - 1, role).text(pointer, Role::Focus);
    line_of_text(&mut pen, theme, &open.input, !open.on_answer, "");
    for (row, (name, role, said)) in lines.iter().enumerate() {
        let mut pen = Pen::new(buf, theme, inside, cells(row + 2));
        let pointer = if open.on_answer && *name == "next" {
            theme.pointer()
        } else {
            " "
        };
        pen.cell(name, NAMES - 1, Role::Dim)
            .text(pointer, Role::Focus)
            .text(said, *role);
    }
}
