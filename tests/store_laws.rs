//! The laws of a store (spec 1.1, 1.2): those that hold for any store first, then what is
//! peculiar to the `SQLite` one.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on says so by a panic"
)]

#[path = "support/store_kit.rs"]
mod kit;

use std::io::{BufRead, BufReader, Read as _};
use std::ops::ControlFlow;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kit::{Home, append, fold, note, on, with_id};
use watchfloor::contract::digest::Digest;
use watchfloor::contract::event::{CLOCK_JUMP, ClockJump};
use watchfloor::contract::ids::{RecordId, TaskId};
use watchfloor::contract::record::{Columns, Kind, Record};
use watchfloor::contract::refusal::{Code, Refusal};
use watchfloor::journal::clock::ManualClock;
use watchfloor::journal::flags::FlagFile;
use watchfloor::journal::paths::{Paths, expected};
use watchfloor::journal::sqlite::{self, SqliteStore, Tail};
use watchfloor::journal::{Durability, Journal, Page};

fn all(limit: usize) -> Page {
    Page {
        limit,
        ..Page::default()
    }
}

fn seqs(records: &[Record]) -> Vec<u64> {
    records.iter().map(|record| record.seq).collect()
}

/// What every store must do.
fn laws<J: Journal>(make: impl Fn() -> J) {
    chain_and_bytes(&mut make());
    rollback_leaves_nothing(&mut make());
    ids_are_unique(&mut make());
    pages(&mut make());
    projections(&mut make());
}

fn chain_and_bytes<J: Journal>(store: &mut J) {
    let head = store.read(|read| read.head()).unwrap();
    assert_eq!((head.seq, head.hash), (0, Digest::ZERO));
    let bodies = [
        r#"{"b":1,"a":  [1, 2]}"#,
        "{}",
        "{\"nul\":\"\u{0}\",\"wide\":\"ü€🎈\"}",
        "not JSON at all",
        "",
    ];
    let mut previous = Digest::ZERO;
    for (at, body) in bodies.iter().enumerate() {
        let record = append(store, note("p", body)).unwrap();
        assert_eq!(record.seq, at as u64 + 1);
        assert_eq!(record.body_sha256, Digest::of(body.as_bytes()));
        let read = store.read(|read| read.by_id(&record.id)).unwrap();
        assert_eq!(read.as_ref(), Some(&record));
        assert_eq!(read.unwrap().body, *body);
        let hash = Columns {
            seq: record.seq,
            kind: "observation",
            id: record.id.as_str(),
            schema: "test.note.v1",
            producer: "p",
            project: "/p/.git",
            task: Some("T-1"),
            agent: None,
            recorded_at: record.recorded_at,
            boot: &record.boot,
            mono_us: record.mono_us,
            body_sha256: &record.body_sha256.0,
        };
        assert_eq!(record.hash, hash.chain(&previous));
        previous = record.hash;
    }
    let head = store.read(|read| read.head()).unwrap();
    assert_eq!((head.seq, head.hash), (5, previous));
    let now = store.read(|read| read.now()).unwrap();
    assert!(now.utc_us >= head.recorded_at);
}

fn rollback_leaves_nothing<J: Journal>(store: &mut J) {
    append(store, note("p", "{}")).unwrap();
    let refused: Result<(), Refusal> = store.write(Durability::Full, |write| {
        write.append(note("q", "{}"))?;
        Err(Refusal::new(Code::NotFound, "changed my mind", "true"))
    });
    assert_eq!(refused.unwrap_err().code, Code::NotFound);
    // A fold that refuses takes the transaction along, also when the caller swallows it.
    let swallowed = store.write(Durability::Full, |write| {
        let _ = write.append(note("q", "refuse"));
        Ok(())
    });
    assert_eq!(swallowed.unwrap_err().code, Code::Internal);
    store
        .read(|read| {
            assert_eq!(read.head()?.seq, 1);
            assert_eq!(read.state("count", "q")?, None);
            assert_eq!(read.state("count", "p")?.as_deref(), Some("{\"n\":1}"));
            Ok(())
        })
        .unwrap();
    assert_eq!(append(store, note("p", "{}")).unwrap().seq, 2);
}

