//! `triage alias | promote | undo`: a person's signed word on what a failure is (spec 2.2, 7.2).
//! The receipt is the truth; the user's catalogue file is rendered from it after the commit.

use serde::Serialize;
use serde_json::Value;

use crate::contract::breaker::Approver;
use crate::contract::code::{
    ALIAS, AliasPromotion, AliasRequest, CodeAnswer, CodePromotion, CodeUndo, PROMOTION,
    PromoteRequest, Rendered, UNDO,
};
use crate::contract::fault::Fault;
use crate::contract::goal::Goal;
use crate::contract::ids::{RecordId, handle};
use crate::contract::record::Record;
use crate::contract::refusal::{Code, Refusal};
use crate::contract::scope::Scope;
use crate::contract::secret;
use crate::journal::{Durability, Journal, Read, Write};
use crate::ops::context::Context;
use crate::ops::domain::{self, FailureCode};
use crate::ops::flags::Flags;
use crate::ops::receipt;
use crate::ops::records::{self, Receipt, fresh_id};
use crate::ops::reset::{Ask, presented_refused, sign_as};
use crate::ops::signed::may_be_taken;
use crate::ops::store::load;

use super::preview::past_signals;
use super::{in_force, overlay};

/// Who may name a failure: a lead, and so a human too (spec 7.2).
pub(super) const NEEDS: Approver = Approver::Lead;

/// Settles a minted code as a failure that the catalogue knows.
///
/// # Errors
/// It is settled, the entry is none, the user's catalogue was edited by hand, the signature does
/// not hold, or the store fails. Nothing is written then.
pub fn alias(
    context: &Context,
    request: &AliasRequest,
    ask: Ask<'_>,
    journal: &mut impl Journal,
    flags: &Flags,
) -> Result<CodeAnswer, Refusal> {
    let AliasRequest {
        code,
        to,
        reason,
        principal,
    } = request;
    refuse_secret(reason)?;
    let may = |read: &dyn Read| -> Result<(), Refusal> {
        open(code, read)?;
        let faults = in_force(read)?.alias_faults(code, to);
        refuse("the alias", faults, "watchfloor triage alias --help")
    };
    let payload = journal.read(|read| {
        may(read)?;
        let (nonce, at_seq, at_hash) = stamp(read)?;
        value(&AliasPromotion {
            schema: ALIAS.to_owned(),
            code: code.clone(),
            to: to.clone(),
            reason: reason.trim().to_owned(),
            proof: proof(code, read)?,
            nonce,
            at_seq,
            at_hash,
            approval: None,
        })
    })?;
    let decision = Decision {
        code,
        payload,
        principal: principal.as_deref(),
        warnings: Vec::new(),
    };
    decide(context, decision, &may, ask, journal, flags)
}

/// Makes a minted code an entry of the user's catalogue.
///
/// # Errors
/// As [`alias`]; all faults of the entry together.
pub fn promote(
    context: &Context,
    request: &PromoteRequest,
    ask: Ask<'_>,
    journal: &mut impl Journal,
    flags: &Flags,
) -> Result<CodeAnswer, Refusal> {
    let PromoteRequest {
        code,
        entry,
        reason,
        principal,
    } = request;
    refuse_secret(reason)?;
    refuse_secrets(entry)?;
    let may = |read: &dyn Read| -> Result<(), Refusal> {
        open(code, read)?;
        let signals = past_signals(code, read)?;
        let faults = in_force(read)?.promotion_faults(code, entry, &signals);
        refuse("the promotion", faults, "watchfloor triage preview --help")
    };
    let (payload, warnings) = journal.read(|read| {
        may(read)?;
        let warnings = in_force(read)?.promotion_warnings(entry);
        let (nonce, at_seq, at_hash) = stamp(read)?;
        let payload = value(&CodePromotion {
            schema: PROMOTION.to_owned(),
            code: code.clone(),
            entry: entry.clone(),
            reason: reason.trim().to_owned(),
            proof: proof(code, read)?,
            nonce,
            at_seq,
            at_hash,
            approval: None,
        })?;
        Ok((payload, warnings))
    })?;
    let decision = Decision {
        code,
        payload,
        principal: principal.as_deref(),
        warnings,
    };
    decide(context, decision, &may, ask, journal, flags)
}

/// Takes an alias or a promotion back, by its receipt: the code stands as its count says.
///
/// # Errors
/// There is no such decision, it was taken back before, other codes lean on the entry; and as
/// [`alias`].
pub fn undo(
    context: &Context,
    id: &str,
    principal: Option<&str>,
    ask: Ask<'_>,
    journal: &mut impl Journal,
    flags: &Flags,
) -> Result<CodeAnswer, Refusal> {
    let record = receipt::record(id, journal)?;
    let code = code_of(&record)?;
    let may = |read: &dyn Read| -> Result<(), Refusal> { standing(&code, &record.id, read) };
    let payload = journal.read(|read| {
        may(read)?;
        let (nonce, at_seq, at_hash) = stamp(read)?;
        value(&CodeUndo {
            schema: UNDO.to_owned(),
            receipt_id: record.id.clone(),
            code: code.clone(),
            nonce,
            at_seq,
            at_hash,
            approval: None,
        })
    })?;
    let decision = Decision {
        code: &code,
        payload,
        principal,
        warnings: Vec::new(),
    };
    decide(context, decision, &may, ask, journal, flags)
}

struct Decision<'a> {
    code: &'a str,
    payload: Value,
    principal: Option<&'a str>,
    warnings: Vec<Fault>,
}

