//! A transcript of any length opens at its end at once, and is followed in the same memory. Memory
//! is the whole process's, so these run one after the other, and no other test beside them.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

#[path = "transcript/home.rs"]
#[expect(dead_code, reason = "the other tests of transcripts use the rest")]
mod home;

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use serde_json::json;

use home::{Home, by_agent, call, prompt};

static ALONE: Mutex<()> = Mutex::new(());

const FILE: &str = ".claude/projects/-srv-app/big.jsonl";

/// Bytes of the long file: half a gigabyte where the full size is asked for.
fn size() -> u64 {
    if std::env::var_os("WATCHFLOOR_FULL_SIZE").is_some() {
        500 << 20
    } else {
        24 << 20
    }
}

/// This process's own memory that is in use, in bytes.
fn memory() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap();
    let pages = text.split(' ').nth(1).unwrap().parse::<u64>().unwrap();
    pages * 4096
}

/// Ordinary rows, until there are so many bytes of them.
fn fill(path: &Path, bytes: u64) {
    let mut file = BufWriter::new(
        File::options()
            .append(true)
            .create(true)
            .open(path)
            .unwrap(),
    );
    let mut block = String::new();
    for n in 0..200 {
        let input = json!({"command": format!("echo {n} {}", "word ".repeat(n))});
        block += &call("big", &format!("f{n}"), "Bash", &input, None);
    }
    let mut written = 0;
    while written < bytes {
        file.write_all(block.as_bytes()).unwrap();
        written += block.len() as u64;
    }
}

#[test]
fn a_long_transcript_opens_at_its_end_and_is_followed_in_constant_memory() {
    let _alone = ALONE.lock();
    let home = Home::new();
    home.put(FILE, prompt("big", "the first prompt names it"));
    fill(&home.at(FILE), size());
    home.append(FILE, prompt("big", "the last row"));
    let mut observer = home.observer();
    let begun = Instant::now();
    observer.look();
    let took = begun.elapsed();
    let seen = by_agent(&observer).remove("claude:big").unwrap();
    assert_eq!(seen.action, "asked: the last row");
    assert_eq!(seen.title.as_deref(), Some("the first prompt names it"));
    // A debug build on a busy machine is given more time than the program takes.
    let limit = if cfg!(debug_assertions) { 2_000 } else { 200 };
    assert!(took < Duration::from_millis(limit), "{took:?}");
    let before = memory();
    let mut most = before;
    for round in 0..8 {
        fill(&home.at(FILE), 8 << 20);
        home.append(FILE, prompt("big", &format!("round {round}")));
        let mut looks = 0;
        while by_agent(&observer)["claude:big"].action != format!("asked: round {round}") {
            observer.look();
            most = most.max(memory());
            looks += 1;
            assert!(looks < 50);
        }
    }
    let grown = most.saturating_sub(before);
    assert!(grown < 24 << 20, "{grown} bytes for {} of rows", 64 << 20);
    eprintln!(
        "opened {} MiB in {took:?}, grew by {} KiB while 64 MiB were followed",
        size() >> 20,
        grown >> 10
    );
}

#[test]
fn a_line_without_an_end_is_passed_over_in_constant_memory() {
    let _alone = ALONE.lock();
    let home = Home::new();
    home.put(FILE, prompt("big", "go"));
    let mut observer = home.observer();
    observer.look();
    let before = memory();
    let mut most = before;
    home.append(FILE, "{\"type\":\"user\",\"text\":\"");
    for _ in 0..12 {
        home.append(FILE, vec![b'x'; 8 << 20]);
        observer.look();
        most = most.max(memory());
    }
    home.append(FILE, "\"}\n");
    home.append(FILE, prompt("big", "after it"));
    for _ in 0..8 {
        observer.look();
    }
    assert_eq!(by_agent(&observer)["claude:big"].action, "asked: after it");
    let grown = most.saturating_sub(before);
    assert!(grown < 32 << 20, "{grown}");
    // The same in a hole, which reads as NULs.
    let sparse = ".claude/projects/-srv-app/hole.jsonl";
    home.put(sparse, prompt("hole", "before the hole"));
    let file = File::options().write(true).open(home.at(sparse)).unwrap();
    file.set_len(500 << 20).unwrap();
    home.append(sparse, format!("\n{}", prompt("hole", "behind the hole")));
    let begun = Instant::now();
    let seen = home.look().remove("claude:hole").unwrap();
    assert_eq!(seen.action, "asked: behind the hole");
    assert!(begun.elapsed() < Duration::from_secs(2));
}
