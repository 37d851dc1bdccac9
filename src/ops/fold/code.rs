//! Folds observations of minted codes, and the decisions that settle them (spec 2.2).

use crate::contract::approval::Approval;
use crate::contract::code::{
    AliasPromotion, CodePromotion, CodeUndo, Decision, Minted, Triaged, Undone,
};
use crate::contract::record::Record;
use crate::contract::refusal::Refusal;
use crate::contract::row::CodeRow;
use crate::contract::time::rfc3339;
use crate::journal::States;
use crate::ops::domain::{self, FailureCode};
use crate::rules::codes::{Event, State, Vocabulary};

use super::breaker::use_nonce;
use super::{count, load, save};

/// How many observations a code's row names: the first, and the latest ones.
const RECORDS: usize = 16;
/// Characters of the line that a row shows.
const SAMPLE: usize = 160;

/// What was seen beside the text.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Around<'a> {
    /// The layer that it was classified in.
    pub layer: Option<&'a str>,
    /// The signature of a tool's output.
    pub signature: Option<&'a str>,
}

/// A failure was classified: a minted code is counted, a known one is not.
pub(super) fn seen(
    record: &Record,
    triage: &Triaged,
    around: Around<'_>,
    states: &mut dyn States,
) -> Result<(), Refusal> {
    let Some(minted) = &triage.minted else {
        return Ok(());
    };
    let mut code = open(states, minted)?;
    let before = standing(&code);
    code.life.evolve(Event::Seen);
    let row = &mut code.row;
    row.layer = row.layer.take().or_else(|| around.layer.map(str::to_owned));
    row.signature = around.signature.map(str::to_owned);
    row.last_at = rfc3339(record.recorded_at);
    if code.life.count == 1 {
        row.first_at.clone_from(&row.last_at);
    }
    row.last_seq = record.seq;
    row.sample = one_line(&triage.raw);
    row.project = record.project.to_string();
    row.task = record.task.as_ref().map(ToString::to_string);
    row.agent = record.agent.as_ref().map(ToString::to_string);
    code.normal.clone_from(&minted.normal);
    code.records.push(record.id.clone());
    if code.records.len() > RECORDS {
        code.records.remove(1);
    }
    keep(states, record, before, code)
}

pub(super) fn aliased(
    record: &Record,
    body: &AliasPromotion,
    states: &mut dyn States,
) -> Result<(), Refusal> {
    use_nonce(states, record, &body.nonce)?;
    let decision = decision(record, "alias", &body.to, body.approval.as_ref());
    settled(record, &body.code, decision, states)?;
    change(states, record, |vocabulary| {
        vocabulary.alias(&body.code, &body.to, record.id.clone());
    })
}

pub(super) fn promoted(
    record: &Record,
    body: &CodePromotion,
    states: &mut dyn States,
) -> Result<(), Refusal> {
    use_nonce(states, record, &body.nonce)?;
    let to = &body.entry.code;
    let decision = decision(record, "promote", to, body.approval.as_ref());
    settled(record, &body.code, decision, states)?;
    change(states, record, |vocabulary| {
        vocabulary.promote(&body.code, body.entry.clone(), record.id.clone());
    })
}

pub(super) fn undone(
    record: &Record,
    body: &CodeUndo,
    states: &mut dyn States,
) -> Result<(), Refusal> {
    use_nonce(states, record, &body.nonce)?;
    if let Some(mut code) = load::<FailureCode>(states, domain::CODE, &body.code)? {
        let before = standing(&code);
        let undone = Undone {
            receipt_id: record.id.clone(),
            by: by(body.approval.as_ref()),
            at: rfc3339(record.recorded_at),
        };
        let event = Event::TakenBack(body.receipt_id.clone(), undone);
        code.life.evolve(event);
        keep(states, record, before, code)?;
    }
    change(states, record, |vocabulary| {
        vocabulary.take_back(&body.receipt_id);
    })
}

fn settled(
    record: &Record,
    minted: &str,
    decision: Decision,
    states: &mut dyn States,
) -> Result<(), Refusal> {
    let minted = Minted {
        code: minted.to_owned(),
        normal: String::new(),
    };
    let mut code = open(states, &minted)?;
    let before = standing(&code);
    if code.life.count == 0 {
        let at = rfc3339(record.recorded_at);
        code.row.first_at.clone_from(&at);
        code.row.last_at = at;
        code.row.project = record.project.to_string();
    }
    code.life.evolve(Event::Settled(decision));
    keep(states, record, before, code)
}

fn decision(record: &Record, verb: &str, to: &str, approval: Option<&Approval>) -> Decision {
    Decision {
        receipt_id: record.id.clone(),
        verb: verb.to_owned(),
        to: to.to_owned(),
        by: by(approval),
        at: rfc3339(record.recorded_at),
        undone: None,
    }
}

fn by(approval: Option<&Approval>) -> String {
    approval.map(|a| a.principal.clone()).unwrap_or_default()
}

fn change(
    states: &mut dyn States,
    record: &Record,
    change: impl FnOnce(&mut Vocabulary),
) -> Result<(), Refusal> {
    let (domain, key) = (domain::VOCABULARY, domain::ALL);
    let mut vocabulary: Vocabulary = load(states, domain, key)?.unwrap_or_default();
    change(&mut vocabulary);
    save(states, domain, key, 0, record.seq, &vocabulary)
}

fn open(states: &dyn States, minted: &Minted) -> Result<FailureCode, Refusal> {
    let known: Option<FailureCode> = load(states, domain::CODE, &minted.code)?;
    Ok(known.unwrap_or_else(|| FailureCode {
        row: CodeRow {
            code: minted.code.clone(),
            ..CodeRow::default()
        },
        ..FailureCode::default()
    }))
}

/// The state that the totals count the code in; none before its first observation.
fn standing(code: &FailureCode) -> Option<State> {
    (code.life.count > 0).then(|| code.life.state())
}

fn keep(
    states: &mut dyn States,
    record: &Record,
    before: Option<State>,
    mut code: FailureCode,
) -> Result<(), Refusal> {
    let state = code.life.state();
    let settled = code.life.settled();
    code.row.resolves_to = settled.map(|d| d.to.clone());
    code.row.settled_by = settled.map(|d| d.receipt_id.to_string());
    state.as_str().clone_into(&mut code.row.state);
    code.row.count = code.life.count;
    let after = standing(&code);
    let key = code.row.code.clone();
    // One that nobody has seen waits for nobody.
    let rank = after.map_or(0, State::rank);
    save(states, domain::CODE, &key, rank, record.seq, &code)?;
    if before == after {
        return Ok(());
    }
    count(states, record.seq, |c| {
        let (due, new) = (Some(State::Due), Some(State::New));
        let moved = |total: u64, which: Option<State>| {
            (total + u64::from(after == which)).saturating_sub(u64::from(before == which))
        };
        c.codes += u64::from(before.is_none());
        c.codes_due = moved(c.codes_due, due);
        c.codes_new = moved(c.codes_new, new);
    })
}

/// The first line that says anything, cut.
fn one_line(text: &str) -> String {
    let mut lines = text.lines().map(str::trim);
    let line = lines.find(|line| !line.is_empty()).unwrap_or_default();
    line.chars().take(SAMPLE).collect()
}
