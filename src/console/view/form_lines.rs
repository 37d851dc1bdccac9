//! The lines of a form: what the store says, the fields, the checks, the receipt, the buttons.

use crate::console::form::{Facts, Form, Name, Subject};
use crate::console::model::Model;
use crate::console::theme::Role;
use crate::console::widget::text;
use crate::contract::agent::ResetForm;
use crate::contract::bench::Preview;
use crate::contract::breaker::Approver;
use crate::contract::granting::GrantForm;
use crate::contract::guard::Grantable;

use super::words;

/// Columns of the names at the left.
pub(super) const NAMES: usize = 12;
/// Rows that the receipt's words take at most.
const SAYS: usize = 5;
/// Matches that are shown of a picked entry.
const MATCHES: usize = 5;

/// One line of a form.
pub(super) enum Line {
    /// Nothing.
    Blank,
    /// Something of the store under its name.
    Fact(&'static str, Role, String),
    /// A machine check: its name, whether it holds, what was seen.
    Check(String, bool, String),
    /// A field.
    Field(Name),
    /// One of the entries to pick from; whether it is the chosen one.
    Match(bool, String),
    /// Both buttons.
    Buttons,
}

/// The lines of a form in so many columns.
pub(super) fn lines(model: &Model, form: &Form, columns: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    let room = columns.saturating_sub(NAMES);
    match &form.facts {
        Some(Facts::Reset(forms)) => breakers(model, forms, room, &mut lines),
        Some(_) => known(model, form, room, &mut lines),
        None => lines.push(Line::Fact(
            "",
            Role::Dim,
            "reading the store ...".to_owned(),
        )),
    }
    // What is granted must be seen with what grants it, as far as that goes.
    let tight = matches!(form.subject, Subject::Grant(..)) && is_low(model);
    if !tight {
        lines.push(Line::Blank);
    }
    let last = [Name::Signer, Name::Passphrase, Name::Cancel, Name::Submit];
    for field in form.shown().filter(|field| !last.contains(&field.name)) {
        lines.push(Line::Field(field.name));
        match field.name {
            Name::Target => matches(form, &mut lines),
            Name::Opens => opens(form, room, &mut lines),
            _ => {}
        }
    }
    if matches!(form.subject, Subject::Promote(_)) {
        preview(form.preview.as_ref(), room, &mut lines);
    }
    if !tight {
        lines.push(Line::Blank);
    }
    if let Some(facts) = &form.facts {
        let checks = form.checks();
        if checks.is_empty() && matches!(facts, Facts::Reset(_)) {
            let text = "nothing that a machine can check".to_owned();
            lines.push(Line::Fact("checks", Role::Dim, text));
        }
        for (name, holds, seen) in checks {
            lines.push(Line::Check(name, holds, seen));
        }
        if let Facts::Grant(grant) = facts {
            in_the_way(model, grant, room, &mut lines);
        }
        if let Some(role) = facts.needs() {
            lines.push(Line::Fact("needs", Role::Strong, needs(form, facts, role)));
        }
    }
    for field in form.shown().filter(|field| field.name == Name::Signer) {
        lines.push(Line::Field(field.name));
    }
    if form.subject.signed() {
        lines.push(Line::Field(Name::Passphrase));
        lines.push(Line::Blank);
        receipts(form, room, &mut lines);
    }
    lines.push(Line::Buttons);
    lines
}

/// Lines under one name, no more rows than these.
fn under(name: &'static str, texts: &[String], rows: usize, room: usize, lines: &mut Vec<Line>) {
    let mut name = name;
    let hidden = texts.len().saturating_sub(rows);
    for line in texts.iter().take(rows) {
        lines.push(Line::Fact(name, Role::Text, text::cut(line, room)));
        name = "";
    }
    if hidden > 0 {
        lines.push(Line::Fact("", Role::Dim, format!("and {hidden} more")));
    }
}

fn breakers(model: &Model, forms: &[ResetForm], room: usize, lines: &mut Vec<Line>) {
    if let [form] = forms {
        breaker(model, form, room, lines);
        return;
    }
    let each: Vec<String> = forms
        .iter()
        .map(|form| {
            let row = &form.breaker;
            let scope = words::scope(&row.scope, row.project.as_deref());
            format!(
                "{} {} on {scope}: {}",
                row.handle,
                words::spaced(&row.trigger),
                text::cut(&row.reason, 200)
            )
        })
        .collect();
    under("breakers", &each, 8, room, lines);
}

fn breaker(model: &Model, form: &ResetForm, room: usize, lines: &mut Vec<Line>) {
    let at = words::clock_seconds(&form.breaker.opened_at, model.start.utc_offset_min);
    let opened = format!("{at}, {}", text::cut(&form.breaker.reason, 400));
    under("opened", &text::wrap(&opened, room, 2), 2, room, lines);
    under("proof", &form.proof, 3, room, lines);
    let stopped = if form.stopped.is_empty() {
        "no agent was in scope".to_owned()
    } else {
        form.stopped.join(", ")
    };
    let spare = usize::from(model.plan().body.height).saturating_sub(20);
    let stopped = text::wrap(&stopped, room, spare.clamp(2, 6));
    under("stopped", &stopped, 6, room, lines);
}

/// Whether there is little room, so that the facts are told shorter.
fn is_low(model: &Model) -> bool {
    model.plan().body.height < 28
}

fn known(model: &Model, form: &Form, room: usize, lines: &mut Vec<Line>) {
    let low = is_low(model);
    for shown in form.known() {
        let rows = if low { shown.rows.min(2) } else { shown.rows };
        if let [one] = shown.lines.as_slice() {
            under(shown.name, &text::wrap(one, room, rows), rows, room, lines);
        } else {
            // Several texts: a row each, so that they can be told apart.
            let rows = if low { 1 } else { rows };
            under(shown.name, &shown.lines, rows, room, lines);
        }
    }
}

/// What the chosen grant would open, and for whom.
fn opens(form: &Form, room: usize, lines: &mut Vec<Line>) {
    let (Some(Facts::Grant(facts)), Some(what)) = (&form.facts, form.opens()) else {
        return;
    };
    let project = words::project(&facts.refused.project);
    let said = match what {
        Grantable::Call(_) => {
            format!("same tool and input, by any agent of {project}; used up by it")
        }
        Grantable::Path(path) => {
            format!("{path} and all under it, for any agent of {project}")
        }
        Grantable::Host(name) | Grantable::Branch(name) => {
            format!("{name}, for any agent of {project}")
        }
    };
    for row in text::wrap(&said, room, 3) {
        lines.push(Line::Fact("", Role::Dim, row));
    }
}

/// A grant opens no breaker: which ones stop the agent all the same, and what resets them.
fn in_the_way(model: &Model, form: &GrantForm, room: usize, lines: &mut Vec<Line>) {
    let name = "no_breaker_is_open".to_owned();
    if form.breakers.is_empty() {
        lines.push(Line::Check(name, true, "none stops the agent".to_owned()));
        return;
    }
    let each = form.breakers.iter().map(|breaker| {
        let scope = words::scope(&breaker.scope, Some(&form.refused.project));
        format!(
            "{} {} on {scope}",
            breaker.handle,
            words::spaced(&breaker.trigger)
        )
    });
    let all = each.collect::<Vec<_>>().join(", ");
    lines.push(Line::Check(name, false, text::cut(&all, room)));
    let keys = &model.start.keys;
    let said = format!(
        "A grant opens no breaker. Reset it too: {}, then {}.",
        keys.named("pane.breakers"),
        keys.named("reset")
    );
    for row in text::wrap(&said, room, 2) {
        lines.push(Line::Fact("", Role::Notice, row));
    }
}

fn matches(form: &Form, lines: &mut Vec<Line>) {
    let found = form.matches();
    let picked = form.picked().map(|entry| entry.code.clone());
    let at = found
        .iter()
        .position(|entry| Some(&entry.code) == picked.as_ref())
        .unwrap_or(0);
    let from = (at + 1).saturating_sub(MATCHES);
    for entry in found.iter().skip(from).take(MATCHES) {
        let chosen = Some(&entry.code) == picked.as_ref();
        let text = format!("{}  {}", entry.code, entry.cause);
        lines.push(Line::Match(chosen, text));
    }
    if form.facts.is_some() {
        let said = match found.len() {
            0 => "no entry matches; Esc, then p makes one".to_owned(),
            n => format!("{} of {n}; arrows choose", (from + MATCHES).min(n)),
        };
        lines.push(Line::Fact("", Role::Dim, said));
    }
}

/// What the draft would change.
fn preview(preview: Option<&Preview>, room: usize, lines: &mut Vec<Line>) {
    lines.push(Line::Blank);
    let Some(preview) = preview else {
        let text = "what it would catch is told here as you type".to_owned();
        lines.push(Line::Fact("preview", Role::Dim, text));
        return;
    };
    for fault in preview.faults.iter().take(3) {
        lines.push(Line::Fact("refused", Role::Danger, text::cut(fault, room)));
    }
    let caught = format!(
        "catches {} of the newest {}",
        preview.caught_total,
        words::count(preview.searched, "signal")
    );
    lines.push(Line::Fact("preview", Role::Strong, caught));
    under("", &preview.caught, 2, room, lines);
    let changed = match preview.changed_total {
        0 => "changes no past verdict".to_owned(),
        n => format!("changes {}", words::count(n, "past verdict")),
    };
    let role = if preview.changed_total > 0 {
        Role::Notice
    } else {
        Role::Text
    };
    lines.push(Line::Fact("", role, changed));
    under("", &preview.changed, 2, room, lines);
    if !preview.shadowed.is_empty() {
        let text = format!("shadows {}", preview.shadowed.join(", "));
        lines.push(Line::Fact("", Role::Notice, text::cut(&text, room)));
    }
}

fn needs(form: &Form, facts: &Facts, role: Approver) -> String {
    let role = role.as_str();
    let signers = facts.signers();
    let signer = form
        .chosen(Name::Signer)
        .or_else(|| signers.first().map(String::as_str));
    match signer {
        Some(signer) => format!("a {role} signs; key of {signer}"),
        None => format!("a {role} signs; nobody here has such a key: watchfloor identity init"),
    }
}

/// What is written, exactly, before the key that writes it.
fn receipts(form: &Form, room: usize, lines: &mut Vec<Line>) {
    let receipts = form.receipts();
    let mut name = "receipt";
    for receipt in receipts.iter().take(3) {
        lines.push(Line::Fact(name, Role::Dim, text::cut(receipt, room)));
        name = "";
    }
    if receipts.len() > 3 {
        let text = format!("and {} more, one a breaker", receipts.len() - 3);
        lines.push(Line::Fact("", Role::Dim, text));
    }
    if form.focus == Name::Submit && form.missing().is_empty() {
        let mut name = "it says";
        for row in text::wrap(&form.says(), room, SAYS) {
            lines.push(Line::Fact(name, Role::Text, row));
            name = "";
        }
    }
}
