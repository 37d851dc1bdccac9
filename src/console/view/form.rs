//! A form that leads to a signature (spec 5.3): facts, fields, checks, signature, receipt.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use tui_input::Input;

use crate::console::form::{Content, Facts, Field, Form, Name, Subject};
use crate::console::model::Model;
use crate::console::theme::{Role, Theme};
use crate::console::widget::pen::{Pen, cells};
use crate::console::widget::text;

use super::form_lines::{Line, NAMES, lines};
use super::layout::{Heading, Plan, inner, middle, window};
use super::words;

/// Columns of a form at most.
const WIDTH: u16 = 96;
/// What stands for a passphrase, whatever its length.
const SEALED: &str = "········";

/// A form laid out: its lines, which is the first one seen, and its message.
struct Laid {
    lines: Vec<Line>,
    from: usize,
    height: usize,
    message: Vec<String>,
    area: Rect,
    inside: Rect,
}

fn lay(model: &Model, form: &Form, plan: &Plan) -> Laid {
    let width = WIDTH.min(plan.body.width);
    let columns = usize::from(width.saturating_sub(4));
    let lines = lines(model, form, columns);
    let message = form.message.as_deref().unwrap_or_default();
    let message = text::wrap(message, columns.saturating_sub(NAMES), 3);
    let size = (width, cells(lines.len() + message.len() + 2));
    let area = middle(plan.body, size);
    let inside = inner(area, plan.class);
    let inside = Rect {
        x: inside.x + 1,
        width: inside.width.saturating_sub(2),
        ..inside
    };
    // The message stays in sight, however much of the form fits.
    let height = usize::from(inside.height).saturating_sub(message.len());
    Laid {
        from: first_line(&lines, form.focus, height),
        lines,
        height,
        message,
        area,
        inside,
    }
}

/// The field at a place.
#[must_use]
pub fn field_at(model: &Model, form: &Form, plan: &Plan, at: Position) -> Option<Name> {
    let laid = lay(model, form, plan);
    if !laid.inside.contains(at) {
        return None;
    }
    let row = usize::from(at.y - laid.inside.y);
    match laid
        .lines
        .get(laid.from + row)
        .filter(|_| row < laid.height)?
    {
        Line::Field(name) => Some(*name),
        Line::Match(..) => Some(Name::Target),
        Line::Buttons => {
            let x = usize::from(at.x - laid.inside.x);
            let cancel = NAMES..NAMES + button("Cancel", false).len() + 1;
            let submit = cancel.end + 1..cancel.end + 3 + button(verb(form), false).len();
            if cancel.contains(&x) {
                Some(Name::Cancel)
            } else {
                submit.contains(&x).then_some(Name::Submit)
            }
        }
        Line::Blank | Line::Fact(..) | Line::Check(..) => None,
    }
}

/// Draws the form.
pub fn draw(model: &Model, form: &Form, theme: Theme, plan: &Plan, buf: &mut Buffer) {
    let laid = lay(model, form, plan);
    let (title, right) = title(form);
    let heading = Heading {
        title,
        right,
        focus: true,
        bad: false,
    };
    let size = (laid.area.width, laid.area.height);
    window(buf, theme, plan.class, plan.body, size, &heading);
    let shown = laid.lines.iter().skip(laid.from).take(laid.height);
    for (row, line) in shown.enumerate() {
        let mut pen = Pen::new(buf, theme, laid.inside, cells(row));
        draw_line(&mut pen, theme, form, line);
    }
    let role = if form.sending {
        Role::Strong
    } else {
        Role::Danger
    };
    let below = laid.lines.len().min(laid.height);
    for (row, text) in laid.message.iter().enumerate() {
        let mut pen = Pen::new(buf, theme, laid.inside, cells(below + row));
        pen.gap(NAMES).text(text, role);
    }
}

