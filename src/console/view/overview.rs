//! The Overview: what needs a person, what is asked, what is stopped, what goes round in circles,
//! what has no name yet, who is there.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::console::backend::{PaneKind, task_id};
use crate::console::commands::pane_of;
use crate::console::model::{Focus, Model};
use crate::console::theme::{Role, Theme};
use crate::console::widget::pen::{Pen, cells};
use crate::console::widget::text;
use crate::contract::row::{AgentRow, BreakerRow, CodeRow, HandoffRow, LogRow, TaskRow};

use super::layout::{Class, Heading, Plan, frame, inner};
use super::overview_boxes::{AGENT_COLUMNS, boxes};
use super::overview_rows::draw_item;
use super::{codes as codes_view, handoffs as handoffs_view, words};

/// Rows of *Needs you* that are read at most.
pub const ATTENTION_ROWS: usize = 50;

/// The boxes, from the most pressing to the least.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Section {
    Needs,
    Handoffs,
    Breakers,
    Circles,
    Codes,
    Fleet,
    Latest,
}

/// Something on the Overview that can be selected.
#[derive(Clone, Debug)]
pub struct Item {
    /// Kind of row.
    pub kind: PaneKind,
    /// The row.
    pub id: String,
    /// Where it is drawn.
    pub area: Rect,
    pub(super) section: Section,
    pub(super) at: usize,
}

/// The first rows of a list, when it was read for the Overview.
macro_rules! first_rows {
    ($model:expr, $list:ident) => {
        $model
            .snapshot
            .$list
            .as_ref()
            .filter(|page| page.offset == 0 && page.filter.is_empty())
            .map_or(&[][..], |page| &page.rows)
    };
}

pub(super) fn handoffs(model: &Model) -> Vec<&HandoffRow> {
    let rows: &[HandoffRow] = first_rows!(model, handoffs);
    rows.iter()
        .filter(|row| handoffs_view::pending(row))
        .collect()
}

pub(super) fn breakers(model: &Model) -> &[BreakerRow] {
    first_rows!(model, breakers)
}

pub(super) fn tasks(model: &Model) -> &[TaskRow] {
    &model.snapshot.circles.rows
}

pub(super) fn codes(model: &Model) -> Vec<&CodeRow> {
    let rows: &[CodeRow] = first_rows!(model, codes);
    rows.iter().filter(|row| codes_view::pending(row)).collect()
}

pub(super) fn agents(model: &Model) -> &[AgentRow] {
    first_rows!(model, agents)
}

pub(super) fn latest(model: &Model) -> &[LogRow] {
    first_rows!(model, log)
}

/// Rows that each item of a box takes.
pub(super) fn heights(model: &Model, section: Section, class: Class) -> Vec<u16> {
    // A second row says what it is about; the stacked layout has no room for it.
    let two = if class == Class::Stacked { 1 } else { 2 };
    match section {
        Section::Needs => vec![1; model.snapshot.attention.len()],
        Section::Handoffs => handoffs(model)
            .iter()
            .map(|row| match row.state.as_str() {
                "open" | "escalated" => two,
                _ => 1,
            })
            .collect(),
        Section::Breakers => vec![1; breakers(model).len()],
        Section::Circles => vec![two; tasks(model).len()],
        Section::Codes => vec![two; codes(model).len()],
        Section::Fleet => vec![1; agents(model).len()],
        Section::Latest => vec![1; latest(model).len()],
    }
}

/// Kind and id of an item of a box.
fn target(model: &Model, section: Section, at: usize) -> Option<(PaneKind, String)> {
    Some(match section {
        Section::Needs => {
            let row = model.snapshot.attention.get(at)?;
            (pane_of(row), row.id.clone())
        }
        Section::Handoffs => (PaneKind::Handoffs, handoffs(model).get(at)?.id.clone()),
        Section::Breakers => (PaneKind::Breakers, breakers(model).get(at)?.id.clone()),
        Section::Circles => (PaneKind::Tasks, task_id(tasks(model).get(at)?)),
        Section::Codes => (PaneKind::Codes, codes(model).get(at)?.code.clone()),
        Section::Fleet => (PaneKind::Agents, agents(model).get(at)?.agent.clone()),
        Section::Latest => (PaneKind::Log, latest(model).get(at)?.id.to_string()),
    })
}

