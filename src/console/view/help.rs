//! `?`: the keys that work here, from the table that the keys use, and what the symbols mean.

use ratatui::buffer::Buffer;

use crate::console::commands::{COMMANDS, Command, Scope};
use crate::console::model::Model;
use crate::console::theme::{Role, Theme};
use crate::console::widget::pen::Pen;
use crate::console::widget::{lane, spark, text};
use crate::contract::row::LaneStep;

use super::header::keys;
use super::layout::{Heading, Plan, inner, window};

/// Columns of help at most.
const WIDTH: u16 = 96;
/// Columns of the keys.
const KEYS: usize = 14;

enum Line {
    Blank,
    Heading(&'static str),
    Key(String, String),
    More(String),
    Reason(String),
    State(Role),
    Results,
    Lane,
}

fn size(plan: &Plan) -> (u16, u16) {
    (WIDTH, plan.body.height)
}

fn command_lines(model: &Model, command: &Command, columns: usize, out: &mut Vec<Line>) {
    let keys = keys(model, command, 3);
    let mut keys = Some(keys);
    for row in text::wrap(command.doc, columns.saturating_sub(KEYS + 1), 6) {
        out.push(match keys.take() {
            Some(keys) => Line::Key(keys, row),
            None => Line::More(row),
        });
    }
    if let Some(reason) = (command.disabled_reason)(model) {
        out.push(Line::Reason(format!("not now: {reason}")));
    }
}

fn lines(model: &Model, columns: usize) -> Vec<Line> {
    // Reasons are those of the pane under the help, not of the help itself.
    let mut below = model.clone();
    below.overlay = None;
    let mut out = Vec::new();
    for scope in Scope::ALL {
        if !out.is_empty() {
            out.push(Line::Blank);
        }
        out.push(Line::Heading(scope.title()));
        for command in COMMANDS.iter().filter(|c| c.scope == scope) {
            command_lines(&below, command, columns, &mut out);
        }
    }
    out.push(Line::Blank);
    out.push(Line::Heading("What the symbols mean"));
    for role in Role::ALL {
        let theme = Theme::default();
        if !theme.word(*role).is_empty() {
            out.push(Line::State(*role));
        }
    }
    out.push(Line::Results);
    out.push(Line::Lane);
    out
}

/// The last row that help can be scrolled to.
#[must_use]
pub fn last_scroll(model: &Model) -> usize {
    let plan = model.plan();
    let width = size(&plan).0.min(plan.body.width);
    let area = inner(ratatui::layout::Rect { width, ..plan.body }, plan.class);
    let count = lines(model, usize::from(area.width)).len();
    count.saturating_sub(usize::from(area.height))
}

/// Draws the window.
pub fn draw(model: &Model, theme: Theme, plan: &Plan, scroll: usize, buf: &mut Buffer) {
    let last = last_scroll(model);
    let right = if scroll < last {
        format!("{} more rows below", last - scroll)
    } else {
        String::new()
    };
    let heading = Heading {
        title: "Help".to_owned(),
        right,
        focus: true,
        bad: false,
    };
    let inside = window(buf, theme, plan.class, plan.body, size(plan), &heading);
    let lines = lines(model, usize::from(inside.width));
    for (row, line) in lines.iter().skip(scroll.min(last)).enumerate() {
        let Ok(row) = u16::try_from(row) else { break };
        if row >= inside.height {
            break;
        }
        let mut pen = Pen::new(buf, theme, inside, row);
        match line {
            Line::Blank => pen.gap(0),
            Line::Heading(title) => pen.text(title, Role::Title),
            Line::Key(keys, doc) => pen.cell(keys, KEYS, Role::Key).gap(1).text(doc, Role::Text),
            Line::More(doc) => pen.gap(KEYS + 1).text(doc, Role::Text),
            Line::Reason(reason) => pen.gap(KEYS + 1).text(reason, Role::Notice),
            Line::State(role) => pen.gap(2).mark(*role, 0),
            Line::Results => {
                pen.gap(2);
                spark::write(&mut pen, theme, &[0, 0, 1], 4);
                pen.text(
                    "an agent's latest results: low passed, high failed",
                    Role::Text,
                )
            }
            Line::Lane => {
                pen.gap(2);
                let step = |lane: &str| LaneStep {
                    lane: lane.to_owned(),
                    failed: true,
                };
                lane::write(&mut pen, theme, &[step("A"), step("B")], 7);
                pen.text(
                    "a task's tries: strategy A failed, then strategy B",
                    Role::Text,
                )
            }
        };
    }
}
