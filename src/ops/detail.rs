//! The detail of one row, as headed sections of lines (spec 5.2).

mod agent;
mod handoff;

use serde_json::Value;

pub use agent::agent;
pub use handoff::handoff;

use crate::contract::agent::{Detail, Section};
use crate::contract::event::CALL_REFUSED;
use crate::contract::guarded::GUARD_WOULD;
use crate::contract::ids::{RecordId, TaskId, handle};
use crate::contract::record::{Kind, Record};
use crate::contract::refusal::Refusal;
use crate::contract::row::{LogRow, WHAT};
use crate::journal::{Journal, Page, Read};

use super::breaker::find;
use super::context::Context;
use super::domain::{self, Task};
use super::grant;
use super::reset;
use super::status;
use super::store::{load, not_found};
use super::told::guard_words;

/// How many records a detail lists.
const RECENT: usize = 20;

fn section(heading: &str, lines: Vec<String>) -> Section {
    Section {
        heading: heading.to_owned(),
        lines,
    }
}

/// A breaker: why it opened, who is stopped, what a reset lacks.
///
/// # Errors
/// There is none, or the store fails.
pub fn breaker(context: &Context, id: &str, journal: &mut impl Journal) -> Result<Detail, Refusal> {
    journal.read(|read| {
        let breaker = find(read, id)?;
        let row = &breaker.row;
        let mut why = vec![
            row.reason.clone(),
            format!("opened {} by record {}", row.opened_at, row.opened_seq),
        ];
        why.extend(row.agent.iter().map(|agent| format!("caused by {agent}")));
        why.push(format!(
            "hits: {}; calls refused: {}",
            row.hits, row.refused
        ));
        let mut sections = vec![section("why", why)];
        let refused = grant::told(grant::Of::Breaker(id), read)?;
        if !refused.is_empty() {
            sections.push(section("the call that the guard refused", refused));
        }
        sections.push(section("proof", reset::proof(&breaker, read)?));
        sections.push(section("stopped", reset::stopped(&breaker, read)?));
        if row.state == "open" {
            let mut lacks: Vec<String> = reset::checks(context, &breaker, read)?
                .iter()
                .map(|check| {
                    format!(
                        "{} {}: {}",
                        if check.holds { "✓" } else { "✗" },
                        check.name,
                        check.seen
                    )
                })
                .collect();
            lacks.push(format!("a signature by a {}", row.needs));
            sections.push(section("a reset needs", lacks));
        } else {
            let by = row.closed_by.clone().unwrap_or_default();
            let at = row.closed_at.clone().unwrap_or_default();
            let receipt = row
                .reset_id
                .as_ref()
                .map(|id| handle('r', &RecordId::new(id.clone())))
                .unwrap_or_default();
            sections.push(section(
                "closed",
                vec![format!("by {by} at {at}, receipt {receipt}")],
            ));
        }
        Ok(Detail {
            title: format!(
                "{} {} on {}",
                row.handle,
                row.triggers.join(", "),
                row.scope
            ),
            sections,
        })
    })
}

/// A task: its window, and its latest entries with the proof.
///
/// # Errors
/// There is none, or the store fails.
pub fn task(
    context: &Context,
    project: &str,
    id: &str,
    journal: &mut impl Journal,
) -> Result<Detail, Refusal> {
    let task_id = TaskId::new(id);
    journal.read(|read| {
        let project = if project.is_empty() {
            context.project.clone()
        } else {
            crate::contract::ids::ProjectId::new(project)
        };
        let task: Task = load(read, domain::TASK, &domain::in_project(&project, id))?
            .ok_or_else(|| not_found("task", id, "watchfloor task list"))?;
        let row = &task.row;
        let mut window = vec![
            format!(
                "{} tries, {} failing, {} repairs of {}",
                row.tries, row.failing, row.repairs, context.limits.max_repairs
            ),
            format!("mission {}", row.mission),
        ];
        if let Some(signature) = &row.signature {
            window.push(format!(
                "latest failure {signature}: seen {} times, {} are free",
                row.same, context.limits.max_same_signature
            ));
            window.extend(row.failure.iter().map(|failure| format!("  {failure}")));
        }
        window.extend(row.due.iter().map(|due| format!("due: {due}")));
        window.extend(
            row.churn_file
                .iter()
                .filter(|_| row.churn > 1)
                .map(|file| format!("{file} in {} tries", row.churn)),
        );
        if row.leaks > 0 {
            window.push(format!("{} tries while a breaker was open", row.leaks));
        }
        let page = Page {
            kind: Some(Kind::Attempt),
            task: Some(task_id),
            limit: RECENT,
            newest_first: true,
            ..Page::default()
        };
        let recent = read.page(&page)?.into_iter().map(record_line).collect();
        Ok(Detail {
            title: format!("task {} {}", row.task, row.state),
            sections: vec![section("window", window), section("latest entries", recent)],
        })
    })
}

