//! Calls that the guard refused: which one a row of the console means, what a grant could open of
//! it, and which grants are about it.

use crate::contract::event::{CALL_REFUSED, CallRefused};
use crate::contract::granting::RefusedRow;
use crate::contract::guard::Grantable;
use crate::contract::ids::{AgentId, RecordId, TaskId, handle};
use crate::contract::record::{Kind, Record};
use crate::contract::refusal::{Code, Refusal};
use crate::contract::secret;
use crate::contract::time::rfc3339;
use crate::journal::{Page, Read};
use crate::ops::breaker;
use crate::ops::domain::{self, Agent, GrantState};
use crate::ops::store::{deadline, load, not_found};

use super::{add, kind_of, of_project, state_word};

/// Refusals that are looked through for one of the guard's.
const LOOKED_THROUGH: usize = 100;
/// Records after a breaker's opening among which the refusal stands that opened it.
const AFTER_TRIP: u64 = 10_000;
/// Grants that are told of one refused call.
const GRANTS: usize = 3;

/// What a refused call is looked for by.
#[derive(Clone, Copy, Debug)]
pub enum Of<'a> {
    /// The record of its refusal.
    Record(&'a str),
    /// An agent: its latest one that the guard refused.
    Agent(&'a str),
    /// A breaker: the one that opened it.
    Breaker(&'a str),
}

/// A call that the guard refused.
pub(super) struct Refused {
    pub(super) record: Record,
    pub(super) body: CallRefused,
}

/// Finds it.
///
/// # Errors
/// There is none, something other than the guard refused it, or the store fails.
pub(super) fn find(of: Of<'_>, read: &dyn Read) -> Result<Refused, Refusal> {
    match of {
        Of::Record(id) => {
            let record = read.by_id(&RecordId::new(id))?;
            let record = record.ok_or_else(|| not_found("record", id, "watchfloor tail"))?;
            let refused = parsed(record).ok_or_else(|| {
                let cause = "only a call that was refused before it ran can be granted";
                Refusal::new(Code::TransitionForbidden, cause, "watchfloor grant --help")
            })?;
            let by = refused.body.breaker_id.clone();
            let what = format!("{} of {}", refused.body.tool, refused.body.agent);
            guards(refused).ok_or_else(|| not_the_guard(&what, by.as_ref()))
        }
        Of::Agent(id) => {
            let agent: Option<Agent> = load(read, domain::AGENT, id)?;
            let agent = agent.ok_or_else(|| not_found("agent", id, "watchfloor status"))?;
            latest(&agent, read)?.ok_or_else(|| none_of(&agent))
        }
        Of::Breaker(id) => {
            let breaker = breaker::find(read, id)?;
            opened(&breaker, read)?.ok_or_else(|| {
                let row = &breaker.row;
                let cause = format!(
                    "breaker {} was not opened by a refused call: only a reset lets work go on",
                    row.handle
                );
                let next = format!("watchfloor breaker show {}", row.handle);
                Refusal::new(Code::TransitionForbidden, cause, next)
            })
        }
    }
}

fn not_the_guard(what: &str, by: Option<&RecordId>) -> Refusal {
    let (cause, next) = match by {
        Some(id) => {
            let handle = handle('b', id);
            (
                format!("{what} was refused by breaker {handle}, which no grant opens"),
                format!("watchfloor breaker show {handle}"),
            )
        }
        None => (
            format!("{what} was not refused by the guard: no grant lets it through"),
            "watchfloor gate check --help".to_owned(),
        ),
    };
    Refusal::new(Code::TransitionForbidden, cause, next)
}

fn none_of(agent: &Agent) -> Refusal {
    let row = &agent.row;
    let (cause, next) = match &row.stopped_by {
        Some(handle) => (
            format!(
                "no call of {} was refused by the guard: breaker {handle} stops it, which no grant opens",
                row.agent
            ),
            format!("watchfloor breaker show {handle}"),
        ),
        None => (
            format!(
                "no call of {} in task {} was refused by the guard",
                row.agent, row.task
            ),
            "watchfloor status".to_owned(),
        ),
    };
    Refusal::new(Code::TransitionForbidden, cause, next)
}

fn parsed(record: Record) -> Option<Refused> {
    if record.schema != CALL_REFUSED {
        return None;
    }
    let body = serde_json::from_str(&record.body).ok()?;
    Some(Refused { record, body })
}

/// It was the guard that refused it, and its digest is known.
fn guards(refused: Refused) -> Option<Refused> {
    let known = refused.body.guard.is_some() && !refused.body.call.is_empty();
    known.then_some(refused)
}

/// The newest call of an agent, in the task that it works in, that the guard refused.
fn latest(agent: &Agent, read: &dyn Read) -> Result<Option<Refused>, Refusal> {
    if agent.row.refused == 0 {
        return Ok(None);
    }
    let page = Page {
        kind: Some(Kind::Observation),
        schema: Some(CALL_REFUSED.to_owned()),
        task: Some(TaskId::new(agent.row.task.clone())),
        limit: LOOKED_THROUGH,
        newest_first: true,
        ..Page::default()
    };
    let who = AgentId::new(agent.row.agent.clone());
    let own = |refused: &Refused| refused.body.agent == who;
    let records = read.page(&page)?.into_iter();
    Ok(records.filter_map(parsed).filter(own).find_map(guards))
}

/// The refused call that opened a breaker; `None` where something else did.
fn opened(breaker: &domain::Breaker, read: &dyn Read) -> Result<Option<Refused>, Refusal> {
    let row = &breaker.row;
    let page = Page {
        after: row.opened_seq,
        before: Some(row.opened_seq.saturating_add(AFTER_TRIP)),
        kind: Some(Kind::Observation),
        schema: Some(CALL_REFUSED.to_owned()),
        limit: LOOKED_THROUGH,
        ..Page::default()
    };
    let of_it = |refused: &Refused| {
        let trigger = refused.body.guard.as_ref().and_then(|said| said.trigger);
        let tripped = |trigger| breaker.trips.iter().any(|trip| trip.trigger == trigger);
        Some(refused.body.agent.as_str()) == row.agent.as_deref() && trigger.is_some_and(tripped)
    };
    let records = read.page(&page)?.into_iter();
    Ok(records.filter_map(parsed).filter(of_it).find_map(guards))
}

/// What a grant could open of it, the least first.
pub(super) fn opens(refused: &Refused) -> Vec<Grantable> {
    let once = Grantable::Call(refused.body.call.clone());
    let said = refused.body.guard.as_ref();
    let wants = said.and_then(|said| said.wants.clone());
    let all = std::iter::once(once).chain(wants);
    all.filter(add::can_be_named).collect()
}

/// It as a row. Texts of the agent are not yet neutralised.
pub(super) fn row(refused: &Refused) -> RefusedRow {
    let Refused { record, body } = refused;
    let said = body.guard.clone().unwrap_or_default();
    let rule = said.rule.map(|rule| format!(" ({rule})"));
    let why = format!("{}{}", said.reason, rule.unwrap_or_default());
    RefusedRow {
        id: record.id.to_string(),
        handle: handle(record.kind.letter(), &record.id),
        at: rfc3339(record.recorded_at),
        agent: body.agent.to_string(),
        tool: body.tool.clone(),
        action: if body.action.is_empty() {
            body.tool.clone()
        } else {
            secret::redact(&body.action).0
        },
        project: record.project.to_string(),
        why: secret::redact(&why).0,
    }
}

/// The grants that open what it wants, the newest first: those that run, and those that are over.
pub(super) fn grants(
    refused: &Refused,
    read: &dyn Read,
) -> Result<Vec<(GrantState, bool)>, Refusal> {
    let now = deadline(read)?;
    let wanted = opens(refused);
    let about = |one: &GrantState| wanted.iter().any(|wants| covers(&one.opens, wants));
    let mut all = of_project(&refused.record.project, read)?;
    all.retain(about);
    all.reverse();
    let runs = all.into_iter().map(|one| {
        let runs = one.runs(now);
        (one, runs)
    });
    Ok(runs.collect())
}

/// Whether a grant opens what a call wants; one of a path opens what lies under it too.
pub(super) fn covers(grant: &Grantable, wants: &Grantable) -> bool {
    match (grant, wants) {
        (Grantable::Path(folder), Grantable::Path(path)) => {
            std::path::Path::new(path).starts_with(folder)
        }
        (grant, wants) => grant == wants,
    }
}

/// A grant in a line: what it opens, how it stands, who signed it.
pub(super) fn line(one: &GrantState, now: i64) -> String {
    let grant = handle('r', &one.id);
    let opens = words(&one.opens);
    let until = rfc3339(one.until_us);
    let by = &one.by;
    match state_word(one, now) {
        "running" => format!("grant {grant} of {opens} runs until {until}, by {by}"),
        "over" => format!("grant {grant} of {opens} was over at {until}, by {by}"),
        how => format!("grant {grant} of {opens} is {how}, by {by}"),
    }
}

/// What a grant opens, in words.
pub(super) fn words(opens: &Grantable) -> String {
    match kind_of(opens) {
        ("call", _) => "this call".to_owned(),
        (kind, value) => format!("{kind} {value}"),
    }
}

/// What a detail tells of a refused call and its grants; empty where there is none.
///
/// # Errors
/// The store fails.
pub(crate) fn told(of: Of<'_>, read: &dyn Read) -> Result<Vec<String>, Refusal> {
    let refused = match find(of, read) {
        Ok(refused) => refused,
        Err(refusal) if matches!(refusal.code, Code::TransitionForbidden | Code::NotFound) => {
            return Ok(Vec::new());
        }
        Err(refusal) => return Err(refusal),
    };
    let row = row(&refused);
    let time = row.at.get(11..19).unwrap_or_default();
    let could: Vec<String> = opens(&refused).iter().map(words).collect();
    let mut lines = vec![
        format!("{time} {} {}: {}", row.handle, row.agent, row.action),
        row.why,
        format!("a person's grant could open {}", could.join(", or ")),
    ];
    let now = deadline(read)?;
    let grants = grants(&refused, read)?;
    lines.extend(grants.iter().take(GRANTS).map(|(one, _)| line(one, now)));
    Ok(lines)
}
