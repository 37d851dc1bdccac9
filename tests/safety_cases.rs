//! The public cases and the plain reading of the spec say the same: neither copy was changed.
//! (That the ledger agrees with the cases is tested beside it.)

use std::path::PathBuf;
use std::process::Command;

/// Plays every case through the reference and prints those that differ.
const DRIVER: &str = r#"
import importlib.util, json, sys
spec = importlib.util.spec_from_file_location("reference", sys.argv[1])
reference = importlib.util.module_from_spec(spec)
sys.dont_write_bytecode = True
spec.loader.exec_module(reference)
played = 0
for line in open(sys.argv[2], encoding="utf-8"):
    case = json.loads(line)
    ledger, first = reference.Ledger(), {}
    for attempt, said in zip(case["attempts"], case["events"], strict=True):
        first.setdefault(attempt["task"], attempt["strategy"])
        if set(ledger.record(attempt)) != set(said):
            print(case["id"], attempt)
    for task, verdicts in case["gate_after"].items():
        told = {"maker_new_strategy": ledger.gate(task, "maker", "never seen"),
                "maker_first_strategy": ledger.gate(task, "maker", first[task]),
                "debugger": ledger.gate(task, "debugger", "look"),
                "fresh_second_opinion": ledger.gate(task, "second_opinion", "look")}
        if told != verdicts:
            print(case["id"], task, told)
    played += 1
print("played", played)
"#;

#[test]
fn the_cases_are_what_the_reference_says() {
    let vectors: PathBuf = [env!("CARGO_MANIFEST_DIR"), "tests", "vectors"]
        .iter()
        .collect();
    let run = Command::new("python3")
        .arg("-c")
        .arg(DRIVER)
        .arg(vectors.join("safety_reference.py"))
        .arg(vectors.join("safety-cases.jsonl"))
        .output()
        .expect("python3 runs the reference");
    assert!(
        run.status.success(),
        "{}",
        String::from_utf8_lossy(&run.stderr)
    );
    assert_eq!(String::from_utf8_lossy(&run.stdout).trim(), "played 44");
}
