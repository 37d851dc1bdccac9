//! 10,000 random sequences of attempts, played through the plain reading in
//! `vectors/safety_reference.py` and through the ledger, must mean the same (spec 3).

#![expect(clippy::unwrap_used, reason = "a test")]

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;
use watchfloor::{contract, rules};

mod replay;
use replay::{Mission, said};

const SEQUENCES: usize = 10_000;

/// Makes the sequences and what the reference says about each step: a line a sequence, a list
/// of steps `[attempt, said]`, `[{"reset": task}, []]` or `[{"gate": question}, [verdict]]`.
const DRIVER: &str = r#"
import importlib.util, json, random, sys
spec = importlib.util.spec_from_file_location("reference", sys.argv[1])
reference = importlib.util.module_from_spec(spec)
sys.dont_write_bytecode = True
spec.loader.exec_module(reference)
rng = random.Random(20260314)

def progress(r):
    p = {"made": r.random() < 0.85}
    if r.random() < 0.6:
        p["metric"] = {"name": r.choice(["errors", "errors", "tests"]), "better": r.choice(["lower", "lower", "higher"]),
                       "before": r.choice([9, 5, 0, 2.5]), "after": r.choice([0, 1, 2, 0.1, 3, 7, 12])}
    if r.random() < 0.5:
        p["evidence"] = [r.choice("pqrstuvwxyz") + "@" + str(r.randint(1, 3)) for _ in range(r.randint(0, 2))]
    return p

def attempt(r, mood):
    strategies, files, sigs, states = mood["strategies"], mood["files"], mood["sigs"], mood["states"]
    a = {"task": r.choice(mood["tasks"]), "agent": r.choice(["a1", "a2", "a3", "a4", "a5"]),
         "role": r.choices(["maker", "checker", "debugger", "second_opinion"], mood["roles"])[0],
         "strategy": r.choice(strategies), "result": r.choices(["FAIL", "PASS", "BLOCKED", "NEEDS_ATTENTION"], mood["results"])[0],
         "files": r.sample(files, r.choice([0, 1, 1, 1, 2]))}
    if a["role"] in ("debugger", "second_opinion") and r.random() < 0.8:
        a["files"] = []
    if r.random() < mood["state"]:
        a["state"] = r.choice(states)
    if a["result"] == "FAIL" and r.random() < 0.95 or r.random() < 0.05:
        a["sig"] = r.choice(sigs)
    if r.random() < mood["weak"]:
        a["strength"] = "weak"
    elif r.random() < 0.2:
        a["strength"] = r.choice(["strong", "medium"])
    if r.random() < mood["progress"]:
        a["progress"] = progress(r)
    for flag, chance in (("transient", 0.04), ("permit", mood["permit"]), ("begun_before_due", mood["begun"])):
        if r.random() < chance:
            a[flag] = True
    return a

