//! The lines around the panes: header, tabs, notice, hints.

use ratatui::buffer::Buffer;

use crate::console::commands::{COMMANDS, Command, Id};
use crate::console::keymap;
use crate::console::model::{Message, Model};
use crate::console::theme::{Role, Theme};
use crate::console::widget::pen::{Pen, cells};
use crate::console::widget::text;

use super::layout::{Class, Plan};
use super::words;

/// Columns of the words behind the tabs.
const ALL_PANES: usize = 12;
/// Rows of what is said at the foot.
const MESSAGE_ROWS: usize = 3;

/// What is said on the line under the tabs, when something is.
#[must_use]
pub fn notice(model: &Model) -> Option<(Role, String)> {
    if let Some(refused) = &model.trouble {
        let since = if model.loaded {
            let at = words::clock(model.snapshot.now_us, model.start.utc_offset_min);
            format!(" This is how it was at {at}.")
        } else {
            String::new()
        };
        let text = format!("No store: {}.{since}", refused.line());
        return Some((Role::Danger, text));
    }
    if let Some(problem) = model.start.problems.first() {
        let more = match model.start.problems.len() {
            1 => String::new(),
            n => format!(" (and {} more)", n - 1),
        };
        return Some((Role::Notice, format!("{problem}{more}")));
    }
    let text = model.snapshot.identity_notice.clone()?;
    Some((Role::Notice, text))
}

fn state(model: &Model, plan: &Plan) -> (Role, String) {
    if model.trouble.is_some() {
        (Role::Lost, String::new())
    } else if !model.loaded {
        (Role::Reading, String::new())
    } else if model.paused && model.missed > 0 {
        let missed = words::count(model.missed, "change");
        let narrow = plan.class == Class::Stacked;
        let missed = if narrow {
            format!(" +{}", model.missed)
        } else {
            format!(", {missed} waiting")
        };
        (Role::Paused, missed)
    } else if model.paused {
        (Role::Paused, String::new())
    } else {
        (Role::Live, String::new())
    }
}

/// Draws header, tabs and notice.
pub fn draw(model: &Model, theme: Theme, plan: &Plan, buf: &mut Buffer) {
    let counts = &model.snapshot.counts;
    let project = model
        .start
        .project
        .as_deref()
        .map_or("all projects", words::project);
    let mut pen = Pen::new(buf, theme, plan.header, 0);
    let clock = words::clock(model.now_us(), model.start.utc_offset_min);
    pen.right(&format!("{clock} "), Role::Text);
    pen.gap(1);
    let (role, rest) = state(model, plan);
    let agents = words::count(counts.agents, "agent");
    let stopped = format!("{} stopped", counts.stopped);
    let stopped_role = if counts.stopped > 0 {
        Role::Stopped
    } else {
        Role::Dim
    };
    let wide = plan.class != Class::Stacked;
    let gap = if wide { 3 } else { 2 };
    // A narrow header keeps what can be wrong and lets names go.
    if wide || model.start.project.is_none() {
        pen.text("watchfloor", Role::Title).gap(2);
    }
    if wide || model.start.project.is_some() {
        let columns = if wide { 30 } else { 12 };
        pen.text(&text::cut(project, columns), Role::Text).gap(gap);
    }
    pen.mark(role, 0).text(&rest, role);
    if model.readonly().is_some() {
        pen.text(if wide { ", read-only" } else { " r/o" }, Role::Notice);
    }
    pen.gap(gap).text(&agents, Role::Text).gap(gap);
    if counts.stopped > 0 {
        pen.text(theme.symbol(Role::Stopped), Role::Stopped).gap(1);
    }
    pen.text(&stopped, stopped_role);

    for (pane, area, label) in plan.tab_cells(model.pane) {
        let mut pen = Pen::new(buf, theme, area.intersection(plan.tabs), 0);
        if pane == model.pane {
            pen.patch(theme.style(Role::Selected));
            pen.text(&label, Role::Strong);
        } else {
            pen.text(&label, Role::Text);
        }
    }
    let more = plan.more(model.pane);
    let label = match usize::from(more.width) {
        ALL_PANES.. => " 0 all panes",
        _ => " 0 …",
    };
    Pen::new(buf, theme, more, 0).text(label, Role::Dim);
    if let Some((role, text)) = notice(model) {
        let columns = usize::from(plan.notice.width.saturating_sub(2));
        let rows = text::wrap(&text, columns, usize::from(plan.notice.height));
        for (row, line) in rows.iter().enumerate() {
            Pen::new(buf, theme, plan.notice, cells(row))
                .gap(1)
                .text(line, role);
        }
    }
}

