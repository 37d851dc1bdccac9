//! `triage` through the built program: the public cases, odd inputs, refusals, the user's file.

use serde_json::{Value, json};

use crate::desk::{Desk, Said};

const CONTRACTS: &str = include_str!("../vectors/contract-vectors.jsonl");

fn refused(said: &Said, code: &str, exit: i32) {
    assert_eq!(said.json()["code"], code, "{said:?}");
    assert_eq!(said.code, exit, "{said:?}");
    assert_eq!(said.err, "");
}

#[test]
fn signals_are_classified_as_the_cases_say() {
    let desk = Desk::bare();
    let path = desk.project().join("catalog.json");
    let mut seen = 0;
    for line in CONTRACTS.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        if case["kind"] != "triage" {
            continue;
        }
        seen += 1;
        let (input, expect, why) = (&case["input"], &case["expect"], &case["why"]);
        std::fs::write(&path, input["catalog"].to_string()).unwrap();
        let mut args = vec![
            "triage",
            "classify",
            "-",
            "--json",
            "--catalog",
            "catalog.json",
        ];
        if let Some(layer) = input["layer"].as_str() {
            args.extend(["--layer", layer]);
        }
        let said = desk.feed(&args, input["text"].as_str().unwrap());
        if expect["usage"] == true {
            refused(&said, "usage", 2);
        } else if let Some(code) = expect["refused"].as_str() {
            refused(&said, code, 1);
        } else {
            assert_eq!(said.code, 0, "{said:?}");
            for (key, value) in expect.as_object().unwrap() {
                assert_eq!(&said.json()[key], value, "{why}: {key}");
            }
        }
    }
    assert_eq!(seen, 13);
}

#[test]
fn the_answer_has_the_keys_of_the_contract() {
    let desk = Desk::bare();
    let said = desk.run(&["triage", "classify", "novel gizmo exploded", "--json"]);
    assert_eq!(
        said.json(),
        json!({"code": "unknown_unclassified_868a830f", "layer": null,
            "cause": "no entry of the catalogue knows this failure",
            "next_command": "watchfloor triage show unknown_unclassified_868a830f",
            "recoverable": false, "not_this": [], "ambiguous": true, "matched_tokens": []})
    );
    let said = desk.run(&[
        "triage",
        "classify",
        "No space left on\ndevice",
        "--layer",
        "disk",
        "--json",
    ]);
    let found = said.json();
    assert_eq!(
        (&found["code"], &found["layer"]),
        (&json!("disk_full"), &json!("disk"))
    );
    assert_eq!(found["matched_tokens"], json!(["no space left on device"]));
    // A text may begin like a flag.
    let said = desk.run(&[
        "triage",
        "classify",
        "--json",
        "--",
        "-v: command not found",
    ]);
    assert_eq!(said.json()["code"], "process_command_missing");
    assert!(!desk.store().exists());
    let human = desk.run(&["triage", "classify", "address already in use"]);
    assert!(human.out.starts_with("network_port_taken\n"), "{human:?}");
}

#[test]
fn odd_inputs_are_texts_too() {
    let desk = Desk::bare();
    let classify = |bytes: &[u8]| {
        let said = desk.feed_bytes(&["triage", "classify", "-", "--json"], bytes);
        assert_eq!(said.code, 0, "{said:?}");
        said.json()
    };
    assert_eq!(
        classify(b"\xff\xfe\0 No space left on device \0\x80")["code"],
        "disk_full"
    );
    assert_eq!(classify(&[0xff; 9])["ambiguous"], true);
    let mut large = b"step of the build, and another one\n".repeat(300_000);
    assert!(large.len() > 10_000_000);
    let minted = classify(&large);
    assert_eq!(minted["ambiguous"], true);
    large.extend_from_slice(b"error: No space left on device\n");
    assert_eq!(classify(&large)["code"], "disk_full");
}

#[test]
fn what_is_wrong_is_said_and_nothing_is_written() {
    let desk = Desk::bare();
    refused(
        &desk.run(&["triage", "classify", " \t", "--json"]),
        "usage",
        2,
    );
    for word in ["BLOCKED", "pass", "Generic_Failure"] {
        let said = desk.run(&["triage", "classify", word, "--json"]);
        refused(&said, "forbidden_terminal_label", 1);
    }
    let bad = json!({"schema": "triage_error.catalog.v1", "note": "", "codes": [
        {"code": "FAIL", "match": ["", "x y"], "cause": "c", "next_command": "true", "recoverable": true,
         "not_this": []}], "aliases": {"a": "nobody"}});
    std::fs::write(desk.project().join("bad.json"), bad.to_string()).unwrap();
    let said = desk.run(&["triage", "classify", "x", "--catalog", "bad.json", "--json"]);
    refused(&said, "catalog_invalid", 3);
    let said = said.json();
    let faults: Vec<&str> = said["faults"]
        .as_array()
        .unwrap()
        .iter()
        .map(|fault| fault["code"].as_str().unwrap())
        .collect();
    assert_eq!(faults, ["forbidden_code", "empty_token", "dangling_alias"]);
    for args in [
        &["triage", "list", "--json"][..],
        &["triage", "due", "--json"],
        &["triage", "show", "disk_full", "--json"],
        &["triage", "observe", "x", "--json"],
        &["triage", "render", "--json"],
        &["triage", "undo", "r-1234", "--json"],
        &[
            "triage",
            "alias",
            "x_unclassified_00000000",
            "--to",
            "disk_full",
            "--json",
        ],
    ] {
        refused(&desk.run(args), "store_missing", 3);
    }
}

