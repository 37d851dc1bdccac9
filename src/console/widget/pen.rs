//! Writes one line of cells from left to right and never past its end.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::text;
use crate::console::theme::{Role, Theme};

/// A count of columns or rows as the terminal counts them.
#[must_use]
pub fn cells(n: usize) -> u16 {
    u16::try_from(n).unwrap_or(u16::MAX)
}

/// A line being written.
pub struct Pen<'a> {
    buf: &'a mut Buffer,
    theme: Theme,
    x: u16,
    y: u16,
    end: u16,
    patch: Style,
}

impl<'a> Pen<'a> {
    /// Starts at the left of a row of an area. Outside of the area nothing is written.
    pub fn new(buf: &'a mut Buffer, theme: Theme, area: Rect, row: u16) -> Self {
        let area = area.intersection(buf.area);
        let inside = row < area.height;
        Self {
            x: area.x,
            y: area.y.saturating_add(row),
            end: if inside { area.right() } else { area.x },
            buf,
            theme,
            patch: Style::new(),
        }
    }

    /// Columns that are left.
    #[must_use]
    pub fn left(&self) -> usize {
        usize::from(self.end.saturating_sub(self.x))
    }

    /// Everything from here on has this on top of its own style.
    pub fn patch(&mut self, style: Style) -> &mut Self {
        self.patch = style;
        self
    }

    /// A text as long as it is, cut at the end of the line.
    pub fn text(&mut self, text: &str, role: Role) -> &mut Self {
        let text = text::cut(text, self.left());
        self.write(&text, role)
    }

    /// A text in exactly so many columns.
    pub fn cell(&mut self, text: &str, columns: usize, role: Role) -> &mut Self {
        let text = text::fit(text, columns.min(self.left()));
        self.write(&text, role)
    }

    /// A text in exactly so many columns, at their right.
    pub fn cell_right(&mut self, text: &str, columns: usize, role: Role) -> &mut Self {
        let columns = columns.min(self.left());
        let text = text::cut(text, columns);
        self.gap(columns - text::width(&text)).write(&text, role)
    }

    /// Symbol and word of a state, in so many columns; 0 takes what they need.
    pub fn mark(&mut self, role: Role, columns: usize) -> &mut Self {
        let mark = format!("{} {}", self.theme.symbol(role), self.theme.word(role));
        if columns == 0 {
            self.text(&mark, role)
        } else {
            self.cell(&mark, columns, role)
        }
    }

    /// Blank columns.
    pub fn gap(&mut self, columns: usize) -> &mut Self {
        let columns = columns.min(self.left());
        self.write(&" ".repeat(columns), Role::Text)
    }

    /// A text at the right end; the rest of the line gets shorter by it and a blank.
    pub fn right(&mut self, text: &str, role: Role) -> &mut Self {
        let text = text::cut(text, self.left());
        let width = cells(text::width(&text));
        let (x, end) = (self.x, self.end);
        self.x = end.saturating_sub(width);
        self.write(&text, role);
        self.x = x;
        self.end = end.saturating_sub(width + 1).max(x);
        self
    }

    /// Blanks up to the end, in the line's style.
    pub fn fill(&mut self) {
        self.gap(self.left());
    }

    fn write(&mut self, safe: &str, role: Role) -> &mut Self {
        if self.x < self.end {
            let style = self.theme.style(role).patch(self.patch);
            let (x, _) = self
                .buf
                .set_stringn(self.x, self.y, safe, self.left(), style);
            self.x = x;
        }
        self
    }
}
