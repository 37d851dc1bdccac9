//! The Overview: what needs a person, what is stopped, what goes round in circles, who is there.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::console::backend::{PaneKind, task_id};
use crate::console::model::{Focus, Model};
use crate::console::theme::{Role, Theme};
use crate::console::widget::pen::{Pen, cells};
use crate::console::widget::text;
use crate::contract::row::{AgentRow, BreakerRow, LogRow, TaskRow};

use super::layout::{Class, Heading, Plan, frame, inner};
use super::overview_rows::draw_item;
use super::tasks::circles;
use super::words;

/// Rows of *Needs you* that are read at most.
pub const ATTENTION_ROWS: usize = 50;
/// Columns that one agent of the fleet strip takes at least.
const AGENT_COLUMNS: u16 = 36;

/// The boxes, from the most pressing to the least.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Section {
    Needs,
    Breakers,
    Circles,
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

pub(super) fn breakers(model: &Model) -> &[BreakerRow] {
    let page = model.snapshot.breakers.as_ref();
    page.filter(|p| p.offset == 0 && p.filter.is_empty())
        .map_or(&[], |p| &p.rows)
}

pub(super) fn tasks(model: &Model) -> Vec<&TaskRow> {
    let page = model.snapshot.tasks.as_ref();
    page.filter(|p| p.offset == 0 && p.filter.is_empty())
        .map(|p| p.rows.iter().filter(|row| circles(row)).collect())
        .unwrap_or_default()
}

pub(super) fn agents(model: &Model) -> &[AgentRow] {
    let page = model.snapshot.agents.as_ref();
    page.filter(|p| p.offset == 0 && p.filter.is_empty())
        .map_or(&[], |p| &p.rows)
}

/// Newest records that are worth a box.
const LATEST_ROWS: u16 = 2;

pub(super) fn latest(model: &Model) -> &[LogRow] {
    let page = model.snapshot.log.as_ref();
    page.filter(|p| p.offset == 0 && p.filter.is_empty())
        .map_or(&[], |p| &p.rows)
}

/// Rows that a task takes: a second one says which file and which failure.
fn task_rows(class: Class) -> u16 {
    if class == Class::Stacked { 1 } else { 2 }
}

/// The boxes with their frames.
fn boxes(model: &Model, plan: &Plan) -> Vec<(Section, Rect)> {
    let mut boxes = pressing(model, plan);
    // Room that the fleet does not need goes to the newest records.
    let per_line = (plan.list.width.saturating_sub(2) / AGENT_COLUMNS).max(1);
    if let Some((Section::Fleet, fleet)) = boxes.last_mut() {
        let edges = if plan.class == Class::Stacked { 1 } else { 2 };
        let need = cells(agents(model).len()).div_ceil(per_line).max(2) + edges;
        if fleet.height >= need + edges + LATEST_ROWS {
            let latest = Rect {
                y: fleet.y + need,
                height: fleet.height - need,
                ..*fleet
            };
            fleet.height = need;
            boxes.push((Section::Latest, latest));
        }
    }
    boxes
}

