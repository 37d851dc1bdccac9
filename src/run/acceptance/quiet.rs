//! The last three of the seven points: what did not happen. No person was reached, none spoke, none
//! stepped in.

use crate::contract::breaker::{PERMIT, RESET, TRIP};
use crate::contract::event::PROMPTED;
use crate::contract::handoff::{DECISION, ESCALATED, Ending, REPLIED};
use crate::contract::record::{Kind, Record};
use crate::contract::tool::AGENT_SEEN;

use super::entry::{SCHEMAS, schema};
use super::points::{Proof, View};

impl View<'_> {
    /// 5: one follow-up, then the holder could not help; nothing waits for a person.
    pub(super) fn blocked(&self) -> Proof {
        let entry = self.second.ok_or("A opened no second entry")?;
        let escalated = entry.others(ESCALATED);
        if let Some(seq) = escalated.first() {
            return Err(format!("record {seq}: entry 2 was escalated"));
        }
        let asks: Vec<u64> = entry.asked.iter().map(|(record, _)| record.seq).collect();
        let (claims, ends) = (entry.claimed.len(), entry.closed.len());
        let [ask] = asks[..] else {
            return Err(format!(
                "entry 2 has {} follow-up questions instead of one",
                asks.len()
            ));
        };
        let (Some((closed, body)), 1, 1) = (entry.closed.first(), claims, ends) else {
            return Err(format!(
                "entry 2 was claimed {claims} times and ended {ends} times"
            ));
        };
        if body.ending != Ending::HolderCannotHelp || closed.seq < ask {
            return Err(format!(
                "record {}: entry 2 ended otherwise: {}",
                closed.seq, body.reason
            ));
        }
        if let Some(row) = self.left.attention.iter().find(|row| row.kind == "decide") {
            return Err(format!("{} waits for a person: {}", row.handle, row.what));
        }
        let replies: Vec<String> = entry.others(REPLIED).iter().map(u64::to_string).collect();
        Ok(vec![
            format!(
                "record {}: entry 2 was opened; record {}: claimed",
                entry.opened.0.seq, entry.claimed[0].0.seq
            ),
            format!(
                "record {ask}: the one follow-up question; replies: {}",
                replies.join(", ")
            ),
            format!(
                "record {}: blocked: {}; nothing waits for a person",
                closed.seq, body.reason
            ),
        ])
    }

    /// 6: nobody but the two speaks: no prompt after the one that started a session, no decision,
    /// no word on an entry by anybody else.
    pub(super) fn messages(&self) -> Proof {
        let (began, _) = self.began()?;
        let mut starts = Vec::new();
        for record in self.after(began) {
            let schema = schema(record);
            if schema == DECISION {
                return Err(format!("record {}: a person decided", record.seq));
            }
            if SCHEMAS.contains(&schema.as_str()) && !self.is_one(record) {
                return Err(format!(
                    "record {}: {} by {}",
                    record.seq,
                    schema,
                    who(record)
                ));
            }
            if schema == PROMPTED {
                let before = self.after(began).find(|one| {
                    one.agent == record.agent && one.seq < record.seq && one.schema != AGENT_SEEN
                });
                if let Some(before) = before {
                    return Err(format!(
                        "record {}: a person spoke to {}, which was at work since record {}",
                        record.seq,
                        who(record),
                        before.seq
                    ));
                }
                starts.push(record.seq.to_string());
            }
        }
        let sessions = if starts.is_empty() {
            "no prompt is recorded".to_owned()
        } else {
            format!(
                "the only prompts are those that the sessions were started with, records {}",
                starts.join(", ")
            )
        };
        Ok(vec![
            sessions,
            "every word on both entries is by one of the two".to_owned(),
        ])
    }

    /// 7: every record is by one of the two, none stops, permits or resets, and both ended by
    /// themselves.
    pub(super) fn untouched(&self) -> Proof {
        let (began, _) = self.began()?;
        for record in self.after(began) {
            let schema = schema(record);
            if [TRIP, RESET, PERMIT].contains(&schema.as_str())
                || !self.is_one(record) && !by_itself(record)
            {
                return Err(format!(
                    "record {}: {schema} by {}",
                    record.seq,
                    who(record)
                ));
            }
        }
        if !self.left.ended.is_empty() {
            return Err(self.left.ended.join("; "));
        }
        let count = self.after(began).count();
        Ok(vec![
            format!(
                "all {count} records after record {} are by {} and {}",
                began.seq, self.a, self.b
            ),
            "both ended by themselves, with 0".to_owned(),
        ])
    }
}

/// Whether the product records it by itself, without anybody's doing.
fn by_itself(record: &Record) -> bool {
    record.agent.is_none()
        && record.kind != Kind::Receipt
        && !SCHEMAS.contains(&record.schema.as_str())
}

fn who(record: &Record) -> String {
    record
        .agent
        .as_ref()
        .map_or_else(|| "nobody of the two".to_owned(), ToString::to_string)
}
