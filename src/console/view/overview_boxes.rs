//! How the Overview's boxes share the screen.

use ratatui::layout::Rect;

use crate::console::model::Model;
use crate::console::widget::pen::cells;

use super::layout::{Class, Plan};
use super::overview::{Section, heights};

/// Columns that one agent of the fleet strip takes at least.
pub(super) const AGENT_COLUMNS: u16 = 36;
/// Columns from which two boxes stand side by side.
const TWO_COLUMNS: u16 = 78;
/// Newest records that are worth a box.
const LATEST_ROWS: u16 = 2;
/// Columns from which the newest records have room.
const LATEST_COLUMNS: u16 = 60;

/// The boxes with their frames.
pub(super) fn boxes(model: &Model, plan: &Plan) -> Vec<(Section, Rect)> {
    let area = plan.list;
    let edges: u16 = if plan.class == Class::Stacked { 1 } else { 2 };
    let wants = |section: Section| -> u16 {
        let rows: u16 = if section == Section::Fleet {
            let per_line = (area.width.saturating_sub(2) / AGENT_COLUMNS).max(1);
            // Without an agent two rows tell how to join one.
            let rows = cells(heights(model, section, plan.class).len()).div_ceil(per_line);
            if rows == 0 { 2 } else { rows }
        } else {
            heights(model, section, plan.class).iter().sum()
        };
        rows.max(1) + edges
    };
    let most = (area.height / 6).max(1) + edges;
    let needs = wants(Section::Needs).min(most).min(area.height);
    let left = area.height - needs;
    let side_by_side = plan.class != Class::Stacked && area.width >= TWO_COLUMNS;
    let mut rows: Vec<Vec<Section>> = if side_by_side {
        vec![
            vec![Section::Handoffs, Section::Breakers],
            vec![Section::Circles, Section::Codes],
            vec![Section::Fleet],
        ]
    } else {
        [
            Section::Handoffs,
            Section::Breakers,
            Section::Circles,
            Section::Codes,
            Section::Fleet,
        ]
        .into_iter()
        .map(|section| vec![section])
        .collect()
    };
    let wanted: Vec<u16> = rows
        .iter()
        .map(|row| row.iter().map(|section| wants(*section)).max().unwrap_or(0))
        .collect();
    let mut given = share(&wanted, left);
    rows.insert(0, vec![Section::Needs]);
    given.insert(0, needs);
    // Room that nobody needs goes to the newest records, else to the fleet.
    let spare = area.height.saturating_sub(given.iter().sum());
    if spare >= edges + LATEST_ROWS && area.width >= LATEST_COLUMNS {
        rows.push(vec![Section::Latest]);
        given.push(spare);
    } else if let Some(fleet) = given.last_mut() {
        *fleet += spare;
    }
    place(area, &rows, &given)
}

fn place(area: Rect, rows: &[Vec<Section>], heights: &[u16]) -> Vec<(Section, Rect)> {
    let mut boxes = Vec::new();
    let mut y = area.y;
    for (row, height) in rows.iter().zip(heights) {
        let whole = Rect {
            y,
            height: *height,
            ..area
        };
        if let [left, right] = row.as_slice() {
            let half = whole.width / 2;
            boxes.push((
                *left,
                Rect {
                    width: half,
                    ..whole
                },
            ));
            let rest = Rect {
                x: whole.x + half,
                width: whole.width - half,
                ..whole
            };
            boxes.push((*right, rest));
        } else if let Some(only) = row.first() {
            boxes.push((*only, whole));
        }
        y += height;
    }
    boxes
}

/// A fair share each: who wants less than that gives the rest to the others.
fn share(wanted: &[u16], total: u16) -> Vec<u16> {
    let mut given = vec![0; wanted.len()];
    let mut left = total;
    let mut open: Vec<usize> = (0..wanted.len()).collect();
    while !open.is_empty() {
        let each = left / cells(open.len());
        let (small, large): (Vec<_>, Vec<_>) = open.iter().partition(|at| wanted[**at] <= each);
        if small.is_empty() {
            // The first ones get what cannot be divided.
            let extra = left % cells(open.len());
            for (place, at) in open.iter().enumerate() {
                given[*at] = each + u16::from(cells(place) < extra);
            }
            break;
        }
        for at in small {
            given[at] = wanted[at];
            left -= wanted[at];
        }
        open = large;
    }
    given
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_fair_and_never_more_than_there_is() {
        assert_eq!(share(&[4, 4, 4], 30), [4, 4, 4]);
        assert_eq!(share(&[10, 3, 10], 18), [8, 3, 7]);
        assert_eq!(share(&[9, 9], 5), [3, 2]);
        assert_eq!(share(&[9], 0), [0]);
        assert_eq!(share(&[], 7), Vec::<u16>::new());
    }
}