fn ids_are_unique<J: Journal>(store: &mut J) {
    let id = "01a22d8a-8084-7604-ad09-75aa9454a189";
    append(store, with_id(id)).unwrap();
    let refusal = append(store, with_id(id)).unwrap_err();
    assert_eq!(refusal.code, Code::KeyConflict);
    assert!(refusal.cause.contains(id));
    append(store, with_id("other-a189")).unwrap();
    let fresh = append(store, note("p", "{}")).unwrap();
    assert_eq!(fresh.seq, 3);
    assert_eq!(fresh.id.as_str().len(), 36);
    assert_eq!(fresh.id.as_str().as_bytes()[14], b'7');
    store
        .read(|read| {
            assert_eq!(seqs(&read.by_tail("a189", 9)?), [2, 1]);
            assert_eq!(seqs(&read.by_tail("54a189", 9)?), [1]);
            assert_eq!(seqs(&read.by_tail("a189", 1)?), [2]);
            assert!(read.by_tail("%189", 9)?.is_empty());
            assert!(read.by_tail("", 9)?.is_empty());
            assert_eq!(read.by_id(&RecordId::new("none"))?, None);
            Ok(())
        })
        .unwrap();
}

fn pages<J: Journal>(store: &mut J) {
    for number in 1..=6 {
        let mut record = note("p", "{}");
        record.kind = Kind::ALL[number % 4];
        record.schema = format!("s{}", number % 2);
        record.task = (number % 3 != 0).then(|| TaskId::new("T-2"));
        append(store, record).unwrap();
    }
    store
        .read(|read| {
            assert_eq!(seqs(&read.page(&all(9))?), [1, 2, 3, 4, 5, 6]);
            let page = Page {
                after: 1,
                before: Some(6),
                newest_first: true,
                ..all(3)
            };
            assert_eq!(seqs(&read.page(&page)?), [5, 4, 3]);
            let task = Page {
                task: Some(TaskId::new("T-2")),
                ..all(9)
            };
            assert_eq!(seqs(&read.page(&task)?), [1, 2, 4, 5]);
            for kind in Kind::ALL {
                let page = Page {
                    kind: Some(kind),
                    ..all(9)
                };
                let found = read.page(&page)?;
                assert!(!found.is_empty() && found.iter().all(|r| r.kind == kind));
            }
            let both = Page {
                schema: Some("s1".into()),
                kind: Some(Kind::Attempt),
                ..task
            };
            assert_eq!(seqs(&read.page(&both)?), [1, 5]);
            Ok(())
        })
        .unwrap();
}

fn projections<J: Journal>(store: &mut J) {
    store
        .write(Durability::Normal, |write| {
            write.append(note("a", "{}"))?;
            write.append(note("b", "{}"))?;
            write.append(note("a", "{}"))?;
            // What was appended is seen inside the same transaction.
            assert_eq!(write.state("count", "a")?.as_deref(), Some("{\"n\":2}"));
            assert_eq!(write.head()?.seq, 3);
            write.append(note("c", "remove"))
        })
        .unwrap();
    store
        .read(|read| {
            let rows = read.states("count", 9, 0)?;
            assert_eq!(rows, ["{\"n\":2}", "{\"n\":1}"]);
            assert_eq!(read.states("count", 9, 1)?, ["{\"n\":1}"]);
            assert!(read.states("none", 9, 0)?.is_empty());
            Ok(())
        })
        .unwrap();
}

#[test]
fn the_sqlite_store_keeps_the_laws() {
    let homes = std::cell::RefCell::new(Vec::new());
    laws(|| {
        let home = Home::new();
        let store = home.init();
        homes.borrow_mut().push(home);
        store
    });
}

#[test]
fn the_journal_refuses_every_change() {
    let home = Home::new();
    let mut store = home.init();
    append(&mut store, with_id("one")).unwrap();
    append(&mut store, note("p", "{}")).unwrap();
    let raw = home.raw();
    for sql in [
        "UPDATE journal SET body = 'x' WHERE seq = 1",
        "DELETE FROM journal WHERE seq = 2",
        "DELETE FROM journal",
        "REPLACE INTO journal SELECT 1, kind, 'new', schema, producer, project, task, agent,
         recorded_at, boot, mono_us, body, body_sha256, hash FROM journal WHERE seq = 1",
        "REPLACE INTO journal SELECT 3, kind, id, schema, producer, project, task, agent,
         recorded_at, boot, mono_us, body, body_sha256, hash FROM journal WHERE seq = 1",
        "INSERT INTO journal SELECT 9, kind, 'new', schema, producer, project, task, agent,
         recorded_at, boot, mono_us, body, body_sha256, hash FROM journal WHERE seq = 1",
        "INSERT INTO journal(seq, id) VALUES(3, 'new') ON CONFLICT DO UPDATE SET body = ''",
    ] {
        assert!(raw.execute_batch(sql).is_err(), "{sql}");
    }
    assert_eq!(store.verify(on).unwrap().first_bad, None);
}

