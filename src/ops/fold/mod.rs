//! The one fold of the journal (spec 1.1): every counter, state and row is made here and
//! nowhere else. Live writes, rebuild and verification all run the same code.

mod agent;
mod breaker;
mod code;
mod grant;
mod handoff;
mod hooked;
mod identity;
mod inbox;
mod mission;
mod observed;
mod session;
mod task;

pub(crate) use mission::generated_goal;
pub(crate) use task::entry_of;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::contract::attempt::{ATTEMPT, Attempt};
use crate::contract::breaker::{PERMIT, Permit, RESET, Reset, TRIP, Trip};
use crate::contract::code::{ALIAS, PROMOTION, SIGNAL, Signal, UNDO};
use crate::contract::envelope::ENVELOPE;
use crate::contract::event;
use crate::contract::grant::{GRANT, GRANT_REVOKED, GRANT_USED};
use crate::contract::guarded::{CALL_ALLOWED, HOOK_LEAK};
use crate::contract::handoff::LATE;
use crate::contract::message;
use crate::contract::observed::{OBSERVED, Observed};
use crate::contract::record::{Kind, Record};
use crate::contract::refusal::{Code, Refusal};
use crate::contract::row::Counts;
use crate::contract::session::{AGENT_WAITS, TURN_LET_GO, TURN_REFUSED};
use crate::contract::signature::SignatureId;
use crate::contract::tool::{AGENT_SEEN, AgentSeen, TOOL_SEEN, ToolSeen};
use crate::journal::{Fold, StateRow, States};
use crate::ops::domain;

/// The fold that the product hands to its store.
#[derive(Clone, Copy, Debug, Default)]
pub struct Projector;

impl Fold for Projector {
    fn apply(&self, record: &Record, states: &mut dyn States) -> Result<(), Refusal> {
        match record.kind {
            Kind::Attempt if record.schema == ATTEMPT => {
                task::attempted(record, &strict::<Attempt>(record)?, states)
            }
            Kind::Receipt if record.schema == ENVELOPE => receipt(record, states),
            Kind::Event => happened(record, states),
            Kind::Observation => noticed(record, states),
            Kind::Attempt | Kind::Receipt => Ok(()),
        }
    }
}

/// Decisions of the product itself. Receipts of these schemas come only from its own verbs.
fn receipt(record: &Record, states: &mut dyn States) -> Result<(), Refusal> {
    let Some((schema, payload)) = own_payload(&record.body) else {
        return Ok(());
    };
    match schema.as_str() {
        TRIP => breaker::tripped(record, &decode::<Trip>(record, payload)?, states),
        RESET => breaker::was_reset(record, &decode::<Reset>(record, payload)?, states),
        PERMIT => breaker::permitted(record, &decode::<Permit>(record, payload)?, states),
        GRANT => grant::granted(record, &decode(record, payload)?, states),
        ALIAS => code::aliased(record, &decode(record, payload)?, states),
        PROMOTION => code::promoted(record, &decode(record, payload)?, states),
        UNDO => code::undone(record, &decode(record, payload)?, states),
        TURN_LET_GO => session::let_go(record, &decode(record, payload)?, states),
        other => handoff::received(record, other, payload, states),
    }
}

fn happened(record: &Record, states: &mut dyn States) -> Result<(), Refusal> {
    match record.schema.as_str() {
        event::PLAN => task::planned(record, &strict(record)?, states),
        event::TASK_MOVED => task::moved(record, &strict(record)?, states),
        event::MISSION_NEW => mission::created(record, &strict(record)?, states),
        event::MISSION_MOVED => mission::moved(record, &strict(record)?, states),
        event::PROMPTED => {
            let body: event::Prompted = strict(record)?;
            mission::prompted(record, &body, states)?;
            session::prompted(record, &body.agent, states)
        }
        event::IDENTITY_ADDED => identity::added(record, &strict(record)?, states),
        event::IDENTITY_REVOKED => identity::revoked(record, &strict(record)?, states),
        event::KEYED => keyed(record, &strict(record)?, states),
        event::CLOCK_JUMP => {
            let jump = strict(record)?;
            breaker::clock_jumped(record, &jump, states)?;
            grant::clock_jumped(record, &jump, states)?;
            handoff::clock_jumped(&jump, states)
        }
        SIGNAL => {
            let Signal { layer, triage, .. } = strict(record)?;
            let around = code::Around {
                layer: layer.as_deref(),
                ..code::Around::default()
            };
            code::seen(record, &triage, around, states)
        }
        message::MESSAGE => inbox::sent(record, strict(record)?, states),
        message::ACKNOWLEDGED => inbox::acknowledged(record, &strict(record)?, states),
        GRANT_USED => grant::used(record, &strict(record)?, states),
        GRANT_REVOKED => grant::revoked(record, &strict(record)?, states),
        event::PERMIT_EXPIRED => breaker::permit_expired(record, &strict(record)?, states),
        other => handoff::happened(record, other, states),
    }
}

