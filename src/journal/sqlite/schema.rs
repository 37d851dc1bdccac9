//! The tables, indexes and triggers of the `SQLite` store (spec 1.1, 1.2). `docs/STORE.md`
//! describes them for other programs.

use super::views;

/// `application_id` in the header of every store: "WFLR".
pub const APPLICATION_ID: i32 = 0x5746_4c52;
/// `user_version` of this layout; a store with a higher one was written by a newer version.
pub const VERSION: i32 = 3;
/// Bytes of a page.
pub const PAGE_SIZE: u32 = 4096;

/// The journal's columns in their order.
pub const COLUMNS: &str = "seq, kind, id, schema, producer, project, task, agent, \
    recorded_at, boot, mono_us, body, body_sha256, hash";

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
";

const INDEXES: &str = "
CREATE UNIQUE INDEX journal_id ON journal(substr(id, -4), id);
CREATE INDEX journal_task ON journal(task, seq) WHERE task IS NOT NULL;
CREATE INDEX journal_kind ON journal(kind, seq) WHERE kind <> 'attempt';
";

const TRIGGERS: &str = "
CREATE TRIGGER journal_no_update BEFORE UPDATE ON journal
BEGIN SELECT RAISE(ABORT, 'the journal is append-only: no UPDATE'); END;
CREATE TRIGGER journal_no_delete BEFORE DELETE ON journal
BEGIN SELECT RAISE(ABORT, 'the journal is append-only: no DELETE'); END;
CREATE TRIGGER journal_in_order BEFORE INSERT ON journal
WHEN NEW.seq <> (SELECT coalesce(max(seq), 0) + 1 FROM journal)
OR EXISTS (SELECT 1 FROM journal WHERE substr(id, -4) = substr(NEW.id, -4) AND id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'the journal is append-only: seq must be the next one, id a new one'); END;
";

/// The projections' table alone: what a replay needs. Where a pane shows the domain, the cells
/// hold the fields of its row, which the body holds too. A row keeps its place as long as it is
/// there, so that a commit writes few pages, and a page holds a whole row.
#[must_use]
pub fn state() -> String {
    let cells: Vec<String> = (0..views::CELLS).map(|cell| format!("c{cell}")).collect();
    let cells = cells.join(",");
    format!(
        "CREATE TABLE state(domain TEXT NOT NULL,key TEXT NOT NULL,rank INTEGER NOT NULL,\
         seq INTEGER NOT NULL,body TEXT NOT NULL,{cells},PRIMARY KEY(domain,key));\n\
         CREATE INDEX state_order ON state(domain,rank DESC,seq DESC,key);\n"
    )
}

/// The whole schema as one batch.
#[must_use]
pub fn all() -> String {
    [JOURNAL, &around_the_journal()].concat()
}

/// Everything but the journal itself: what can be made anew from it.
#[must_use]
pub fn around_the_journal() -> String {
    [INDEXES, TRIGGERS, &state(), &views::all()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::digest::Digest;

    /// A store keeps the layout that it was made with: another layout is another version.
    #[test]
    fn another_layout_has_another_version() {
        let layout = Digest::of(all().as_bytes()).hex();
        assert_eq!(
            (VERSION, &layout[..16]),
            (3, "0b74fb481941c4fe"),
            "the layout changed: raise VERSION, then write its digest here"
        );
    }
}
