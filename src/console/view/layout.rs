//! Where everything is on the screen: used by drawing, by the mouse, and to ask for rows.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::widgets::{Block, Borders, Widget};

use crate::console::backend::PaneKind;
use crate::console::model::{Focus, Model};
use crate::console::theme::{Role, Theme};
use crate::console::widget::pen::{Pen, cells};
use crate::console::widget::text;

/// Columns and rows under which one sentence is shown.
pub const FLOOR: (u16, u16) = (40, 10);
/// Rows of what is said under the tabs.
const NOTICE_ROWS: usize = 3;
/// Columns behind the tabs for the list of all panes.
const MORE_COLUMNS: u16 = 4;
/// Rows of a body that holds a list and its detail, one below the other.
const BELOW_FROM: u16 = 28;

/// The layouts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Too small for panes.
    Tiny,
    /// Under 80 columns: no frames, everything below each other.
    Stacked,
    /// From 80 columns.
    Normal,
    /// From 120 columns: the detail stands beside the list.
    Wide,
}

impl Class {
    /// The layout of a screen.
    #[must_use]
    pub fn of((width, height): (u16, u16)) -> Self {
        match width {
            _ if width < FLOOR.0 || height < FLOOR.1 => Self::Tiny,
            0..80 => Self::Stacked,
            80..120 => Self::Normal,
            _ => Self::Wide,
        }
    }
}

/// Where everything is.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// The layout.
    pub class: Class,
    /// The header line.
    pub header: Rect,
    /// The line of tabs.
    pub tabs: Rect,
    /// A line that something is said on, when something is.
    pub notice: Rect,
    /// All between tabs and hints.
    pub body: Rect,
    /// The list with its frame, or the Overview's boxes.
    pub list: Rect,
    /// The rows of the list.
    pub rows: Rect,
    /// The detail with its frame, when it is shown. The whole body when it hides the list.
    pub detail: Option<Rect>,
    /// The line of hints.
    pub hints: Rect,
}

impl Plan {
    /// Lays out the screen of a model.
    #[must_use]
    pub fn of(model: &Model) -> Self {
        let (width, height) = model.start.size;
        let class = Class::of(model.start.size);
        let line = |y: u16, rows: u16| Rect::new(0, y.min(height), width, rows.min(height));
        let notice_rows = match super::header::notice(model) {
            Some((_, text)) if class != Class::Tiny => {
                cells(text::wrap(&text, usize::from(width) - 2, NOTICE_ROWS).len())
            }
            _ => 0,
        };
        let top = 2 + notice_rows;
        let body = line(top, height.saturating_sub(top + 1));
        let mut list = body;
        let mut detail = None;
        let inside = model.pane != PaneKind::Overview;
        let open = model.focus == Focus::Detail;
        if class == Class::Wide {
            list.width = body.width * 11 / 20;
            detail = Some(Rect {
                x: list.right(),
                width: body.width - list.width,
                ..body
            });
        } else if inside && body.height >= BELOW_FROM {
            list.height = body.height * 11 / 20;
            detail = Some(Rect {
                y: list.bottom(),
                height: body.height - list.height,
                ..body
            });
        } else if inside && open && class != Class::Tiny {
            detail = Some(body);
        }
        let mut rows = inner(list, class);
        // The names of the columns.
        let names = rows.height.min(1);
        rows.y += names;
        rows.height -= names;
        Self {
            class,
            header: line(0, 1),
            tabs: line(1, 1),
            notice: line(2, notice_rows),
            body,
            list,
            rows,
            detail,
            hints: line(height.saturating_sub(1), 1),
        }
    }

    /// The tabs that fit, with what stands on them; the pane's own is always among them.
    #[must_use]
    pub fn tab_cells(&self, pane: PaneKind) -> Vec<(PaneKind, Rect, String)> {
        let narrow = self.class == Class::Stacked;
        let label = |pane: PaneKind| {
            let label = format!("{} {}", pane.index() + 1, pane.title());
            if narrow { label } else { format!(" {label} ") }
        };
        let (first, gap) = if narrow { (1, 1) } else { (0, 0) };
        let wide = |panes: &[PaneKind]| -> usize {
            panes.iter().map(|p| text::width(&label(*p)) + gap).sum()
        };
        let room = usize::from(self.tabs.width).saturating_sub(first);
        let mut panes = PaneKind::ALL.to_vec();
        while wide(&panes) + usize::from(MORE_COLUMNS) > room + gap && panes.len() > 1 {
            // Before the last one goes, the pane's own changes places with it.
            let last = panes.len() - 1;
            if panes[last] == pane {
                panes.remove(last - 1);
            } else {
                panes.remove(last);
            }
        }
        let mut x = self.tabs.x + cells(first);
        let mut tabs = Vec::new();
        for pane in panes {
            let label = label(pane);
            let width = cells(text::width(&label));
            let area = Rect::new(x, self.tabs.y, width, 1);
            x += width + cells(gap);
            tabs.push((pane, area, label));
        }
        tabs
    }