/// Signs, checks everything again in the transaction, appends, and renders.
fn decide(
    context: &Context,
    decision: Decision<'_>,
    may: &dyn Fn(&dyn Read) -> Result<(), Refusal>,
    ask: Ask<'_>,
    journal: &mut impl Journal,
    flags: &Flags,
) -> Result<CodeAnswer, Refusal> {
    overlay::refuse_edited(context, journal)?;
    let Decision {
        code,
        payload,
        principal,
        warnings,
    } = decision;
    let signed = sign_as(context, NEEDS, &payload, principal, ask, journal)?;
    let written = journal.write(Durability::Full, |write| {
        let next = format!("watchfloor triage show {code}");
        may_be_taken(&signed, NEEDS, &[], &next, write)?;
        may(write)?;
        append(context, code, &signed, write)
    });
    let record = match written {
        Ok(record) => record,
        Err(refusal) => {
            presented_refused(context, None, &refusal, journal, flags)?;
            return Err(refusal);
        }
    };
    let known: Option<FailureCode> = journal.read(|read| load(read, domain::CODE, code))?;
    let row = known.unwrap_or_default().row;
    Ok(CodeAnswer {
        code: code.to_owned(),
        state: row.state,
        resolves_to: row.resolves_to,
        handle: handle('r', &record.id),
        receipt_id: record.id.to_string(),
        seq: record.seq,
        warnings,
        catalog: rendered(context, journal),
    })
}

/// The receipt stands, whatever becomes of the file: what went wrong there is told.
fn rendered(context: &Context, journal: &mut impl Journal) -> Rendered {
    overlay::render(context, false, journal).unwrap_or_else(|refusal| Rendered {
        file: overlay::path(context).display().to_string(),
        holds: false,
        cause: Some(refusal.cause),
        next_command: Some(refusal.next_command),
        kept: None,
    })
}

fn append(
    context: &Context,
    code: &str,
    signed: &Value,
    write: &mut dyn Write,
) -> Result<Record, Refusal> {
    let known: Option<FailureCode> = load(write, domain::CODE, code)?;
    let project = known.map(|known| known.row.project);
    let project = project.filter(|project| !project.is_empty());
    let scope = Scope::Project {
        project: project.map_or_else(
            || context.project.clone(),
            crate::contract::ids::ProjectId::new,
        ),
    };
    let about = Receipt {
        id: fresh_id(),
        goal_hash: Goal::fleet().hash().to_string(),
        parents: Vec::new(),
        scope: &scope,
        agent: None,
    };
    records::receipt(context, write, about, signed)
}

fn open(code: &str, read: &dyn Read) -> Result<(), Refusal> {
    let known: Option<FailureCode> = load(read, domain::CODE, code)?;
    known.map_or(Ok(()), |known| known.life.open(code))
}

fn standing(code: &str, receipt: &RecordId, read: &dyn Read) -> Result<(), Refusal> {
    let known: Option<FailureCode> = load(read, domain::CODE, code)?;
    let life = known.unwrap_or_default().life;
    let decision = life.standing(code, receipt)?;
    if decision.verb == "promote" {
        let leaning = in_force(read)?.leaning_on(&decision.to);
        if !leaning.is_empty() {
            let cause = format!("{} lead to {}", leaning.join(", "), decision.to);
            let next = format!("watchfloor triage show {}", leaning[0]);
            return Err(Refusal::new(Code::TransitionForbidden, cause, next));
        }
    }
    Ok(())
}

/// The minted code that a receipt settled.
fn code_of(record: &Record) -> Result<String, Refusal> {
    let body: Value = serde_json::from_str(&record.body).unwrap_or_default();
    let schema = body["payload_schema"].as_str().unwrap_or_default();
    let code = body["payload"]["code"].as_str();
    match code {
        Some(code) if schema == ALIAS || schema == PROMOTION => Ok(code.to_owned()),
        _ => {
            let cause = format!("{} is no alias and no promotion", record.id);
            Err(Refusal::new(
                Code::NotFound,
                cause,
                "watchfloor triage list",
            ))
        }
    }
}

fn refuse(what: &str, faults: Vec<Fault>, next: &str) -> Result<(), Refusal> {
    if faults.is_empty() {
        return Ok(());
    }
    Err(Refusal::of_faults(what, faults, next))
}

fn refuse_secrets(entry: &crate::contract::catalog::Entry) -> Result<(), Refusal> {
    let text = value(entry)?.to_string();
    let Some(hit) = secret::find(&text).into_iter().next() else {
        return Ok(());
    };
    let cause = format!("the entry holds a secret of kind {}", hit.kind);
    let next = "watchfloor triage promote --help";
    Err(Refusal::new(Code::SecretInRecord, cause, next))
}

fn refuse_secret(text: &str) -> Result<(), Refusal> {
    let Some(hit) = secret::find(text).into_iter().next() else {
        return Ok(());
    };
    let cause = format!("the reason holds a secret of kind {}", hit.kind);
    Err(Refusal::new(
        Code::SecretInRecord,
        cause,
        "watchfloor triage due",
    ))
}

fn proof(code: &str, read: &dyn Read) -> Result<Vec<RecordId>, Refusal> {
    let known: Option<FailureCode> = load(read, domain::CODE, code)?;
    Ok(known.unwrap_or_default().records)
}

fn stamp(read: &dyn Read) -> Result<(String, u64, String), Refusal> {
    let head = read.head()?;
    let nonce = uuid::Uuid::now_v7().to_string();
    Ok((nonce, head.seq, head.hash.to_string()))
}

fn value<T: Serialize>(body: &T) -> Result<Value, Refusal> {
    serde_json::to_value(body).map_err(|error| {
        let cause = format!("a decision has no JSON form: {error}");
        Refusal::new(Code::Internal, cause, "watchfloor status")
    })
}
