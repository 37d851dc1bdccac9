//! A screen too small for panes: one sentence with the three counts that matter most.

use ratatui::buffer::Buffer;

use crate::console::model::Model;
use crate::console::theme::{Role, Theme};
use crate::console::widget::pen::Pen;
use crate::console::widget::text;

use super::words;

/// The sentence.
#[must_use]
pub fn sentence(model: &Model) -> String {
    if let Some(refused) = &model.trouble {
        return format!("No store: {}", refused.cause);
    }
    let counts = &model.snapshot.counts;
    let asks = u64::try_from(model.snapshot.attention.len()).unwrap_or(u64::MAX);
    let verb = if asks == 1 { "needs" } else { "need" };
    format!(
        "{} open, {} stopped, {} {verb} you.",
        words::count(counts.breakers_open, "breaker"),
        words::count(counts.stopped, "agent"),
        words::count(asks, "thing"),
    )
}

pub(super) fn draw(model: &Model, theme: Theme, buf: &mut Buffer) {
    let area = buf.area;
    let text = match &model.message {
        Some(message) => message.text.clone(),
        None => sentence(model),
    };
    let columns = usize::from(area.width);
    let lines = text::wrap(&text, columns, usize::from(area.height));
    for (row, line) in lines.iter().enumerate() {
        let row = u16::try_from(row).unwrap_or(u16::MAX);
        Pen::new(buf, theme, area, row).text(line, Role::Text);
    }
}
