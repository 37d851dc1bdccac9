//! The detail of the selected row: headed sections of plain lines.

use ratatui::buffer::Buffer;

use crate::console::backend::Known;
use crate::console::model::{Focus, Model};
use crate::console::theme::{Role, Theme};
use crate::console::widget::pen::Pen;
use crate::console::widget::text;

use super::detail_rows::{self, Row};
use super::layout::{Heading, Plan, frame, inner};

/// Rows that a refusal takes at most.
const REFUSAL_ROWS: usize = 40;

/// The detail's rows in so many columns.
fn rows(model: &Model, theme: Theme, columns: usize) -> Vec<Row> {
    let wanted = model.target();
    let loaded = model.detail.loaded.as_ref();
    match (loaded, &wanted) {
        (_, None) => Vec::new(),
        (Some((target, Ok(known))), Some(wanted)) if target == wanted => {
            detail_rows::rows(model, theme, known, columns)
        }
        (Some((target, Err(refused))), Some(wanted)) if target == wanted => {
            text::wrap(&refused.line(), columns, REFUSAL_ROWS)
                .into_iter()
                .map(|row| vec![(Role::Danger, row)])
                .collect()
        }
        _ => vec![vec![(Role::Dim, "reading ...".to_owned())]],
    }
}

/// What the detail is of.
fn title(model: &Model) -> String {
    match &model.detail.loaded {
        Some((target, Ok(known))) if Some(target) == model.target().as_ref() => match known {
            Known::Plain(detail) => detail.title.clone(),
            Known::Tree(tree) => {
                let first = tree.nodes.first();
                let handle = first.map(|node| node.handle.clone()).unwrap_or_default();
                format!("Where {handle} comes from")
            }
            Known::Bench(bench) => bench.code.code.clone(),
        },
        _ => "Detail".to_owned(),
    }
}

/// The last row that the detail can be scrolled to.
#[must_use]
pub fn last_scroll(model: &Model) -> usize {
    let plan = model.plan();
    let Some(area) = plan.detail else { return 0 };
    let area = inner(area, plan.class);
    let count = rows(model, Theme::default(), usize::from(area.width)).len();
    count.saturating_sub(usize::from(area.height))
}

/// Draws the detail where the plan has one.
pub fn draw(model: &Model, theme: Theme, plan: &Plan, buf: &mut Buffer) {
    let Some(area) = plan.detail else { return };
    let columns = usize::from(inner(area, plan.class).width);
    let rows = rows(model, theme, columns);
    let scroll = model.detail.scroll.min(rows.len());
    let height = usize::from(inner(area, plan.class).height);
    let below = rows.len().saturating_sub(scroll + height);
    let right = match (below, model.focus) {
        (0, _) => String::new(),
        (n, Focus::Detail) => format!("{n} more rows below"),
        (n, Focus::List) => format!("{n} more rows: Enter"),
    };
    let heading = Heading {
        title: title(model),
        right,
        focus: model.focus == Focus::Detail && model.overlay.is_none(),
        bad: false,
    };
    let inside = frame(buf, theme, plan.class, area, &heading);
    if rows.is_empty() {
        Pen::new(buf, theme, inside, 0).text("Nothing is selected.", Role::Dim);
    }
    for (line, row) in rows.iter().skip(scroll).take(height).enumerate() {
        let line = u16::try_from(line).unwrap_or(u16::MAX);
        let mut pen = Pen::new(buf, theme, inside, line);
        for (role, piece) in row {
            pen.text(piece, *role);
        }
    }
}
