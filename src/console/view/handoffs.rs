//! The Handoffs pane: who asks, who holds it, and how long still.

use ratatui::buffer::Buffer;

use crate::console::model::Model;
use crate::console::theme::{Role, Theme};
use crate::console::widget::gauge;
use crate::console::widget::list::{Column, column};
use crate::console::widget::pen::Pen;
use crate::contract::row::HandoffRow;
use crate::contract::time::parse_rfc3339;

use super::layout::Plan;
use super::rows::{List, draw as draw_rows};
use super::words;

const COLUMNS: &[Column] = &[
    column("handoff", 7),
    column("state", 11),
    column("waiting", 12).from(90),
    column("project", 7).share(1).from(56),
    column("asked by", 9).share(1).from(72),
    column("held by", 9).share(1),
    column("time left", 18),
    column("question", 0).share(6).from(100),
];

/// The state's role: an escalated one that is decided needs nobody any more.
#[must_use]
pub fn state(row: &HandoffRow) -> Role {
    match row.state.as_str() {
        "open" => Role::Asked,
        "claimed" => Role::Claimed,
        "resolved" if row.used => Role::Resolved,
        "resolved" => Role::Unused,
        "escalated" if row.decision.is_some() => Role::Resolved,
        "escalated" => Role::Escalated,
        "blocked" => Role::Parked,
        _ => Role::Unknown,
    }
}

/// The state in words, with what a decision made of it.
#[must_use]
pub fn state_word(theme: Theme, row: &HandoffRow) -> &'static str {
    match (row.state.as_str(), &row.decision) {
        ("escalated", Some(_)) => "decided",
        _ => theme.word(state(row)),
    }
}

/// Whether something is still to come: it is asked, held, to be decided, or to be used.
#[must_use]
pub fn pending(row: &HandoffRow) -> bool {
    match row.state.as_str() {
        "open" | "claimed" => true,
        "resolved" => !row.used,
        "escalated" => row.decision.is_none(),
        _ => false,
    }
}

/// How much of the running time limit is over, in a hundredth, and what is left in words.
#[must_use]
pub fn left(now_us: i64, row: &HandoffRow) -> Option<(u8, String)> {
    let end = parse_rfc3339(row.deadline.as_deref()?)?;
    let from = row.limit_from.as_deref().and_then(parse_rfc3339);
    let from = from.unwrap_or(now_us).min(end);
    let spent = (now_us - from).clamp(0, end - from);
    let percent = (spent * 100).checked_div(end - from).unwrap_or(100);
    let words = match end - now_us {
        left if left <= 0 => "over".to_owned(),
        left => format!("{} left", words::span(left)),
    };
    Some((u8::try_from(percent).unwrap_or(100), words))
}

/// Writes gauge and time left in so many columns.
pub fn time_left(pen: &mut Pen<'_>, theme: Theme, now_us: i64, row: &HandoffRow, columns: usize) {
    match left(now_us, row) {
        Some((spent, words)) => {
            let cells = columns.saturating_sub(12).min(6);
            gauge::write(pen, theme, spent, cells);
            let role = if spent >= 80 {
                Role::Notice
            } else {
                Role::Text
            };
            pen.gap(1)
                .cell(&words, columns.saturating_sub(cells + 1), role);
        }
        None => {
            pen.gap(columns);
        }
    }
}

/// Draws the pane.
pub fn draw(model: &Model, theme: Theme, plan: &Plan, buf: &mut Buffer) {
    let now = model.now_us();
    let row = |pen: &mut Pen<'_>, row: &HandoffRow, widths: &[usize]| {
        let role = if pending(row) { Role::Text } else { Role::Dim };
        let state = state(row);
        pen.cell(&row.handle, widths[0], Role::Strong).gap(1);
        let word = match state {
            Role::Unused => "not used",
            _ => state_word(theme, row),
        };
        let mark = format!("{} {word}", theme.symbol(state));
        pen.cell(&mark, widths[1], state).gap(1);
        if widths[2] > 0 {
            priority(pen, theme, row, widths[2]);
        }
        if widths[3] > 0 {
            pen.cell(words::project(&row.project), widths[3], role)
                .gap(1);
        }
        if widths[4] > 0 {
            pen.cell(&words::name(&row.asker), widths[4], role).gap(1);
        }
        let holder = row.holder.as_deref().or(row.answered_by.as_deref());
        pen.cell(&words::name(holder.unwrap_or_default()), widths[5], role)
            .gap(1);
        if row.deadline.is_some() {
            time_left(pen, theme, now, row, widths[6]);
        } else {
            let age = format!("{} ago", words::age(now, &row.last_at));
            pen.cell(&age, widths[6], Role::Dim);
        }
        pen.gap(1);
        if widths[7] > 0 {
            pen.cell(&row.question, widths[7], role);
        }
    };
    let list = List {
        title: "Handoffs",
        columns: COLUMNS,
        empty: &[
            "No agent has asked another one yet.",
            "An agent that is stuck asks here; another one claims the question and answers it. Only what needs a person's responsibility reaches you.",
        ],
        id: &|row: &HandoffRow| row.id.clone(),
        row: &row,
    };
    let page = model.snapshot.handoffs.as_ref();
    draw_rows(model, theme, plan, page, &list, buf);
}

/// Whether an agent waits for it now.
fn priority(pen: &mut Pen<'_>, theme: Theme, row: &HandoffRow, columns: usize) {
    let open = matches!(row.state.as_str(), "open" | "claimed");
    let role = match row.priority.as_str() {
        _ if !open => Role::Dim,
        "blocking" => Role::Blocking,
        _ => Role::Background,
    };
    if open {
        let mark = format!("{} {}", theme.symbol(role), row.priority);
        pen.cell(&mark, columns, role);
    } else {
        pen.gap(columns);
    }
    pen.gap(1);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_of_a_limit_has_units() {
        let now = parse_rfc3339("2026-11-30T14:00:00Z").unwrap();
        let row = |from: &str, end: &str| HandoffRow {
            limit_from: Some(from.to_owned()),
            deadline: Some(end.to_owned()),
            ..HandoffRow::default()
        };
        let told = |from, end| left(now, &row(from, end)).unwrap();
        assert_eq!(
            told("2026-11-30T13:54:00Z", "2026-11-30T14:04:00Z"),
            (60, "4 min left".to_owned())
        );
        assert_eq!(
            told("2026-11-30T13:50:40Z", "2026-11-30T14:00:40Z").1,
            "40 s left"
        );
        assert_eq!(
            told("2026-11-30T13:50:00Z", "2026-11-30T13:59:00Z"),
            (100, "over".to_owned())
        );
        assert_eq!(left(now, &HandoffRow::default()), None);
    }
}
