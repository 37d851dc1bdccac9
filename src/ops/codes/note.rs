//! Observations of failures: what is kept of one, and what is written once for a new code.

use serde::{Deserialize, Serialize};

use crate::contract::code::{
    CODE_MEMORY, CODE_TICKET, CodeMemory, CodeTicket, EVAL_STUB, EvalStub, Minted, NORMAL_KEPT,
    RAW_KEPT, SIGNAL, Signal, Triaged,
};
use crate::contract::ids::{AgentId, RecordId, TaskId};
use crate::contract::refusal::Refusal;
use crate::contract::secret;
use crate::journal::{Durability, Journal, Read, Write};
use crate::ops::context::Context;
use crate::ops::domain::{self, FailureCode};
use crate::ops::keyed;
use crate::ops::records::event;
use crate::ops::store::load;
use crate::rules::codes::Vocabulary;
use crate::rules::signature;
use crate::rules::triage::{self, Classified};

use super::in_force;

/// A raw text as it is kept: redacted, the middle of a long one cut out.
#[must_use]
pub(crate) fn raw_kept(text: &str) -> String {
    let (clean, _) = secret::redact(text);
    let count = clean.chars().count();
    if count <= RAW_KEPT {
        return clean;
    }
    let head: String = clean.chars().take(RAW_KEPT / 2).collect();
    let tail: String = clean.chars().skip(count - (RAW_KEPT / 2 - 5)).collect();
    format!("{head}\n[…]\n{tail}")
}

/// A failure text of a tool, ready to be classified. Colour may stand in the middle of what gives
/// a failure away, so a text with escape sequences is read as a person would read it.
///
/// # Errors
/// See [`triage::Signal::read`].
pub(crate) fn signal_of_output(text: &str) -> Result<triage::Signal, Refusal> {
    if text.contains('\u{1b}') {
        triage::Signal::read(&signature::plain(text))
    } else {
        triage::Signal::read(text)
    }
}

/// What a failure text of a tool was classified as (spec 2.2): by its raw text where an entry
/// hits that, else minted over its canonical signature text. `shipped` is what the shipped
/// entries say.
#[must_use]
pub(crate) fn triaged(
    vocabulary: &Vocabulary,
    signal: &triage::Signal,
    shipped: Option<&Classified>,
    canonical: &str,
    raw: String,
) -> (Triaged, Classified) {
    let user = vocabulary.catalog();
    let known = signal.in_catalog(&user, None);
    if let Some(known) = known.or_else(|| shipped.cloned()) {
        let code = known.code.clone();
        let triaged = Triaged {
            code,
            raw,
            minted: None,
        };
        return (triaged, known);
    }
    let normal = triage::normal_form(canonical);
    let resolve = |minted: &str| triage::alias_over(&user, minted);
    let found = triage::unknown(&normal, None, &resolve);
    (unknown(&found, &normal, raw), found)
}

fn unknown(found: &Classified, normal: &str, raw: String) -> Triaged {
    let minted = found.aliased_from.clone();
    Triaged {
        code: found.code.clone(),
        raw,
        minted: Some(Minted {
            code: minted.unwrap_or_else(|| found.code.clone()),
            normal: normal.chars().take(NORMAL_KEPT).collect(),
        }),
    }
}

/// The minted code of a classification, when this is its first observation.
///
/// # Errors
/// The store fails.
pub(crate) fn is_first<'a>(
    triaged: Option<&'a Triaged>,
    read: &dyn Read,
) -> Result<Option<&'a Minted>, Refusal> {
    let Some(minted) = triaged.and_then(|triaged| triaged.minted.as_ref()) else {
        return Ok(None);
    };
    let known: Option<FailureCode> = load(read, domain::CODE, &minted.code)?;
    Ok(known
        .is_none_or(|code| code.life.count == 0)
        .then_some(minted))
}

