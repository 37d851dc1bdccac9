//! The diff of an agent's working tree. Only the lines that are seen are laid out.

use ratatui::buffer::Buffer;

use crate::console::model::DiffView;
use crate::console::theme::{Role, Theme};
use crate::console::widget::pen::{Pen, cells};
use crate::console::widget::text;
use crate::contract::going::{DiffKind, DiffLine, TreeDiff};

use super::layout::{Heading, Plan, inner, window};
use super::words;

/// Rows above the lines: where it is, and how much.
const TOP: u16 = 4;
/// Rows of a refusal at most.
const REFUSAL_ROWS: usize = 10;

fn height(plan: &Plan) -> usize {
    usize::from(inner(plan.body, plan.class).height.saturating_sub(TOP))
}

/// The last line that it can be scrolled to.
#[must_use]
pub fn last_scroll(open: &DiffView, plan: &Plan) -> usize {
    open.lines().len().saturating_sub(height(plan))
}

/// Draws the window over the whole body.
pub fn draw(open: &DiffView, theme: Theme, plan: &Plan, buf: &mut Buffer) {
    let total = open.lines().len();
    let below = total.saturating_sub(open.scroll + height(plan));
    let heading = Heading {
        title: format!("Diff of {} to its last commit", words::name(&open.agent)),
        right: match (open.reading, below) {
            (true, _) => "reading ...".to_owned(),
            (false, 0) => String::new(),
            (false, n) => format!("{n} more rows below"),
        },
        focus: true,
        bad: false,
    };
    let size = (plan.body.width, plan.body.height);
    let inside = window(buf, theme, plan.class, plan.body, size, &heading);
    let columns = usize::from(inside.width);
    match &open.read {
        None => {
            let said = "git compares the files; Esc leaves it";
            Pen::new(buf, theme, inside, 0).text(said, Role::Dim);
        }
        Some(Err(refused)) => {
            let rows = text::wrap(&refused.line(), columns, REFUSAL_ROWS);
            for (row, line) in rows.iter().enumerate() {
                Pen::new(buf, theme, inside, cells(row)).text(line, Role::Danger);
            }
        }
        Some(Ok(diff)) => {
            for (row, (said, role)) in above(diff).iter().enumerate() {
                Pen::new(buf, theme, inside, cells(row)).text(said, *role);
            }
            let seen = diff.lines.iter().skip(open.scroll).take(height(plan));
            for (row, line) in seen.enumerate() {
                let mut pen = Pen::new(buf, theme, inside, TOP.saturating_add(cells(row)));
                draw_line(&mut pen, line);
            }
        }
    }
}

/// Where it is, how much is changed, and what is not shown.
fn above(diff: &TreeDiff) -> [(String, Role); 3] {
    let place = format!("{} ({})", diff.root, diff.known_by);
    let count = |n: usize, one: &str| words::count(n as u64, one);
    let said = if diff.lines.is_empty() {
        "nothing is changed, and no file is untracked".to_owned()
    } else {
        // What was not read is not counted.
        let least = if diff.cut.is_some() { "at least " } else { "" };
        format!(
            "{least}{} changed, {least}+{} -{} lines, {} untracked",
            count(diff.files, "file"),
            diff.added,
            diff.removed,
            diff.untracked
        )
    };
    let mut notes: Vec<String> = diff.cut.iter().cloned().collect();
    if diff.redacted > 0 {
        let secrets = words::count(u64::from(diff.redacted), "secret");
        notes.push(format!("{secrets} taken out"));
    }
    [
        (place, Role::Dim),
        (said, Role::Strong),
        (notes.join("; "), Role::Notice),
    ]
}

/// A sign stands before each line, so that nothing is told by colour alone.
fn draw_line(pen: &mut Pen<'_>, line: &DiffLine) {
    let (sign, role) = match line.kind {
        DiffKind::File => {
            pen.text(&line.text, Role::Title);
            return;
        }
        DiffKind::Note | DiffKind::Hunk => {
            pen.text(&line.text, Role::Dim);
            return;
        }
        DiffKind::Added => ("+", Role::Passed),
        DiffKind::Removed => ("-", Role::Failed),
        DiffKind::Same => (" ", Role::Text),
    };
    pen.text(sign, role).text(&line.text, role);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cut_is_counted_as_the_least() {
        let mut diff = TreeDiff {
            files: 1,
            added: 9,
            untracked: 2,
            lines: vec![DiffLine {
                kind: DiffKind::File,
                text: "a".to_owned(),
            }],
            ..TreeDiff::default()
        };
        let said = |diff: &TreeDiff| above(diff)[1].0.clone();
        assert_eq!(said(&diff), "1 file changed, +9 -0 lines, 2 untracked");
        diff.cut = Some("only the first 9 lines are shown".to_owned());
        assert_eq!(
            said(&diff),
            "at least 1 file changed, at least +9 -0 lines, 2 untracked"
        );
    }
}