/// What can be selected, in the order of the keys.
#[must_use]
pub fn items(model: &Model) -> Vec<Item> {
    let plan = model.plan();
    let mut items = Vec::new();
    for (section, area) in boxes(model, &plan) {
        let inside = inner(area, plan.class);
        let per_line = if section == Section::Fleet {
            usize::from((inside.width / AGENT_COLUMNS).max(1))
        } else {
            1
        };
        let width = inside.width / cells(per_line);
        let mut y = inside.y;
        for (at, height) in heights(model, section, plan.class).into_iter().enumerate() {
            // What has only room for its first row is shown by that.
            let room = inside.bottom().saturating_sub(y);
            if room == 0 {
                break;
            }
            let Some((kind, id)) = target(model, section, at) else {
                break;
            };
            let column = at % per_line;
            items.push(Item {
                kind,
                id,
                area: Rect {
                    x: inside.x + cells(column) * width,
                    y,
                    width,
                    height: height.min(room),
                },
                section,
                at,
            });
            if column + 1 == per_line {
                y += height;
            }
        }
    }
    items
}

/// Draws the pane.
pub fn draw(model: &Model, theme: Theme, plan: &Plan, buf: &mut Buffer) {
    let items = items(model);
    let selected = items.get(model.list().selected);
    for (section, area) in boxes(model, plan) {
        let shown = items.iter().filter(|i| i.section == section).count();
        let mut heading = heading(model, section, shown);
        heading.focus = model.overlay.is_none() && selected.is_some_and(|i| i.section == section);
        let inside = frame(buf, theme, plan.class, area, &heading);
        let none = heights(model, section, plan.class).is_empty();
        if none && model.loaded {
            let columns = usize::from(inside.width.saturating_sub(2));
            let rows = text::wrap(empty(model, section), columns, usize::from(inside.height));
            for (row, line) in rows.iter().enumerate() {
                let role = if section == Section::Fleet {
                    Role::Text
                } else {
                    Role::Dim
                };
                Pen::new(buf, theme, inside, cells(row))
                    .gap(1)
                    .text(line, role);
            }
        }
    }
    for (index, item) in items.iter().enumerate() {
        let chosen = index == model.list().selected && model.focus == Focus::List;
        draw_item(model, theme, plan, item, chosen, buf);
    }
}

fn heading(model: &Model, section: Section, shown: usize) -> Heading {
    let snapshot = &model.snapshot;
    let counts = &snapshot.counts;
    let more = |all: usize, what: String| {
        if all > shown {
            format!("{what}, {} more", all - shown)
        } else {
            what
        }
    };
    let (title, right, bad) = match section {
        Section::Needs => {
            let all = snapshot.attention.len();
            ("Needs you", more(all, all.to_string()), all > 0)
        }
        Section::Handoffs => (
            "Handoffs",
            more(
                handoffs(model).len(),
                format!("{} blocking", snapshot.blocking),
            ),
            false,
        ),
        Section::Breakers => (
            "Breakers",
            format!("{} open", counts.breakers_open),
            counts.breakers_open > 0,
        ),
        Section::Circles => (
            "Going round in circles",
            more(snapshot.circles.total, snapshot.circles.total.to_string()),
            false,
        ),
        Section::Codes => (
            "New failure codes",
            more(codes(model).len(), format!("{} due", snapshot.codes_due)),
            false,
        ),
        Section::Latest => ("Latest records", String::new(), false),
        Section::Fleet => {
            let all = usize::try_from(counts.agents).unwrap_or(usize::MAX);
            let tries = format!(
                "{}, {} failed, {}",
                words::count(counts.attempts, "try"),
                counts.failures,
                words::count(counts.leaks, "leak")
            );
            ("Fleet", more(all, tries), false)
        }
    };
    Heading {
        title: title.to_owned(),
        right: if model.loaded { right } else { String::new() },
        focus: false,
        bad,
    }
}

fn empty(model: &Model, section: Section) -> &'static str {
    match section {
        Section::Needs => "Nothing needs you now.",
        Section::Handoffs => "No question is open.",
        Section::Breakers if model.snapshot.counts.breakers == 0 => "No breaker was ever opened.",
        Section::Breakers => "No breaker is open.",
        Section::Latest => "The journal is empty.",
        Section::Circles => "No task goes round in circles.",
        Section::Codes => "Every failure so far has a name.",
        Section::Fleet => {
            "No agent has reported yet. docs/HOOKS.md tells how to join yours; watchfloor demo shows a scripted one."
        }
    }
}
