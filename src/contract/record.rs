//! One row of the journal and the bytes its hash covers (spec 1.1).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::digest::Digest;
use super::ids::{AgentId, ProjectId, RecordId, TaskId};
use super::time::Now;

/// The four kinds of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// An enveloped decision; strict.
    Receipt,
    /// A ledger entry; strict.
    Attempt,
    /// An internal domain event; strict, never enveloped.
    Event,
    /// Raw evidence; permissive.
    Observation,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 4] = [Self::Receipt, Self::Attempt, Self::Event, Self::Observation];

    /// The kind as its column holds it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Receipt => "receipt",
            Self::Attempt => "attempt",
            Self::Event => "event",
            Self::Observation => "observation",
        }
    }

    /// Reads the column.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }

    /// The letter of its handles.
    #[must_use]
    pub fn letter(self) -> char {
        match self {
            Self::Receipt => 'r',
            Self::Attempt => 'a',
            Self::Event => 'e',
            Self::Observation => 'o',
        }
    }
}

/// A record as it is handed to the store, which adds position, time and hashes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewRecord {
    /// Its kind.
    pub kind: Kind,
    /// The producer's own id, or `None` for a fresh `UUIDv7`.
    pub id: Option<RecordId>,
    /// Versioned id of the body.
    pub schema: String,
    /// Who wrote it.
    pub producer: String,
    /// The project it is about.
    pub project: ProjectId,
    /// The task it is about.
    pub task: Option<TaskId>,
    /// The agent it is about.
    pub agent: Option<AgentId>,
    /// The exact JSON text.
    pub body: String,
}

/// A record as the journal holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// 1, 2, 3 ... without gaps.
    pub seq: u64,
    /// Its kind.
    pub kind: Kind,
    /// Unique id.
    pub id: RecordId,
    /// Versioned id of the body.
    pub schema: String,
    /// Who wrote it.
    pub producer: String,
    /// The project it is about.
    pub project: ProjectId,
    /// The task it is about.
    pub task: Option<TaskId>,
    /// The agent it is about.
    pub agent: Option<AgentId>,
    /// UTC microseconds, never smaller than the record before it.
    pub recorded_at: i64,
    /// Boot id of the host that wrote it.
    pub boot: String,
    /// `CLOCK_MONOTONIC` in microseconds.
    pub mono_us: i64,
    /// The exact JSON text.
    pub body: String,
    /// SHA-256 of the body.
    pub body_sha256: Digest,
    /// The chain hash.
    pub hash: Digest,
}

/// Where the chain stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// The last `seq`; 0 for an empty journal.
    pub seq: u64,
    /// The last hash; zero for an empty journal.
    pub hash: Digest,
    /// `recorded_at` of the last record; 0 for an empty journal.
    pub recorded_at: i64,
}

impl Head {
    /// Of an empty journal.
    pub const EMPTY: Self = Self {
        seq: 0,
        hash: Digest::ZERO,
        recorded_at: 0,
    };

    /// A reading of the clock, put off to the last record where that is later.
    #[must_use]
    pub fn later(&self, mut now: Now) -> Now {
        now.utc_us = now.utc_us.max(self.recorded_at);
        now
    }
}

/// The columns of a row that its hash covers, borrowed.
#[derive(Clone, Copy, Debug)]
pub struct Columns<'a> {
    /// See [`Record::seq`].
    pub seq: u64,
    /// The kind column's text.
    pub kind: &'a str,
    /// See [`Record::id`].
    pub id: &'a str,
    /// See [`Record::schema`].
    pub schema: &'a str,
    /// See [`Record::producer`].
    pub producer: &'a str,
    /// See [`Record::project`].
    pub project: &'a str,
    /// See [`Record::task`].
    pub task: Option<&'a str>,
    /// See [`Record::agent`].
    pub agent: Option<&'a str>,
    /// See [`Record::recorded_at`].
    pub recorded_at: i64,
    /// See [`Record::boot`].
    pub boot: &'a str,
    /// See [`Record::mono_us`].
    pub mono_us: i64,
    /// See [`Record::body_sha256`].
    pub body_sha256: &'a [u8],
}

