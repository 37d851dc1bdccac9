//! A list of rows in a frame: names of columns, the rows of the window, empty states.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::console::backend::{Page, Sort};
use crate::console::model::{Focus, Model};
use crate::console::theme::{Role, Theme};
use crate::console::widget::list::{Column, widths};
use crate::console::widget::pen::Pen;
use crate::console::widget::text;

use super::layout::{Heading, Plan, frame};

/// What is special about one pane's list.
pub struct List<'a, T> {
    /// Its name.
    pub title: &'a str,
    /// Its columns.
    pub columns: &'a [Column],
    /// What is said when nothing was ever recorded.
    pub empty: &'a [&'a str],
    /// The id of a row, by which it is marked.
    pub id: &'a dyn Fn(&T) -> String,
    /// Writes the cells of a row; the widths are those of the columns.
    pub row: &'a dyn Fn(&mut Pen<'_>, &T, &[usize]),
}

/// Draws the list of the current pane.
pub fn draw<T>(
    model: &Model,
    theme: Theme,
    plan: &Plan,
    page: Option<&Page<T>>,
    list: &List<'_, T>,
    buf: &mut Buffer,
) {
    let state = model.list();
    let filter = state.filter.value();
    // A window that was made by another filter says nothing about this one.
    let page = page.filter(|p| p.filter == filter && p.sort == state.sort);
    let heading = Heading {
        title: title(model, list.title),
        right: extent(model, page, usize::from(plan.rows.height)),
        focus: model.focus == Focus::List && model.overlay.is_none(),
        bad: false,
    };
    let inside = frame(buf, theme, plan.class, plan.list, &heading);
    // The pointer takes two columns.
    let widths = widths(list.columns, usize::from(inside.width.saturating_sub(2)));
    let mut names = Pen::new(buf, theme, inside, 0);
    names.gap(2);
    for (column, width) in list.columns.iter().zip(&widths).filter(|(_, w)| **w > 0) {
        names.cell(column.title, *width, Role::Dim).gap(1);
    }
    let Some(page) = page else {
        Pen::new(buf, theme, plan.rows, 0).text("  reading ...", Role::Dim);
        return;
    };
    if page.total == 0 {
        empty(model, theme, plan.rows, page.all, list.empty, buf);
        return;
    }
    for line in 0..plan.rows.height {
        let index = state.offset + usize::from(line);
        if index >= page.total {
            break;
        }
        let mut pen = Pen::new(buf, theme, plan.rows, line);
        let row = page.at(index);
        let marked = row.is_some_and(|row| state.marks.contains(&(list.id)(row)));
        let mark = if marked { theme.marked() } else { " " };
        if index == state.selected {
            pen.text(theme.pointer(), Role::Focus).text(mark, Role::Key);
            if model.focus == Focus::List {
                pen.patch(theme.style(Role::Selected));
            }
        } else {
            pen.gap(1).text(mark, Role::Key);
        }
        match row {
            Some(row) => (list.row)(&mut pen, row, &widths),
            None => {
                pen.text(".", Role::Dim);
            }
        }
        pen.fill();
    }
}

fn title(model: &Model, name: &str) -> String {
    let list = model.list();
    let filter = list.filter.value();
    let mut title = name.to_owned();
    if list.sort != Sort::Default {
        title = format!("{title}, by {}", list.sort.title());
    }
    if !list.marks.is_empty() {
        title = format!("{title}, {} marked", list.marks.len());
    }
    if model.typing {
        format!("{title}  /{filter}_")
    } else if filter.is_empty() {
        title
    } else {
        format!("{title}  /{filter}")
    }
}

/// `1-18 of 340`, with how many there are without the filter.
fn extent<T>(model: &Model, page: Option<&Page<T>>, height: usize) -> String {
    let Some(page) = page else {
        return String::new();
    };
    let from = model.list().offset;
    let to = (from + height).min(page.total);
    let mut text = if page.total == 0 {
        "none".to_owned()
    } else if to - from.min(to) == page.total {
        format!("{}", page.total)
    } else {
        format!("{}-{to} of {}", from + 1, page.total)
    };
    if !page.filter.is_empty() {
        text = format!("{text}, {} without the filter", page.all);
    }
    if let Some(searched) = page.searched {
        text = format!("{text}; only the first {searched} looked through");
    }
    text
}

fn empty(
    model: &Model,
    theme: Theme,
    area: Rect,
    all: usize,
    sentences: &[&str],
    buf: &mut Buffer,
) {
    let columns = usize::from(area.width.saturating_sub(4));
    let filtered = format!(
        "No row matches /{}. Esc clears the filter; there are {all} rows without it.",
        model.list().filter.value()
    );
    let sentences: &[&str] = if all > 0 { &[&filtered] } else { sentences };
    let mut line = 0;
    for sentence in sentences {
        for part in text::wrap(sentence, columns, usize::from(area.height)) {
            Pen::new(buf, theme, area, line)
                .gap(2)
                .text(&part, Role::Text);
            line += 1;
        }
    }
}
