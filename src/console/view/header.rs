//! The lines around the panes: header, tabs, notice, hints.

use ratatui::buffer::Buffer;

use crate::console::commands::{COMMANDS, Command, Id};
use crate::console::keymap;
use crate::console::model::Model;
use crate::console::theme::{Role, Theme};
use crate::console::widget::pen::{Pen, cells};
use crate::console::widget::text;

use super::layout::{Class, Plan};
use super::words;

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

    for (pane, area, label) in plan.tab_cells() {
        let mut pen = Pen::new(buf, theme, area.intersection(plan.tabs), 0);
        if pane == model.pane {
            pen.patch(theme.style(Role::Selected));
            pen.text(&label, Role::Strong);
        } else {
            pen.text(&label, Role::Text);
        }
    }
    if let Some((_, last, _)) = plan.tab_cells().last()
        && wide
    {
        let mut rest = plan.tabs;
        rest.x = last.right() + 1;
        rest.width = plan.tabs.right().saturating_sub(rest.x);
        Pen::new(buf, theme, rest, 0).text(" 0 all panes", Role::Dim);
    }
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
    let mut pen = Pen::new(buf, theme, plan.hints, 0);
    pen.gap(1);
    if let Some(message) = &model.message {
        let role = if message.bad {
            Role::Danger
        } else {
            Role::Strong
        };
        let symbol = if message.bad {
            Role::Needs
        } else {
            Role::Passed
        };
        pen.text(theme.symbol(symbol), symbol)
            .gap(1)
            .text(&message.text, role);
        pen.fill();
        return;
    }
    let scopes = keymap::heard(model);
    let mut heard: Vec<&Command> = COMMANDS
        .iter()
        .filter(|c| c.hint > 0 && scopes.contains(&c.scope))
        .collect();
    heard.sort_by_key(|c| c.hint);
    let (off, on): (Vec<_>, Vec<_>) = heard
        .into_iter()
        .map(|c| (c, (c.disabled_reason)(model)))
        .partition(|(_, reason)| reason.is_some());
    for (command, reason) in on.into_iter().chain(off) {
        let key = keys(command, 1);
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

/// The command's first keys, as they are written.
#[must_use]
pub fn keys(command: &Command, most: usize) -> String {
    let keys: Vec<String> = command
        .chords
        .iter()
        .take(most)
        .map(ToString::to_string)
        .collect();
    let keys = keys.join(" ");
    if command.id == Id::Stop {
        "!!".to_owned()
    } else {
        keys
    }
}

fn title<'a>(model: &Model, command: &Command) -> &'a str {
    match command.id {
        Id::Pause if model.paused => "go on live",
        _ => command.title,
    }
}
