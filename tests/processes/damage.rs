//! One byte changed anywhere in a journal row or a projection is found.

use std::fs;
use std::path::Path;
use std::process::Command;

use rusqlite::types::Value;
use rusqlite::{Connection, params};

use super::bench::{Bench, Numbers, attempt, size};

const COLUMNS: [&str; 14] = [
    "seq",
    "kind",
    "id",
    "schema",
    "producer",
    "project",
    "task",
    "agent",
    "recorded_at",
    "boot",
    "mono_us",
    "body",
    "body_sha256",
    "hash",
];
const STATE: [&str; 8] = ["domain", "key", "rank", "seq", "body", "c0", "c3", "c7"];

/// A store with records of every kind, its log moved into the database.
fn filled() -> Bench {
    let bench = Bench::new();
    let file = bench.folder.join("in.json");
    for at in 0..4 {
        let mut body = attempt(&format!("T-{}", at / 2), "agent-1", None);
        if at == 3 {
            body["result"] = "FAIL".into();
            body["error_signature"] = "error[E0308]: mismatched types\n --> src/a.rs:1:2".into();
        }
        fs::write(&file, body.to_string()).unwrap();
        bench.ok(&["attempt", "record", file.to_str().unwrap()]);
    }
    bench.ok(&[
        "--task",
        "T-1",
        "--agent",
        "agent-1",
        "gate",
        "check",
        "--role",
        "maker",
        "--strategy",
        "another way",
    ]);
    bench.ok(&[
        "--task",
        "T-1",
        "--agent",
        "agent-1",
        "attempt",
        "plan",
        "--strategy",
        "another way",
        "--hypothesis",
        "the types changed",
    ]);
    bench.ok(&[
        "breaker",
        "trip",
        "--trigger",
        "git",
        "--scope",
        "task:T-0",
        "--reason",
        "seen",
    ]);
    let kinds: i64 = bench
        .sqlite()
        .query_row("SELECT count(DISTINCT kind) FROM journal", [], |row| {
            row.get(0)
        })
        .unwrap();
    assert_eq!(kinds, 4);
    let connection = bench.sqlite();
    connection
        .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        .unwrap();
    drop(connection);
    bench.verified();
    bench
}

/// The value with one byte changed; `None` where there is none to change.
fn changed(value: &Value, numbers: &mut Numbers) -> Option<Value> {
    let mut flip = |bytes: &[u8], text: bool| {
        let mut bytes = bytes.to_vec();
        let length = u64::try_from(bytes.len()).unwrap();
        let at = usize::try_from(numbers.below(length.max(1))).unwrap();
        let byte = bytes.get_mut(at)?;
        // A text stays ASCII, and no letter becomes the same one in another case by chance.
        *byte = match (text, *byte) {
            (true, b'x') => b'y',
            (true, _) => b'x',
            (false, byte) => byte ^ 1 << numbers.below(8),
        };
        Some(bytes)
    };
    Some(match value {
        Value::Text(text) => Value::Text(String::from_utf8(flip(text.as_bytes(), true)?).unwrap()),
        Value::Blob(blob) => Value::Blob(flip(blob, false)?),
        Value::Integer(number) => Value::Integer(number ^ (1 << (5 + numbers.below(11)))),
        Value::Null => Value::Text(String::new()),
        Value::Real(_) => return None,
    })
}

/// A copy of the store with a change; `restored` puts the triggers back behind it.
fn altered(bench: &Bench, restored: bool, change: impl FnOnce(&Connection)) -> Bench {
    let copy = Bench::new();
    for name in ["store.db-wal", "store.db-shm"] {
        drop(fs::remove_file(copy.folder.join(name)));
    }
    fs::copy(bench.store(), copy.store()).unwrap();
    let connection = copy.sqlite();
    let triggers: Vec<(String, String)> = {
        let mut statement = connection
            .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
            .unwrap();
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
        rows.unwrap().map(Result::unwrap).collect()
    };
    for (name, _) in &triggers {
        connection
            .execute_batch(&format!("DROP TRIGGER {name}"))
            .unwrap();
    }
    change(&connection);
    if restored {
        for (_, sql) in &triggers {
            connection.execute_batch(sql).unwrap();
        }
    }
    drop(connection);
    copy
}