/// A store of 12 records of all kinds, and its clean bytes.
fn varied(home: &Home) -> SqliteStore {
    let mut store = home.init();
    for number in 0..12 {
        let mut record = note("p", &format!("{{\"n\":{number}}}"));
        record.kind = Kind::ALL[number % 4];
        record.task = (number % 2 == 0).then(|| TaskId::new("T"));
        append(&mut store, record).unwrap();
    }
    store
}

#[test]
fn a_change_of_any_column_of_any_row_is_found() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/verify_store.py");
    let changes = [
        "kind = CASE kind WHEN 'event' THEN 'attempt' ELSE 'event' END",
        "kind = 'foo'",
        "id = id || 'x'",
        "id = upper(id)",
        "schema = 'test.note.v2'",
        "producer = ''",
        "project = project || char(0)",
        "task = CASE WHEN task IS NULL THEN '' ELSE NULL END",
        "agent = ''",
        "recorded_at = recorded_at + 1",
        "boot = 'x'",
        "mono_us = -mono_us - 1",
        "body = body || ' '",
        "body = CAST(x'ff' AS TEXT)",
        "body_sha256 = zeroblob(32)",
        "body_sha256 = x''",
        "hash = zeroblob(32)",
        "hash = x'00'",
    ];
    let base = Home::new();
    varied(&base).checkpoint().unwrap();
    let clean = Command::new("python3").arg(script).arg(&base.path).output();
    let clean = clean.unwrap();
    assert!(clean.status.success(), "{clean:?}");
    let head = base.open().read(|read| read.head()).unwrap().hash;
    assert_eq!(
        String::from_utf8(clean.stdout).unwrap(),
        format!("ok 12 rows, head {head}\n")
    );
    for (at, change) in changes.iter().enumerate() {
        for seq in [1, 6, 7, 12] {
            let home = base.copy();
            home.tamper(&format!("UPDATE journal SET {change} WHERE seq = {seq}"));
            let found = home.open().verify(on).unwrap().first_bad;
            let found = found.unwrap_or_else(|| panic!("{change} of {seq} was not found"));
            assert_eq!(found.seq, seq, "{change}: {}", found.why);
            // The script starts a whole Python, so it sees one row of each change.
            if at % 4 == [1, 6, 7, 12].iter().position(|s| *s == seq).unwrap() {
                let output = Command::new("python3").arg(script).arg(&home.path).output();
                let output = output.unwrap();
                assert_eq!(output.status.code(), Some(1), "{change}: {output:?}");
                let text = String::from_utf8(output.stdout).unwrap();
                assert!(text.starts_with(&format!("bad seq {seq}: ")), "{text}");
            }
        }
    }
    let nothing = Command::new("python3").args([script, "/nowhere"]).output();
    assert_eq!(nothing.unwrap().status.code(), Some(3));
}

#[test]
fn missing_and_foreign_rows_are_found() {
    let base = Home::new();
    varied(&base).checkpoint().unwrap();
    for (sql, seq) in [
        ("DELETE FROM journal WHERE seq = 1", 1),
        ("DELETE FROM journal WHERE seq IN (5, 6)", 5),
        ("UPDATE journal SET seq = 40 WHERE seq = 12", 12),
        ("UPDATE journal SET seq = 0 WHERE seq = 3", 1),
        (
            "UPDATE journal SET seq = 99 WHERE seq = 4; UPDATE journal SET seq = 4 WHERE seq = 5; UPDATE journal SET seq = 5 WHERE seq = 99",
            4,
        ),
    ] {
        let home = base.copy();
        home.tamper(sql);
        let found = home.open().verify(on).unwrap().first_bad;
        assert_eq!(found.map(|bad| bad.seq), Some(seq), "{sql}");
    }
}

