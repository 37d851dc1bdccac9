//! The reset form of a breaker (spec 5.3): facts, fields, checks, signature, receipt.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use tui_input::Input;

use crate::console::model::{Field, Model, ResetState};
use crate::console::theme::{Role, Theme};
use crate::console::widget::pen::{Pen, cells};
use crate::console::widget::text;
use crate::contract::agent::ResetForm;
use crate::contract::breaker::RESET;

use super::layout::{Heading, Plan, window};
use super::words;

/// Columns of the form at most.
const WIDTH: u16 = 96;
/// Columns of the names at the left.
const NAMES: usize = 12;
/// What stands for a passphrase, whatever its length.
const SEALED: &str = "········";

/// One line of the form.
enum Line<'a> {
    Blank,
    Fact(&'static str, Role, String),
    Check(&'a str, bool, &'a str),
    Field(Field),
    Buttons,
}

/// Draws the form.
pub fn draw(model: &Model, state: &ResetState, theme: Theme, plan: &Plan, buf: &mut Buffer) {
    let width = WIDTH.min(plan.body.width);
    let columns = usize::from(width.saturating_sub(4));
    let lines = lines(model, state, columns);
    let heading = Heading {
        title: match &state.form {
            Some(form) => format!(
                "Reset breaker {} on {}",
                words::spaced(&form.breaker.trigger),
                words::scope(&form.breaker.scope, form.breaker.project.as_deref())
            ),
            None => "Reset a breaker".to_owned(),
        },
        right: state
            .form
            .as_ref()
            .map(|f| f.breaker.handle.clone())
            .unwrap_or_default(),
        focus: true,
        bad: false,
    };
    let message = state.message.as_deref().unwrap_or_default();
    let message = text::wrap(message, columns.saturating_sub(NAMES), 3);
    let size = (width, cells(lines.len() + message.len() + 2));
    let inside = window(buf, theme, plan.class, plan.body, size, &heading);
    let inside = Rect {
        x: inside.x + 1,
        width: inside.width.saturating_sub(2),
        ..inside
    };
    // The message stays in sight, however much of the form fits.
    let height = usize::from(inside.height).saturating_sub(message.len());
    let from = first_line(&lines, state.field, height);
    for (row, line) in lines.iter().skip(from).take(height).enumerate() {
        let mut pen = Pen::new(buf, theme, inside, cells(row));
        draw_line(&mut pen, theme, state, line);
    }
    let role = if state.sending {
        Role::Strong
    } else {
        Role::Danger
    };
    let below = lines.len().min(height);
    for (row, text) in message.iter().enumerate() {
        let mut pen = Pen::new(buf, theme, inside, cells(below + row));
        pen.gap(NAMES).text(text, role);
    }
}

/// Scrolls a form that does not fit so that the focus is seen.
fn first_line(lines: &[Line<'_>], field: Field, height: usize) -> usize {
    let last = lines.len().saturating_sub(height);
    let at = lines.iter().position(|line| match line {
        Line::Field(f) => *f == field,
        Line::Buttons => matches!(field, Field::Cancel | Field::Reset),
        _ => false,
    });
    match at {
        Some(at) if at + 2 > height => last.min((at + 2).saturating_sub(height)),
        _ => 0,
    }
}

fn lines<'a>(model: &Model, state: &'a ResetState, columns: usize) -> Vec<Line<'a>> {
    let mut lines = Vec::new();
    let room = columns.saturating_sub(NAMES);
    if let Some(form) = &state.form {
        facts(model, form, room, &mut lines);
    } else {
        lines.push(Line::Fact(
            "",
            Role::Dim,
            "reading the breaker ...".to_owned(),
        ));
    }
    lines.push(Line::Blank);
    let fields = state.fields();
    for field in &fields {
        if matches!(
            field,
            Field::Cause | Field::Fix | Field::Evidence | Field::GoTo
        ) {
            lines.push(Line::Field(*field));
        }
    }
    lines.push(Line::Blank);
    if let Some(form) = &state.form {
        for check in &form.checks {
            lines.push(Line::Check(&check.name, check.holds, &check.seen));
        }
        if form.checks.is_empty() {
            let text = "nothing that a machine can check".to_owned();
            lines.push(Line::Fact("checks", Role::Dim, text));
        }
        lines.push(Line::Fact("needs", Role::Strong, needs(form, state)));
    }
    if fields.contains(&Field::Signer) {
        lines.push(Line::Field(Field::Signer));
    }
    lines.push(Line::Field(Field::Passphrase));
    lines.push(Line::Blank);
    if let Some(form) = &state.form {
        lines.push(Line::Fact("receipt", Role::Dim, receipt(form)));
    }
    lines.push(Line::Buttons);
    lines
}

fn facts(model: &Model, form: &ResetForm, room: usize, lines: &mut Vec<Line<'_>>) {
    let mut add = |name: &'static str, texts: &[String], rows: usize| {
        let mut name = name;
        let hidden = texts.len().saturating_sub(rows);
        for line in texts.iter().take(rows) {
            lines.push(Line::Fact(name, Role::Text, text::cut(line, room)));
            name = "";
        }
        if hidden > 0 {
            lines.push(Line::Fact("", Role::Dim, format!("and {hidden} more")));
        }
    };
    let at = words::clock_seconds(&form.breaker.opened_at, model.start.utc_offset_min);
    let opened = format!("{at}, {}", text::cut(&form.breaker.reason, 400));
    add("opened", &text::wrap(&opened, room, 2), 2);
    add("proof", &form.proof, 3);
    let nobody = ["no agent was in scope".to_owned()];
    let stopped: &[String] = if form.stopped.is_empty() {
        &nobody
    } else {
        &form.stopped
    };
    let spare = usize::from(model.plan().body.height).saturating_sub(20);
    let stopped = text::wrap(&stopped.join(", "), room, spare.clamp(2, 6));
    add("stopped", &stopped, 6);
}

