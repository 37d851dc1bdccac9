//! From an agent to its terminal, its transcript, its diff; and inside that diff.

use crate::console::effect::Effect;
use crate::console::event::Refused;
use crate::console::model::{DiffView, Going, Model, Overlay};
use crate::console::view;
use crate::contract::going::{DiffKind, TreeDiff, Way, WayRow};

use super::act::say;

/// Opens the window that tells where one can go, and looks for it.
pub fn open(model: &mut Model, agent: String, effects: &mut Vec<Effect>) {
    model.overlay = Some(Overlay::Going(Box::new(Going {
        agent: agent.clone(),
        chosen: 0,
        wanted: None,
        ways: None,
    })));
    effects.push(Effect::Ways(agent));
}

/// What was found: the first way that is open is chosen; one that was asked for is gone.
pub fn found(
    model: &mut Model,
    agent: &str,
    outcome: Result<Vec<WayRow>, Refused>,
    effects: &mut Vec<Effect>,
) {
    let Some(Overlay::Going(going)) = &mut model.overlay else {
        return;
    };
    if going.agent != agent {
        return;
    }
    if let Ok(ways) = &outcome {
        going.chosen = ways.iter().position(|row| row.open).unwrap_or(0);
    }
    going.ways = Some(outcome);
    if let Some(wanted) = going.wanted.take() {
        go_or_say(model, wanted, effects);
    }
}

/// To another way.
pub fn by(model: &mut Model, rows: isize) {
    if let Some(Overlay::Going(going)) = &mut model.overlay {
        let to = going.chosen.saturating_add_signed(rows);
        going.chosen = to.min(Way::ALL.len() - 1);
    }
}

/// Goes the chosen way, or says why it is closed.
pub fn go_chosen(model: &mut Model, effects: &mut Vec<Effect>) {
    let Some(Overlay::Going(going)) = &model.overlay else {
        return;
    };
    if let Some(way) = Way::ALL.get(going.chosen) {
        go_or_say(model, *way, effects);
    }
}

fn go_or_say(model: &mut Model, way: Way, effects: &mut Vec<Effect>) {
    let Some(Overlay::Going(going)) = &model.overlay else {
        return;
    };
    match going.way(way).cloned() {
        Some(row) if !row.open => say(model, format!("{}: {}", way.title(), row.said), true),
        _ => go(model, way, effects),
    }
}

/// Goes a way that is open. While the ways are still looked for, it is kept in mind.
pub fn go(model: &mut Model, way: Way, effects: &mut Vec<Effect>) {
    if let Some(Overlay::Going(going)) = &mut model.overlay
        && going.ways.as_ref().is_none_or(Result::is_err)
    {
        going.wanted = going.ways.is_none().then_some(way);
        return;
    }
    let Some(Overlay::Going(going)) = model.overlay.take() else {
        return;
    };
    let agent = going.agent;
    if way != Way::Diff {
        effects.push(Effect::Jump(agent, way));
        return;
    }
    model.overlay = Some(Overlay::Diff(Box::new(DiffView {
        agent: agent.clone(),
        scroll: 0,
        reading: true,
        read: None,
    })));
    effects.push(Effect::Diff(agent));
}

/// Reads the diff again; what was read stays until then.
pub fn again(model: &mut Model, effects: &mut Vec<Effect>) {
    if let Some(Overlay::Diff(open)) = &mut model.overlay {
        open.reading = true;
        effects.push(Effect::Diff(open.agent.clone()));
    }
}

/// What was read.
pub fn read(model: &mut Model, agent: &str, outcome: Result<Box<TreeDiff>, Refused>) {
    let Some(Overlay::Diff(open)) = &mut model.overlay else {
        return;
    };
    if open.agent != agent {
        return;
    }
    open.reading = false;
    open.read = Some(outcome.map(|diff| *diff));
    scroll(model, 0);
}

/// Moves in the diff by rows.
pub fn scroll(model: &mut Model, rows: isize) {
    let plan = model.plan();
    if let Some(Overlay::Diff(open)) = &mut model.overlay {
        let last = view::diff::last_scroll(open, &plan);
        open.scroll = open.scroll.saturating_add_signed(rows).min(last);
    }
}

/// To the heading of the next file, or of the one before.
pub fn to_file(model: &mut Model, forward: bool) {
    let plan = model.plan();
    let Some(Overlay::Diff(open)) = &mut model.overlay else {
        return;
    };
    let last = view::diff::last_scroll(open, &plan);
    let lines = open.lines().iter().enumerate();
    let mut files = lines.filter(|(_, line)| line.kind == DiffKind::File);
    let at = if forward {
        files.find(|(at, _)| *at > open.scroll)
    } else {
        files.take_while(|(at, _)| *at < open.scroll).last()
    };
    match at {
        Some((at, _)) => open.scroll = at.min(last),
        None => say(model, "there is no further file".to_owned(), false),
    }
}