/// What it is about, and its handle.
fn title(form: &Form) -> (String, String) {
    match (&form.subject, &form.facts) {
        (Subject::Reset(ids), Some(Facts::Reset(forms))) => match forms.as_slice() {
            [one] => {
                let row = &one.breaker;
                let scope = words::scope(&row.scope, row.project.as_deref());
                (
                    format!("Reset breaker {} on {scope}", words::spaced(&row.trigger)),
                    row.handle.clone(),
                )
            }
            _ => (
                format!("Reset {} breakers, a receipt each", ids.len()),
                String::new(),
            ),
        },
        (Subject::Reset(_), _) => ("Reset a breaker".to_owned(), String::new()),
        (Subject::Decide(_), Some(Facts::Decide(decide))) => (
            "Decide an escalated handoff".to_owned(),
            decide.handoff.handle.clone(),
        ),
        (Subject::Decide(_), _) => ("Decide an escalated handoff".to_owned(), String::new()),
        (Subject::Alias(code), _) => (format!("Alias of {code}"), String::new()),
        (Subject::Promote(code), _) => (format!("New entry for {code}"), String::new()),
        (Subject::Grant(..), Some(Facts::Grant(grant))) => (
            "Let through what the guard refused".to_owned(),
            grant.refused.handle.clone(),
        ),
        (Subject::Grant(..), _) => (
            "Let through what the guard refused".to_owned(),
            String::new(),
        ),
        (Subject::Pause(agent), _) => (format!("Pause {agent}"), String::new()),
        (Subject::Message(agent), _) => (format!("Message to {agent}"), String::new()),
    }
}

/// What the last button does.
fn verb(form: &Form) -> &'static str {
    match form.subject {
        Subject::Reset(_) => "Reset",
        Subject::Decide(_) => "Decide",
        Subject::Alias(_) => "Alias",
        Subject::Promote(_) => "Promote",
        Subject::Message(_) => "Send",
        Subject::Pause(_) => "Pause",
        Subject::Grant(..) => "Grant",
    }
}

/// Scrolls a form that does not fit so that the focus is seen.
fn first_line(lines: &[Line], focus: Name, height: usize) -> usize {
    let last = lines.len().saturating_sub(height);
    let at = lines.iter().position(|line| match line {
        Line::Field(name) => *name == focus,
        Line::Buttons => matches!(focus, Name::Cancel | Name::Submit),
        _ => false,
    });
    // Below a field stands what it leads to: its matches, or what it would change.
    let below = match focus {
        Name::Target => 7,
        Name::Code | Name::Layer | Name::Tokens | Name::Why | Name::Next => height / 2,
        _ => 2,
    };
    match at {
        Some(at) if at + below > height => last.min((at + below).saturating_sub(height)).min(at),
        _ => 0,
    }
}

fn draw_line(pen: &mut Pen<'_>, theme: Theme, form: &Form, line: &Line) {
    match line {
        Line::Blank => {}
        Line::Fact(name, role, text) => {
            pen.cell(name, NAMES, Role::Dim).text(text, *role);
        }
        Line::Check(name, holds, seen) => {
            let role = if *holds { Role::Holds } else { Role::Lacks };
            pen.cell("check", NAMES, Role::Dim)
                .mark(role, 6)
                .text(&words::spaced(&text::cut(name, 60)), Role::Text)
                .text(": ", Role::Dim)
                .text(seen, if *holds { Role::Dim } else { Role::Text });
        }
        Line::Match(chosen, text) => {
            let pointer = if *chosen { theme.pointer() } else { " " };
            pen.gap(NAMES + 1).text(pointer, Role::Focus).gap(1);
            if *chosen {
                pen.patch(theme.style(Role::Selected));
            }
            pen.text(text, Role::Text);
        }
        Line::Field(name) => {
            if let Some(field) = form.field(*name) {
                draw_field(pen, theme, form, field);
            }
        }
        Line::Buttons => buttons(pen, theme, form),
    }
}

fn draw_field(pen: &mut Pen<'_>, theme: Theme, form: &Form, field: &Field) {
    let focus = form.focus == field.name;
    let pointer = if focus { theme.pointer() } else { "" };
    let role = if focus { Role::Focus } else { Role::Dim };
    pen.cell(field.name.label(), NAMES - 1, role)
        .cell(pointer, 1, Role::Focus);
    match &field.content {
        Content::Text { input, what, .. } => line_of_text(pen, theme, input, focus, what),
        Content::Pick { input, .. } => {
            let what = "type some letters of a code or of its cause";
            line_of_text(pen, theme, input, focus, what);
        }
        Content::Choice { options, chosen } => choice(pen, theme, options, *chosen, focus),
        Content::Masked => passphrase(pen, theme, form.sealed, focus),
        Content::Button => {}
    }
}

