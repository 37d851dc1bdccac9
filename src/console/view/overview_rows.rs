//! The rows of the Overview's boxes.

use ratatui::buffer::Buffer;

use crate::console::model::Model;
use crate::console::theme::{Role, Theme};
use crate::console::widget::pen::Pen;
use crate::console::widget::text;
use crate::console::widget::{lane, spark};
use crate::contract::row::{
    AgentRow, AttentionRow, BreakerRow, CodeRow, HandoffRow, LogRow, TaskRow,
};

use super::layout::{Class, Plan};
use super::overview::{Item, Section, agents, breakers, codes, handoffs, latest, tasks};
use super::{codes as codes_view, handoffs as handoffs_view, words};

/// Draws one item.
pub(super) fn draw_item(
    model: &Model,
    theme: Theme,
    plan: &Plan,
    item: &Item,
    chosen: bool,
    buf: &mut Buffer,
) {
    let mut pen = Pen::new(buf, theme, item.area, 0);
    let pointer = if chosen { theme.pointer() } else { " " };
    pen.text(pointer, Role::Focus);
    if chosen {
        pen.patch(theme.style(Role::Selected));
    }
    let now = model.now_us();
    let mut below = None;
    match item.section {
        Section::Needs => {
            if let Some(row) = model.snapshot.attention.get(item.at) {
                needs(&mut pen, theme, now, row);
            }
        }
        Section::Handoffs => {
            if let Some(row) = handoffs(model).get(item.at) {
                handoff(&mut pen, theme, now, row);
                below = Some((Role::Dim, row.question.clone()));
            }
        }
        Section::Breakers => {
            if let Some(row) = breakers(model).get(item.at) {
                breaker(&mut pen, now, row);
            }
        }
        Section::Circles => {
            if let Some(row) = tasks(model).get(item.at) {
                task(&mut pen, theme, model, row);
                below = Some((Role::Dim, proof(theme, row)));
            }
        }
        Section::Codes => {
            if let Some(row) = codes(model).get(item.at) {
                code(&mut pen, row);
                below = Some((Role::Dim, row.sample.clone()));
            }
        }
        Section::Fleet => {
            if let Some(row) = agents(model).get(item.at) {
                agent(&mut pen, theme, plan, now, row);
            }
        }
        Section::Latest => {
            if let Some(row) = latest(model).get(item.at) {
                record(&mut pen, model, row);
            }
        }
    }
    pen.fill();
    if let Some((role, text)) = below.filter(|_| item.area.height > 1) {
        Pen::new(buf, theme, item.area, 1).gap(3).text(&text, role);
    }
}

fn handoff(pen: &mut Pen<'_>, theme: Theme, now: i64, row: &HandoffRow) {
    let state = handoffs_view::state(row);
    pen.cell(&row.handle, 7, Role::Strong).gap(1);
    if row.state == "claimed" {
        pen.text(theme.symbol(state), state).gap(1);
        let holder = words::name(row.holder.as_deref().unwrap_or_default());
        let room = pen.left().saturating_sub(19).clamp(4, 14);
        pen.cell(&holder, room, Role::Text).gap(1);
        let rest = pen.left();
        handoffs_view::time_left(pen, theme, now, row, rest);
        return;
    }
    let since = match row.state.as_str() {
        "open" => &row.opened_at,
        _ => &row.last_at,
    };
    pen.right(&format!("{:>6}", words::age(now, since)), Role::Dim);
    pen.mark(state, 0).gap(1);
    match row.state.as_str() {
        "open" if row.priority == "blocking" => {
            pen.text("blocking ", Role::Blocking);
        }
        "escalated" => {
            let class = words::spaced(row.class.as_deref().unwrap_or_default());
            pen.text(&class, Role::Strong).gap(1);
        }
        _ => {}
    }
    pen.text(words::project(&row.project), Role::Text);
}

fn code(pen: &mut Pen<'_>, row: &CodeRow) {
    pen.right(&format!("{}x", row.count), Role::Text);
    pen.mark(codes_view::state(row), 6)
        .text(&row.code, Role::Strong);
}

