//! The command palette, the window that tells what a text means, and copying.

use crate::console::backend::Known;
use crate::console::commands::{COMMANDS, Command, Scope, text_of};
use crate::console::effect::Effect;
use crate::console::filter;
use crate::console::model::{Focus, Model, Overlay, Palette, Triage};
use crate::console::widget::text;
use crate::contract::agent::Jumped;

use super::act::{act, say};
use super::edit;

/// Characters that are copied at most.
const COPY_CHARS: usize = 20_000;

/// Characters from which a command is found by its sentence.
const SENTENCE_CHARS: usize = 3;

/// Commands that can be run by name, the best match first.
#[must_use]
pub fn palette(query: &str) -> Vec<&'static Command> {
    let offered: Vec<&Command> = COMMANDS
        .iter()
        .filter(|c| matches!(c.scope, Scope::Body | Scope::Move | Scope::Watch))
        .chain(COMMANDS.iter().filter(|c| {
            c.scope == Scope::Always && !COMMANDS.iter().any(|o| o.id == c.id && o.scope != c.scope)
        }))
        .collect();
    let names: Vec<String> = offered
        .iter()
        .map(|c| format!("{} {}", c.title, c.name))
        .collect();
    let mut found = filter::rank(query, names.iter().map(String::as_str));
    // A word of a command's sentence finds it too, but only as it stands there.
    let word = query.trim().to_lowercase();
    if word.chars().count() >= SENTENCE_CHARS {
        for (at, command) in offered.iter().enumerate() {
            if !found.contains(&at) && command.doc.to_lowercase().contains(&word) {
                found.push(at);
            }
        }
    }
    found
        .into_iter()
        .filter_map(|at| offered.get(at).copied())
        .collect()
}

/// Opens the palette over what is there.
pub fn open_palette(model: &mut Model) {
    model.overlay = Some(Overlay::Palette(Palette::default()));
}

/// To another command.
pub fn palette_by(model: &mut Model, by: isize) {
    if let Some(Overlay::Palette(open)) = &mut model.overlay {
        let count = palette(open.input.value()).len();
        open.chosen = open
            .chosen
            .saturating_add_signed(by)
            .min(count.saturating_sub(1));
    }
}

/// Runs the chosen command as if its key had been pressed.
pub fn palette_run(model: &mut Model, armed: Option<i64>, effects: &mut Vec<Effect>) {
    let Some(Overlay::Palette(open)) = model.overlay.take() else {
        return;
    };
    match palette(open.input.value()).get(open.chosen) {
        Some(command) => act(model, command, armed, effects),
        None => say(model, "no command has that name".to_owned(), true),
    }
}

/// Opens the window; on a row with a text it begins with that, and the answer has the keys.
pub fn open_triage(model: &mut Model, effects: &mut Vec<Effect>) {
    let begin = match model.overlay {
        None => text_of(model),
        Some(_) => None,
    };
    let mut triage = Triage::default();
    if let Some(begin) = begin {
        edit::insert_text(&mut triage.input, &begin);
        triage.on_answer = true;
        triage.of_row = true;
    }
    model.overlay = Some(Overlay::Triage(Box::new(triage)));
    ask(model, effects);
}

/// Asks what the text means, when it is another one than was asked about last.
pub fn ask(model: &mut Model, effects: &mut Vec<Effect>) {
    let Some(Overlay::Triage(triage)) = &mut model.overlay else {
        return;
    };
    let text = triage.input.value();
    if triage.asked == text {
        return;
    }
    text.clone_into(&mut triage.asked);
    if text.trim().is_empty() {
        triage.answer = None;
    } else {
        effects.push(Effect::Classify(triage.asked.clone()));
    }
}

/// Copies the next command of the window's answer.
pub fn copy_command(model: &mut Model, effects: &mut Vec<Effect>) {
    let command = match &model.overlay {
        Some(Overlay::Triage(triage)) => triage.command().map(str::to_owned),
        _ => None,
    };
    if let Some(command) = command {
        copy(model, &command, effects);
    }
}

/// Copies the id of the selected row, or the text of the detail that is open.
pub fn copy_selected(model: &mut Model, effects: &mut Vec<Effect>) {
    let Some((_, id)) = model.target() else {
        return;
    };
    let mut copied = id;
    if model.focus == Focus::Detail
        && let Some((target, Ok(known))) = &model.detail.loaded
        && Some(target) == model.target().as_ref()
    {
        copied = plain(known);
    } else if let Some((_, task)) = crate::console::backend::split_task_id(&copied) {
        copied = task.to_owned();
    }
    copy(model, &copied, effects);
}

/// The text of a detail.
fn plain(known: &Known) -> String {
    match known {
        Known::Plain(detail) => {
            let sections = detail.sections.iter();
            let parts = sections.map(|s| format!("{}\n{}", s.heading, s.lines.join("\n")));
            parts.collect::<Vec<_>>().join("\n\n")
        }
        Known::Tree(tree) => {
            let nodes = tree.nodes.iter();
            let lines = nodes.map(|n| {
                let indent = "  ".repeat(usize::from(n.depth));
                format!("{indent}{} {} {}", n.receipt_id, n.schema, n.digest)
            });
            lines.collect::<Vec<_>>().join("\n")
        }
        Known::Bench(bench) => {
            let samples = bench.samples.iter().map(|s| s.text.clone());
            let lines = std::iter::once(bench.code.code.clone()).chain(samples);
            lines.collect::<Vec<_>>().join("\n")
        }
    }
}

/// An agent was gone to. Where that is its transcript, its path is in the clipboard.
pub(super) fn jumped(model: &mut Model, jumped: &Jumped, effects: &mut Vec<Effect>) {
    if let Some(path) = &jumped.copy {
        copy(model, path, effects);
    }
    say(model, text::cut(&jumped.said, COPY_CHARS), false);
}

/// Gives a text to the clipboard. What an agent wrote may be pasted into a shell: it keeps its line
/// ends only where a whole detail is copied, and no other control character.
fn copy(model: &mut Model, copied: &str, effects: &mut Vec<Effect>) {
    let clean: String = copied
        .lines()
        .map(|line| text::cut(line, COPY_CHARS))
        .collect::<Vec<_>>()
        .join("\n");
    let clean: String = clean.chars().take(COPY_CHARS).collect();
    let first = text::cut(clean.lines().next().unwrap_or_default(), 40);
    say(model, format!("copied: {first}"), false);
    effects.push(Effect::Copy(clean));
}
