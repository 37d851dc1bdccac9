//! An entry in full: its thread, late hints, and what was tried in its task (spec 4.5).

use serde_json::Value;

use crate::contract::attempt::Attempt;
use crate::contract::handoff::{
    ANSWERED, ASKED, Brief, CLAIMED, CLOSED, DECISION, ESCALATED, LATE, LedgerLine, OPENED, Opened,
    REOPENED, REPLIED, ThreadLine, USED,
};
use crate::contract::ids::TaskId;
use crate::contract::record::{Kind, Record};
use crate::contract::refusal::Refusal;
use crate::contract::safety::Outcome;
use crate::contract::time::rfc3339;
use crate::journal::{Page, Read};
use crate::ops::domain::Handoff;

/// Failing tries that the next holder is told of, the latest ones.
const TRIES: usize = 50;
/// Entries of a ledger that are looked through for them.
const LOOK: usize = 500;

/// All that there is to know about an entry.
pub(super) fn brief(handoff: &Handoff, read: &dyn Read) -> Result<Brief, Refusal> {
    let row = &handoff.row;
    let thread = thread(handoff, read)?;
    let hints = thread.iter().filter(|l| l.schema == LATE).cloned();
    let said = |schema: &str| {
        let last = thread.iter().rev().find(|line| line.schema == schema);
        last.map(|line| line.text.clone())
    };
    let awaits = handoff.entry.claim().is_some_and(|claim| claim.awaits);
    let opened = opened(handoff, read)?;
    let told = |full: fn(&Opened) -> &String, row: &str| {
        opened
            .as_ref()
            .map_or_else(|| row.to_owned(), |body| full(body).clone())
    };
    Ok(Brief {
        project: row.project.clone(),
        question: told(|body| &body.question, &row.question),
        tried: told(|body| &body.tried, &row.tried),
        needed: told(|body| &body.needed, &row.needed),
        wants: row.wants.clone(),
        tags: row.tags.clone(),
        asker: (!row.asker.is_empty()).then(|| row.asker.clone()),
        task: row.task.clone(),
        mission: row.mission.clone(),
        follow_ups: row.follow_ups,
        follow_up: awaits.then(|| said(ASKED)).flatten(),
        hints: hints.collect(),
        ledger: ledger(handoff, read)?,
        answer: said(ANSWERED),
        answer_id: row.answer_id.clone(),
        used: row.used,
        class: row.class.clone(),
        reason: row.reason.clone(),
        decision: said(DECISION),
        thread,
    })
}

/// Every record about an entry in order, the leases of its waiters left out.
///
/// # Errors
/// The store fails.
pub fn thread(handoff: &Handoff, read: &dyn Read) -> Result<Vec<ThreadLine>, Refusal> {
    let mut lines = Vec::new();
    for seq in &handoff.thread {
        lines.extend(at(*seq, read)?.map(|record| line(&record)));
    }
    Ok(lines)
}

fn at(seq: u64, read: &dyn Read) -> Result<Option<Record>, Refusal> {
    let page = Page {
        after: seq.saturating_sub(1),
        limit: 1,
        ..Page::default()
    };
    Ok(read.page(&page)?.pop().filter(|record| record.seq == seq))
}

fn opened(handoff: &Handoff, read: &dyn Read) -> Result<Option<Opened>, Refusal> {
    let record = read.by_id(&handoff.id())?;
    Ok(record.and_then(|record| {
        let body: Value = serde_json::from_str(&record.body).unwrap_or_default();
        serde_json::from_value(body["payload"].clone()).ok()
    }))
}

fn line(record: &Record) -> ThreadLine {
    let mut body: Value = serde_json::from_str(&record.body).unwrap_or_default();
    let mut schema = record.schema.clone();
    if record.kind == Kind::Receipt {
        body["payload_schema"]
            .as_str()
            .unwrap_or_default()
            .clone_into(&mut schema);
        body = body["payload"].take();
    }
    let text = |key: &str| body[key].as_str().unwrap_or_default().to_owned();
    let (what, text) = match schema.as_str() {
        OPENED => ("asks".to_owned(), text("question")),
        CLAIMED => (format!("holds it, epoch {}", body["epoch"]), String::new()),
        ASKED => ("asks back".to_owned(), text("question")),
        REPLIED => ("replies".to_owned(), text("text")),
        ANSWERED => ("answers".to_owned(), text("text")),
        REOPENED => (
            format!("claim {}, open again", text("lapse")),
            String::new(),
        ),
        CLOSED => (format!("blocked: {}", text("ending")), text("reason")),
        ESCALATED => (format!("escalates: {}", text("class")), text("reason")),
        DECISION => ("decides".to_owned(), text("text")),
        USED => (
            format!("used the answer; evidence {}", list(&body["evidence"])),
            text("text"),
        ),
        LATE => ("answers too late".to_owned(), text("text")),
        other => (other.to_owned(), String::new()),
    };
    let signed = body
        .pointer("/approval/principal")
        .and_then(Value::as_str)
        .map(str::to_owned);
    ThreadLine {
        seq: record.seq,
        at: rfc3339(record.recorded_at),
        id: record.id.to_string(),
        by: signed.or_else(|| record.agent.as_ref().map(ToString::to_string)),
        schema,
        what,
        text,
    }
}

fn list(value: &Value) -> String {
    let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
    let names: Vec<&str> = items
        .iter()
        .filter_map(Value::as_str)
        .map(|name| name.split('@').next().unwrap_or(name))
        .collect();
    names.join(", ")
}

/// What failed in the entry's task.
fn ledger(handoff: &Handoff, read: &dyn Read) -> Result<Vec<LedgerLine>, Refusal> {
    let Some(task) = &handoff.row.task else {
        return Ok(Vec::new());
    };
    let page = Page {
        kind: Some(Kind::Attempt),
        task: Some(TaskId::new(task.clone())),
        limit: LOOK,
        newest_first: true,
        ..Page::default()
    };
    let project = handoff.project();
    let records = read.page(&page)?.into_iter();
    let mut failed: Vec<LedgerLine> = records
        .filter(|record| record.project == project)
        .filter_map(|record| {
            let attempt: Attempt = serde_json::from_str(&record.body).ok()?;
            (attempt.result == Outcome::Fail).then(|| tried(record.seq, attempt))
        })
        .take(TRIES)
        .collect();
    failed.reverse();
    Ok(failed)
}

fn tried(seq: u64, attempt: Attempt) -> LedgerLine {
    LedgerLine {
        seq,
        agent: attempt.agent.to_string(),
        strategy: attempt.strategy,
        hypothesis: attempt.hypothesis,
        signature: attempt.error_signature.map(|id| id.to_string()),
        failure: attempt.derived.failure,
    }
}
