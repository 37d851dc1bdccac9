//! Choosing the signer, asking for the passphrase, signing; and the permit (spec 3.6, 7.1).

use serde::Serialize;
use serde_json::Value;

use crate::authority::{self, Keys, Signer};
use crate::contract::breaker::{Approver, PERMIT, Permit};
use crate::contract::fault::Fault;
use crate::contract::ids::AgentId;
use crate::contract::refusal::{Code, Refusal};
use crate::journal::{Journal, Read};
use crate::ops::breaker::{find, id_of};
use crate::ops::context::Context;
use crate::ops::domain::Breaker;
use crate::ops::flags::Flags;
use crate::ops::identity;

use super::{Passphrase, present, refuse_closed};

/// Asks the person for the passphrase of a principal's key.
pub type Ask<'a> = &'a mut dyn FnMut(&str) -> Result<Passphrase, Refusal>;

/// Signs a decision about a breaker: answers the payload with its approval.
pub(super) fn sign(
    context: &Context,
    breaker: &Breaker,
    payload: &Value,
    principal: Option<&str>,
    ask: Ask<'_>,
    journal: &mut impl Journal,
) -> Result<Value, Refusal> {
    sign_as(context, breaker.needs, payload, principal, ask, journal)
}

/// Signs a decision that needs a role.
pub(crate) fn sign_as(
    context: &Context,
    needs: Approver,
    payload: &Value,
    principal: Option<&str>,
    ask: Ask<'_>,
    journal: &mut impl Journal,
) -> Result<Value, Refusal> {
    let known = journal.read(|read| identity::known(read))?;
    let keys = Keys::new(&context.config);
    let signer = choose(&known, &keys, needs, principal)?;
    let role = authority::choose_role(signer, needs)?;
    let passphrase = ask(&signer.principal)?;
    let key = keys.load(&signer.principal, Some(&passphrase))?;
    if key.public().fingerprint != signer.fingerprint {
        let cause = format!(
            "the key file of {} is another key than the one on record",
            signer.principal
        );
        return Err(Refusal::new(
            Code::IdentityMissing,
            cause,
            "watchfloor identity list",
        ));
    }
    let approval = authority::sign(payload, &key, &signer.principal, role)?;
    let mut approved = payload.clone();
    approved["approval"] = serde_json::to_value(approval).map_err(|error| {
        Refusal::new(
            Code::Internal,
            format!("an approval has no JSON form: {error}"),
            "watchfloor status",
        )
    })?;
    Ok(approved)
}

/// Whether somebody here may sign a decision that needs a role, before anybody is asked.
///
/// # Errors
/// Nobody may, with the reason; or the store fails.
pub(super) fn may_sign(
    context: &Context,
    needs: Approver,
    principal: Option<&str>,
    read: &dyn Read,
) -> Result<(), Refusal> {
    let known = identity::known(read)?;
    let signer = choose(&known, &Keys::new(&context.config), needs, principal)?;
    authority::choose_role(signer, needs).map(drop)
}

/// The named signer, or the first one here whose role suffices.
fn choose<'a>(
    known: &'a [Signer],
    keys: &Keys,
    needs: Approver,
    principal: Option<&str>,
) -> Result<&'a Signer, Refusal> {
    if let Some(name) = principal {
        let named = known
            .iter()
            .find(|signer| signer.principal == name && !signer.revoked);
        return named.ok_or_else(|| {
            Refusal::new(
                Code::IdentityMissing,
                format!("there is no signer {name}"),
                "watchfloor identity list",
            )
        });
    }
    let here: Vec<&Signer> = known
        .iter()
        .filter(|s| !s.revoked && keys.has(&s.principal))
        .collect();
    let Some(any) = here.first() else {
        let cause = format!("there is no identity here; this needs a {}", needs.as_str());
        return Err(Refusal::new(
            Code::IdentityMissing,
            cause,
            "watchfloor identity init",
        ));
    };
    Ok(here
        .iter()
        .find(|signer| signer.holds(needs))
        .unwrap_or(any))
}

/// What `breaker permit` answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Permitted {
    /// The breaker.
    pub id: String,
    /// Its handle.
    pub handle: String,
    /// Its first trigger.
    pub trigger: String,
    /// What it covers.
    pub scope: String,
    /// `open`: a permit closes nothing.
    pub state: String,
    /// Who may work.
    pub agent: String,
    /// For how many minutes.
    pub minutes: u32,
    /// The permit's receipt.
    pub receipt_id: String,
    /// Its position.
    pub seq: u64,
}

/// What a permit shall allow.
#[derive(Clone, Copy, Debug)]
pub struct PermitWish<'a> {
    /// The breaker, by id or handle.
    pub id: &'a str,
    /// Who may work.
    pub agent: &'a AgentId,
    /// For how many minutes.
    pub minutes: u32,
    /// Why.
    pub cause: &'a str,
    /// Who signs; the first one here whose role suffices when absent.
    pub principal: Option<&'a str>,
}

/// Longest permit: one day.
const LONGEST_MINUTES: u32 = 24 * 60;

/// Lets one agent work under an open breaker for some minutes.
///
/// # Errors
/// As a reset's; and minutes that are none or more than a day.
pub fn permit(
    context: &Context,
    wish: &PermitWish<'_>,
    ask: Ask<'_>,
    journal: &mut impl Journal,
    flags: &Flags,
) -> Result<Permitted, Refusal> {
    let PermitWish {
        id,
        agent,
        minutes,
        cause,
        principal,
    } = *wish;
    if minutes == 0 || minutes > LONGEST_MINUTES {
        let fault = Fault::new(
            "less_than_equal",
            "minutes",
            format!("from 1 to {LONGEST_MINUTES}"),
        );
        return Err(Refusal::of_faults(
            "the permit",
            vec![fault],
            "watchfloor breaker permit --help",
        ));
    }
    let (breaker, payload) = journal.read(|read| {
        let breaker = find(read, id)?;
        refuse_closed(&breaker)?;
        let head = read.head()?;
        let permit = Permit {
            schema: PERMIT.to_owned(),
            breaker_id: id_of(&breaker),
            scope: breaker.scope.clone(),
            agent: agent.clone(),
            minutes,
            cause: cause.to_owned(),
            nonce: uuid::Uuid::now_v7().to_string(),
            at_seq: head.seq,
            at_hash: head.hash.to_string(),
            approval: None,
        };
        let payload = serde_json::to_value(&permit).map_err(|error| {
            Refusal::new(
                Code::Internal,
                format!("a permit has no JSON form: {error}"),
                "watchfloor status",
            )
        })?;
        Ok((breaker, payload))
    })?;
    let signed = sign(context, &breaker, &payload, principal, ask, journal)?;
    let record = present(context, &breaker, &signed, PERMIT, None, journal, flags)?;
    Ok(Permitted {
        id: breaker.row.id,
        handle: breaker.row.handle,
        trigger: breaker.row.trigger,
        scope: breaker.row.scope,
        state: "open".to_owned(),
        agent: agent.to_string(),
        minutes,
        receipt_id: record.id.to_string(),
        seq: record.seq,
    })
}