#[test]
fn a_long_chain_is_verified_in_stretches_and_can_be_broken_off() {
    let home = Home::new();
    let mut store = home.init();
    store
        .write(Durability::Normal, |write| {
            for _ in 0..20_000 {
                write.append(note("p", "{}"))?;
            }
            Ok(())
        })
        .unwrap();
    let report = store.verify(on).unwrap();
    assert_eq!((report.rows, report.first_bad), (20_000, None));
    let stopped = store.verify(|_| ControlFlow::Break(()));
    assert_eq!(stopped.unwrap_err().code, Code::VerifyFailed);
    for seq in [8_192, 8_193, 20_000] {
        home.tamper(&format!("UPDATE journal SET agent = 'x' WHERE seq = {seq}"));
        let bad = store.verify(on).unwrap().first_bad;
        assert_eq!(bad.map(|bad| bad.seq), Some(seq));
        home.tamper(&format!(
            "UPDATE journal SET agent = NULL WHERE seq = {seq}"
        ));
    }
    home.tamper("UPDATE journal SET hash = zeroblob(32) WHERE seq IN (8192, 16384)");
    let bad = store.verify(on).unwrap().first_bad;
    assert_eq!(bad.map(|bad| bad.seq), Some(8_192));
}

#[test]
fn damaged_trees_are_a_finding_or_a_refusal_and_never_a_panic() {
    let home = Home::new();
    let mut store = home.init();
    for _ in 0..300 {
        append(&mut store, note("p", &"x".repeat(400))).unwrap();
    }
    store.checkpoint().unwrap();
    drop(store);
    let clean = std::fs::read(&home.path).unwrap();
    let _ = std::fs::remove_file(Paths::of(&home.path).wal());
    for page in 1..clean.len() / 4096 {
        let mut bytes = clean.clone();
        bytes[page * 4096..page * 4096 + 64].fill(0xA5);
        let other = Home::new();
        std::fs::write(&other.path, &bytes).unwrap();
        match sqlite::open(&other.path, fold()) {
            Ok(store) => {
                let walk = store.verify(on).unwrap().first_bad.is_some();
                let deep = match store.verify_deep(on) {
                    Ok(report) => report.first_difference.is_some(),
                    Err(refusal) => refusal.code == Code::StoreDamaged,
                };
                assert!(walk || deep, "page {page}");
            }
            Err(refusal) => assert_eq!(refusal.code, Code::StoreDamaged),
        }
    }
}

#[test]
fn projections_are_compared_and_rebuilt() {
    let home = Home::new();
    let mut store = home.init();
    for number in 0..2_500 {
        let producer = format!("p{}", number % 7);
        let record = note(&producer, "{}");
        let done = store.write(Durability::Normal, |write| write.append(record));
        done.unwrap();
    }
    let report = store.verify_deep(on).unwrap();
    assert_eq!((report.rows, report.states), (2_500, 7));
    assert_eq!(report.first_difference, None);
    for (sql, key, replayed, stored) in [
        (
            "UPDATE state SET body = '{}' WHERE key = 'p3'",
            "p3",
            true,
            true,
        ),
        (
            "UPDATE state SET rank = 1 WHERE key = 'p2'",
            "p2",
            true,
            true,
        ),
        ("UPDATE state SET c3 = 1 WHERE key = 'p2'", "p2", true, true),
        ("DELETE FROM state WHERE key = 'p1'", "p1", true, false),
        (
            "INSERT INTO state(domain, key, rank, seq, body) VALUES('count', 'p00', 0, 0, '')",
            "p00",
            false,
            true,
        ),
    ] {
        home.raw().execute_batch(sql).unwrap();
        let found = store.verify_deep(on).unwrap().first_difference.unwrap();
        assert_eq!((found.domain.as_str(), found.key.as_str()), ("count", key));
        assert_eq!(
            (found.replayed.is_some(), found.stored.is_some()),
            (replayed, stored),
            "{sql}"
        );
    }
    let stopped = store.rebuild(|_| ControlFlow::Break(()));
    assert_eq!(stopped.unwrap_err().code, Code::VerifyFailed);
    assert!(store.verify_deep(on).unwrap().first_difference.is_some());
    assert_eq!(store.rebuild(on).unwrap(), 2_500);
    assert_eq!(store.verify_deep(on).unwrap().first_difference, None);
    home.tamper("SELECT 1");
    let found = store.verify_deep(on).unwrap();
    let refusal = found.refusal().unwrap();
    assert!(refusal.cause.contains("journal_"), "{refusal}");
    store.rebuild(on).unwrap();
    assert_eq!(store.verify_deep(on).unwrap().first_difference, None);
}

