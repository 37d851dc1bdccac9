//! A writer that is killed loses nothing that it acknowledged, and leaves nothing half applied.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;

use super::bench::{Bench, Numbers, attempt, size, spin};

/// Attempts of one round; fewer than a mission may hold.
const LINES: usize = 40;

/// The ids of a task's attempts, in the order of the journal.
fn recorded(bench: &Bench, task: &str) -> Vec<String> {
    let connection = bench.sqlite();
    let mut statement = connection
        .prepare("SELECT id FROM journal WHERE task = ?1 AND kind = 'attempt' ORDER BY seq")
        .unwrap();
    let ids = statement.query_map([task], |row| row.get(0)).unwrap();
    ids.map(Result::unwrap).collect()
}

fn acknowledged(answers: &str) -> Vec<String> {
    // A line that the kill cut was not read by anybody who could rely on it.
    let whole = answers.rfind('\n').map_or("", |end| &answers[..end]);
    let lines = whole.lines();
    lines
        .map(|line| {
            let answer: Value = serde_json::from_str(line).unwrap();
            answer["attempt_id"].as_str().unwrap().to_owned()
        })
        .collect()
}

#[test]
fn a_killed_stream_keeps_what_it_acknowledged() {
    let bench = Bench::new();
    // Another process holds the store open, so that the log is not folded away at each start.
    let _resident = bench.sqlite();
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    let mut unacknowledged = 0;
    for round in 0..size(8, 200) {
        let task = format!("T-{round}");
        let sent: Vec<String> = (0..LINES).map(|at| format!("k-{round}-{at}")).collect();
        let mut call = bench.call(&["attempt", "record", "-", "--lines"]);
        call.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = call.spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        let lines: String = sent
            .iter()
            .map(|id| attempt(&task, "agent", Some(id)).to_string() + "\n")
            .collect();
        input.write_all(lines.as_bytes()).unwrap();
        let mut answers = BufReader::new(child.stdout.take().unwrap());
        let mut text = String::new();
        for _ in 0..numbers.below(LINES as u64 / 2) {
            answers.read_line(&mut text).unwrap();
        }
        spin(Duration::from_micros(numbers.below(2_000)));
        child.kill().unwrap();
        child.wait().unwrap();
        answers.read_to_string(&mut text).unwrap();
        let known = acknowledged(&text);
        let there = recorded(&bench, &task);
        assert!(there.starts_with(&known), "round {round}");
        assert!(sent.starts_with(&there), "round {round}");
        unacknowledged += there.len() - known.len();
        if round % 50 == 0 {
            bench.verified();
        }
    }
    eprintln!("{unacknowledged} records were written and not acknowledged");
    bench.verified();
}

#[test]
fn a_killed_call_keeps_what_it_acknowledged() {
    let bench = Bench::new();
    let _resident = bench.sqlite();
    let mut numbers = Numbers(0x2545_f491_4f6c_dd1d);
    let (mut told, mut there) = (0, 0);
    for round in 0..size(20, 200) {
        let (task, id) = (format!("T-{round}"), format!("k-{round}"));
        let file = bench.folder.join("in.json");
        std::fs::write(&file, attempt(&task, "agent", Some(&id)).to_string()).unwrap();
        let mut call = bench.call(&["attempt", "record", file.to_str().unwrap()]);
        call.stdout(Stdio::piped());
        let mut child = call.spawn().unwrap();
        spin(Duration::from_micros(
            numbers.below(size(40_000, 12_000) as u64),
        ));
        child.kill().unwrap();
        let output = child.wait_with_output().unwrap();
        let known = acknowledged(&String::from_utf8(output.stdout).unwrap());
        let found = recorded(&bench, &task);
        assert!(found.starts_with(&known), "round {round}");
        assert!(found.len() <= 1);
        told += known.len();
        there += found.len();
    }
    eprintln!("{there} records were written, {told} of them acknowledged");
    bench.verified();
}
