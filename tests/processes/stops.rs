//! A stop works, and the next hook call refuses, whatever has become of the store.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use serde_json::Value;

use super::bench::{Bench, LIMIT, Numbers, refuses};

fn prepared() -> Bench {
    let bench = Bench::new();
    assert!(!refuses(&bench.hook()), "nothing is stopped yet");
    bench
}

fn stop(bench: &Bench, scope: &str) -> Value {
    let start = Instant::now();
    let answer = bench.ok(&["stop", "--scope", scope, "--reason", "enough"]);
    assert!(start.elapsed() < LIMIT);
    assert_eq!(answer["flag"], true, "{answer}");
    answer
}

/// `SQLite` calls it a lock that keeps everybody from writing.
#[test]
fn a_stop_works_while_the_store_is_locked() {
    let bench = prepared();
    let other = bench.sqlite();
    other.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let answer = stop(&bench, "fleet");
    assert_eq!(answer["recorded"], false);
    assert!(refuses(&bench.hook()));
    other.execute_batch("ROLLBACK").unwrap();
    assert!(refuses(&bench.hook()), "the stop stands after the lock");
    bench.ok(&["tick"]);
    let recorded: i64 = bench
        .sqlite()
        .query_row(
            "SELECT count(*) FROM journal WHERE kind = 'receipt'",
            [],
            |r| r.get(0),
        )
        .unwrap();
    assert_eq!(recorded, 1, "the receipt came with the next sweep");
    assert!(refuses(&bench.hook()));
    bench.verified();
}

#[test]
fn a_stop_works_on_a_store_of_noise() {
    let bench = prepared();
    let mut numbers = Numbers(3);
    let length = fs::metadata(bench.store()).unwrap().len();
    let noise: Vec<u8> = (0..length)
        .map(|_| u8::try_from(numbers.below(256)).unwrap())
        .collect();
    fs::write(bench.store(), noise).unwrap();
    assert!(
        refuses(&bench.hook()),
        "a damaged store lets nothing change"
    );
    stop(&bench, "fleet");
    let answer = bench.hook();
    assert!(refuses(&answer));
    let why = answer["hookSpecificOutput"]["permissionDecisionReason"].to_string();
    assert!(why.contains("enough"), "{why}");
}

/// A file system in memory, mounted on a folder until it is dropped.
struct Small<'a>(&'a Path);

impl<'a> Small<'a> {
    fn mount(folder: &'a Path) -> Option<Self> {
        let options = "size=12m,nr_inodes=64";
        let output = Command::new("mount")
            .args(["-t", "tmpfs", "-o", options, "tmpfs"])
            .arg(folder)
            .output();
        match output {
            Ok(output) if output.status.success() => Some(Self(folder)),
            _ => {
                println!("SKIPPED: mounting is not permitted here, so no full disk is tried");
                eprintln!("SKIPPED: mounting is not permitted here, so no full disk is tried");
                None
            }
        }
    }

    /// Takes every free byte, then every free inode.
    fn fill(&self) {
        let mut file = File::create(self.0.join("bytes")).unwrap();
        for size in [1 << 16, 1 << 12, 1] {
            while file.write_all(&vec![b'x'; size]).is_ok() {}
        }
        let mut at = 0;
        while File::create(self.0.join(format!("inode-{at}"))).is_ok() {
            at += 1;
        }
        let full = fs::write(self.0.join("one-more"), b"x");
        assert!(full.is_err(), "the file system is full");
    }
}

impl Drop for Small<'_> {
    fn drop(&mut self) {
        drop(Command::new("umount").arg("-l").arg(self.0).status());
    }
}

#[test]
fn a_stop_works_on_a_full_disk() {
    let temp = tempfile::tempdir().unwrap();
    let folder = temp.path().canonicalize().unwrap();
    let Some(small) = Small::mount(&folder) else {
        return;
    };
    let bench = Bench::at(&folder);
    assert!(!refuses(&bench.hook()), "nothing is stopped yet");
    small.fill();
    stop(&bench, "fleet");
    let answer = bench.hook();
    assert!(refuses(&answer), "{answer}");
    let why = answer["hookSpecificOutput"]["permissionDecisionReason"].to_string();
    assert!(why.contains("enough"), "{why}");
}
