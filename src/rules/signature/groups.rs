//! Real failure texts and their groups, asked of the rule itself.

use std::collections::BTreeMap;

use serde_json::Value;

use super::*;
use crate::contract::signature::SignatureId;

const TEXTS: &str = include_str!("../../../tests/vectors/signatures.jsonl");

#[test]
fn one_root_cause_is_one_signature() {
    let mut groups: BTreeMap<String, SignatureId> = BTreeMap::new();
    let mut owners: BTreeMap<String, String> = BTreeMap::new();
    for line in TEXTS.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let text = |key: &str| case[key].as_str().unwrap();
        let code = case["exit_code"].as_i64();
        let code = code.map(|code| i32::try_from(code).unwrap());
        let signed = sign(text("raw"), code, Some(text("cwd")));
        let group = text("group").to_owned();
        let first = groups.entry(group.clone()).or_insert(signed.id.clone());
        assert_eq!(*first, signed.id, "{group} {}", signed.canonical);
        let owner = owners.entry(signed.id.to_string()).or_insert(group.clone());
        assert_eq!(*owner, group, "{}", signed.canonical);
    }
}
