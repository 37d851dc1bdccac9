//! Moving the selection and the view.

use crate::console::backend::PaneKind;
use crate::console::effect::Effect;
use crate::console::form::Name;
use crate::console::model::{Focus, ListState, Model, Overlay};
use crate::console::view::{self, detail, help, overview};

use super::{form, going, windows};

/// Moves by rows.
pub fn by(model: &mut Model, rows: isize) {
    match &mut model.overlay {
        Some(Overlay::Form(_) | Overlay::Triage(_)) => return,
        Some(Overlay::Palette(_)) => {
            windows::palette_by(model, rows);
            return;
        }
        Some(Overlay::Panes { chosen }) => {
            *chosen = chosen
                .saturating_add_signed(rows)
                .min(PaneKind::ALL.len() - 1);
            return;
        }
        Some(Overlay::Going(_)) => {
            going::by(model, rows);
            return;
        }
        Some(Overlay::Diff(_)) => {
            going::scroll(model, rows);
            return;
        }
        Some(Overlay::Help { scroll }) => {
            let to = scroll.saturating_add_signed(rows);
            let last = help::last_scroll(model);
            model.overlay = Some(Overlay::Help {
                scroll: to.min(last),
            });
            return;
        }
        None => {}
    }
    if model.focus == Focus::Detail {
        let to = model.detail.scroll.saturating_add_signed(rows);
        model.detail.scroll = to.min(detail::last_scroll(model));
        return;
    }
    let to = model.list().selected.saturating_add_signed(rows);
    select(model, to);
}

/// Selects a row by its position in the list.
pub fn select(model: &mut Model, index: usize) {
    let total = model.total();
    let list = model.list_mut();
    list.selected = index.min(total.saturating_sub(1));
    list.id = None;
    if model.pane == PaneKind::Log {
        model.follow = model.follow && index == 0;
    }
}

/// To the end of whatever moves.
pub fn end(model: &mut Model) {
    by(model, isize::MAX / 2);
}

/// To the start of whatever moves.
pub fn home(model: &mut Model) {
    by(model, isize::MIN / 2);
}

/// Rows of one page of whatever moves.
pub fn page(model: &Model) -> isize {
    let plan = model.plan();
    let rows = match (&model.overlay, model.focus, plan.detail) {
        (Some(_), ..) => plan.body.height.saturating_sub(2),
        (None, Focus::Detail, Some(area)) => area.height.saturating_sub(2),
        (None, ..) => plan.rows.height,
    };
    isize::try_from(rows.max(1)).unwrap_or(1)
}

/// Keeps the selection inside the list, and the list's window around the selection.
pub fn clamp(model: &mut Model) {
    let total = model.total();
    let height = usize::from(model.plan().rows.height).max(1);
    let overview = model.pane == PaneKind::Overview;
    let list = model.list_mut();
    // A list that is being read again for another filter says nothing of its length yet.
    list.selected = list.selected.min(total.saturating_sub(1));
    if overview {
        list.offset = 0;
    } else {
        let highest = list.selected.saturating_sub(height - 1);
        list.offset = list
            .offset
            .clamp(highest, list.selected)
            .min(total.saturating_sub(height))
            .max(highest);
    }
    let selected = list.selected;
    if let Some((_, id)) = model.row_id(selected) {
        model.list_mut().id = Some(id);
    }
}

/// Finds the selected row again after rows came in above it.
pub fn keep_place(model: &mut Model, grown: usize) {
    if model.pane == PaneKind::Log && model.follow {
        let list = model.list_mut();
        (list.selected, list.offset, list.id) = (0, 0, None);
        return;
    }
    let Some(id) = model.list().id.clone() else {
        return;
    };
    // At the top of the Overview stands what presses most; only a breaker there was chosen.
    let top = model.pane == PaneKind::Overview && model.list().selected == 0;
    if top && model.breaker(&id).is_none() && model.handoff(&id).is_none() {
        let list = model.list_mut();
        (list.selected, list.offset, list.id) = (0, 0, None);
        return;
    }
    let found = (0..model.total())
        .skip(model.list().offset)
        .take(usize::from(model.plan().body.height) * 3)
        .find(|at| model.row_id(*at).is_some_and(|(_, row)| row == id));
    let log = model.pane == PaneKind::Log;
    let list = model.list_mut();
    match found {
        Some(at) => shift(list, at),
        None if log && grown > 0 => {
            let at = list.selected + grown;
            shift(list, at);
        }
        None => list.id = None,
    }
}

fn shift(list: &mut ListState, to: usize) {
    list.offset = (list.offset + to).saturating_sub(list.selected);
    list.selected = to;
}

/// A click selects a tab, a row, an item of the Overview, a field of a form, or a line of a window.
pub fn click(model: &mut Model, x: u16, y: u16, effects: &mut Vec<Effect>) {
    let plan = model.plan();
    let at = ratatui::layout::Position { x, y };
    match &mut model.overlay {
        Some(Overlay::Form(form)) => {
            let open = (**form).clone();
            if let Some(name) = view::form::field_at(model, &open, &plan, at) {
                let again = open.focus == name;
                form::focus(model, name);
                // A button is pressed by the second click, so that no click signs by accident.
                if again && name == Name::Cancel {
                    form::cancel(model, effects);
                } else if again && name != Name::Submit {
                    form::turn(model, 1, effects);
                }
            }
            return;
        }
        Some(Overlay::Panes { chosen }) => {
            if let Some(line) = view::panes::line_at(&plan, at) {
                *chosen = line;
            }
            return;
        }
        Some(Overlay::Palette(open)) => {
            if let Some(line) = view::palette::line_at(open, &plan, at) {
                open.chosen = line;
            }
            return;
        }
        Some(Overlay::Going(open)) => {
            if let Some(line) = view::going::line_at(open, &plan, at) {
                open.chosen = line;
            }
            return;
        }
        Some(_) => return,
        None => {}
    }
    if let Some(pane) = plan.tab_at(model.pane, at) {
        super::go(model, pane);
    } else if plan.more_at(model.pane, at) {
        model.overlay = Some(Overlay::Panes {
            chosen: model.pane.index(),
        });
    } else if model.pane == PaneKind::Overview && plan.list.contains(at) {
        let hit = overview::items(model)
            .iter()
            .position(|item| item.area.contains(at));
        if let Some(index) = hit {
            model.focus = Focus::List;
            select(model, index);
        }
    } else if plan.rows.contains(at) && plan.detail != Some(plan.body) {
        let index = model.list().offset + usize::from(y - plan.rows.y);
        if index < model.total() {
            model.focus = Focus::List;
            select(model, index);
        }
    } else if plan.detail.is_some_and(|area| area.contains(at)) && model.target().is_some() {
        model.focus = Focus::Detail;
    }
}
