//! `receipt ingest`: receipts that other tools wrote, and decisions that are presented.

use serde::Serialize;
use serde_json::{Value, json};

use crate::contract::breaker::{PERMIT, Permit, RESET, Reset};
use crate::contract::catalog::Catalog;
use crate::contract::envelope::{self, ENVELOPE, Envelope, Resolution};
use crate::contract::fault::Fault;
use crate::contract::handoff::DECISION;
use crate::contract::ids::RecordId;
use crate::contract::record::{Kind, NewRecord, Record};
use crate::contract::refusal::{Code, Exit, Refusal};
use crate::contract::secret;
use crate::journal::{Durability, Journal};
use crate::ops::breaker;
use crate::ops::context::Context;
use crate::ops::domain::{OWN, PRODUCER};
use crate::ops::flags::Flags;
use crate::ops::handoff;
use crate::ops::reset;

use super::{CONFLICT, INVALID, OBSERVED};

/// What `receipt ingest` answers for each text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Ingested {
    /// Where it came from.
    pub source: String,
    /// Its id, where one could be read; of an applied decision the one of the store's receipt.
    pub receipt_id: Option<String>,
    /// `stored`, `known`, `invalid`, `conflict`, `applied` or `refused`.
    pub outcome: String,
    /// It keeps its contract.
    pub valid: bool,
    /// Position of its record.
    pub seq: Option<u64>,
    /// What is wrong.
    pub faults: Vec<Fault>,
    /// Why it was refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<Refused>,
}

/// Why a text was refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Refused {
    /// The code.
    pub code: String,
    /// Why.
    pub cause: String,
    /// What next.
    pub next_command: String,
}

impl Ingested {
    /// Why it was not simply stored, in a line; empty when it was.
    #[must_use]
    pub fn why(&self) -> String {
        if let Some(refused) = &self.refused {
            return format!("{}: {}", refused.code, refused.cause);
        }
        let codes: Vec<&str> = self
            .faults
            .iter()
            .map(|fault| fault.code.as_str())
            .collect();
        codes.join(", ")
    }
}

/// Takes a receipt that another tool wrote. A valid one is kept to the byte; an invalid one
/// becomes an observation with its faults; other bytes under a known id replace nothing.
///
/// # Errors
/// The store fails.
pub fn ingest(
    context: &Context,
    source: &str,
    bytes: &[u8],
    catalog: &Catalog,
    journal: &mut impl Journal,
    flags: &Flags,
) -> Result<Ingested, Refusal> {
    let parsed = envelope::parse(bytes, &|code| catalog.is_code(code));
    let text = String::from_utf8_lossy(bytes).into_owned();
    let mut answer = Ingested {
        source: source.to_owned(),
        receipt_id: receipt_id(&text),
        outcome: "stored".to_owned(),
        valid: parsed.is_ok(),
        seq: None,
        faults: Vec::new(),
        refused: None,
    };
    match parsed {
        Ok(envelope) => {
            if let Err(refusal) = take(
                context,
                &envelope,
                &text,
                &mut answer,
                catalog,
                journal,
                flags,
            ) {
                if refusal.code.exit() == Exit::Failed {
                    return Err(refusal);
                }
                "refused".clone_into(&mut answer.outcome);
                answer.refused = Some(Refused {
                    code: refusal.code.as_str().to_owned(),
                    cause: refusal.cause,
                    next_command: refusal.next_command,
                });
            }
        }
        Err(faults) => {
            "invalid".clone_into(&mut answer.outcome);
            answer.faults = faults;
            answer.seq = keep_invalid(context, &text, &answer, journal)?;
        }
    }
    Ok(answer)
}

