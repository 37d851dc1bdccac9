//! Which rows the screen can show now.

use crate::console::backend::{PageWant, PaneKind, Want};
use crate::console::model::Model;
use crate::console::view::overview;

/// What is to be read for the screen as it is.
#[must_use]
pub fn want(model: &Model) -> Want {
    let plan = model.plan();
    let mut want = Want {
        project: model.start.project.clone(),
        attention: overview::ATTENTION_ROWS,
        ..Want::default()
    };
    let first = |limit: usize| {
        Some(PageWant {
            limit,
            ..PageWant::default()
        })
    };
    let list = model.list();
    let page = Some(PageWant {
        offset: list.offset,
        limit: usize::from(plan.rows.height),
        filter: list.filter.value().to_owned(),
    });
    match model.pane {
        PaneKind::Overview => {
            let height = usize::from(plan.body.height);
            want.breakers = first(height);
            want.tasks = first(height);
            want.agents = first(2 * height);
            want.log = first(height);
        }
        PaneKind::Breakers => want.breakers = page,
        PaneKind::Tasks => want.tasks = page,
        PaneKind::Agents => want.agents = page,
        PaneKind::Log => want.log = page,
    }
    want
}
