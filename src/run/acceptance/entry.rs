//! Handoffs as the journal tells them: every record about an entry, in its type.

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::contract::handoff::{
    ANSWERED, ASKED, Answered, Asked, CLAIMED, CLOSED, Claimed, Closed, DECISION, ESCALATED,
    OPENED, Opened, REOPENED, REPLIED, USED, Used,
};
use crate::contract::record::{Kind, Record};

/// A record about an entry, and what it says.
pub(super) type Said<'r, T> = (&'r Record, T);

/// One entry.
pub(super) struct Entry<'r> {
    /// How it was opened.
    pub opened: Said<'r, Opened>,
    /// Its claims.
    pub claimed: Vec<Said<'r, Claimed>>,
    /// Its answers.
    pub answered: Vec<Said<'r, Answered>>,
    /// Its follow-up questions.
    pub asked: Vec<Said<'r, Asked>>,
    /// Its uses.
    pub used: Vec<Said<'r, Used>>,
    /// Its ends without an answer.
    pub closed: Vec<Said<'r, Closed>>,
    /// Replies, escalations, decisions and re-openings, by schema.
    pub others: Vec<(&'r Record, String)>,
}

/// Every schema that is about a handoff.
pub(super) const SCHEMAS: [&str; 9] = [
    OPENED, CLAIMED, ANSWERED, ASKED, REPLIED, USED, CLOSED, ESCALATED, DECISION,
];

/// The schema of what a record says: of its payload, where it is a receipt.
pub(super) fn schema(record: &Record) -> String {
    if record.kind != Kind::Receipt {
        return record.schema.clone();
    }
    let body: Value = serde_json::from_str(&record.body).unwrap_or_default();
    body["payload_schema"]
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

/// What a record says.
pub(super) fn payload(record: &Record) -> Value {
    let mut body: Value = serde_json::from_str(&record.body).unwrap_or_default();
    if record.kind == Kind::Receipt {
        body["payload"].take()
    } else {
        body
    }
}

/// The entries of these records, oldest first.
pub(super) fn entries(records: &[Record]) -> Vec<Entry<'_>> {
    let mut entries: Vec<Entry<'_>> = Vec::new();
    for record in records {
        let schema = schema(record);
        if schema == OPENED {
            if let Some(opened) = read(record) {
                entries.push(Entry {
                    opened: (record, opened),
                    claimed: Vec::new(),
                    answered: Vec::new(),
                    asked: Vec::new(),
                    used: Vec::new(),
                    closed: Vec::new(),
                    others: Vec::new(),
                });
            }
            continue;
        }
        let payload = payload(record);
        let Some(id) = payload["handoff_id"].as_str() else {
            continue;
        };
        let own = |entry: &&mut Entry<'_>| entry.opened.1.handoff_id.as_str() == id;
        if let Some(entry) = entries.iter_mut().find(own) {
            entry.take(record, &schema);
        }
    }
    entries
}

fn read<T: DeserializeOwned>(record: &Record) -> Option<T> {
    serde_json::from_value(payload(record)).ok()
}

impl<'r> Entry<'r> {
    /// Where a schema stands among the other records.
    pub(super) fn others(&self, schema: &str) -> Vec<u64> {
        let own = self.others.iter().filter(|(_, own)| own == schema);
        own.map(|(record, _)| record.seq).collect()
    }

    fn take(&mut self, record: &'r Record, schema: &str) {
        fn push<'r, T: DeserializeOwned>(list: &mut Vec<Said<'r, T>>, record: &'r Record) {
            list.extend(read(record).map(|body| (record, body)));
        }
        match schema {
            CLAIMED => push(&mut self.claimed, record),
            ANSWERED => push(&mut self.answered, record),
            ASKED => push(&mut self.asked, record),
            USED => push(&mut self.used, record),
            CLOSED => push(&mut self.closed, record),
            ESCALATED | DECISION | REPLIED | REOPENED => {
                self.others.push((record, schema.to_owned()));
            }
            _ => {}
        }
    }
}