fn take(
    context: &Context,
    envelope: &Envelope,
    text: &str,
    answer: &mut Ingested,
    catalog: &Catalog,
    journal: &mut impl Journal,
    flags: &Flags,
) -> Result<(), Refusal> {
    if let Some(hit) = secret::find(text).first() {
        let cause = format!("the receipt holds a secret of kind {}", hit.kind);
        return Err(Refusal::new(
            Code::SecretInRecord,
            cause,
            "take the secret out and ingest again",
        ));
    }
    if envelope.payload_schema.starts_with(OWN) {
        return take_own(context, envelope, text, answer, catalog, journal, flags);
    }
    let id = envelope.receipt_id.clone();
    let (outcome, seq) = journal.write(Durability::Full, |write| {
        if let Some(known) = write.by_id(&id)? {
            if known.body == text && known.kind == Kind::Receipt {
                return Ok(("known", known.seq));
            }
            let body = json!({"schema": CONFLICT, "receipt_id": id.as_str(), "source": answer.source, "text": observed(text).0});
            let record = write.append(observation(context, CONFLICT, None, &body))?;
            return Ok(("conflict", record.seq));
        }
        let record = write.append(NewRecord {
            kind: Kind::Receipt,
            id: Some(id.clone()),
            schema: ENVELOPE.to_owned(),
            producer: envelope.producer.clone(),
            project: context.project.clone(),
            task: None,
            agent: context.agent.clone(),
            body: text.to_owned(),
        })?;
        Ok(("stored", record.seq))
    })?;
    outcome.clone_into(&mut answer.outcome);
    answer.seq = Some(seq);
    Ok(())
}

/// A receipt of the product's own kind from outside is a presented decision: a signed reset, permit
/// or decision on a handoff is verified as any other; nothing else of ours is taken.
fn take_own(
    context: &Context,
    envelope: &Envelope,
    text: &str,
    answer: &mut Ingested,
    catalog: &Catalog,
    journal: &mut impl Journal,
    flags: &Flags,
) -> Result<(), Refusal> {
    let known = journal.read(|read| read.by_id(&envelope.receipt_id.clone()))?;
    if let Some(known) = known
        && known.body == text
    {
        "known".clone_into(&mut answer.outcome);
        answer.seq = Some(known.seq);
        return Ok(());
    }
    let payload = Value::Object(envelope.payload.clone());
    let resolution = super::resolve(text.as_bytes(), catalog, journal)?;
    let unfit = |about: &[&str]| unfit(envelope, &resolution, about);
    let (id, seq) = match envelope.payload_schema.as_str() {
        schema @ (RESET | PERMIT) => {
            let record = take_about_breaker(context, schema, &payload, &unfit, journal, flags)?;
            (Some(record.id.to_string()), record.seq)
        }
        DECISION => {
            let escalation = payload["escalation_id"].as_str().unwrap_or_default();
            let unfit = unfit(&[escalation]);
            let taken = handoff::presented(context, &payload, unfit, journal, flags)?;
            (taken.record_id, taken.seq)
        }
        schema => {
            let cause = format!("{schema} is written by the product's own verbs alone");
            return Err(Refusal::new(
                Code::ReservedSchema,
                cause,
                "watchfloor receipt list",
            ));
        }
    };
    "applied".clone_into(&mut answer.outcome);
    // The store's own receipt of it: the envelope that it came in is not kept.
    answer.receipt_id = id;
    answer.seq = Some(seq);
    Ok(())
}

/// What is wrong with the envelope of a presented decision: it must refer to what it decides, and
/// each of its parents must resolve (spec 2.1).
fn unfit(envelope: &Envelope, resolution: &Resolution, about: &[&str]) -> Option<Refusal> {
    let mut faults: Vec<Fault> = resolution
        .refs
        .iter()
        .enumerate()
        .flat_map(|(at, report)| {
            let failed = report.checks.iter().filter(|check| !check.ok);
            failed.map(move |check| {
                let path = format!("parent_refs.{at}");
                let message = format!("does not resolve: {}", check.name.as_str());
                Fault::new("value_error", path, message)
            })
        })
        .collect();
    let mut parents = envelope.parent_refs.iter();
    if !parents.any(|parent| about.contains(&parent.receipt_id.as_str())) {
        let message = "does not refer to the receipt that is decided on";
        faults.push(Fault::new("missing", "parent_refs", message));
    }
    let next = "watchfloor receipt resolve --help";
    (!faults.is_empty()).then(|| Refusal::of_faults("the decision's envelope", faults, next))
}

