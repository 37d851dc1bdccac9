//! The strategy lane of a task: `A✗ B✗ A✗ B✗`, oldest try first.

use crate::console::theme::{Role, Theme};
use crate::contract::row::LaneStep;

use super::pen::Pen;
use super::text;

/// Tries that a lane shows at most.
pub const MAX_STEPS: usize = 8;

/// Writes as many of the latest tries as fit in so many columns.
pub fn write(pen: &mut Pen<'_>, theme: Theme, lanes: &[LaneStep], columns: usize) {
    let fitting = (columns.min(pen.left()) + 1) / 3;
    let shown = &lanes[lanes.len().saturating_sub(fitting.min(MAX_STEPS))..];
    for (place, step) in shown.iter().enumerate() {
        let role = if step.failed {
            Role::Failed
        } else {
            Role::Passed
        };
        let letter = text::cut(&step.lane, 1);
        pen.gap(usize::from(place > 0))
            .text(&letter, Role::Strong)
            .text(theme.symbol(role), role);
    }
    let used = (shown.len() * 3).saturating_sub(1);
    pen.gap(columns.saturating_sub(used));
}
