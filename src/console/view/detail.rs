//! The detail of the selected row: headed sections of plain lines.

use ratatui::buffer::Buffer;

use crate::console::model::{Focus, Model};
use crate::console::theme::{Role, Theme};
use crate::console::widget::pen::Pen;
use crate::console::widget::text;

use super::layout::{Heading, Plan, frame, inner};

/// Rows that one line of a detail may take.
const LINE_ROWS: usize = 40;
/// Rows of a whole detail.
const MAX_ROWS: usize = 2000;

/// The detail's rows in so many columns.
fn rows(model: &Model, columns: usize) -> Vec<(Role, String)> {
    let wanted = model.target();
    let loaded = model.detail.loaded.as_ref();
    let outcome = match (loaded, &wanted) {
        (_, None) => return Vec::new(),
        (Some((target, outcome)), Some(wanted)) if target == wanted => outcome,
        _ => return vec![(Role::Dim, "reading ...".to_owned())],
    };
    let mut out = Vec::new();
    match outcome {
        Ok(detail) => {
            for section in &detail.sections {
                if !out.is_empty() {
                    out.push((Role::Text, String::new()));
                }
                out.push((Role::Title, text::cut(&section.heading, columns)));
                for line in &section.lines {
                    for row in text::wrap(line, columns, LINE_ROWS) {
                        out.push((Role::Text, row));
                    }
                }
                if out.len() > MAX_ROWS {
                    break;
                }
            }
        }
        Err(refused) => {
            for row in text::wrap(&refused.line(), columns, LINE_ROWS) {
                out.push((Role::Danger, row));
            }
        }
    }
    out
}

/// The last row that the detail can be scrolled to.
#[must_use]
pub fn last_scroll(model: &Model) -> usize {
    let plan = model.plan();
    let Some(area) = plan.detail else { return 0 };
    let area = inner(area, plan.class);
    let count = rows(model, usize::from(area.width)).len();
    count.saturating_sub(usize::from(area.height))
}

/// Draws the detail where the plan has one.
pub fn draw(model: &Model, theme: Theme, plan: &Plan, buf: &mut Buffer) {
    let Some(area) = plan.detail else { return };
    let columns = usize::from(inner(area, plan.class).width);
    let rows = rows(model, columns);
    let scroll = model.detail.scroll.min(rows.len());
    let height = usize::from(inner(area, plan.class).height);
    let title = match &model.detail.loaded {
        Some((target, Ok(detail))) if Some(target) == model.target().as_ref() => {
            detail.title.clone()
        }
        _ => "Detail".to_owned(),
    };
    let below = rows.len().saturating_sub(scroll + height);
    let right = match (below, model.focus) {
        (0, _) => String::new(),
        (n, Focus::Detail) => format!("{n} more rows below"),
        (n, Focus::List) => format!("{n} more rows: Enter"),
    };
    let heading = Heading {
        title,
        right,
        focus: model.focus == Focus::Detail && model.overlay.is_none(),
        bad: false,
    };
    let inside = frame(buf, theme, plan.class, area, &heading);
    if rows.is_empty() {
        Pen::new(buf, theme, inside, 0).text("Nothing is selected.", Role::Dim);
    }
    for (line, (role, row)) in rows.iter().skip(scroll).take(height).enumerate() {
        let line = u16::try_from(line).unwrap_or(u16::MAX);
        Pen::new(buf, theme, inside, line).text(row, *role);
    }
}