    /// Where the list of all panes is offered, behind the tabs.
    #[must_use]
    pub fn more(&self, pane: PaneKind) -> Rect {
        let tabs = self.tab_cells(pane);
        let x = tabs.last().map_or(self.tabs.x, |(_, area, _)| area.right());
        Rect {
            x,
            width: self.tabs.right().saturating_sub(x),
            ..self.tabs
        }
    }

    /// Whether a place is there.
    #[must_use]
    pub fn more_at(&self, pane: PaneKind, at: Position) -> bool {
        self.class != Class::Tiny && self.more(pane).contains(at)
    }

    /// The tab at a place.
    #[must_use]
    pub fn tab_at(&self, pane: PaneKind, at: Position) -> Option<PaneKind> {
        self.tab_cells(pane)
            .into_iter()
            .find(|(_, area, _)| self.class != Class::Tiny && area.contains(at))
            .map(|(pane, ..)| pane)
    }
}

/// What is inside a frame.
#[must_use]
pub fn inner(area: Rect, class: Class) -> Rect {
    let (side, foot) = match class {
        Class::Tiny | Class::Stacked => (0, 0),
        Class::Normal | Class::Wide => (1, 1),
    };
    Rect {
        x: area.x + side,
        y: area.y + 1,
        width: area.width.saturating_sub(2 * side),
        height: area.height.saturating_sub(1 + foot),
    }
    .intersection(area)
}

/// The heading of a frame: at the left what it is, at the right how much of it.
#[derive(Clone, Debug, Default)]
pub struct Heading {
    /// What it is.
    pub title: String,
    /// How much of it.
    pub right: String,
    /// Whether it has the keys.
    pub focus: bool,
    /// Whether what it says is bad.
    pub bad: bool,
}

/// Draws a frame, or a heading alone in the stacked layout, and returns what is inside.
pub fn frame(buf: &mut Buffer, theme: Theme, class: Class, area: Rect, heading: &Heading) -> Rect {
    let area = area.intersection(buf.area);
    if area.is_empty() {
        return area;
    }
    let border = if heading.focus {
        Role::Focus
    } else {
        Role::Border
    };
    let boxed = matches!(class, Class::Normal | Class::Wide);
    if boxed {
        Block::new()
            .borders(Borders::ALL)
            .border_set(theme.border())
            .border_style(theme.style(border))
            .render(area, buf);
    } else {
        let rule = theme
            .border()
            .horizontal_top
            .repeat(usize::from(area.width));
        Pen::new(buf, theme, area, 0).text(&rule, border);
    }
    let side = u16::from(boxed);
    let line = Rect {
        x: area.x + side,
        width: area.width.saturating_sub(2 * side),
        ..area
    };
    let title_role = if heading.bad {
        Role::Danger
    } else {
        Role::Title
    };
    let right = if heading.right.is_empty() {
        String::new()
    } else {
        format!(" {} ", text::cut(&heading.right, usize::from(line.width)))
    };
    let right_width = text::width(&right);
    let room = usize::from(line.width).saturating_sub(right_width + 3);
    let title = text::cut(&heading.title, room);
    if !title.is_empty() {
        Pen::new(buf, theme, line, 0).text(&format!(" {title} "), title_role);
    }
    if !right.is_empty() && right_width < usize::from(line.width) {
        let x = line.right() - cells(right_width);
        let tail = Rect {
            x,
            width: cells(right_width),
            ..line
        };
        Pen::new(buf, theme, tail, 0)
            .text(&right, if heading.bad { Role::Danger } else { Role::Dim });
    }
    inner(area, class)
}

/// Where a window stands: in the middle of an area.
#[must_use]
pub fn middle(area: Rect, size: (u16, u16)) -> Rect {
    let width = size.0.min(area.width);
    let height = size.1.min(area.height);
    Rect {
        x: area.x + (area.width - width) / 2,
        y: area.y + (area.height - height) / 2,
        width,
        height,
    }
}

/// A cleared window in the middle of an area.
pub fn window(
    buf: &mut Buffer,
    theme: Theme,
    class: Class,
    area: Rect,
    size: (u16, u16),
    heading: &Heading,
) -> Rect {
    let at = middle(area, size);
    ratatui::widgets::Clear.render(at.intersection(buf.area), buf);
    frame(buf, theme, class, at, heading)
}
