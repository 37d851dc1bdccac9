//! `handoff decide`: a person's signed decision on an escalated entry (spec 4.5, 7.2).

use serde_json::Value;

use crate::contract::breaker::Approver;
use crate::contract::fault::Fault;
use crate::contract::handoff::{DECISION, Decision, HandoffAnswer};
use crate::contract::ids::{AgentId, RecordId};
use crate::contract::refusal::{Code, Exit, Refusal};
use crate::journal::{Durability, Journal, Read, Write};
use crate::ops::context::Context;
use crate::ops::domain::{Handoff, ReceiptRef};
use crate::ops::flags::Flags;
use crate::ops::records::fresh_id;
use crate::ops::reset::{self, Ask};
use crate::ops::signed::may_be_taken;
use crate::rules::handoff::Command;

use super::case::Case;
use super::{find, refuse, told};

/// Who may decide an escalated handoff (spec 7.2).
pub const NEEDS: Approver = Approver::Human;

/// What tells how one decides.
const HELP: &str = "watchfloor handoff decide --help";

/// Decides an escalated entry: asks for the passphrase, signs, verifies, appends.
///
/// # Errors
/// It is not escalated or decided already, the text is blank or holds a secret, the role does not
/// suffice, the passphrase is wrong, or the store fails.
pub fn decide(
    context: &Context,
    id: &str,
    text: &str,
    principal: Option<&str>,
    ask: Ask<'_>,
    journal: &mut impl Journal,
    flags: &Flags,
) -> Result<HandoffAnswer, Refusal> {
    refuse::check("decide", &[("text", text)])?;
    let (handoff, payload) = journal.read(|read| prepare(id, text, read))?;
    let signed = reset::sign_as(context, NEEDS, &payload, principal, ask, journal)?;
    settled(context, &handoff.row.id, &signed, None, journal, flags)
}

/// Takes a decision that was signed elsewhere and is presented: verified as one made at the
/// terminal, and applied; or refused, and a bad approval is recorded and trips. `unfit` is what is
/// wrong with the envelope that it came in, told when the approval holds.
///
/// # Errors
/// It is no decision, about no escalated entry of this store or another escalation of it, its
/// approval does not hold, its envelope is unfit, or the store fails.
pub fn presented(
    context: &Context,
    payload: &Value,
    unfit: Option<Refusal>,
    journal: &mut impl Journal,
    flags: &Flags,
) -> Result<HandoffAnswer, Refusal> {
    let decision: Decision = serde_json::from_value(payload.clone()).map_err(|error| {
        let fault = Fault::new("type", "payload", error.to_string());
        Refusal::of_faults("the decision", vec![fault], HELP)
    })?;
    refuse::check("decide", &[("text", &decision.text)])?;
    let id = &decision.handoff_id;
    match journal.read(|read| find(read, id.as_str())) {
        Ok(handoff) if handoff.id() == *id => {
            settled(context, &handoff.row.id, payload, unfit, journal, flags)
        }
        Err(refusal) if refusal.code.exit() == Exit::Failed => Err(refusal),
        _ => {
            let cause = format!("a decision about no entry of this store: {id}");
            let next = "watchfloor handoff list --state escalated";
            let forged = Refusal::new(Code::ApprovalForged, cause, next);
            reset::presented_refused(context, None, &forged, journal, flags)?;
            Err(forged)
        }
    }
}

fn settled(
    context: &Context,
    id: &str,
    signed: &Value,
    unfit: Option<Refusal>,
    journal: &mut impl Journal,
    flags: &Flags,
) -> Result<HandoffAnswer, Refusal> {
    let written = journal.write(Durability::Full, |write| {
        present(context, id, signed, unfit, write)
    });
    if let Err(refusal) = &written {
        reset::presented_refused(context, None, refusal, journal, flags)?;
    }
    written
}

fn prepare(id: &str, text: &str, read: &dyn Read) -> Result<(Handoff, Value), Refusal> {
    let handoff = find(read, id)?;
    handoff
        .entry
        .decide(&Command::Decide)
        .map_err(|no| refuse::no(&handoff, &no))?;
    let head = read.head()?;
    let decision = Decision {
        schema: DECISION.to_owned(),
        handoff_id: handoff.id(),
        escalation_id: RecordId::new(escalation(&handoff).id),
        text: text.to_owned(),
        nonce: uuid::Uuid::now_v7().to_string(),
        at_seq: head.seq,
        at_hash: head.hash.to_string(),
        approval: None,
    };
    let payload = serde_json::to_value(&decision).map_err(|error| {
        let cause = format!("a decision has no JSON form: {error}");
        Refusal::new(Code::Internal, cause, "watchfloor status")
    })?;
    Ok((handoff, payload))
}

fn present(
    context: &Context,
    id: &str,
    signed: &Value,
    unfit: Option<Refusal>,
    write: &mut dyn Write,
) -> Result<HandoffAnswer, Refusal> {
    let case = Case::open(context, id, write)?;
    let next = format!("watchfloor handoff show {}", case.handoff.row.handle);
    may_be_taken(signed, NEEDS, &workers(&case.handoff), &next, write)?;
    case.decide(&Command::Decide)?;
    let parent = escalation(&case.handoff);
    if signed["escalation_id"].as_str() != Some(parent.id.as_str()) {
        let why = "this decision answers another escalation";
        return Err(Refusal::new(Code::ApprovalReplayed, why, next));
    }
    unfit.map_or(Ok(()), Err)?;
    let record = case.receipt(fresh_id(), &[&parent], None, signed, write)?;
    let text = signed["text"].as_str().unwrap_or_default();
    case.tell_asker(None, "a person decided", text, write)?;
    told(&case.handoff, Some(&record), false, write)
}

/// The agents whose question or work it is.
fn workers(handoff: &Handoff) -> Vec<AgentId> {
    let entry = &handoff.entry;
    entry
        .asker
        .iter()
        .chain(entry.epochs.keys())
        .cloned()
        .collect()
}

fn escalation(handoff: &Handoff) -> ReceiptRef {
    handoff.escalation.clone().unwrap_or_default()
}
