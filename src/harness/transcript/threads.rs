//! Codex's database of threads: what they are called, and those whose rollout file is not there.

use std::path::Path;

use crate::contract::observed::{Fact, SessionFact, TotalsFact};
use crate::contract::refusal::Refusal;
use crate::ops::observe::{Cell, Foreign};

use super::base::{Found, Keeping, SESSIONS, count, owned, select};
use super::row::{Out, millis};

/// It is asked anew each time: it holds one row a thread.
#[derive(Default)]
pub(super) struct Threads;

impl Keeping for Threads {
    fn news(&mut self, db: &Foreign, since_us: i64) -> Result<Vec<Found>, Refusal> {
        let wanted = [
            "id",
            "cwd",
            "name",
            "title",
            "model",
            "tokens_used",
            "updated_at",
            "rollout_path",
        ];
        let sql = select(db, "threads", &wanted)?;
        let rows = db.ask(
            &format!("{sql} WHERE updated_at > ?1 ORDER BY updated_at DESC LIMIT {SESSIONS}"),
            &[Cell::Int(since_us / 1_000_000)],
        )?;
        let found = rows.into_iter().filter_map(|row| {
            let id = owned(&row[0])?;
            let at = row[6].number().and_then(|seconds| millis(seconds * 1000.0));
            let mut made = Vec::new();
            let mut out = Out {
                at_us: at,
                moments: &mut made,
            };
            let title = owned(&row[2]).or_else(|| owned(&row[3]));
            out.said(Fact::Title, &title.unwrap_or_default());
            out.said(Fact::Model, row[4].text().unwrap_or_default());
            out.push(Fact::Totals(TotalsFact {
                tokens: Some(count(&row[5])).filter(|tokens| *tokens > 0),
                context: None,
                cost_microusd: None,
            }));
            let to = u64::try_from(at.unwrap_or(0)).unwrap_or(0);
            Some(Found {
                session: SessionFact {
                    session: Some(id),
                    subagent: None,
                    cwd: owned(&row[1]),
                },
                moments: made.into_iter().map(|moment| (moment, to)).collect(),
                to,
                touched_us: at.unwrap_or(0),
                filed: row[7].text().is_some_and(|path| Path::new(path).is_file()),
            })
        });
        Ok(found.collect())
    }
}