#[test]
fn a_store_of_the_layout_before_is_rebuilt() {
    let home = Home::new();
    let mut store = home.init();
    for _ in 0..3 {
        store
            .write(Durability::Full, |write| write.append(note("p1", "{}")))
            .unwrap();
    }
    drop(store);
    // What the first layout had, as far as it differed.
    home.raw()
        .execute_batch(
            "DROP VIEW v_log; DROP VIEW v_attention; DROP VIEW v_tasks; DROP TABLE state;
             CREATE TABLE state(domain TEXT NOT NULL, key TEXT NOT NULL, rank INTEGER NOT NULL,
               seq INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY(domain, key)) STRICT, WITHOUT ROWID;
             CREATE INDEX journal_tail ON journal(substr(id, -4));
             PRAGMA user_version=1",
        )
        .unwrap();
    let refusal = sqlite::open(&home.path, fold()).unwrap_err();
    assert_eq!(refusal.code, Code::StoreOlder);
    assert_eq!(refusal.next_command, "watchfloor rebuild");
    let on = |_| ControlFlow::Continue(());
    let mut store = sqlite::open_to_rebuild(&home.path, fold()).unwrap();
    assert_eq!(store.rebuild(on).unwrap(), 3);
    drop(store);
    let store = sqlite::open(&home.path, fold()).unwrap();
    let deep = store.verify_deep(on).unwrap();
    assert_eq!((deep.rows, deep.first_difference), (3, None));
}

#[test]
fn stores_that_are_none_are_refused_and_kept() {
    let home = Home::new();
    let code = |path: &std::path::Path| sqlite::open(path, fold()).unwrap_err();
    let refusal = code(&home.path);
    assert_eq!(refusal.code, Code::StoreMissing);
    assert_eq!(refusal.next_command, "watchfloor init");
    assert!(!expected(&home.path));
    drop(home.init());
    assert!(expected(&home.path));
    assert_eq!(
        sqlite::init(&home.path, fold()).unwrap_err().code,
        Code::StoreExists
    );
    home.raw().execute_batch("PRAGMA user_version=9").unwrap();
    assert_eq!(code(&home.path).code, Code::StoreNewer);
    home.raw()
        .execute_batch("PRAGMA user_version=2; PRAGMA application_id=7")
        .unwrap();
    assert_eq!(code(&home.path).code, Code::StoreDamaged);
    for noise in [&b""[..], b"hello", &[7; 9_000]] {
        let paths = Paths::of(&home.path);
        let _ = std::fs::remove_file(paths.wal());
        std::fs::write(&home.path, noise).unwrap();
        assert_eq!(code(&home.path).code, Code::StoreDamaged);
        assert_eq!(
            sqlite::init(&home.path, fold()).unwrap_err().code,
            Code::StoreExists
        );
        assert_eq!(std::fs::read(&home.path).unwrap(), noise);
        let kept = sqlite::quarantine(&home.path).unwrap();
        let name = kept.file_name().unwrap().to_str().unwrap();
        let digest = Digest::of(noise).hex();
        assert_eq!(name, format!("store.quarantine-{}", &digest[..16]));
        assert_eq!(std::fs::read(&kept).unwrap(), noise);
        assert_eq!(sqlite::quarantine(&home.path).unwrap(), kept);
        assert_eq!(std::fs::read(&home.path).unwrap(), noise);
    }
    std::fs::remove_file(&home.path).unwrap();
    let gone = code(&home.path);
    assert_eq!(gone.code, Code::StoreMissing);
    assert!(gone.cause.contains("is gone"));
}

/// Not a test of its own: whether this process could have the store to itself.
#[test]
fn one_who_wants_the_store_alone() {
    let Ok(path) = std::env::var(ALONE) else {
        return;
    };
    let raw = kit::raw(std::path::Path::new(&path));
    raw.busy_timeout(Duration::ZERO).unwrap();
    // Leaving the log behind needs every lock, so it fails while anybody has the store open.
    let mode = raw.query_row("PRAGMA journal_mode=DELETE", [], |row| {
        row.get::<_, String>(0)
    });
    println!("alone: {}", mode.is_ok_and(|mode| mode == "delete"));
}

const ALONE: &str = "WATCHFLOOR_TEST_ALONE";

#[test]
fn keeping_the_bytes_of_a_store_takes_no_lock_from_who_has_it_open() {
    let home = Home::new();
    let mut store = home.init();
    append(&mut store, note("p", "{}")).unwrap();
    let could_be_alone = || {
        let path = home.path.to_str().unwrap();
        let child = kit::again("one_who_wants_the_store_alone", ALONE, path);
        let said = { child }.output().unwrap();
        let said = String::from_utf8_lossy(&said.stdout).into_owned();
        assert!(said.contains("alone: "), "{said}");
        said.contains("alone: true")
    };
    assert!(!could_be_alone());
    let kept = sqlite::quarantine(&home.path).unwrap();
    assert!(!could_be_alone());
    assert_eq!(
        std::fs::read(&kept).unwrap(),
        std::fs::read(&home.path).unwrap()
    );
    drop(store);
    // What was asked does answer otherwise: the test read the file, and nobody has it open.
    assert!(could_be_alone());
}