#[test]
fn a_users_file_stands_before_the_shipped_one_and_warns_of_what_it_hides() {
    let desk = Desk::bare();
    let folder = desk.home().join(".config/watchfloor");
    std::fs::create_dir_all(&folder).unwrap();
    let user = json!({"schema": "triage_error.catalog.v1", "note": "", "codes": [
        {"code": "our_disk", "match": ["no space left"], "cause": "c", "next_command": "true", "recoverable": true,
         "not_this": []}], "aliases": {"unknown_unclassified_868a830f": "git_merge_conflict"}});
    std::fs::write(folder.join("failure_codes.json"), user.to_string()).unwrap();
    let classify = |text: &str| desk.run(&["triage", "classify", text, "--json"]).json();
    let found = classify("no space left on device");
    assert_eq!(found["code"], "our_disk");
    assert_eq!(found["warnings"][0]["code"], "entry_hidden");
    let aliased = classify("Novel gizmo EXPLODED");
    assert_eq!(aliased["code"], "git_merge_conflict");
    assert_eq!(aliased["aliased_from"], "unknown_unclassified_868a830f");
    assert_eq!(
        aliased["matched_tokens"],
        json!(["alias:unknown_unclassified_868a830f"])
    );
    let human = desk.run(&["triage", "classify", "no space left on device"]);
    assert!(human.err.contains("stands before disk_full"), "{human:?}");
    std::fs::write(folder.join("failure_codes.json"), "{").unwrap();
    refused(
        &desk.run(&["triage", "classify", "x", "--json"]),
        "catalog_invalid",
        3,
    );
}

#[test]
fn a_minted_code_is_listed_shown_and_due() {
    let desk = Desk::new();
    let code = "scheduler_unclassified_868a830f";
    for (count, state) in [(1, "new"), (2, "due")] {
        let args = [
            "triage",
            "observe",
            "novel gizmo exploded",
            "--layer",
            "scheduler",
            "--json",
        ];
        let said = desk.run(&args).json();
        assert_eq!(
            (&said["code"], &said["count"]),
            (&json!(code), &json!(count))
        );
        assert_eq!(said["state"], state);
        let due = desk.run(&["triage", "due", "--json"]).json();
        assert_eq!(due["codes"].as_array().unwrap().len(), count - 1);
    }
    let list = desk.run(&["triage", "list", "--json"]).json();
    assert_eq!(
        (&list["codes"][0]["code"], &list["more"]),
        (&json!(code), &json!(false))
    );
    let shown = desk.run(&["triage", "show", code, "--json"]).json();
    assert_eq!(shown["samples"].as_array().unwrap().len(), 2);
    assert_eq!(shown["cards"].as_array().unwrap().len(), 3);
    let status = desk.run(&["status", "--json"]).json();
    assert_eq!(
        (&status["codes"][0]["code"], &status["counts"]["codes_due"]),
        (&json!(code), &json!(1))
    );
    let entry = desk.run(&["triage", "show", "disk_full", "--json"]).json();
    assert_eq!(
        (&entry["state"], &entry["entry_from"]),
        (&json!("known"), &json!("shipped"))
    );
    refused(
        &desk.run(&["triage", "show", "nobody", "--json"]),
        "not_found",
        1,
    );
    let preview = desk.run(&[
        "triage",
        "alias",
        code,
        "--to",
        "disk_full",
        "--check",
        "--json",
    ]);
    assert_eq!((preview.code, &preview.json()["changed"]), (0, &json!(2)));
    let nobody = desk.run(&["triage", "preview", code, "--to", "nobody", "--json"]);
    assert_eq!(
        (nobody.code, &nobody.json()["faults"][0]["code"]),
        (1, &json!("dangling_alias"))
    );
    // Nobody can sign here.
    let said = desk.run(&["triage", "alias", code, "--to", "disk_full", "--json"]);
    refused(&said, "identity_missing", 1);
    let entry = json!({"code": "disk_full", "match": ["a.*b", ""], "cause": "c", "next_command": "true",
        "recoverable": true, "not_this": []});
    let args = ["triage", "promote", code, "--file", "-", "--json"];
    let said = desk.feed(&args, &entry.to_string());
    refused(&said, "contract_fault", 1);
    assert_eq!(
        said.json()["faults"].as_array().unwrap().len(),
        4,
        "{said:?}"
    );
    refused(&desk.feed(&args, "{}"), "contract_fault", 1);
    assert_eq!(desk.run(&["verify", "--deep"]).code, 0);
}
