//! Why a command is not possible now, and what it would act on.

use crate::console::backend::PaneKind;
use crate::console::model::{Focus, Model, Overlay};
use crate::contract::event::CALL_REFUSED;
use crate::contract::going::Way;
use crate::contract::row::AttentionRow;

pub(super) fn readonly(model: &Model) -> Option<String> {
    model.readonly().map(str::to_owned)
}

pub(super) fn sending(model: &Model) -> Option<String> {
    match &model.overlay {
        Some(Overlay::Form(form)) if form.sending => {
            Some("the receipt is being written".to_owned())
        }
        _ => None,
    }
}

pub(super) fn unanswered(model: &Model) -> Option<String> {
    let command = match &model.overlay {
        Some(Overlay::Triage(triage)) => triage.command(),
        _ => None,
    };
    command
        .is_none()
        .then(|| "there is no command to copy yet".to_owned())
}

pub(super) fn nothing_selected(model: &Model) -> Option<String> {
    match &model.overlay {
        Some(Overlay::Help { .. }) => return Some("help has no rows".to_owned()),
        Some(Overlay::Diff(_)) => return Some("a diff has no rows to go into".to_owned()),
        Some(_) => return None,
        None => {}
    }
    match (model.focus, model.target()) {
        (Focus::Detail, _) => Some("the detail is open".to_owned()),
        (Focus::List, None) => Some("no row is selected".to_owned()),
        (Focus::List, Some(_)) => None,
    }
}

pub(super) fn no_jump(model: &Model) -> Option<String> {
    let named = model.pane == PaneKind::Agents && model.target().is_some();
    (!named).then(|| "no agent is selected".to_owned())
}

pub(super) fn no_terminal(model: &Model) -> Option<String> {
    closed(model, Way::Terminal)
}

pub(super) fn no_transcript(model: &Model) -> Option<String> {
    closed(model, Way::Transcript)
}

pub(super) fn no_diff(model: &Model) -> Option<String> {
    closed(model, Way::Diff)
}

/// Why a way to an agent is closed.
fn closed(model: &Model, way: Way) -> Option<String> {
    let Some(Overlay::Going(going)) = &model.overlay else {
        return Some(format!("{} opens it", model.start.keys.named("jump")));
    };
    match (&going.ways, going.way(way)) {
        (_, Some(row)) => (!row.open).then(|| row.said.clone()),
        (Some(Err(refused)), None) => Some(refused.line()),
        // It is gone as soon as it is found.
        (_, None) => None,
    }
}

pub(super) fn nothing_to_leave(model: &Model) -> Option<String> {
    let root = model.overlay.is_none()
        && model.focus == Focus::List
        && model.pane == PaneKind::Overview
        && model.list().filter.value().is_empty();
    root.then(|| {
        format!(
            "this is the outermost place; {} quits",
            model.start.keys.named("quit")
        )
    })
}

pub(super) fn no_filter(model: &Model) -> Option<String> {
    (model.pane == PaneKind::Overview).then(|| "filter inside a pane, 2 to 8".to_owned())
}

pub(super) fn no_log(model: &Model) -> Option<String> {
    (model.pane != PaneKind::Log)
        .then(|| format!("only in the Log, {}", model.start.keys.named("pane.log")))
}

pub(super) fn no_sort(model: &Model) -> Option<String> {
    if model.pane.sorts().len() > 1 {
        return None;
    }
    Some(match model.pane {
        PaneKind::Overview => "sort inside a pane, 2 to 5 or 7".to_owned(),
        _ => "this list is in the order of the journal".to_owned(),
    })
}

pub(super) fn no_marks(model: &Model) -> Option<String> {
    if model.pane != PaneKind::Breakers {
        return Some(format!(
            "only breakers are reset several at once: {}",
            model.start.keys.named("pane.breakers")
        ));
    }
    match model.target() {
        None => Some("no row is selected".to_owned()),
        Some((_, id)) => open_breaker(model, id).err(),
    }
}

pub(super) fn nothing_to_copy(model: &Model) -> Option<String> {
    model
        .target()
        .is_none()
        .then(|| "no row is selected".to_owned())
}

pub(super) fn no_breaker(model: &Model) -> Option<String> {
    reset_targets(model).err()
}

pub(super) fn no_decision(model: &Model) -> Option<String> {
    decide_target(model).err()
}

pub(super) fn no_alias(model: &Model) -> Option<String> {
    code_target(model).err()
}

pub(super) fn no_promotion(model: &Model) -> Option<String> {
    code_target(model).err()
}

pub(super) fn no_grant(model: &Model) -> Option<String> {
    grant_target(model).err()
}

pub(super) fn no_agent(model: &Model) -> Option<String> {
    message_target(model).err()
}

fn lists(model: &Model, reason: &str, pane: &str) -> String {
    format!("{reason}; {} lists them", model.start.keys.named(pane))
}

