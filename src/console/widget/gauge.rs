//! A gauge of a time limit: full cells are over, empty ones are left.

use crate::console::theme::{Role, Theme};

use super::pen::Pen;

/// Writes how many in a hundred are spent, in so many columns.
pub fn write(pen: &mut Pen<'_>, theme: Theme, spent: u8, columns: usize) {
    let columns = columns.min(pen.left());
    let full = (columns * usize::from(spent.min(100)) + 50) / 100;
    let role = if spent >= 80 {
        Role::Notice
    } else {
        Role::Text
    };
    pen.text(&theme.gauge(true).repeat(full), role)
        .text(&theme.gauge(false).repeat(columns - full), Role::Dim);
}