/// What the checker in the other language says; `None` where there is no Python.
fn python(store: &Path) -> Option<bool> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/verify_store.py");
    let Ok(output) = Command::new("python3").arg(script).arg(store).output() else {
        eprintln!("SKIPPED: python3 is not there, so the other checker is not tried");
        return None;
    };
    Some(output.status.success())
}

fn values(connection: &Connection, sql: &str, columns: usize) -> Vec<Vec<Value>> {
    let mut statement = connection.prepare(sql).unwrap();
    let rows = statement
        .query_map([], |row| (0..columns).map(|at| row.get(at)).collect())
        .unwrap();
    rows.map(Result::unwrap).collect()
}

#[test]
fn one_changed_byte_of_a_journal_row_is_found() {
    let bench = filled();
    assert_ne!(python(&bench.store()), Some(false));
    let all = format!("SELECT {} FROM journal ORDER BY seq", COLUMNS.join(", "));
    let rows = values(&bench.sqlite(), &all, COLUMNS.len());
    let mut numbers = Numbers(7);
    let mut tried = 0;
    for (at, row) in rows.iter().enumerate() {
        for (number, (column, value)) in COLUMNS.iter().zip(row).enumerate() {
            // The small size changes each column in one row.
            if at != size(number % rows.len(), at) {
                continue;
            }
            let Some(new) = changed(value, &mut numbers) else {
                continue;
            };
            tried += 1;
            let copy = altered(&bench, tried % 2 == 0, |connection| {
                let sql = format!("UPDATE journal SET {column} = ?1 WHERE seq = ?2");
                connection.execute(&sql, params![new, row[0]]).unwrap();
            });
            let output = copy.run(&["verify"]);
            let said = String::from_utf8_lossy(&output.stdout).into_owned();
            assert_eq!(
                output.status.code(),
                Some(1),
                "{column} of {:?}: {said}",
                row[0]
            );
            assert!(said.contains("\"holds\":false"), "{said}");
            assert_ne!(
                python(&copy.store()),
                Some(true),
                "{column} of {:?}",
                row[0]
            );
        }
    }
    assert!(tried >= COLUMNS.len() - 1);
    eprintln!("{tried} changes of journal rows were found");
}

#[test]
fn one_changed_byte_of_a_projection_is_found() {
    let bench = filled();
    let all = format!(
        "SELECT {} FROM state ORDER BY domain, key",
        STATE.join(", ")
    );
    let rows = values(&bench.sqlite(), &all, STATE.len());
    let mut numbers = Numbers(11);
    let mut tried = 0;
    for (at, row) in rows.iter().enumerate() {
        for (column, value) in STATE.iter().zip(row) {
            if at % size(3, 1) != 0 {
                continue;
            }
            let Some(new) = changed(value, &mut numbers) else {
                continue;
            };
            let copy = altered(&bench, true, |connection| {
                let sql = format!("UPDATE state SET {column} = ?1 WHERE domain = ?2 AND key = ?3");
                connection
                    .execute(&sql, params![new, row[0], row[1]])
                    .unwrap();
            });
            tried += 1;
            let output = copy.run(&["verify", "--deep"]);
            let said = String::from_utf8_lossy(&output.stdout).into_owned();
            assert_eq!(output.status.code(), Some(1), "{column} of {row:?}: {said}");
            assert!(copy.run(&["verify"]).status.success());
            copy.ok(&["rebuild"]);
            copy.verified();
        }
    }
    assert!(tried > STATE.len());
    eprintln!("{tried} changes of projections were found");
}

#[test]
fn triggers_that_are_gone_are_found() {
    let bench = filled();
    let copy = altered(&bench, false, |_| {});
    assert!(copy.run(&["verify"]).status.success());
    assert_eq!(copy.run(&["verify", "--deep"]).status.code(), Some(1));
}
