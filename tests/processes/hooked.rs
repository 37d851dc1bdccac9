//! Many agents hooked at once: every call is answered, every result is kept, and whoever looks on
//! is not held up.

use std::io::Write as _;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::bench::{Bench, size};

const AGENTS: usize = 16;

/// One agent's session: it edits a file, runs its tests, and again, until the time is over.
/// Answers how long each hook took, and how many results it told.
fn work(bench: &Bench, agent: usize, rounds: usize, end: Instant) -> (Vec<Duration>, usize) {
    let (mut took, mut results) = (Vec::new(), 0);
    let mut hook = |event: &str, fields: Value| {
        let mut payload = json!({
            "hook_event_name": event, "session_id": format!("s-{agent}"), "cwd": bench.folder,
        });
        payload
            .as_object_mut()
            .unwrap()
            .extend(fields.as_object().unwrap().clone());
        let mut call = bench.call(&["hook", "claude", event]);
        call.stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let begun = Instant::now();
        let mut child = call.spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        input.write_all(payload.to_string().as_bytes()).unwrap();
        drop(input);
        let output = child.wait_with_output().unwrap();
        took.push(begun.elapsed());
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(
            output.status.success() && output.stderr.is_empty(),
            "{output:?}"
        );
        for bad in ["deny", "block", "could not", "cannot", "locked", "busy"] {
            assert!(!said.contains(bad), "{event}: {said}");
        }
    };
    hook("SessionStart", json!({"source": "startup"}));
    let mut round = 0;
    while round < rounds || Instant::now() < end {
        let id = |of: &str| format!("{of}-{agent}-{round}");
        let edit = json!({
            "tool_name": "Edit", "tool_use_id": id("edit"),
            "tool_input": {"file_path": format!("src/part_{agent}_{round}.rs"),
                           "old_string": "a", "new_string": "b"},
        });
        let test = json!({
            "tool_name": "Bash", "tool_use_id": id("test"),
            "tool_input": {"command": "cargo test"},
        });
        for (call, response) in [
            (edit, json!({"filePath": "src/part.rs"})),
            (
                test,
                json!({"stdout": "test result: ok. 12 passed", "stderr": ""}),
            ),
        ] {
            hook("PreToolUse", call.clone());
            let mut after = call;
            after["tool_response"] = response;
            hook("PostToolUse", after);
            results += 1;
        }
        round += 1;
    }
    hook("SessionEnd", json!({"reason": "other"}));
    (took, results)
}

#[test]
fn many_hooked_agents_lose_nothing() {
    let bench = Bench::new();
    let end = Instant::now() + Duration::from_secs(size(0, 120) as u64);
    let over = AtomicBool::new(false);
    let (mut took, mut results, mut looked) = (Vec::new(), 0, 0);
    std::thread::scope(|scope| {
        let agents: Vec<_> = (0..AGENTS)
            .map(|agent| {
                let bench = bench.again();
                scope.spawn(move || work(&bench, agent, 6, end))
            })
            .collect();
        let watcher = scope.spawn(|| {
            let mut seen = 0;
            while !over.load(Ordering::Relaxed) {
                let status = bench.ok(&["status"]);
                let seq = status["seq"].as_u64().unwrap();
                assert!(seq >= seen);
                seen = seq;
                looked += 1;
            }
        });
        let ended: Vec<_> = agents
            .into_iter()
            .map(std::thread::ScopedJoinHandle::join)
            .collect();
        over.store(true, Ordering::Relaxed);
        watcher.join().unwrap();
        for (times, told) in ended.into_iter().map(Result::unwrap) {
            took.extend(times);
            results += told;
        }
    });
    let count = |schema: &str| -> usize {
        let sql = "SELECT count(*) FROM journal WHERE schema = ?1";
        let count: i64 = bench
            .sqlite()
            .query_row(sql, [schema], |row| row.get(0))
            .unwrap();
        count.try_into().unwrap()
    };
    assert_eq!(count("watchfloor.tool_seen.v1"), results);
    assert_eq!(bench.ok(&["status"])["counts"]["agents"], AGENTS);
    assert_eq!(bench.ok(&["breaker", "list"])["breakers"], json!([]));
    bench.verified();
    took.sort_unstable();
    println!(
        "{AGENTS} agents, {} hook calls, {results} results kept, {looked} looks at the status: \
         median {:?}, 99 of 100 within {:?}, the longest {:?}",
        took.len(),
        took[took.len() / 2],
        took[took.len() * 99 / 100],
        took[took.len() - 1],
    );
}
