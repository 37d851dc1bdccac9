//! Which rows the screen can show now.

use crate::console::backend::{PageWant, PaneKind, Want};
use crate::console::model::Model;
use crate::console::view::overview;

/// Open breakers that tasks are compared with.
const OPEN_BREAKERS: usize = 50;

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
        sort: list.sort,
    });
    match model.pane {
        PaneKind::Overview => {
            let height = usize::from(plan.body.height);
            want.circles = height;
            want.handoffs = first(height);
            want.breakers = first(height);
            // Its pane has them at once.
            want.tasks = first(height);
            want.codes = first(height);
            want.agents = first(2 * height);
            want.log = first(height);
        }
        PaneKind::Handoffs => want.handoffs = page,
        PaneKind::Breakers => want.breakers = page,
        PaneKind::Tasks => {
            want.tasks = page;
            // Whether a task is held by a breaker of something wider.
            want.breakers = first(OPEN_BREAKERS);
        }
        PaneKind::Codes => want.codes = page,
        PaneKind::Receipts => want.receipts = page,
        PaneKind::Agents => want.agents = page,
        PaneKind::Log => want.log = page,
    }
    want
}