impl Columns<'_> {
    /// The chain hash of this row after `previous`: SHA-256 over the previous hash (32 bytes)
    /// and each column in the order of the table of spec 1.1. Integers are 8 bytes big-endian;
    /// a text is its length in bytes (4 bytes big-endian) and its UTF-8 bytes; an absent text
    /// is the length `0xFFFFFFFF` alone; `body_sha256` is its 32 bytes.
    #[must_use]
    pub fn chain(&self, previous: &Digest) -> Digest {
        // One flat buffer and one update: a row is hashed faster so than column by column.
        Digest::of(&self.covered(previous))
    }

    /// The bytes that [`Columns::chain`] hashes.
    #[must_use]
    pub fn covered(&self, previous: &Digest) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(512);
        bytes.extend_from_slice(&previous.0);
        bytes.extend_from_slice(&self.seq.to_be_bytes());
        for text in [self.kind, self.id, self.schema, self.producer, self.project] {
            push_text(&mut bytes, Some(text));
        }
        push_text(&mut bytes, self.task);
        push_text(&mut bytes, self.agent);
        bytes.extend_from_slice(&self.recorded_at.to_be_bytes());
        push_text(&mut bytes, Some(self.boot));
        bytes.extend_from_slice(&self.mono_us.to_be_bytes());
        bytes.extend_from_slice(self.body_sha256);
        bytes
    }
}

fn push_text(bytes: &mut Vec<u8>, text: Option<&str>) {
    let Some(text) = text else {
        bytes.extend_from_slice(&u32::MAX.to_be_bytes());
        return;
    };
    let length = u32::try_from(text.len()).unwrap_or(u32::MAX - 1);
    bytes.extend_from_slice(&length.to_be_bytes());
    bytes.extend_from_slice(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_read_as_written() {
        let words = ["receipt", "attempt", "event", "observation"];
        assert_eq!(Kind::ALL.map(Kind::as_str), words);
        assert_eq!(Kind::ALL.map(Kind::letter), ['r', 'a', 'e', 'o']);
        for kind in Kind::ALL {
            assert_eq!(Kind::parse(kind.as_str()), Some(kind));
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.as_str());
        }
        assert_eq!(Kind::parse("Receipt"), None);
        assert_eq!(Kind::parse(""), None);
    }

    #[test]
    fn the_chain_hash_is_the_one_of_the_table_and_covers_each_column() {
        let row = Columns {
            seq: 1,
            kind: "event",
            id: "e-1",
            schema: "s.v1",
            producer: "p",
            project: "/p",
            task: None,
            agent: Some("é"),
            recorded_at: 3,
            boot: "b",
            mono_us: 4,
            body_sha256: &[5; 32],
        };
        let hash = row.chain(&Digest([6; 32]));
        // Made with another program from the table of the spec.
        assert_eq!(
            hash.hex(),
            "1877749d68724f70632512293af7d8f7dcf038b589f1e3368ac7fe1552a8cdb8"
        );
        let moved = |edit: fn(&mut Columns<'_>)| {
            let mut other = row;
            edit(&mut other);
            other.chain(&Digest([6; 32]))
        };
        let others = [
            row.chain(&Digest::ZERO),
            moved(|r| r.seq = 2),
            moved(|r| r.kind = "attempt"),
            moved(|r| r.id = "e-2"),
            moved(|r| r.schema = "s.v2"),
            moved(|r| r.producer = "q"),
            moved(|r| r.project = "/q"),
            moved(|r| r.task = Some("")),
            moved(|r| r.agent = None),
            moved(|r| r.recorded_at = 4),
            moved(|r| r.boot = ""),
            moved(|r| r.mono_us = 3),
            moved(|r| r.body_sha256 = &[7; 32]),
        ];
        for other in others {
            assert_ne!(other, hash);
        }
    }
}