#[test]
fn a_log_left_behind_by_another_store_is_moved_away() {
    let home = Home::new();
    let mut store = home.init();
    append(&mut store, note("old", "{}")).unwrap();
    drop(store);
    let log = std::fs::read(Paths::of(&home.path).wal()).unwrap();
    std::fs::remove_file(&home.path).unwrap();
    let mut store = home.init();
    assert_eq!(store.read(|read| read.head()).unwrap().seq, 0);
    assert_eq!(append(&mut store, note("new", "{}")).unwrap().seq, 1);
    let kept = std::fs::read_dir(home.dir.path())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| {
            path.to_string_lossy().ends_with("-wal") && *path != Paths::of(&home.path).wal()
        })
        .unwrap();
    assert!(std::fs::read(kept).unwrap() == log);
}

#[test]
fn init_keeps_flags_and_makes_everything_private() {
    use std::os::unix::fs::PermissionsExt as _;
    let home = Home::new();
    let paths = Paths::of(&home.path);
    FlagFile::create(&paths.flags).unwrap();
    let before = std::fs::read(&paths.flags).unwrap();
    drop(home.init());
    assert!(std::fs::read(&paths.flags).unwrap() == before);
    for path in [
        &paths.store,
        &paths.lock,
        &paths.bell,
        &paths.flags,
        &paths.wal(),
    ] {
        let mode = path.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{}", path.display());
    }
    assert_eq!(paths.wal().metadata().unwrap().len(), 4 * 1024 * 1024);
}

#[test]
fn a_reader_cannot_write() {
    let home = Home::new();
    drop(home.init());
    let mut reader = sqlite::open_readonly(&home.path, fold()).unwrap();
    let refusal = append(&mut reader, note("p", "{}")).unwrap_err();
    assert_eq!(refusal.code, Code::StoreReadonly);
}

#[test]
fn a_full_store_is_told_and_stays_whole() {
    // Needs a small disk; where none can be mounted, the store's own test of a database at its
    // limit stands alone.
    let small = Home::new();
    let mounted = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=6m", "tmpfs"])
        .arg(small.dir.path())
        .status()
        .is_ok_and(|status| status.success());
    if !mounted {
        return;
    }
    let mut store = small.init();
    let body = "x".repeat(60_000);
    let mut acknowledged = 0;
    let refusal = loop {
        match append(&mut store, note("p", &body)) {
            Ok(record) => acknowledged = record.seq,
            Err(refusal) => break refusal,
        }
    };
    let file = FlagFile::open(&store.paths().flags).unwrap();
    let flags = file.clear("none");
    let report = store.verify(on);
    let deep = store.verify_deep(on);
    let head = store.read(|read| read.head());
    drop(store);
    let unmounted = Command::new("umount").arg(small.dir.path()).status();
    assert!(unmounted.unwrap().success());
    assert_eq!(refusal.code, Code::StoreFull, "{refusal}");
    assert!(refusal.next_command.starts_with("df -h /"));
    assert_eq!(flags.unwrap(), 0);
    assert!(acknowledged > 0);
    assert_eq!(head.unwrap().seq, acknowledged);
    assert_eq!(report.unwrap().first_bad, None);
    assert_eq!(deep.unwrap().first_difference, None);
}

#[test]
fn a_writer_out_of_its_turn_is_refused_by_name() {
    let home = Home::new();
    let mut store = home.init();
    let held = watchfloor::journal::lock::take(&store.paths().lock, Duration::ZERO).unwrap();
    store.set_patience(Duration::from_millis(20)).unwrap();
    let refusal = append(&mut store, note("p", "{}")).unwrap_err();
    assert_eq!(refusal.code, Code::StoreBusy);
    assert!(refusal.cause.contains("waited 20 ms"), "{refusal}");
    drop(held);
    // A foreign program in a transaction of its own is met by SQLite's waiting.
    let raw = home.raw();
    raw.execute_batch("BEGIN IMMEDIATE").unwrap();
    let refusal = append(&mut store, note("p", "{}")).unwrap_err();
    assert_eq!(refusal.code, Code::StoreBusy);
    raw.execute_batch("COMMIT").unwrap();
    store.set_patience(Duration::from_secs(10)).unwrap();
    assert_eq!(append(&mut store, note("p", "{}")).unwrap().seq, 1);
}