/// A text field with its own cursor: the terminal's may blink.
pub(super) fn line_of_text(
    pen: &mut Pen<'_>,
    theme: Theme,
    input: &Input,
    focus: bool,
    what: &str,
) {
    let columns = pen.left().saturating_sub(4);
    pen.text("[ ", Role::Dim);
    if focus {
        let at = input.cursor();
        let chars: Vec<char> = input.value().chars().collect();
        let at = at.min(chars.len());
        // The end of what stands before the cursor is what is being typed. No character takes
        // less than a column, but for marks, so that the last ones are enough to look at.
        let from = at.saturating_sub(columns);
        let mut before: String = chars[from..at].iter().collect();
        while text::width(&text::cut(&before, columns * 4)) + 1 > columns && !before.is_empty() {
            before.remove(0);
        }
        let under: String = chars.get(at).map_or(" ".to_owned(), ToString::to_string);
        let after = chars.get(at + 1..).unwrap_or_default().iter().take(columns);
        let after: String = after.collect();
        let left = pen.left();
        pen.text(&before, Role::Text);
        pen.patch(theme.style(Role::Selected));
        pen.text(&under, Role::Text);
        pen.patch(ratatui::style::Style::new());
        let used = left - pen.left();
        pen.cell(&after, columns.saturating_sub(used), Role::Text);
    } else {
        let empty = input.value().is_empty();
        let (shown, role) = if empty {
            (what, Role::Dim)
        } else {
            (input.value(), Role::Text)
        };
        pen.cell(shown, columns, role);
    }
    pen.text(" ]", Role::Dim);
}

fn choice(pen: &mut Pen<'_>, theme: Theme, options: &[String], chosen: Option<usize>, focus: bool) {
    for (at, name) in options.iter().enumerate() {
        let on = chosen == Some(at);
        let mark = match (on, theme.ascii) {
            (true, false) => "(•) ",
            (true, true) => "(*) ",
            (false, _) => "( ) ",
        };
        let role = if on { Role::Strong } else { Role::Text };
        pen.text(mark, role).text(&text::cut(name, 24), role).gap(2);
    }
    let hint = "Space or arrows choose";
    if focus && pen.left() >= hint.len() {
        pen.text(hint, Role::Dim);
    }
}

fn passphrase(pen: &mut Pen<'_>, theme: Theme, sealed: bool, focus: bool) {
    let dots = if theme.ascii { "********" } else { SEALED };
    let shown = if sealed { dots } else { "" };
    pen.text("[ ", Role::Dim).cell(shown, 8, Role::Strong);
    if focus {
        pen.patch(theme.style(Role::Selected)).text(" ", Role::Text);
        pen.patch(ratatui::style::Style::new());
    } else {
        pen.gap(1);
    }
    pen.text(" ] ", Role::Dim)
        .text("never shown, kept or logged", Role::Dim);
}

fn button(name: &str, focus: bool) -> String {
    if focus {
        format!("[ {name} ]")
    } else {
        format!("  {name}  ")
    }
}

fn buttons(pen: &mut Pen<'_>, theme: Theme, form: &Form) {
    pen.gap(NAMES);
    for (name, title) in [(Name::Cancel, "Cancel"), (Name::Submit, verb(form))] {
        let focus = form.focus == name;
        pen.text(if focus { theme.pointer() } else { " " }, Role::Focus);
        if focus {
            pen.patch(theme.style(Role::Selected));
        }
        let role = if focus { Role::Strong } else { Role::Text };
        pen.text(&button(title, focus), role);
        pen.patch(ratatui::style::Style::new());
        pen.gap(1);
    }
    let what = match form.focus {
        Name::Cancel => "Enter leaves; nothing is written",
        Name::Submit | Name::Reason if matches!(form.subject, Subject::Pause(_)) => {
            "Enter stops it"
        }
        Name::Submit | Name::Message if !form.subject.signed() => "Enter sends it",
        Name::Submit => "Enter signs and writes the receipt",
        _ => "",
    };
    pen.gap(1).text(what, Role::Dim);
}