fn writable(model: &Model) -> Result<(), String> {
    match model.readonly() {
        Some(reason) => Err(reason.to_owned()),
        None => Ok(()),
    }
}

fn open_breaker(model: &Model, id: String) -> Result<String, String> {
    match model.breaker(&id) {
        Some(row) if row.state != "open" => Err("that breaker is closed already".to_owned()),
        _ => Ok(id),
    }
}

/// The breakers that `R` would reset: the marked ones, else the selected one.
///
/// # Errors
/// Why there is none, in words for the hint line.
pub fn reset_targets(model: &Model) -> Result<Vec<String>, String> {
    writable(model)?;
    let marks = &model.lists[PaneKind::Breakers.index()].marks;
    if model.pane == PaneKind::Breakers && !marks.is_empty() {
        return Ok(marks.iter().cloned().collect());
    }
    match model.target() {
        Some((PaneKind::Breakers, id)) => Ok(vec![open_breaker(model, id)?]),
        _ => Err(lists(model, "no breaker is selected", "pane.breakers")),
    }
}

/// The handoff that `d` would decide.
///
/// # Errors
/// Why there is none, in words for the hint line.
pub fn decide_target(model: &Model) -> Result<String, String> {
    writable(model)?;
    let Some((PaneKind::Handoffs, id)) = model.target() else {
        return Err(lists(model, "no handoff is selected", "pane.handoffs"));
    };
    match model.handoff(&id) {
        Some(row) if row.decision.is_some() => Err("that handoff is decided already".to_owned()),
        Some(row) if row.state != "escalated" => {
            Err("only an escalated handoff is decided by a person".to_owned())
        }
        _ => Ok(id),
    }
}

/// The minted code that `a` and `p` would settle.
///
/// # Errors
/// Why there is none, in words for the hint line.
pub fn code_target(model: &Model) -> Result<String, String> {
    writable(model)?;
    let Some((PaneKind::Codes, id)) = model.target() else {
        return Err(lists(model, "no failure code is selected", "pane.codes"));
    };
    match model.code(&id) {
        Some(row) if row.resolves_to.is_some() => Err("that code is settled already".to_owned()),
        _ => Ok(id),
    }
}

/// The agent that `m` would leave a line for.
///
/// # Errors
/// Why there is none, in words for the hint line.
pub fn message_target(model: &Model) -> Result<String, String> {
    writable(model)?;
    match model.target() {
        Some((PaneKind::Agents, id)) => Ok(id),
        _ => Err(lists(model, "no agent is selected", "pane.agents")),
    }
}

/// The row whose refused call `G` would let through.
///
/// # Errors
/// Why there is none, in words for the hint line.
pub fn grant_target(model: &Model) -> Result<(PaneKind, String), String> {
    writable(model)?;
    let nothing = || lists(model, "no refused call is selected", "pane.agents");
    let (kind, id) = model.target().ok_or_else(nothing)?;
    let refused = match kind {
        PaneKind::Breakers => true,
        PaneKind::Agents => model.agent(&id).is_none_or(|row| row.refused > 0),
        PaneKind::Log => model
            .record(&id)
            .is_some_and(|row| row.schema == CALL_REFUSED),
        _ => return Err(nothing()),
    };
    match (kind, refused) {
        (_, true) => Ok((kind, id)),
        (PaneKind::Agents, false) => Err("no call of that agent was refused".to_owned()),
        (_, false) => Err("that record is no refused call".to_owned()),
    }
}

/// The text of the selected row that a person may want to have explained.
#[must_use]
pub fn text_of(model: &Model) -> Option<String> {
    let (kind, id) = model.target()?;
    let snapshot = &model.snapshot;
    let text = match kind {
        PaneKind::Breakers => model.breaker(&id).map(|row| row.reason.clone()),
        PaneKind::Tasks => {
            let rows = snapshot.tasks.iter().flat_map(|page| &page.rows);
            let mut rows = rows.chain(&snapshot.circles.rows);
            rows.find(|row| crate::console::backend::task_id(row) == id)
                .and_then(|row| row.failure.clone())
        }
        PaneKind::Codes => model.code(&id).map(|row| row.sample.clone()),
        PaneKind::Overview
        | PaneKind::Handoffs
        | PaneKind::Receipts
        | PaneKind::Agents
        | PaneKind::Log => None,
    };
    text.filter(|text| !text.trim().is_empty())
}

/// The pane that something for a person is in, by its handle.
#[must_use]
pub fn pane_of(row: &AttentionRow) -> PaneKind {
    match row.handle.split('-').next() {
        Some("b") => PaneKind::Breakers,
        Some("h") => PaneKind::Handoffs,
        _ if row.kind.contains("code") => PaneKind::Codes,
        _ if row.kind.contains("handoff") || row.kind == "decide" => PaneKind::Handoffs,
        _ if row.kind == "reset" => PaneKind::Breakers,
        _ => PaneKind::Agents,
    }
}