/// Observations are folded as far as they can be read: one that cannot changes nothing.
fn noticed(record: &Record, states: &mut dyn States) -> Result<(), Refusal> {
    match record.schema.as_str() {
        event::GATE_ANSWERED => lenient(record, |seen| task::began(record, &seen, states)),
        event::CALL_REFUSED => lenient(record, |seen| agent::refused(record, &seen, states)),
        TOOL_SEEN => lenient::<ToolSeen>(record, |seen| {
            agent::used_tool(record, &seen, states)?;
            let Some(triage) = &seen.triage else {
                return Ok(());
            };
            let check = seen.check.as_ref().and_then(|c| c.signature.as_ref());
            let around = code::Around {
                signature: check.map(SignatureId::as_str),
                ..code::Around::default()
            };
            code::seen(record, triage, around, states)
        }),
        OBSERVED => lenient::<Observed>(record, |seen| observed::observed(record, &seen, states)),
        AGENT_SEEN => lenient::<AgentSeen>(record, |seen| agent::seen(record, &seen, states)),
        message::DELIVERED => lenient(record, |seen| inbox::delivered(record, &seen, states)),
        AGENT_WAITS => lenient(record, |seen| session::waits(record, &seen, states)),
        TURN_REFUSED => lenient(record, |seen| session::turn_refused(record, &seen, states)),
        CALL_ALLOWED => lenient(record, |seen| hooked::allowed(record, &seen, states)),
        HOOK_LEAK => lenient(record, |leak| hooked::leaked(record, &leak, states)),
        LATE => lenient(record, |late| handoff::came_late(record, &late, states)),
        _ => Ok(()),
    }
}

fn keyed(record: &Record, body: &event::Keyed, states: &mut dyn States) -> Result<(), Refusal> {
    let agent = record.agent.as_ref().map_or("", |a| a.as_str());
    let key = domain::key_of(&record.project, agent, &body.verb, &body.key);
    save(states, domain::KEYED, &key, 0, record.seq, body)
}

/// The payload of an envelope whose payload schema is one of the product's own.
fn own_payload(body: &str) -> Option<(String, serde_json::Value)> {
    let mut envelope: serde_json::Value = serde_json::from_str(body).ok()?;
    let schema = envelope.get("payload_schema")?.as_str()?.to_owned();
    schema
        .starts_with(domain::OWN)
        .then(|| (schema, envelope["payload"].take()))
}

fn strict<T: DeserializeOwned>(record: &Record) -> Result<T, Refusal> {
    serde_json::from_str(&record.body).map_err(|error| unreadable(record, &error))
}

fn decode<T: DeserializeOwned>(record: &Record, payload: serde_json::Value) -> Result<T, Refusal> {
    serde_json::from_value(payload).map_err(|error| unreadable(record, &error))
}

fn lenient<T: DeserializeOwned>(
    record: &Record,
    fold: impl FnOnce(T) -> Result<(), Refusal>,
) -> Result<(), Refusal> {
    serde_json::from_str(&record.body).map_or(Ok(()), fold)
}

fn unreadable(record: &Record, error: &serde_json::Error) -> Refusal {
    let cause = format!(
        "record {} ({}) cannot be read: {error}",
        record.seq, record.schema
    );
    Refusal::new(Code::StoreDamaged, cause, "watchfloor verify --deep")
}

fn load<T: DeserializeOwned>(
    states: &dyn States,
    domain: &str,
    key: &str,
) -> Result<Option<T>, Refusal> {
    states
        .get(domain, key)?
        .map(|body| domain::read_state(domain, key, &body))
        .transpose()
}

fn save<T: Serialize>(
    states: &mut dyn States,
    domain: &str,
    key: &str,
    rank: i64,
    seq: u64,
    state: &T,
) -> Result<(), Refusal> {
    let body = domain::write_state(state)?;
    states.put(&StateRow {
        domain: domain.to_owned(),
        key: key.to_owned(),
        rank,
        seq,
        body,
    })
}

/// Changes the totals.
fn count(
    states: &mut dyn States,
    seq: u64,
    change: impl FnOnce(&mut Counts),
) -> Result<(), Refusal> {
    let mut counts: Counts = load(states, domain::COUNT, domain::ALL)?.unwrap_or_default();
    let before = counts.clone();
    change(&mut counts);
    if counts == before {
        return Ok(());
    }
    save(states, domain::COUNT, domain::ALL, 0, seq, &counts)
}