/// The boxes without the newest records.
fn pressing(model: &Model, plan: &Plan) -> Vec<(Section, Rect)> {
    let area = plan.list;
    let edges: u16 = if plan.class == Class::Stacked { 1 } else { 2 };
    let needs_len = cells(model.snapshot.attention.len()).clamp(1, (area.height / 6).max(1));
    let needs_rows = needs_len + edges;
    let left = area.height.saturating_sub(needs_rows);
    let breaker_rows = cells(breakers(model).len()).max(1);
    let circle_rows = (cells(tasks(model).len()) * task_rows(plan.class)).max(1);
    let per_line = (area.width.saturating_sub(2) / AGENT_COLUMNS).max(1);
    let fleet_rows = cells(agents(model).len()).div_ceil(per_line).max(1);
    let needs = Rect {
        height: needs_rows.min(area.height),
        ..area
    };
    let below = |top: Rect, height: u16| Rect {
        y: top.bottom(),
        height: height.min(area.bottom().saturating_sub(top.bottom())),
        ..area
    };
    if plan.class == Class::Normal {
        let fleet_least = fleet_rows.min(3) + edges;
        let wanted = breaker_rows.max(circle_rows) + edges;
        let middle = wanted.clamp(edges + 4, left.saturating_sub(fleet_least).max(edges + 4));
        let row = below(needs, middle);
        let half = row.width / 2;
        let right = Rect {
            x: row.x + half,
            width: row.width - half,
            ..row
        };
        let fleet = below(row, left.saturating_sub(middle));
        return vec![
            (Section::Needs, needs),
            (Section::Breakers, Rect { width: half, ..row }),
            (Section::Circles, right),
            (Section::Fleet, fleet),
        ];
    }
    // One below the other: a fair share each, and what one does not need goes to the next.
    let share = left / 3;
    let breakers = (breaker_rows + edges).min(share.max(edges + 1));
    let circles = (circle_rows + edges).min(share.max(edges + 1));
    let breakers = below(needs, breakers);
    let circles = below(breakers, circles);
    let fleet = below(circles, left);
    vec![
        (Section::Needs, needs),
        (Section::Breakers, breakers),
        (Section::Circles, circles),
        (Section::Fleet, fleet),
    ]
}

/// What can be selected, in the order of the keys.
#[must_use]
pub fn items(model: &Model) -> Vec<Item> {
    let plan = model.plan();
    let mut items = Vec::new();
    for (section, area) in boxes(model, &plan) {
        let inside = inner(area, plan.class);
        let rows = usize::from(inside.height);
        let mut push = |kind, id: String, area: Rect, at| {
            items.push(Item {
                kind,
                id,
                area,
                section,
                at,
            });
        };
        let line = |at: usize, rows: u16| Rect {
            y: inside.y + cells(at) * rows,
            height: rows,
            ..inside
        };
        match section {
            Section::Needs => {
                for (at, row) in model.snapshot.attention.iter().take(rows).enumerate() {
                    push(PaneKind::Breakers, row.id.clone(), line(at, 1), at);
                }
            }
            Section::Breakers => {
                for (at, row) in breakers(model).iter().take(rows).enumerate() {
                    push(PaneKind::Breakers, row.id.clone(), line(at, 1), at);
                }
            }
            Section::Circles => {
                let each = task_rows(plan.class);
                let fitting = rows / usize::from(each);
                for (at, row) in tasks(model).into_iter().take(fitting).enumerate() {
                    push(PaneKind::Tasks, task_id(row), line(at, each), at);
                }
            }
            Section::Fleet => {
                let per_line = usize::from((inside.width / AGENT_COLUMNS).max(1));
                for (at, row) in agents(model).iter().take(rows * per_line).enumerate() {
                    let column = cells(at % per_line);
                    let width = inside.width / cells(per_line);
                    let area = Rect {
                        x: inside.x + column * width,
                        width,
                        ..line(at / per_line, 1)
                    };
                    push(PaneKind::Agents, row.agent.clone(), area, at);
                }
            }
            Section::Latest => {
                for (at, row) in latest(model).iter().take(rows).enumerate() {
                    push(PaneKind::Log, row.id.to_string(), line(at, 1), at);
                }
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
        if shown == 0 && model.loaded {
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
    let counts = &model.snapshot.counts;
    let more = |all: usize, what: String| {
        if all > shown {
            format!("{what}, {} more", all - shown)
        } else {
            what
        }
    };
    let (title, right, bad) = match section {
        Section::Needs => {
            let all = model.snapshot.attention.len();
            ("Needs you", more(all, all.to_string()), all > 0)
        }
        Section::Breakers => (
            "Breakers",
            format!("{} open", counts.breakers_open),
            counts.breakers_open > 0,
        ),
        Section::Circles => {
            let all = tasks(model).len();
            ("Going round in circles", more(all, all.to_string()), false)
        }
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
        Section::Breakers if model.snapshot.counts.breakers == 0 => "No breaker was ever opened.",
        Section::Breakers => "No breaker is open.",
        Section::Latest => "The journal is empty.",
        Section::Circles => "No task goes round in circles.",
        Section::Fleet => {
            "No agent has reported yet. docs/HOOKS.md tells how to join yours; watchfloor demo shows a scripted one."
        }
    }
}
