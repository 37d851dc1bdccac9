//! Many processes at once lose nothing and are never told of a lock.

use std::io::Write as _;
use std::process::Stdio;

use super::bench::{Bench, attempt, size};

#[test]
fn many_writers_lose_nothing() {
    let (writers, attempts) = (size(16, 64), size(5, 20));
    let bench = Bench::new();
    let children: Vec<_> = (0..writers)
        .map(|writer| {
            let mut call = bench.call(&["attempt", "record", "-", "--lines"]);
            call.stdin(Stdio::piped());
            call.stdout(Stdio::piped()).stderr(Stdio::piped());
            let mut child = call.spawn().unwrap();
            let (task, agent) = (format!("T-{writer}"), format!("agent-{writer}"));
            let lines: String = (0..attempts)
                .map(|at| {
                    let mut body = attempt(&task, &agent, None);
                    // One file in many tries would be a suspicion of its own.
                    body["change"]["files"] = serde_json::json!([format!("src/{at}.rs")]);
                    body.to_string() + "\n"
                })
                .collect();
            // Small enough for the pipe, so that all of them start before any is waited for.
            let mut input = child.stdin.take().unwrap();
            input.write_all(lines.as_bytes()).unwrap();
            child
        })
        .collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{said}");
        assert!(!said.contains("locked"), "{said}");
        let answers = String::from_utf8(output.stdout).unwrap();
        assert_eq!(answers.lines().count(), attempts, "{answers}");
        assert!(!answers.contains("\"code\""), "{answers}");
    }
    let count = |sql: &str| -> usize {
        let count: i64 = bench.sqlite().query_row(sql, [], |row| row.get(0)).unwrap();
        count.try_into().unwrap()
    };
    let all = count("SELECT count(*) FROM journal");
    let attempts_there = count("SELECT count(*) FROM journal WHERE kind = 'attempt'");
    assert_eq!(
        (all, attempts_there),
        (writers * attempts, writers * attempts)
    );
    let per_task = count(
        "SELECT count(*) FROM (SELECT 1 FROM journal GROUP BY task HAVING count(*) = (SELECT count(*) FROM journal) / (SELECT count(DISTINCT task) FROM journal))",
    );
    assert_eq!(per_task, writers);
    bench.verified();
}

#[test]
fn many_one_shot_writers_lose_nothing() {
    let (writers, rounds) = (size(16, 64), size(1, 5));
    let bench = Bench::new();
    for round in 0..rounds {
        let children: Vec<_> = (0..writers)
            .map(|writer| {
                let file = bench.folder.join(format!("{round}-{writer}.json"));
                let body = attempt(&format!("T-{round}-{writer}"), "agent", None);
                std::fs::write(&file, body.to_string()).unwrap();
                let mut call = bench.call(&["attempt", "record", file.to_str().unwrap()]);
                call.stdout(Stdio::null()).stderr(Stdio::piped());
                call.spawn().unwrap()
            })
            .collect();
        for child in children {
            let output = child.wait_with_output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.success(), "{said}");
        }
    }
    let records = bench.ok(&["verify", "--deep"]);
    assert_eq!(records["rows"], writers * rounds);
    assert_eq!(records["holds"], true);
}

#[test]
fn answers_come_line_by_line() {
    use std::io::{BufRead as _, BufReader};
    let bench = Bench::new();
    let mut call = bench.call(&["attempt", "record", "-", "--lines"]);
    call.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = call.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut answers = BufReader::new(child.stdout.take().unwrap()).lines();
    for seq in 1..=3 {
        writeln!(input, "{}", attempt("T-1", "agent", None)).unwrap();
        // The input stays open: an answer that waited for its end would never come.
        let answer = answers.next().unwrap().unwrap();
        assert!(answer.contains(&format!("\"seq\":{seq},")), "{answer}");
    }
    drop(input);
    assert!(answers.next().is_none());
    assert!(child.wait().unwrap().success());
}
