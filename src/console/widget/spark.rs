//! A row of bars, one a result: high failed, low did not. Oldest first.

use crate::console::theme::{Role, Theme};

use super::pen::Pen;

/// Writes the latest results in exactly so many columns, at their left.
pub fn write(pen: &mut Pen<'_>, theme: Theme, results: &[u8], columns: usize) {
    let columns = columns.min(pen.left());
    let shown = &results[results.len().saturating_sub(columns)..];
    for result in shown {
        let failed = *result != 0;
        let role = if failed { Role::Failed } else { Role::Dim };
        pen.text(theme.bar(failed), role);
    }
    pen.gap(columns - shown.len());
}