/// The line of hints, or what is said at the foot.
pub fn hints(model: &Model, theme: Theme, plan: &Plan, buf: &mut Buffer) {
    if let Some(message) = &model.message {
        said(message, theme, plan, buf);
        return;
    }
    let mut pen = Pen::new(buf, theme, plan.hints, 0);
    pen.gap(1);
    let scopes = keymap::heard(model);
    let mut heard: Vec<&Command> = COMMANDS
        .iter()
        .filter(|c| c.hint > 0 && scopes.contains(&c.scope))
        .filter(|c| c.panes.is_empty() || c.panes.contains(&model.pane))
        .collect();
    heard.sort_by_key(|c| c.hint);
    let (off, on): (Vec<_>, Vec<_>) = heard
        .into_iter()
        .map(|c| (c, (c.disabled_reason)(model)))
        .partition(|(_, reason)| reason.is_some());
    for (command, reason) in on.into_iter().chain(off) {
        // A key that was taken by a pane's own is not offered there.
        let first = model.start.keys.of(command).first();
        let meant = first.and_then(|chord| keymap::command(model, *chord));
        if meant.is_none_or(|other| other.name != command.name) {
            continue;
        }
        let key = keys(model, command, 1);
        let title = title(model, command);
        let reason = reason.map(|r| format!(" ({r})")).unwrap_or_default();
        let need = text::width(&format!("{key} {title}{reason}"));
        if need > pen.left() {
            continue;
        }
        let (key_role, role) = if reason.is_empty() {
            (Role::Key, Role::Text)
        } else {
            (Role::Dim, Role::Dim)
        };
        pen.text(&key, key_role)
            .gap(1)
            .text(&format!("{title}{reason}"), role)
            .gap(2);
    }
    pen.fill();
}

/// What is said at the foot: whole, in as many rows as it needs, over the end of the body.
fn said(message: &Message, theme: Theme, plan: &Plan, buf: &mut Buffer) {
    let (role, symbol) = if message.bad {
        (Role::Danger, Role::Needs)
    } else {
        (Role::Strong, Role::Passed)
    };
    let columns = usize::from(plan.hints.width.saturating_sub(4));
    let lines = text::wrap(&message.text, columns, MESSAGE_ROWS);
    let height = cells(lines.len().max(1)).min(plan.body.height + 1);
    let area = ratatui::layout::Rect {
        y: (plan.hints.y + 1).saturating_sub(height),
        height,
        ..plan.hints
    };
    for (row, line) in lines.iter().enumerate() {
        let mut pen = Pen::new(buf, theme, area, cells(row));
        pen.gap(1);
        if row == 0 {
            pen.text(theme.symbol(symbol), symbol).gap(1);
        } else {
            pen.gap(2);
        }
        pen.text(line, role).fill();
    }
}

/// The command's first keys, as they are written.
#[must_use]
pub fn keys(model: &Model, command: &Command, most: usize) -> String {
    let keys: Vec<String> = model
        .start
        .keys
        .of(command)
        .iter()
        .take(most)
        .map(ToString::to_string)
        .collect();
    if command.id == Id::Stop {
        keys.iter().map(|key| key.repeat(2)).collect()
    } else {
        keys.join(" ")
    }
}

fn title<'a>(model: &Model, command: &Command) -> &'a str {
    match command.id {
        Id::Pause if model.paused => "go on live",
        _ => command.title,
    }
}
