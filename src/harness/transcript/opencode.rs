//! opencode's database: sessions, messages, and their parts, which are written over in place
//! while they run.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;

use crate::contract::observed::{Fact, Moment, ReturnFact, SessionFact, TotalsFact};
use crate::contract::refusal::Refusal;
use crate::ops::observe::{Cell, Foreign};

use super::base::{Found, Keeping, LONGEST, SESSIONS, count, json, owned, select};
use super::row::{Out, microusd, millis, text, time};
use super::tools;

/// Parts of one session that are looked at.
const PARTS: usize = 200;

/// What was told of each session.
#[derive(Default)]
pub(super) struct Opencode {
    sessions: HashMap<String, Told>,
}

/// What was told of a session: each part that is new enough to be looked at, by its id, which is
/// in the order of time; and when a part that had not come to its end was written last.
#[derive(Default)]
struct Told {
    parts: BTreeMap<String, Part>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Whole,
    Running(i64),
}

impl Keeping for Opencode {
    fn news(&mut self, db: &Foreign, since_us: i64) -> Result<Vec<Found>, Refusal> {
        let wanted = [
            "id",
            "directory",
            "title",
            "model",
            "cost",
            "tokens_input",
            "tokens_output",
            "tokens_cache_read",
            "tokens_cache_write",
            "time_updated",
            "parent_id",
        ];
        let sql = select(db, "session", &wanted)?;
        let rows = db.ask(
            &format!("{sql} WHERE time_updated > ?1 ORDER BY time_updated DESC LIMIT {SESSIONS}"),
            &[Cell::Int(since_us / 1000)],
        )?;
        let mut found = Vec::new();
        for row in rows {
            let Some(id) = owned(&row[0]) else { continue };
            let updated = row[9].whole().unwrap_or(0);
            let told = self.sessions.entry(id.clone()).or_default();
            let mut moments = facts(&row, updated);
            let to = parts(db, &id, told, &mut moments)?;
            found.push(Found {
                session: session(id, owned(&row[10]), owned(&row[1])),
                moments,
                to,
                touched_us: updated.saturating_mul(1000),
                filed: false,
            });
        }
        if self.sessions.len() > 4 * SESSIONS {
            self.sessions.clear();
        }
        Ok(found)
    }
}

/// A session that another one started is a subagent under it.
fn session(id: String, parent: Option<String>, cwd: Option<String>) -> SessionFact {
    let (session, subagent) = match parent {
        Some(parent) => (parent, Some(id)),
        None => (id, None),
    };
    SessionFact {
        session: Some(session),
        subagent,
        cwd,
    }
}

/// What the session's own row tells.
fn facts(row: &[Cell], updated: i64) -> Vec<(Moment, u64)> {
    let mut moments = Vec::new();
    let mut out = Out {
        at_us: None,
        moments: &mut moments,
    };
    out.said(Fact::Title, row[2].text().unwrap_or_default());
    let model = json(&row[3]);
    let model = text(&model, "/id").or_else(|| text(&model, "/modelID"));
    out.said(Fact::Model, model.unwrap_or_default());
    let tokens = row[5..=8].iter().map(count).fold(0, u64::saturating_add);
    out.push(Fact::Totals(TotalsFact {
        tokens: (tokens > 0).then_some(tokens),
        context: None,
        cost_microusd: row[4].number().and_then(microusd).filter(|cost| *cost > 0),
    }));
    let to = u64::try_from(updated).unwrap_or(0);
    moments.into_iter().map(|moment| (moment, to)).collect()
}

