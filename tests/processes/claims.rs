//! Handoffs between processes: one holder an entry, however many want it.

use std::collections::BTreeMap;
use std::process::Stdio;
use std::time::Instant;

use serde_json::Value;

use super::bench::{Bench, LIMIT};

fn open(bench: &Bench, asker: &str, question: &str) -> String {
    let answer = bench.ok(&[
        "handoff",
        "open",
        "--agent",
        asker,
        "--question",
        question,
        "--tried",
        "the files",
        "--needed",
        "a port",
    ]);
    answer["id"].as_str().unwrap().to_owned()
}

#[test]
fn of_64_that_claim_one_entry_one_holds_it() {
    const RIVALS: usize = 64;
    let bench = Bench::new();
    let id = open(&bench, "asker", "which port?");
    let children: Vec<_> = (0..RIVALS)
        .map(|rival| {
            let agent = format!("rival-{rival}");
            let mut call = bench.call(&["handoff", "claim", &id, "--agent", &agent]);
            call.stdout(Stdio::piped()).stderr(Stdio::piped());
            (agent, call.spawn().unwrap())
        })
        .collect();
    let mut winners = Vec::new();
    let mut losers = Vec::new();
    for (agent, child) in children {
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.is_empty(), "{said}");
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        match output.status.code() {
            Some(0) => {
                assert_eq!(
                    (&answer["holder"], &answer["epoch"]),
                    (&agent.into(), &1.into())
                );
                winners.push(answer["holder"].as_str().unwrap().to_owned());
            }
            Some(1) => losers.push(answer),
            other => panic!("exit {other:?}: {answer}"),
        }
    }
    assert_eq!((winners.len(), losers.len()), (1, RIVALS - 1));
    for answer in losers {
        assert_eq!(answer["code"], "handoff_held", "{answer}");
        let cause = answer["cause"].as_str().unwrap();
        assert!(
            cause.contains(&format!("held by {} until", winners[0])),
            "{cause}"
        );
    }
    let records: i64 = bench
        .sqlite()
        .query_row("SELECT count(*) FROM journal", [], |row| row.get(0))
        .unwrap();
    assert_eq!(records, 2);
    let status = bench.ok(&["status"]);
    assert_eq!(status["counts"]["breakers"], 0, "{status}");
    assert_eq!(status["counts"]["handoffs_claimed"], 1, "{status}");
    bench.verified();
}

#[test]
fn each_of_200_entries_is_taken_by_one_of_16() {
    const ENTRIES: usize = 200;
    const TAKERS: usize = 16;
    let bench = Bench::new();
    for at in 0..ENTRIES {
        open(
            &bench,
            &format!("asker-{}", at % 5),
            &format!("question {at}"),
        );
    }
    let start = Instant::now();
    let takers: Vec<_> = (0..TAKERS)
        .map(|taker| {
            let agent = format!("taker-{taker}");
            let bench = bench.again();
            std::thread::spawn(move || {
                let mut taken = Vec::new();
                loop {
                    assert!(
                        start.elapsed() < LIMIT,
                        "{agent} took {} so far",
                        taken.len()
                    );
                    let output = bench.run(&["handoff", "next", "--claim", "--agent", &agent]);
                    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
                    match output.status.code() {
                        Some(0) => {
                            assert_eq!(answer["holder"], agent.as_str());
                            assert_eq!(answer["epoch"], 1);
                            taken.push(answer["id"].as_str().unwrap().to_owned());
                        }
                        Some(1) => {
                            assert_eq!(answer["code"], "handoff_none", "{answer}");
                            return (agent, taken);
                        }
                        other => panic!("exit {other:?}: {answer}"),
                    }
                }
            })
        })
        .collect();
    let mut holders: BTreeMap<String, String> = BTreeMap::new();
    for taker in takers {
        let (agent, taken) = taker.join().unwrap();
        for id in taken {
            assert_eq!(
                holders.insert(id.clone(), agent.clone()),
                None,
                "{id} twice"
            );
        }
    }
    assert_eq!(holders.len(), ENTRIES);
    let listed = bench.ok(&["handoff", "list", "--state", "claimed"]);
    let rows = listed["handoffs"].as_array().unwrap();
    assert_eq!(rows.len(), ENTRIES);
    for row in rows {
        let holder = row["holder"].as_str().unwrap();
        assert_eq!(holders[row["id"].as_str().unwrap()], holder);
    }
    bench.verified();
}

#[test]
fn a_waiter_makes_an_entry_blocking_as_long_as_it_lives() {
    let bench = Bench::new();
    let (first, second) = (open(&bench, "a", "one"), open(&bench, "a", "two"));
    let next = || {
        let answer = bench.ok(&["handoff", "next", "--agent", "b"]);
        (answer["id"].clone(), answer["priority"].clone())
    };
    assert_eq!(next(), (first.clone().into(), "background".into()));
    let mut call = bench.call(&[
        "handoff",
        "wait",
        &second,
        "--agent",
        "a",
        "--timeout",
        "100",
    ]);
    let mut waiter = call.stdout(Stdio::piped()).spawn().unwrap();
    let start = Instant::now();
    while next() != (second.clone().into(), "blocking".into()) {
        assert!(start.elapsed() < LIMIT, "no lease came");
    }
    // Its lease has many seconds left, and ends with the process at once.
    waiter.kill().unwrap();
    waiter.wait().unwrap();
    assert_eq!(next(), (first.into(), "background".into()));
    // Another one gets what it waits for.
    let mut call = bench.call(&[
        "handoff",
        "wait",
        &second,
        "--agent",
        "a",
        "--timeout",
        "100",
    ]);
    let waiter = call.stdout(Stdio::piped()).spawn().unwrap();
    bench.ok(&["handoff", "claim", &second, "--agent", "b"]);
    bench.ok(&[
        "handoff", "answer", &second, "--agent", "b", "--text", "8443",
    ]);
    let output = waiter.wait_with_output().unwrap();
    assert!(output.status.success());
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&answer["state"], &answer["answer"]),
        (&"resolved".into(), &"8443".into())
    );
    let late = bench.run(&[
        "handoff",
        "wait",
        &open(&bench, "a", "three"),
        "--timeout",
        "0",
    ]);
    assert_eq!(late.status.code(), Some(1));
    let refusal: Value = serde_json::from_slice(&late.stdout).unwrap();
    assert_eq!(refusal["code"], "wait_ran_out");
    bench.verified();
}