/// Writes what is written once for a new code: a ticket line, an eval stub, a memory.
///
/// # Errors
/// The store fails.
pub(crate) fn cards(
    context: &Context,
    triaged: &Triaged,
    minted: &Minted,
    about: (Option<&TaskId>, Option<&AgentId>),
    first: &RecordId,
    write: &mut dyn Write,
) -> Result<(), Refusal> {
    let (task, agent) = about;
    let code = &minted.code;
    let line: String = triaged
        .raw
        .lines()
        .map(str::trim)
        .collect::<Vec<_>>()
        .join(" ");
    let line: String = line.chars().take(160).collect();
    let ticket = CodeTicket {
        schema: CODE_TICKET.to_owned(),
        code: code.clone(),
        line: format!("Name the failure {code}: {line}"),
        record_id: first.clone(),
        next_command: format!("watchfloor triage show {code}"),
    };
    let stub = EvalStub {
        schema: EVAL_STUB.to_owned(),
        code: code.clone(),
        input: triaged.raw.clone(),
        expect: None,
        record_id: first.clone(),
    };
    let memory = CodeMemory {
        schema: CODE_MEMORY.to_owned(),
        code: code.clone(),
        text: format!("{code} is a failure that no catalogue entry knew: {line}"),
        record_id: first.clone(),
    };
    let (task, agent) = (task.cloned(), agent.cloned());
    write.append(event(
        context,
        CODE_TICKET,
        task.clone(),
        agent.clone(),
        &ticket,
    )?)?;
    write.append(event(
        context,
        EVAL_STUB,
        task.clone(),
        agent.clone(),
        &stub,
    )?)?;
    write.append(event(context, CODE_MEMORY, task, agent, &memory)?)?;
    Ok(())
}

/// What `triage observe` answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Observed {
    /// What the signal was classified as.
    pub code: String,
    /// The minted code that was counted; absent for a known failure.
    pub minted: Option<String>,
    /// Its observations, this one included.
    pub count: Option<u64>,
    /// Its state: `new`, `due`, `aliased` or `promoted`; `known` for a known failure.
    pub state: String,
    /// What to run next.
    pub next_command: String,
    /// The record.
    pub id: String,
    /// Its position.
    pub seq: u64,
}

/// Records a signal that a component passes itself, and counts it where nobody knows it. It is
/// minted over its own normal form.
///
/// # Errors
/// `usage` for a blank text, `forbidden_terminal_label` for a bare verdict word, or the store
/// fails. Nothing is written then.
pub fn observe(
    context: &Context,
    text: &str,
    layer: Option<&str>,
    journal: &mut impl Journal,
) -> Result<Observed, Refusal> {
    let signal = triage::Signal::read(text)?;
    let shipped = signal.in_shipped(layer);
    let raw = raw_kept(text);
    let (normal, _) = secret::redact(signal.normal());
    let request = format!("{}\u{1f}{text}", layer.unwrap_or_default());
    journal.write(Durability::Full, |write| {
        keyed::once(
            context,
            "triage observe",
            request.as_bytes(),
            write,
            |write| {
                let user = in_force(write)?.catalog();
                let known = signal.in_catalog(&user, layer).or(shipped);
                let (triaged, found) = if let Some(found) = known {
                    let triaged = Triaged {
                        code: found.code.clone(),
                        raw,
                        minted: None,
                    };
                    (triaged, found)
                } else {
                    let resolve = |minted: &str| triage::alias_over(&user, minted);
                    let found = triage::unknown(signal.normal(), layer, &resolve);
                    (unknown(&found, &normal, raw), found)
                };
                append(context, layer, &triaged, &found, write)
            },
        )
    })
}

fn append(
    context: &Context,
    layer: Option<&str>,
    triaged: &Triaged,
    found: &Classified,
    write: &mut dyn Write,
) -> Result<Observed, Refusal> {
    let first = is_first(Some(triaged), write)?;
    let body = Signal {
        schema: SIGNAL.to_owned(),
        layer: layer.map(str::to_owned),
        triage: triaged.clone(),
    };
    let (task, agent) = (context.task.clone(), context.agent.clone());
    let record = write.append(event(context, SIGNAL, task, agent, &body)?)?;
    if let Some(minted) = first {
        let about = (context.task.as_ref(), context.agent.as_ref());
        cards(context, triaged, minted, about, &record.id, write)?;
    }
    let counted: Option<FailureCode> = match &triaged.minted {
        Some(minted) => load(write, domain::CODE, &minted.code)?,
        None => None,
    };
    Ok(Observed {
        code: triaged.code.clone(),
        minted: triaged.minted.as_ref().map(|minted| minted.code.clone()),
        count: counted.as_ref().map(|code| code.life.count),
        state: counted.map_or_else(|| "known".to_owned(), |code| code.row.state),
        next_command: found.next_command.clone(),
        id: record.id.to_string(),
        seq: record.seq,
    })
}