fn needs(pen: &mut Pen<'_>, theme: Theme, now: i64, row: &AttentionRow) {
    let age = words::age(now, &row.since);
    pen.right(&format!("{age:>7}"), Role::Dim);
    pen.right(&format!("by {}", words::who(&row.needs)), Role::Strong);
    pen.text(theme.symbol(Role::Needs), Role::Needs)
        .gap(1)
        .text(&words::spaced(&row.kind), Role::Strong)
        .gap(1)
        .text(&words::name(&row.what), Role::Text);
}

fn record(pen: &mut Pen<'_>, model: &Model, row: &LogRow) {
    let at = words::clock_seconds(&row.at, model.start.utc_offset_min);
    let task = row.task.as_ref().map_or("", |t| t.as_str());
    let agent = row.agent.as_ref().map_or("", |a| a.as_str());
    pen.cell(&at, 8, Role::Dim)
        .gap(1)
        .cell(&words::record(row), 34, Role::Text)
        .gap(1)
        .cell(words::project(row.project.as_str()), 8, Role::Text)
        .gap(1)
        .cell(&words::name(task), 8, Role::Text)
        .gap(1)
        .text(&words::name(agent), Role::Text);
}

fn breaker(pen: &mut Pen<'_>, now: i64, row: &BreakerRow) {
    let open = row.state == "open";
    let role = if open { Role::Strong } else { Role::Dim };
    match &row.closed_at {
        Some(at) if !open => pen.right(&format!("{} ago", words::age(now, at)), role),
        _ => pen.right(&row.needs, role),
    };
    pen.mark(words::state(&row.state), 8)
        .gap(1)
        .cell(&words::spaced(&row.trigger), 11, role)
        .gap(1)
        .text(&words::scope(&row.scope, row.project.as_deref()), role);
}

fn task(pen: &mut Pen<'_>, theme: Theme, model: &Model, row: &TaskRow) {
    let columns = pen.left();
    pen.cell(&words::name(&row.task), 7.min(columns / 5), Role::Strong)
        .gap(1);
    let rest = pen.left();
    lane::write(
        pen,
        theme,
        &row.lanes,
        rest.saturating_sub(19).clamp(11, 23),
    );
    pen.gap(1);
    match super::tasks::next_step(model, row) {
        (Role::Dim, _) if row.same >= 2 => {
            pen.text(&format!("same failure {}x", row.same), Role::Text);
        }
        (Role::Dim, _) => {}
        (role, text) => {
            pen.text(theme.symbol(role), role).gap(1).text(&text, role);
        }
    }
}

/// The file and the failure that show it.
fn proof(theme: Theme, row: &TaskRow) -> String {
    let mut parts = Vec::new();
    if let Some(file) = &row.churn_file {
        parts.push(format!(
            "{} in {}",
            text::cut(file, 40),
            words::count(row.churn, "try")
        ));
    }
    if let Some(failure) = &row.failure {
        parts.push(text::cut(failure, 200));
    }
    parts.join(&format!(" {} ", theme.dot()))
}

fn agent(pen: &mut Pen<'_>, theme: Theme, plan: &Plan, now: i64, row: &AgentRow) {
    let state = words::state(&row.state);
    let narrow = pen.left() < 46 && plan.class != Class::Stacked;
    pen.text(theme.symbol(state), state)
        .gap(1)
        .cell(&words::name(&row.agent), 10, Role::Strong)
        .gap(1)
        .cell(theme.word(state), 7, state)
        .gap(1);
    if !narrow {
        pen.cell(words::project(&row.project), 8, Role::Text).gap(1);
    }
    pen.cell(&words::name(&row.task), 6, Role::Text).gap(1);
    let columns = if narrow { 5 } else { 8 };
    spark::write(pen, theme, &row.spark, columns);
    if !narrow {
        pen.gap(1);
        if let Some(lamp) = words::lamp(&row.lamp)
            && pen.left() > 18
        {
            pen.cell(theme.word(lamp), 8, lamp).gap(1);
        }
        let failed = format!("{} of {} failed", row.failures, row.attempts);
        if pen.left() > text::width(&failed) + 8 {
            pen.text(&failed, Role::Dim);
        }
        pen.right(&words::age(now, &row.last_at), Role::Dim);
    }
}
