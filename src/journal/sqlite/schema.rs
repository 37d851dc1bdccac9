//! The tables, indexes and triggers of the `SQLite` store (spec 1.1, 1.2). `docs/STORE.md`
//! describes them for other programs.

use super::views;

/// `application_id` in the header of every store: "WFLR".
pub const APPLICATION_ID: i32 = 0x5746_4c52;
/// `user_version` of this layout; a store with a higher one was written by a newer version.
pub const VERSION: i32 = 1;
/// Bytes of a page.
pub const PAGE_SIZE: u32 = 4096;

/// The journal's columns in their order.
pub const COLUMNS: &str = "seq, kind, id, schema, producer, project, task, agent, \
    recorded_at, boot, mono_us, body, body_sha256, hash";

/// The message of the trigger that meets an id for the second time.
pub const ID_EXISTS: &str = "a record with this id exists";

const JOURNAL: &str = "
CREATE TABLE journal(
  seq INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  id TEXT NOT NULL,
  schema TEXT NOT NULL,
  producer TEXT NOT NULL,
  project TEXT NOT NULL,
  task TEXT,
  agent TEXT,
  recorded_at INTEGER NOT NULL,
  boot TEXT NOT NULL,
  mono_us INTEGER NOT NULL,
  body TEXT NOT NULL,
  body_sha256 BLOB NOT NULL,
  hash BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX journal_id ON journal(id);
CREATE INDEX journal_tail ON journal(substr(id, -4));
CREATE INDEX journal_task ON journal(task, seq) WHERE task IS NOT NULL;
CREATE INDEX journal_kind ON journal(kind, seq) WHERE kind <> 'attempt';
";

const TRIGGERS: &str = "
CREATE TRIGGER journal_no_update BEFORE UPDATE ON journal
BEGIN SELECT RAISE(ABORT, 'the journal is append-only: no UPDATE'); END;
CREATE TRIGGER journal_no_delete BEFORE DELETE ON journal
BEGIN SELECT RAISE(ABORT, 'the journal is append-only: no DELETE'); END;
CREATE TRIGGER journal_no_gap BEFORE INSERT ON journal
WHEN NEW.seq <> (SELECT coalesce(max(seq), 0) + 1 FROM journal)
BEGIN SELECT RAISE(ABORT, 'the journal is append-only: seq must be the next one'); END;
CREATE TRIGGER journal_no_replace BEFORE INSERT ON journal
WHEN EXISTS (SELECT 1 FROM journal WHERE id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'a record with this id exists'); END;
";

/// The projections' table alone: what a replay needs.
pub const STATE: &str = "
CREATE TABLE state(
  domain TEXT NOT NULL,
  key TEXT NOT NULL,
  rank INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY(domain, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX state_order ON state(domain, rank DESC, seq DESC);
";

/// The whole schema as one batch.
#[must_use]
pub fn all() -> String {
    [JOURNAL, TRIGGERS, STATE, &views::all()].concat()
}
