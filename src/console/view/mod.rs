//! `draw`: the model as cells. Pure; it reads the model and changes nothing.

pub mod agents;
pub mod breakers;
pub mod codes;
pub mod detail;
mod detail_rows;
pub mod diff;
pub mod form;
mod form_lines;
pub mod going;
pub mod handoffs;
pub mod header;
pub mod help;
pub mod layout;
pub mod log;
pub mod overview;
mod overview_boxes;
mod overview_rows;
pub mod palette;
pub mod panes;
pub mod receipts;
pub mod rows;
pub mod tasks;
mod tiny;
pub mod triage;
pub mod words;

use ratatui::Frame;
use ratatui::buffer::Buffer;

use super::backend::PaneKind;
use super::model::{Model, Overlay};
use super::theme::Theme;
use super::widget::text;
use layout::Class;

/// Draws the console.
pub fn draw(model: &Model, theme: &Theme, frame: &mut Frame<'_>) {
    let mut sized;
    let area = frame.area();
    // A resize may be drawn before its event was seen.
    let model = if model.start.size == (area.width, area.height) {
        model
    } else {
        sized = model.clone();
        sized.start.size = (area.width, area.height);
        &sized
    };
    let buf = frame.buffer_mut();
    paint(model, *theme, buf);
    if theme.ascii {
        to_ascii(buf);
    }
}

fn paint(model: &Model, theme: Theme, buf: &mut Buffer) {
    let plan = model.plan();
    if plan.class == Class::Tiny {
        tiny::draw(model, theme, buf);
        return;
    }
    header::draw(model, theme, &plan, buf);
    if plan.detail != Some(plan.body) {
        match model.pane {
            PaneKind::Overview => overview::draw(model, theme, &plan, buf),
            PaneKind::Handoffs => handoffs::draw(model, theme, &plan, buf),
            PaneKind::Breakers => breakers::draw(model, theme, &plan, buf),
            PaneKind::Tasks => tasks::draw(model, theme, &plan, buf),
            PaneKind::Codes => codes::draw(model, theme, &plan, buf),
            PaneKind::Receipts => receipts::draw(model, theme, &plan, buf),
            PaneKind::Agents => agents::draw(model, theme, &plan, buf),
            PaneKind::Log => log::draw(model, theme, &plan, buf),
        }
    }
    detail::draw(model, theme, &plan, buf);
    match &model.overlay {
        Some(Overlay::Help { scroll }) => help::draw(model, theme, &plan, *scroll, buf),
        Some(Overlay::Panes { chosen }) => panes::draw(model, theme, &plan, *chosen, buf),
        Some(Overlay::Form(form)) => form::draw(model, form, theme, &plan, buf),
        Some(Overlay::Palette(open)) => palette::draw(model, open, theme, &plan, buf),
        Some(Overlay::Triage(open)) => triage::draw(open, theme, &plan, buf),
        Some(Overlay::Going(open)) => going::draw(model, open, theme, &plan, buf),
        Some(Overlay::Diff(open)) => diff::draw(open, theme, &plan, buf),
        None => {}
    }
    header::hints(model, theme, &plan, buf);
}

/// Texts of agents may hold any character; a terminal without UTF-8 gets a question mark.
fn to_ascii(buf: &mut Buffer) {
    for cell in &mut buf.content {
        if !cell.symbol().is_ascii() {
            let width = text::width(cell.symbol()).max(1);
            let mark = if cell.symbol() == "…" { "~" } else { "?" };
            // A wide character leaves its second cell empty: the mark takes the first only.
            debug_assert!(width <= 2);
            cell.set_symbol(mark);
        }
    }
}