/// A signed reset or permit. Answers its receipt.
fn take_about_breaker(
    context: &Context,
    schema: &str,
    payload: &Value,
    unfit: &dyn Fn(&[&str]) -> Option<Refusal>,
    journal: &mut impl Journal,
    flags: &Flags,
) -> Result<Record, Refusal> {
    let id = payload["breaker_id"].as_str().unwrap_or_default();
    let found = journal.read(|read| breaker::find(read, id));
    let strict = if schema == RESET {
        serde_json::from_value::<Reset>(payload.clone()).map(drop)
    } else {
        serde_json::from_value::<Permit>(payload.clone()).map(drop)
    };
    if let Err(error) = strict {
        let fault = Fault::new("type", "payload", error.to_string());
        return Err(Refusal::of_faults(
            "the decision",
            vec![fault],
            "watchfloor breaker reset --help",
        ));
    }
    let breaker = match found {
        Ok(breaker) => breaker,
        Err(refusal) => {
            let forged = Refusal::new(
                Code::ApprovalForged,
                format!(
                    "a decision about no breaker of this store: {}",
                    refusal.cause
                ),
                "watchfloor breaker list",
            );
            reset::presented_refused(context, None, &forged, journal, flags)?;
            return Err(forged);
        }
    };
    let trips = breaker.trips.iter().map(|trip| trip.receipt_id.as_str());
    let unfit = unfit(&trips.collect::<Vec<_>>());
    reset::present(context, &breaker, payload, schema, unfit, journal, flags)
}

fn keep_invalid(
    context: &Context,
    text: &str,
    answer: &Ingested,
    journal: &mut impl Journal,
) -> Result<Option<u64>, Refusal> {
    let (kept, redacted, cut) = observed(text);
    let body = json!({
        "schema": INVALID,
        "receipt_id": answer.receipt_id,
        "source": answer.source,
        "faults": answer.faults,
        "text": kept,
        "redacted": redacted,
        "cut": cut,
    });
    let seq = journal.write(Durability::Normal, |write| {
        let id = answer.receipt_id.as_deref().map(RecordId::new);
        let free = match &id {
            Some(id) => match write.by_id(id)? {
                Some(known) if known.body == body => return Ok(known.seq),
                Some(_) => None,
                None => Some(id.clone()),
            },
            None => None,
        };
        let taken = id.is_some() && free.is_none();
        let schema = if taken { CONFLICT } else { INVALID };
        Ok(write.append(observation(context, schema, free, &body))?.seq)
    })?;
    Ok(Some(seq))
}

/// A text as an observation keeps it: redacted, cut, and both told.
fn observed(text: &str) -> (String, u32, bool) {
    let (mut kept, redacted) = secret::redact(text);
    let cut = kept.len() > OBSERVED;
    if cut {
        let mut end = OBSERVED;
        while !kept.is_char_boundary(end) {
            end -= 1;
        }
        kept.truncate(end);
    }
    (kept, redacted, cut)
}

fn observation(context: &Context, schema: &str, id: Option<RecordId>, body: &Value) -> NewRecord {
    NewRecord {
        kind: Kind::Observation,
        id,
        schema: schema.to_owned(),
        producer: PRODUCER.to_owned(),
        project: context.project.clone(),
        task: None,
        agent: context.agent.clone(),
        body: body.to_string(),
    }
}

fn receipt_id(text: &str) -> Option<String> {
    let value: Value = serde_json::from_str(text).ok()?;
    let id = value.get("receipt_id")?.as_str()?;
    (!id.trim().is_empty() && id.len() <= 200).then(|| id.to_owned())
}