/// The parts that came to their end since the last time. Answers the newest one's time.
fn parts(
    db: &Foreign,
    session: &str,
    told: &mut Told,
    moments: &mut Vec<(Moment, u64)>,
) -> Result<u64, Refusal> {
    // What stands in a part may be long, so it is read only where it is new.
    let mut rows = db.ask(
        &format!(
            "SELECT id, time_updated FROM part WHERE session_id = ?1 ORDER BY id DESC LIMIT {PARTS}"
        ),
        &[Cell::Text(session.to_owned())],
    )?;
    rows.reverse();
    let mut newest = 0;
    for row in rows {
        let Some(id) = owned(&row[0]) else { continue };
        let at = row[1].whole().unwrap_or(0);
        let to = u64::try_from(at).unwrap_or(0);
        newest = newest.max(to);
        match told.parts.get(&id) {
            Some(Part::Whole) => continue,
            Some(Part::Running(since)) if *since == at => continue,
            _ => {}
        }
        let text = db.ask(
            &format!(
                "SELECT p.data, json_object('role', CASE WHEN json_valid(m.data) THEN m.data->>'role' END) \
                 FROM part p LEFT JOIN message m ON m.id = p.message_id \
                 WHERE p.id = ?1 AND length(p.data) < {LONGEST}"
            ),
            &[Cell::Text(id.clone())],
        )?;
        let mut made = Vec::new();
        #[expect(clippy::cast_precision_loss, reason = "milliseconds stay far below")]
        let mut out = Out {
            at_us: millis(at as f64),
            moments: &mut made,
        };
        let whole = text
            .first()
            .is_none_or(|row| part(&json(&row[0]), &json(&row[1]), &mut out));
        let state = if whole {
            Part::Whole
        } else {
            Part::Running(at)
        };
        told.parts.insert(id, state);
        moments.extend(made.into_iter().map(|moment| (moment, to)));
    }
    while told.parts.len() > 2 * PARTS {
        told.parts.pop_first();
    }
    Ok(newest)
}

/// Tells a part; answers whether it has come to its end.
fn part(part: &Value, message: &Value, out: &mut Out<'_>) -> bool {
    let user = text(message, "/role") == Some("user");
    match text(part, "/type") {
        Some("text") if user => {
            let said = text(part, "/text").unwrap_or_default();
            out.said(Fact::Prompt, said.trim_matches('"'));
            true
        }
        Some("text") => {
            let whole = part.pointer("/time/end").is_some();
            if whole {
                out.said(Fact::Spoke, text(part, "/text").unwrap_or_default());
            }
            whole
        }
        Some("tool") => tool(part, out),
        Some("step-finish") => {
            let of = |name: &str| super::row::count(part, name).unwrap_or(0);
            let read = of("/tokens/input")
                .saturating_add(of("/tokens/cache/read"))
                .saturating_add(of("/tokens/cache/write"));
            out.push(Fact::Totals(TotalsFact {
                tokens: None,
                context: Some(read),
                cost_microusd: None,
            }));
            if text(part, "/reason").is_some_and(|reason| reason != "tool-calls") {
                out.push(Fact::TurnEnded);
            }
            true
        }
        _ => true,
    }
}

fn tool(part: &Value, out: &mut Out<'_>) -> bool {
    let id = text(part, "/callID").unwrap_or_default();
    let name = text(part, "/tool").unwrap_or_default();
    let input = part.pointer("/state/input").unwrap_or(&Value::Null);
    let begun = time(part, "/state/time/start");
    if let Some(begun) = begun {
        out.at_us = Some(begun);
    }
    out.push(Fact::Called(tools::call(id, name, input)));
    let status = text(part, "/state/status").unwrap_or_default();
    if !matches!(status, "completed" | "error") {
        return false;
    }
    let code = part.pointer("/state/metadata/exit").and_then(Value::as_i64);
    let code = code.and_then(|code| i32::try_from(code).ok());
    let said = text(part, "/state/output").or_else(|| text(part, "/state/error"));
    if let Some(end) = time(part, "/state/time/end") {
        out.at_us = Some(end);
    }
    out.push(Fact::Returned(ReturnFact {
        id: id.to_owned(),
        failed: status == "error" || code.is_some_and(|code| code != 0),
        exit_code: code,
        text: said.unwrap_or_default().to_owned(),
    }));
    true
}
