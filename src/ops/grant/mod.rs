//! `grant add | list | revoke` (spec 3.8, 7.2): a person lets through for a while what the guard
//! refuses. A grant opens what it names in one project, and never an open breaker.

mod add;
mod form;
mod open;
mod refused;

pub use add::{Wish, add};
pub use form::{allow, form};
pub(crate) use open::{running, use_up};
pub use refused::Of;
pub(crate) use refused::told;

use schemars::JsonSchema;
use serde::Serialize;

use crate::contract::grant::{GRANT_REVOKED, GrantRevoked};
use crate::contract::guard::Grantable;
use crate::contract::ids::{ProjectId, handle};
use crate::contract::refusal::{Code, Refusal};
use crate::contract::secret;
use crate::contract::time::rfc3339;
use crate::journal::{Durability, Journal, Read};

use super::context::Context;
use super::domain::{self, GrantState, Grants};
use super::identity::refuse_inside_agent;
use super::records::event;
use super::store::{deadline, load, not_found};

/// What the grant verbs show of one grant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct GrantRow {
    /// Its receipt.
    pub id: String,
    /// Its handle.
    pub handle: String,
    /// `host`, `path`, `branch` or `call`.
    pub kind: String,
    /// Which one.
    pub value: String,
    /// The project that it holds in.
    pub project: String,
    /// `running`, `over`, `used` or `revoked`.
    pub state: String,
    /// Until when.
    pub until: String,
    /// Who signed it.
    pub by: String,
    /// Why.
    pub reason: String,
    /// Where its receipt stands.
    pub seq: u64,
}

/// Grants, oldest first.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GrantList {
    /// The grants.
    pub grants: Vec<GrantRow>,
    /// There are no more.
    pub more: bool,
}

/// Lists the grants of the project: those that run, and the latest that are over.
///
/// # Errors
/// The store fails.
pub fn list(context: &Context, journal: &mut impl Journal) -> Result<GrantList, Refusal> {
    journal.read(|read| {
        let now = deadline(read)?;
        let grants = of_project(&context.project, read)?;
        let grants = grants.iter().map(|one| row(context, one, now)).collect();
        Ok(GrantList {
            grants,
            more: false,
        })
    })
}

/// The grants of the project that open something now, with what each opens.
///
/// # Errors
/// The store fails.
pub(crate) fn rows_running(
    context: &Context,
    journal: &mut impl Journal,
) -> Result<Vec<(Grantable, GrantRow)>, Refusal> {
    journal.read(|read| {
        let now = deadline(read)?;
        let running = running(context, read)?.into_iter();
        Ok(running
            .map(|one| (one.opens.clone(), row(context, &one, now)))
            .collect())
    })
}

/// Takes a grant back before its time, by its id or handle.
///
/// # Errors
/// There is no such grant that runs, the call comes from an agent's session, or the store fails.
pub fn revoke(
    context: &Context,
    id: &str,
    reason: &str,
    journal: &mut impl Journal,
) -> Result<GrantRow, Refusal> {
    refuse_inside_agent(context, journal)?;
    let reason = secret::redact(reason.trim()).0;
    journal.write(Durability::Full, |write| {
        let now = deadline(write)?;
        let one = find(context, id, write)?;
        if !one.runs(now) {
            let cause = format!("grant {} is over", handle('r', &one.id));
            let next = "watchfloor grant list";
            return Err(Refusal::new(Code::TransitionForbidden, cause, next));
        }
        let body = GrantRevoked {
            schema: GRANT_REVOKED.to_owned(),
            grant_id: one.id.clone(),
            reason: reason.clone(),
        };
        write.append(event(context, GRANT_REVOKED, None, None, &body)?)?;
        let one = find(context, one.id.as_str(), write)?;
        Ok(row(context, &one, now))
    })
}

fn find(context: &Context, id: &str, read: &dyn Read) -> Result<GrantState, Refusal> {
    let fits = |one: &GrantState| one.id.as_str() == id || handle('r', &one.id) == id;
    let mut fitting = of_project(&context.project, read)?.into_iter().filter(fits);
    match (fitting.next(), fitting.next()) {
        (Some(one), None) => Ok(one),
        (None, _) => Err(not_found("grant", id, "watchfloor grant list")),
        (Some(_), Some(_)) => Err(Refusal::new(
            Code::HandleAmbiguous,
            format!("{id} names more than one grant"),
            "watchfloor grant list",
        )),
    }
}

fn of_project(project: &ProjectId, read: &dyn Read) -> Result<Vec<GrantState>, Refusal> {
    let known: Option<Grants> = load(read, domain::GRANT, project.as_str())?;
    Ok(known.map(|known| known.grants).unwrap_or_default())
}

/// How a grant stands, in a word.
fn state_word(one: &GrantState, now: i64) -> &str {
    match &one.ended {
        Some(how) => how,
        None if one.runs(now) => "running",
        None => "over",
    }
}

fn row(context: &Context, one: &GrantState, now: i64) -> GrantRow {
    let (kind, value) = kind_of(&one.opens);
    let state = state_word(one, now);
    GrantRow {
        id: one.id.to_string(),
        handle: handle('r', &one.id),
        kind: kind.to_owned(),
        value: value.to_owned(),
        project: context.project.to_string(),
        state: state.to_owned(),
        until: rfc3339(one.until_us),
        by: one.by.clone(),
        reason: one.reason.clone(),
        seq: one.seq,
    }
}

/// What a grant opens, as two words.
#[must_use]
pub fn kind_of(opens: &Grantable) -> (&'static str, &str) {
    match opens {
        Grantable::Call(digest) => ("call", digest),
        Grantable::Host(host) => ("host", host),
        Grantable::Path(path) => ("path", path),
        Grantable::Branch(branch) => ("branch", branch),
    }
}