for number in range(int(sys.argv[2])):
    r = random.Random(rng.random())
    long = number % 25 == 0
    size = lambda low, high: r.randint(low, high)
    mood = dict(tasks=["T%d" % i for i in range(size(1, 3))], roles=r.choice([[9, 2, 1, 1], [5, 3, 3, 3], [1, 0, 0, 0], [4, 4, 0, 0]]),
                strategies=["A", "B", " a ", "C  c", "c C"][:size(2, 5)] + (["S%d" % i for i in range(60)] if r.random() < 0.4 else []),
                files=["f%d.rs" % i for i in range(r.choice([1, 2, 3, 8, 80]))] + ["g.rs"],
                sigs=["s%d" % i for i in range(r.choice([1, 2, 3, 6, 60]))], states=["x", "y", "", "z"][:size(2, 4)],
                results=r.choice([[6, 2, 1, 1], [1, 6, 0, 0], [1, 0, 0, 0], [3, 3, 1, 1]]), state=r.choice([0, 0, 0.3, 1]),
                weak=r.choice([0, 0, 0.2, 0.9, 1]), progress=r.choice([0, 0.05, 0.3]), permit=r.choice([0, 0.05, 0.5]),
                begun=r.choice([0, 0.1, 0.5]))
    resets = r.choice([0, 0.05, 0.5])
    ledger, steps, seen = reference.Ledger(), [], []
    for _ in range(size(55, 75) if long else size(1, 14)):
        a = attempt(r, mood)
        steps.append([a, ledger.record(a)])
        if a["task"] not in seen:
            seen.append(a["task"])
        open_tasks = [t for t in seen if ledger.tasks[t].open]
        if open_tasks and r.random() < resets or r.random() < resets / 10:
            task = r.choice(open_tasks or seen)
            ledger.reset(task)
            steps.append([{"reset": task}, []])
        for _ in range(1):
            q = {"task": r.choice(seen), "role": r.choice(["maker", "maker", "checker", "debugger", "second_opinion"]),
                 "strategy": r.choice(mood["strategies"] + ["fresh"]), "permit": r.random() < 0.05}
            if r.random() < 0.7:
                q["agent"] = r.choice(["a1", "a2", "a3", "a4", "a5", "a9"])
            steps.append([{"gate": q}, [ledger.gate(**q)]])
    print(json.dumps(steps))
"#;

#[test]
fn the_ledger_agrees_with_the_reference() {
    let reference: PathBuf = [
        env!("CARGO_MANIFEST_DIR"),
        "tests/vectors/safety_reference.py",
    ]
    .iter()
    .collect();
    let mut driver = Command::new("python3")
        .arg("-c")
        .arg(DRIVER)
        .arg(&reference)
        .arg(SEQUENCES.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .expect("python3 runs the reference");
    let lines = BufReader::new(driver.stdout.take().unwrap()).lines();
    let mut heard = std::collections::BTreeMap::new();
    let mut sequences = 0;
    for line in lines {
        sequences += 1;
        let steps: Value = serde_json::from_str(&line.unwrap()).unwrap();
        play(sequences, steps.as_array().unwrap(), &mut heard);
    }
    assert!(driver.wait().unwrap().success());
    assert_eq!(sequences, SEQUENCES);
    for word in [
        "repeat",
        "blind_repeat",
        "stuck_signature",
        "repairs_used",
        "churn:g.rs",
        "weak_repeats",
        "leak",
        "trip:retry",
        "trip:retry:mission",
        "trip:oscillation",
        "allow",
        "strategy_change_due",
        "debugger_due",
        "second_opinion_due",
        "breaker_open",
    ] {
        let times = heard.get(word).copied().unwrap_or(0);
        assert!(times >= 20, "`{word}` came up {times} times only");
    }
}

fn play(number: usize, steps: &[Value], heard: &mut std::collections::BTreeMap<String, usize>) {
    let mut mission = Mission::default();
    for (at, step) in steps.iter().enumerate() {
        let (what, expected) = (&step[0], &step[1]);
        let mut told = if let Some(task) = what["reset"].as_str() {
            mission.reset(task);
            Vec::new()
        } else if let Some(asked) = what.get("gate") {
            let task = asked["task"].as_str().unwrap();
            let role = asked["role"].as_str().unwrap();
            let strategy = asked["strategy"].as_str().unwrap();
            let answer = mission.gate(task, role, strategy, asked);
            vec![answer.verdict.as_str().to_owned()]
        } else {
            said(&mission.record(what))
        };
        let mut expected: Vec<String> = serde_json::from_value(expected.clone()).unwrap();
        told.sort();
        expected.sort();
        assert_eq!(
            told,
            expected,
            "sequence {number}, step {at}: {what}\nof {}",
            serde_json::to_string(&steps[..at]).unwrap()
        );
        for word in told {
            *heard.entry(word).or_default() += 1;
        }
        if at % 16 == 7 {
            mission.reload();
        }
    }
}