fn needs(form: &ResetForm, state: &ResetState) -> String {
    let role = form.needs.as_str();
    match form.signers.get(state.signer) {
        Some(signer) => format!("a {role} signs; key of {signer}"),
        None => format!("a {role} signs; nobody here has such a key: watchfloor identity init"),
    }
}

/// The schema that is written, and the receipts that it answers, by their handles.
fn receipt(form: &ResetForm) -> String {
    let parents: Vec<String> = form.parents.iter().map(|id| handle(id)).collect();
    format!("{RESET} -> parent {}", parents.join(", "))
}

fn handle(id: &str) -> String {
    if id.chars().count() <= 8 {
        return id.to_owned();
    }
    crate::contract::ids::handle('r', &crate::contract::ids::RecordId::new(id))
}

fn draw_line(pen: &mut Pen<'_>, theme: Theme, state: &ResetState, line: &Line<'_>) {
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
        Line::Field(field) => draw_field(pen, theme, state, *field),
        Line::Buttons => buttons(pen, theme, state),
    }
}

fn draw_field(pen: &mut Pen<'_>, theme: Theme, state: &ResetState, field: Field) {
    let focus = state.field == field;
    let name = match field {
        Field::Cause => "cause",
        Field::Fix => "fixed",
        Field::Evidence => "evidence",
        Field::GoTo => "go to",
        Field::Signer => "signed by",
        Field::Passphrase => "passphrase",
        Field::Cancel | Field::Reset => "",
    };
    let pointer = if focus { theme.pointer() } else { "" };
    pen.cell(name, NAMES - 1, if focus { Role::Focus } else { Role::Dim })
        .cell(pointer, 1, Role::Focus);
    match field {
        Field::Cause => input(pen, theme, &state.cause, focus, "what was wrong"),
        Field::Fix => input(pen, theme, &state.fix, focus, "what was done about it"),
        Field::Evidence => {
            let what = "paths or receipt ids that show it, with blanks between";
            input(pen, theme, &state.evidence, focus, what);
        }
        Field::GoTo | Field::Signer => choice(pen, theme, state, field, focus),
        Field::Passphrase => passphrase(pen, theme, state, focus),
        Field::Cancel | Field::Reset => {}
    }
}

/// A text field with its own cursor: the terminal's may blink.
fn input(pen: &mut Pen<'_>, theme: Theme, input: &Input, focus: bool, what: &str) {
    let columns = pen.left().saturating_sub(4);
    pen.text("[ ", Role::Dim);
    if focus {
        let chars: Vec<char> = input.value().chars().collect();
        let at = input.cursor().min(chars.len());
        let mut before: String = chars[..at].iter().collect();
        // The end of what stands before the cursor is what is being typed.
        while text::width(&text::cut(&before, usize::MAX / 64)) + 1 > columns && !before.is_empty()
        {
            before.remove(0);
        }
        let under: String = chars.get(at).map_or(" ".to_owned(), ToString::to_string);
        let after: String = chars.get(at + 1..).unwrap_or_default().iter().collect();
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

fn choice(pen: &mut Pen<'_>, theme: Theme, state: &ResetState, field: Field, focus: bool) {
    let Some(form) = &state.form else { return };
    let options: Vec<(String, bool)> = if field == Field::GoTo {
        let chosen = state.to;
        form.targets
            .iter()
            .map(|t| (t.as_str().to_owned(), Some(*t) == chosen))
            .collect()
    } else {
        let signers = form.signers.iter().enumerate();
        signers
            .map(|(at, name)| (text::cut(name, 24), at == state.signer))
            .collect()
    };
    for (name, on) in options {
        let mark = match (on, theme.ascii) {
            (true, false) => "(•) ",
            (true, true) => "(*) ",
            (false, _) => "( ) ",
        };
        let role = if on { Role::Strong } else { Role::Text };
        pen.text(mark, role).text(&name, role).gap(2);
    }
    if focus {
        pen.text("Space or arrows choose", Role::Dim);
    }
}

fn passphrase(pen: &mut Pen<'_>, theme: Theme, state: &ResetState, focus: bool) {
    let dots = if theme.ascii { "********" } else { SEALED };
    let shown = if state.sealed { dots } else { "" };
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

fn buttons(pen: &mut Pen<'_>, theme: Theme, state: &ResetState) {
    pen.gap(NAMES);
    for (field, name) in [(Field::Cancel, "Cancel"), (Field::Reset, "Reset")] {
        if state.field == field {
            pen.text(theme.pointer(), Role::Focus);
            pen.patch(theme.style(Role::Selected));
            pen.text(&format!("[ {name} ]"), Role::Strong);
            pen.patch(ratatui::style::Style::new());
        } else {
            pen.text(&format!("   {name}  "), Role::Text);
        }
        pen.gap(2);
    }
    let what = match state.field {
        Field::Cancel => "Enter leaves; nothing is written",
        Field::Reset => "Enter signs and writes the receipt",
        _ => "",
    };
    pen.text(what, Role::Dim);
}