/// A record: its columns, and its body.
///
/// # Errors
/// There is none, or the store fails.
pub fn record(id: &str, journal: &mut impl Journal) -> Result<Detail, Refusal> {
    let record = super::receipt::record(id, journal)?;
    let body: Value =
        serde_json::from_str(&record.body).unwrap_or(Value::String(record.body.clone()));
    let pretty = serde_json::to_string_pretty(&body).unwrap_or_default();
    let columns = vec![
        format!(
            "record {} {} {}",
            record.seq,
            record.kind.as_str(),
            record.schema
        ),
        format!("id {}", record.id),
        format!("producer {}", record.producer),
        format!("body {}", record.body_sha256),
        format!("chain {}", record.hash),
    ];
    let refused = match record.schema.as_str() {
        CALL_REFUSED => {
            journal.read(|read| grant::told(grant::Of::Record(record.id.as_str()), read))?
        }
        _ => Vec::new(),
    };
    let mut sections = Vec::new();
    if !refused.is_empty() {
        sections.push(section("the call that the guard refused", refused));
    }
    sections.push(section("record", columns));
    let body = pretty.lines().map(str::to_owned).collect();
    sections.push(section("body", body));
    Ok(Detail {
        title: format!(
            "{} {}",
            handle(record.kind.letter(), &record.id),
            record.schema
        ),
        sections,
    })
}

fn record_line(record: Record) -> String {
    let body = record.body.clone();
    line(&status::row(record), &body)
}

/// A record in a line: what it is and what it says.
#[must_use]
pub fn line(row: &LogRow, body: &str) -> String {
    let value: Value = serde_json::from_str(body).unwrap_or_default();
    let letter = Kind::parse(&row.kind).map_or('?', Kind::letter);
    let text = |pointer: &str| {
        value
            .pointer(pointer)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    let said = match row.kind.as_str() {
        "attempt" => format!(
            "{} {} {}",
            text("/role"),
            text("/result"),
            text("/strategy")
        ),
        "receipt" => format!("{} {}", text("/payload_schema"), text("/payload/reason")),
        _ if row.schema == GUARD_WOULD => guard_words(&value),
        _ => format!("{} {}", row.schema, text("/action")),
    };
    let time = row.at.get(11..19).unwrap_or_default();
    let agent = row.agent.as_ref().map_or("", |agent| agent.as_str());
    let said: String = short_digests(said.trim()).chars().take(WHAT).collect();
    format!("{time} {} {agent} {said}", handle(letter, &row.id))
}

/// The body of a record in a line, for `tail`.
///
/// # Errors
/// The store fails.
pub fn summary(read: &dyn Read, row: &LogRow) -> Result<String, Refusal> {
    let record = read.by_id(&row.id)?;
    Ok(record
        .map(|record| line(row, &record.body))
        .unwrap_or_default())
}

/// A digest by its first eight digits: in a line it only tells one thing from another.
fn short_digests(text: &str) -> String {
    const MARK: &str = "sha256:";
    let mut parts = text.split(MARK);
    let mut short = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let digits = part.bytes().take_while(u8::is_ascii_hexdigit).count();
        let kept = if digits == 64 { 8 } else { digits };
        short.push_str(MARK);
        short.push_str(&part[..kept]);
        short.push_str(&part[digits..]);
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_digests_are_told_by_their_first_digits() {
        let digest = format!("sha256:{}", "ab12".repeat(16));
        assert_eq!(
            short_digests(&format!("undeclared:{digest} x {digest}")),
            "undeclared:sha256:ab12ab12 x sha256:ab12ab12"
        );
        for plain in ["", "sha256:", "sha256:ab12", "no digest"] {
            assert_eq!(short_digests(plain), plain);
        }
    }
}
