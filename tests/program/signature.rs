//! `signature explain`: real failure texts, read by the built program without a store.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::desk::Desk;

/// A text of the set and what the program said of it.
fn explained(desk: &Desk, case: &Value) -> Value {
    let text = |key: &str| case[key].as_str().unwrap();
    let code = case["exit_code"].to_string();
    let mut args = vec!["signature", "explain", "-", "--json", "--cwd", text("cwd")];
    args.extend(["--tool", text("tool")]);
    if case["exit_code"].is_i64() {
        args.extend(["--exit-code", &code]);
    }
    let said = desk.feed(&args, text("raw"));
    assert_eq!(said.code, 0, "{said:?}");
    said.json()
}

#[test]
fn real_texts_fall_into_their_groups() {
    let desk = Desk::bare();
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/vectors/signatures.jsonl"
    );
    let mut groups: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut faults = Vec::new();
    for line in std::fs::read_to_string(path).unwrap().lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let said = explained(&desk, &case);
        let group = case["group"].as_str().unwrap().to_owned();
        if said["strength"] != case["strength"] {
            faults.push(format!("{group}: strength {}", said["strength"]));
        }
        assert!(!said["records"].as_array().unwrap().is_empty());
        let id = said["signature"].as_str().unwrap().to_owned();
        assert!(id.starts_with("es1:") && said["family"].as_str().unwrap().starts_with("ef1:"));
        groups.entry(group).or_default().push(id);
    }
    let mut owners: BTreeMap<String, String> = BTreeMap::new();
    for (group, ids) in &mut groups {
        let texts = ids.len();
        ids.sort();
        ids.dedup();
        if ids.len() > 1 {
            faults.push(format!("{group}: {texts} texts have {} ids", ids.len()));
        }
        if let Some(owner) = owners.insert(ids[0].clone(), group.clone()) {
            faults.push(format!("{group}: the same as {owner}"));
        }
    }
    let count = groups.len();
    assert!(
        faults.is_empty(),
        "of {count} groups:\n{}",
        faults.join("\n")
    );
    assert!(!desk.store().exists(), "explaining needs no store");
}

#[test]
fn each_step_is_told() {
    let desk = Desk::bare();
    let text = "   Compiling demo v0.1.0 (/w/one)\nnpm ERR! Missing script: \"x\"\n\
        src/a.ts(18,7): error TS2304: Cannot find name 'job1234567'.\nall is lost\nexit code 2\n";
    let args = [
        "signature",
        "explain",
        "-",
        "--cwd",
        "/w/one",
        "--exit-code",
        "2",
    ];
    let said = desk.feed(&[&args[..], &["--json"]].concat(), text).json();
    assert_eq!(said["tier"], "cause");
    assert_eq!(said["strength"], "strong");
    assert_eq!(
        said["records"][0],
        "TS2304|src/a.ts|Cannot find name 'job1234567'."
    );
    assert_eq!((&said["lines"], &said["dropped"]), (&5.into(), &2.into()));
    let extracted = said["extracted"].as_array().unwrap();
    let told = |at: usize| {
        let found = &extracted[at];
        (
            found["line"].as_u64(),
            found["extractor"].as_str(),
            found["counts"].as_bool(),
        )
    };
    assert_eq!(extracted.len(), 2);
    assert_eq!(told(0), (Some(2), Some("npm"), Some(false)));
    assert_eq!(told(1), (Some(3), Some("diagnostic"), Some(true)));
    let human = desk.feed(&args, text).out;
    for part in [
        "es1:",
        "family ef1:",
        "strong",
        "TS2304|src/a.ts",
        "diagnostic",
        "5 lines read",
    ] {
        assert!(human.contains(part), "{part}: {human}");
    }
    let masked = desk.feed(
        &args,
        "curl: (7) no answer after 12 ms from 10.0.0.1:45123\n",
    );
    assert!(
        masked.out.contains("masked: 1 <dur>, 1 <port>"),
        "{masked:?}"
    );
}

#[test]
fn hostile_input_is_read_too() {
    let desk = Desk::bare();
    for piece in [&b"\xff\xfe\x00"[..], b"\x1b[", b"[", b"x"] {
        let said = desk.feed_bytes(
            &["signature", "explain", "-", "--json"],
            &piece.repeat(300_000),
        );
        assert_eq!(
            said.json()["strength"].as_str().map(str::is_empty),
            Some(false)
        );
    }
    let nothing = desk.run(&["signature", "explain", "-", "--json"]).json();
    assert_eq!(nothing["strength"], "weak");
    assert_eq!(nothing["records"][0], "exit unknown");
}
