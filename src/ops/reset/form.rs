//! What the reset form shows (spec 5.3).

use crate::authority::Keys;
use crate::contract::agent::ResetForm;
use crate::contract::ids::handle;
use crate::contract::refusal::Refusal;
use crate::contract::scope::Scope;
use crate::journal::{Journal, Read};
use crate::ops::breaker::find;
use crate::ops::context::Context;
use crate::ops::domain::{self, Agent, Breaker};
use crate::ops::identity;
use crate::ops::status;
use crate::ops::store::load;

use super::{TARGETS, checks, refuse_closed};

/// Everything that the form of one breaker needs, checked just now.
///
/// # Errors
/// There is no such breaker, it is closed, or the store fails.
pub fn form(context: &Context, id: &str, journal: &mut impl Journal) -> Result<ResetForm, Refusal> {
    journal.read(|read| {
        let breaker = find(read, id)?;
        refuse_closed(&breaker)?;
        let keys = Keys::new(&context.config);
        let signers = identity::known(read)?
            .into_iter()
            .filter(|signer| {
                !signer.revoked && signer.holds(breaker.needs) && keys.has(&signer.principal)
            })
            .map(|signer| signer.principal)
            .collect();
        Ok(ResetForm {
            proof: proof(&breaker, read)?,
            stopped: stopped(&breaker, read)?,
            checks: checks(context, &breaker, read)?,
            targets: if matches!(breaker.scope, Scope::Mission { .. }) {
                TARGETS.to_vec()
            } else {
                Vec::new()
            },
            needs: breaker.needs,
            signers,
            parents: breaker
                .trips
                .iter()
                .map(|trip| handle('r', &trip.receipt_id))
                .collect(),
            breaker: breaker.row,
        })
    })
}

/// A line a record that proves the trip.
pub(crate) fn proof(breaker: &Breaker, read: &dyn Read) -> Result<Vec<String>, Refusal> {
    let mut lines = Vec::new();
    for trip in &breaker.trips {
        let holds = read
            .by_id(&trip.receipt_id)?
            .is_some_and(|record| record.body_sha256.to_string() == trip.digest);
        let digest = if holds {
            "digest holds"
        } else {
            "digest does not hold"
        };
        lines.push(format!(
            "receipt {} {} ({digest})",
            handle('r', &trip.receipt_id),
            trip.trigger.as_str()
        ));
    }
    for id in &breaker.proof {
        if let Some(record) = read.by_id(id)? {
            lines.push(crate::ops::detail::line(
                &status::row(record.clone()),
                &record.body,
            ));
        }
    }
    Ok(lines)
}

/// What became of each agent in scope: refused after how long, or idle.
pub(crate) fn stopped(breaker: &Breaker, read: &dyn Read) -> Result<Vec<String>, Refusal> {
    let mut lines = Vec::new();
    for name in &breaker.row.stopped {
        let refused = breaker
            .refused_after_us
            .iter()
            .find(|(agent, _)| agent.as_str() == name);
        if let Some((_, after)) = refused {
            lines.push(format!("{name} refused at +{:.2} s", seconds(*after)));
            continue;
        }
        let agent: Option<Agent> = load(read, domain::AGENT, name)?;
        let what = match agent {
            Some(agent) if agent.row.state == "ended" => "had ended",
            _ => "was idle",
        };
        lines.push(format!("{name} {what}"));
    }
    Ok(lines)
}

fn seconds(micros: i64) -> f64 {
    let millis = i32::try_from(micros / 1_000).unwrap_or(i32::MAX);
    f64::from(millis) / 1_000.0
}