const MINUTE: i64 = 60_000_000;
const START: i64 = 1_796_040_000_000_000;

fn jumps(store: &mut SqliteStore) -> Vec<i64> {
    let page = Page {
        schema: Some(CLOCK_JUMP.into()),
        kind: Some(Kind::Event),
        ..all(99)
    };
    let records = store.read(|read| read.page(&page)).unwrap();
    let shift = |record: &Record| {
        assert_eq!(record.producer, "watchfloor");
        let jump: ClockJump = serde_json::from_str(&record.body).unwrap();
        jump.shift_us / MINUTE
    };
    records.iter().map(shift).collect()
}

#[test]
fn a_jump_of_the_clock_is_recorded_once() {
    let home = Home::new();
    let clock = Arc::new(ManualClock::new(START, "b1"));
    let mut store = home.init_with(clock.clone());
    let mut times = Vec::new();
    let mut go = |store: &mut SqliteStore| {
        // Each in a process of its own, as far as the store can tell.
        drop(std::mem::replace(
            store,
            sqlite::open_with_clock(&home.path, fold(), clock.clone()).unwrap(),
        ));
        times.push(append(store, note("p", "{}")).unwrap().recorded_at);
    };
    go(&mut store);
    clock.pass(5 * 60 * MINUTE);
    go(&mut store);
    assert!(jumps(&mut store).is_empty(), "idle time is no jump");
    clock.jump(9 * MINUTE);
    go(&mut store);
    assert!(jumps(&mut store).is_empty(), "ten minutes are the limit");
    clock.jump(60 * MINUTE);
    go(&mut store);
    go(&mut store);
    assert_eq!(jumps(&mut store), [60]);
    clock.pass(MINUTE);
    clock.jump(-90 * MINUTE);
    go(&mut store);
    clock.pass(MINUTE);
    go(&mut store);
    go(&mut store);
    assert_eq!(
        jumps(&mut store),
        [60, -90],
        "once, while the clock is behind"
    );
    clock.jump(30 * MINUTE);
    go(&mut store);
    clock.pass(MINUTE);
    go(&mut store);
    assert_eq!(jumps(&mut store), [60, -90, 30]);
    clock.jump(80 * MINUTE);
    go(&mut store);
    go(&mut store);
    assert_eq!(jumps(&mut store), [60, -90, 30, 80]);
    clock.reboot("b2");
    clock.jump(500 * MINUTE);
    go(&mut store);
    assert_eq!(jumps(&mut store).len(), 4, "a reboot is no jump");
    clock.jump(-30 * MINUTE);
    let now = store.read(|read| read.now()).unwrap();
    assert_eq!(Some(&now.utc_us), times.last());
    assert!(times.is_sorted());
    assert_eq!(store.verify(on).unwrap().first_bad, None);
}

#[test]
fn the_log_of_writes_keeps_its_size() {
    let home = Home::new();
    let mut store = home.init();
    let wal = store.paths().wal();
    for _ in 0..3 * sqlite::CHECKPOINT_EVERY {
        append(&mut store, note("p", &"x".repeat(500))).unwrap();
    }
    assert!(wal.metadata().unwrap().len() <= 5 * 1024 * 1024);
    drop(store);
    assert!(wal.metadata().unwrap().len() >= 4 * 1024 * 1024);
    let store = home.open();
    assert_eq!(store.verify(on).unwrap().rows, 3 * sqlite::CHECKPOINT_EVERY);
}

