//! Hermes's database: sessions, and messages that are numbered as they come.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::contract::observed::{Fact, Moment, ReturnFact, SessionFact, TotalsFact};
use crate::contract::refusal::Refusal;
use crate::ops::observe::{Cell, Foreign};

use super::base::{Found, Keeping, LONGEST, SESSIONS, count, json, owned, select};
use super::row::{Out, microusd, millis, text};
use super::tools;

/// Messages that are read of what was there before.
const BEFORE: i64 = 1_000;

/// Up to which message it was told, and whose they were.
#[derive(Default)]
pub(super) struct Hermes {
    last: Option<i64>,
    /// Sessions by their newest message.
    known: BTreeMap<String, u64>,
}

impl Keeping for Hermes {
    fn news(&mut self, db: &Foreign, since_us: i64) -> Result<Vec<Found>, Refusal> {
        let newest = db.ask("SELECT max(id) FROM messages", &[])?;
        let newest = newest.first().and_then(|row| row[0].whole()).unwrap_or(0);
        let from = match self.last {
            // Another database lies there now.
            Some(last) if last > newest => newest - BEFORE,
            Some(last) => last,
            None => newest - BEFORE,
        };
        let mut by_session: BTreeMap<String, Vec<(Moment, u64)>> = BTreeMap::new();
        #[expect(clippy::cast_precision_loss, reason = "seconds stay far below")]
        let after = since_us as f64 / 1e6;
        let wanted = [
            "id",
            "session_id",
            "role",
            "content",
            "tool_call_id",
            "tool_calls",
            "finish_reason",
            "timestamp",
        ];
        let sql = select(db, "messages", &wanted)?;
        let rows = db.ask(
            &format!(
                "{sql} WHERE id > ?1 AND timestamp > ?2 AND ifnull(length(content), 0) < {LONGEST} \
                 AND ifnull(length(tool_calls), 0) < {LONGEST} ORDER BY id LIMIT 2000"
            ),
            &[Cell::Int(from), Cell::Real(after)],
        )?;
        // A busy program is caught up with in several looks.
        self.last = match rows.last() {
            Some(row) if rows.len() >= 2000 => row[0].whole(),
            _ => Some(newest),
        };
        for row in rows {
            let Some(session) = owned(&row[1]) else {
                continue;
            };
            let to = count(&row[0]);
            let mut made = Vec::new();
            let mut out = Out {
                at_us: row[7].number().and_then(|s| millis(s * 1000.0)),
                moments: &mut made,
            };
            message(&row, &mut out);
            self.known.insert(session.clone(), to);
            let moments = by_session.entry(session).or_default();
            moments.extend(made.into_iter().map(|moment| (moment, to)));
        }
        let mut found = Vec::new();
        for (id, to) in &self.known {
            let moments = by_session.remove(id).unwrap_or_default();
            found.extend(session(db, id, *to, moments)?);
        }
        while self.known.len() > SESSIONS {
            let oldest = self.known.iter().min_by_key(|(_, to)| **to);
            let Some(id) = oldest.map(|(id, _)| id.clone()) else {
                break;
            };
            self.known.remove(&id);
        }
        Ok(found)
    }
}

/// The session's own row, and what is new in it.
fn session(
    db: &Foreign,
    id: &str,
    to: u64,
    mut moments: Vec<(Moment, u64)>,
) -> Result<Option<Found>, Refusal> {
    let wanted = [
        "cwd",
        "title",
        "model",
        "input_tokens",
        "output_tokens",
        "cache_read_tokens",
        "cache_write_tokens",
        "actual_cost_usd",
        "estimated_cost_usd",
        "ended_at",
    ];
    let sql = select(db, "sessions", &wanted)?;
    let rows = db.ask(
        &format!("{sql} WHERE id = ?1"),
        &[Cell::Text(id.to_owned())],
    )?;
    let Some(row) = rows.first() else {
        return Ok(None);
    };
    let mut made = Vec::new();
    let mut out = Out {
        at_us: None,
        moments: &mut made,
    };
    out.said(Fact::Title, row[1].text().unwrap_or_default());
    out.said(Fact::Model, row[2].text().unwrap_or_default());
    let tokens = row[3..=6].iter().map(count).fold(0, u64::saturating_add);
    let cost = row[7].number().or_else(|| row[8].number());
    out.push(Fact::Totals(TotalsFact {
        tokens: (tokens > 0).then_some(tokens),
        context: None,
        cost_microusd: cost.and_then(microusd).filter(|cost| *cost > 0),
    }));
    let ended = row[9].number().and_then(|s| millis(s * 1000.0));
    if ended.is_some() {
        out.at_us = ended;
        out.push(Fact::Ended);
    }
    moments.extend(made.into_iter().map(|moment| (moment, to)));
    Ok(Some(Found {
        session: SessionFact {
            session: Some(id.to_owned()),
            subagent: None,
            cwd: owned(&row[0]),
        },
        moments,
        to,
        touched_us: ended.unwrap_or(0),
        filed: false,
    }))
}

fn message(row: &[Cell], out: &mut Out<'_>) {
    let said = row[3].text().unwrap_or_default();
    match row[2].text() {
        Some("user") => out.said(Fact::Prompt, said),
        Some("assistant") => {
            out.said(Fact::Spoke, said);
            let calls = json(&row[5]);
            for call in calls.as_array().map_or(&[][..], Vec::as_slice) {
                let id = text(call, "/call_id").or_else(|| text(call, "/id"));
                let name = text(call, "/function/name").unwrap_or_default();
                let given = text(call, "/function/arguments").unwrap_or_default();
                let input = serde_json::from_str(given).unwrap_or(Value::Null);
                out.push(Fact::Called(tools::call(
                    id.unwrap_or_default(),
                    name,
                    &input,
                )));
            }
            if row[6].text().is_some_and(|reason| reason != "tool_calls") {
                out.push(Fact::TurnEnded);
            }
        }
        Some("tool") => {
            let told = json(&row[3]);
            let code = told.get("exit_code").and_then(Value::as_i64);
            let code = code.and_then(|code| i32::try_from(code).ok());
            let error = text(&told, "/error");
            let output = text(&told, "/output");
            let words = [output, error].into_iter().flatten().collect::<Vec<_>>();
            out.push(Fact::Returned(ReturnFact {
                id: owned(&row[4]).unwrap_or_default(),
                failed: error.is_some() || code.is_some_and(|code| code != 0),
                exit_code: code,
                text: if told.is_object() {
                    words.join("\n")
                } else {
                    said.to_owned()
                },
            }));
        }
        _ => {}
    }
}
