//! `triage show`: a catalogue entry, or a minted code and all that is known of it.

use serde_json::Value;

use crate::contract::catalog::{Catalog, is_minted};
use crate::contract::code::{CODE_MEMORY, CODE_TICKET, CodeSample, CodeShown, EVAL_STUB, Triaged};
use crate::contract::ids::RecordId;
use crate::contract::record::Record;
use crate::contract::refusal::Refusal;
use crate::contract::time::rfc3339;
use crate::journal::{Journal, Page, Read};
use crate::ops::domain::{self, FailureCode};
use crate::ops::store::{load, not_found};
use crate::rules::codes::Vocabulary;

use super::in_force;

/// How many observations are shown.
const SAMPLES: usize = 10;

/// Shows a code.
///
/// # Errors
/// Nobody knows it, or the store fails.
pub fn show(code: &str, journal: &mut impl Journal) -> Result<CodeShown, Refusal> {
    journal.read(|read| shown(code, read))
}

pub(super) fn shown(code: &str, read: &dyn Read) -> Result<CodeShown, Refusal> {
    let vocabulary = in_force(read)?;
    let known: Option<FailureCode> = load(read, domain::CODE, code)?;
    match known {
        Some(known) => minted(&known, &vocabulary, read),
        None if is_minted(code) => Err(not_found("observation of", code, "watchfloor triage list")),
        None => entry(code, &vocabulary),
    }
}

fn entry(code: &str, vocabulary: &Vocabulary) -> Result<CodeShown, Refusal> {
    let (entry, from) = resolve(code, vocabulary);
    let entry = entry.ok_or_else(|| not_found("failure code", code, "watchfloor triage list"))?;
    Ok(CodeShown {
        code: code.to_owned(),
        state: "known".to_owned(),
        next_command: entry.next_command.clone(),
        entry: Some(entry),
        entry_from: from,
        row: None,
        normal: None,
        samples: Vec::new(),
        decisions: Vec::new(),
        cards: Vec::new(),
        aliases: leading_to(code, vocabulary),
    })
}

fn minted(
    code: &FailureCode,
    vocabulary: &Vocabulary,
    read: &dyn Read,
) -> Result<CodeShown, Refusal> {
    let row = code.row.clone();
    let to = row.resolves_to.as_deref();
    let (entry, from) = to.map_or((None, None), |to| resolve(to, vocabulary));
    let next_command = match &entry {
        Some(entry) => entry.next_command.clone(),
        None => format!("watchfloor triage alias {} --to CODE", row.code),
    };
    Ok(CodeShown {
        code: row.code.clone(),
        state: row.state.clone(),
        entry,
        entry_from: from,
        next_command,
        normal: (!code.normal.is_empty()).then(|| code.normal.clone()),
        samples: samples(code, SAMPLES, read)?,
        decisions: code.life.decisions.clone(),
        cards: cards(code, read)?,
        aliases: Vec::new(),
        row: Some(row),
    })
}

fn resolve(
    code: &str,
    vocabulary: &Vocabulary,
) -> (Option<crate::contract::catalog::Entry>, Option<String>) {
    if let Some(promoted) = vocabulary.promoted(code) {
        let from = promoted.receipt_id.to_string();
        return (Some(promoted.entry.clone()), Some(from));
    }
    let shipped = Catalog::shipped().entry(code).cloned();
    let from = shipped.as_ref().map(|_| "shipped".to_owned());
    (shipped, from)
}

fn leading_to(code: &str, vocabulary: &Vocabulary) -> Vec<String> {
    let aliases = vocabulary.catalog().aliases.into_iter();
    aliases
        .filter(|(_, to)| to == code)
        .map(|(minted, _)| minted)
        .collect()
}

/// What a record says of a failure text.
pub(super) fn triage_of(record: &Record) -> Option<Triaged> {
    let body: Value = serde_json::from_str(&record.body).ok()?;
    let found = body.get("triage").or_else(|| {
        body.get("derived")
            .and_then(|derived| derived.get("triage"))
    })?;
    serde_json::from_value(found.clone()).ok()
}

/// The latest observations of a code, newest first.
pub(super) fn samples(
    code: &FailureCode,
    limit: usize,
    read: &dyn Read,
) -> Result<Vec<CodeSample>, Refusal> {
    let mut samples = Vec::new();
    for id in code.records.iter().rev().take(limit) {
        let Some(record) = read.by_id(id)? else {
            continue;
        };
        let raw = triage_of(&record).map(|triage| triage.raw);
        samples.push(CodeSample {
            seq: record.seq,
            at: rfc3339(record.recorded_at),
            task: record.task.as_ref().map(ToString::to_string),
            agent: record.agent.as_ref().map(ToString::to_string),
            raw: raw.unwrap_or_default(),
            id: record.id,
        });
    }
    Ok(samples)
}

/// What was written once for a code, right behind its first observation.
fn cards(code: &FailureCode, read: &dyn Read) -> Result<Vec<RecordId>, Refusal> {
    let Some(first) = code.records.first() else {
        return Ok(Vec::new());
    };
    let Some(first) = read.by_id(first)? else {
        return Ok(Vec::new());
    };
    let mut cards = Vec::new();
    for schema in [CODE_TICKET, EVAL_STUB, CODE_MEMORY] {
        let page = Page {
            after: first.seq,
            schema: Some(schema.to_owned()),
            limit: 1,
            ..Page::default()
        };
        let found = read.page(&page)?.into_iter();
        let of = |record: &Record| record.body.contains(first.id.as_str());
        cards.extend(found.filter(of).map(|record| record.id));
    }
    Ok(cards)
}