#[test]
fn a_tail_delivers_what_was_committed_and_nothing_twice() {
    let home = Home::new();
    let mut store = home.init();
    append(&mut store, note("p", "{}")).unwrap();
    let mut tail = Tail::open(&home.path, 0).unwrap();
    assert_eq!(seqs(&tail.next(Duration::ZERO).unwrap()), [1]);
    assert!(tail.next(Duration::ZERO).unwrap().is_empty());
    let writer = std::thread::spawn(move || {
        for _ in 0..200 {
            append(&mut store, note("p", "{}")).unwrap();
        }
        store
    });
    let limit = Instant::now() + Duration::from_mins(1);
    let mut seen = vec![1];
    while seen.len() < 201 && Instant::now() < limit {
        seen.extend(seqs(&tail.next(Duration::from_mins(1)).unwrap()));
    }
    assert_eq!(seen, (1..=201).collect::<Vec<u64>>());
    let mut store = writer.join().unwrap();
    // No bell: the look at the data version finds it.
    std::fs::remove_file(&store.paths().bell).unwrap();
    let mut deaf = Tail::open(&home.path, 201).unwrap();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| deaf.next(Duration::from_mins(1)).unwrap());
        append(&mut store, note("p", "{}")).unwrap();
        assert_eq!(seqs(&waiting.join().unwrap()), [202]);
    });
    // Between two calls nothing is held, so the log can be moved whole.
    let (busy, log, moved): (i32, i32, i32) = home
        .raw()
        .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })
        .unwrap();
    assert_eq!((busy, log, moved), (0, 0, 0));
}

const WRITER: &str = "WATCHFLOOR_TEST_WRITER";
const ENDLESS: &str = "WATCHFLOOR_TEST_ENDLESS";

/// Not a test of its own: the part that the next one starts 64 times.
#[test]
fn one_of_many_writers() {
    let Ok(path) = std::env::var(WRITER) else {
        return;
    };
    let me = std::process::id().to_string();
    for number in 0..8 {
        let mut store = sqlite::open(&path, fold()).unwrap();
        store.set_patience(Duration::from_mins(2)).unwrap();
        append(&mut store, note(&me, &number.to_string())).unwrap();
    }
}

#[test]
fn sixty_four_processes_lose_nothing() {
    let home = Home::new();
    let mut store = home.init();
    let path = home.path.to_str().unwrap();
    let children: Vec<_> = (0..64)
        .map(|_| {
            let mut command = kit::again("one_of_many_writers", WRITER, path);
            command
                .stderr(std::process::Stdio::piped())
                .spawn()
                .unwrap()
        })
        .collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{said}");
    }
    store
        .read(|read| {
            assert_eq!(read.head()?.seq, 64 * 8);
            let counts = read.states("count", 100, 0)?;
            assert_eq!(counts.len(), 64);
            assert!(counts.iter().all(|count| count == "{\"n\":8}"));
            Ok(())
        })
        .unwrap();
    assert_eq!(store.verify(on).unwrap().first_bad, None);
    assert_eq!(store.verify_deep(on).unwrap().first_difference, None);
}

/// Not a test of its own: appends until it is killed, and says what was acknowledged.
#[test]
fn an_endless_writer() {
    let Ok(path) = std::env::var(ENDLESS) else {
        return;
    };
    let mut store = sqlite::open(&path, fold()).unwrap();
    loop {
        let pair = store.write(Durability::Full, |write| {
            write.append(note("left", "{}"))?;
            write.append(note("right", "{}"))
        });
        println!("ack {}", pair.unwrap().seq);
    }
}

#[test]
fn a_killed_writer_leaves_whole_transactions_only() {
    let home = Home::new();
    let mut store = home.init();
    let path = home.path.to_str().unwrap().to_owned();
    for round in 0..24_u64 {
        let mut child = kit::again("an_endless_writer", ENDLESS, &path)
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap());
        // Killed after so many acknowledged writes, at whatever place the next one has reached.
        let (mut line, mut acknowledged, mut count) = (String::new(), 0, 0);
        while count < 1 + round * 7 % 13 {
            line.clear();
            assert!(lines.read_line(&mut line).unwrap() > 0);
            if let Some(seq) = line.trim().strip_prefix("ack ") {
                acknowledged = seq.parse().unwrap();
                count += 1;
            }
        }
        for _ in 0..round * 997 {
            std::hint::spin_loop();
        }
        child.kill().unwrap();
        let mut rest = String::new();
        lines.read_to_string(&mut rest).unwrap();
        let mut later = rest
            .lines()
            .filter_map(|l| l.strip_prefix("ack ")?.parse().ok());
        let acknowledged: u64 = later.next_back().unwrap_or(acknowledged);
        child.wait().unwrap();
        let head = store.read(|read| read.head()).unwrap().seq;
        assert!(head >= acknowledged, "{head} < {acknowledged}");
        assert_eq!(head % 2, 0, "half a transaction");
    }
    assert_eq!(store.verify(on).unwrap().first_bad, None);
    assert_eq!(store.verify_deep(on).unwrap().first_difference, None);
    let fresh = home.open().verify_deep(on).unwrap();
    assert_eq!(fresh.first_difference, None);
}
