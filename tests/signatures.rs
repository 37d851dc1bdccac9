//! Real failure texts and the groups that they must fall into (spec 3.5).

#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use std::collections::BTreeMap;
use std::sync::LazyLock;

use proptest::prelude::*;
use serde_json::Value;
use watchfloor::contract::signature::{Signature, SignatureId, Strength};
use watchfloor::rules::signature::sign;

/// One text of the set.
#[derive(Clone, Debug)]
struct Case {
    group: String,
    variant: String,
    raw: String,
    cwd: String,
    exit_code: Option<i32>,
    strength: String,
}

impl Case {
    fn signed(&self) -> Signature {
        sign(&self.raw, self.exit_code, Some(&self.cwd))
    }
}

fn cases() -> Vec<Case> {
    let text = |value: &Value, key: &str| value[key].as_str().unwrap().to_owned();
    let path =
        std::env::var("SIGNATURES").unwrap_or_else(|_| "tests/vectors/signatures.jsonl".to_owned());
    let lines = std::fs::read_to_string(path).unwrap();
    let lines = lines.lines().map(|line| {
        let value: Value = serde_json::from_str(line).unwrap();
        let code = value["exit_code"].as_i64();
        Case {
            group: text(&value, "group"),
            variant: text(&value, "variant"),
            raw: text(&value, "raw"),
            cwd: text(&value, "cwd"),
            exit_code: code.map(|code| i32::try_from(code).unwrap()),
            strength: text(&value, "strength"),
        }
    });
    lines.collect()
}

static CASES: LazyLock<Vec<Case>> = LazyLock::new(cases);

fn case() -> impl Strategy<Value = Case> {
    (0..CASES.len()).prop_map(|at| CASES[at].clone())
}

fn told(strength: Strength) -> &'static str {
    match strength {
        Strength::Strong => "strong",
        Strength::Medium => "medium",
        Strength::Weak => "weak",
    }
}

#[test]
fn one_root_cause_is_one_signature_and_another_is_another() {
    let mut groups: BTreeMap<String, Vec<(String, String, Signature)>> = BTreeMap::new();
    for case in CASES.iter().cloned() {
        let signature = case.signed();
        let group = groups.entry(case.group).or_default();
        group.push((case.variant, case.strength, signature));
    }
    let mut faults = Vec::new();
    let mut owners: BTreeMap<String, String> = BTreeMap::new();
    for (group, signed) in &groups {
        let first = &signed[0].2;
        if signed
            .iter()
            .any(|(_, _, signature)| signature.id != first.id)
        {
            let texts: Vec<String> = signed
                .iter()
                .map(|(variant, _, signature)| format!("  {variant}: {}", signature.canonical))
                .collect();
            faults.push(format!("{group} is split:\n{}", texts.join("\n")));
        }
        let mut other = signed
            .iter()
            .filter(|(_, s, signature)| s != told(signature.strength));
        if let Some((variant, expected, signature)) = other.next() {
            faults.push(format!(
                "{group} {variant} is {} and should be {expected}: {}",
                told(signature.strength),
                signature.canonical
            ));
        }
        if let Some(owner) = owners.insert(first.id.to_string(), group.clone()) {
            faults.push(format!("{group} and {owner} are one: {}", first.canonical));
        }
    }
    assert!(
        faults.is_empty(),
        "{} faults in {} groups\n{}",
        faults.len(),
        groups.len(),
        faults.join("\n")
    );
}

#[test]
fn whoever_does_not_know_the_directory_reads_the_same_of_a_group() {
    let mut groups: BTreeMap<&str, SignatureId> = BTreeMap::new();
    let mut split = Vec::new();
    for case in CASES.iter() {
        let id = sign(&case.raw, case.exit_code, None).id;
        let first = groups.entry(&case.group).or_insert_with(|| id.clone());
        if *first != id {
            split.push(&case.group);
        }
    }
    assert!(split.is_empty(), "{split:?}");
}

/// Nothing that one failure says is read as a part of another, whichever stands first.
#[test]
fn two_failures_are_the_same_in_either_order() {
    let strong = |case: &&Case| case.variant == "a" && case.strength == "strong";
    let strong: Vec<&Case> = CASES.iter().filter(strong).collect();
    let signed = |first: &Case, second: &Case| {
        let text = format!("{}\n\n{}\n\n", first.raw, second.raw);
        sign(&text, Some(1), None).canonical
    };
    for (at, one) in strong.iter().enumerate() {
        for other in &strong[at + 1..] {
            let groups = (&one.group, &other.group);
            assert_eq!(signed(one, other), signed(other, one), "{groups:?}");
        }
    }
}

/// Changes each number that a mark stands before and `behind` accepts what follows.
fn renumbered(text: &str, marks: &[&str], by: u32, behind: fn(&str) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        if digits == 0 {
            out.push(c);
            rest = &rest[c.len_utf8()..];
            continue;
        }
        let marked = marks.iter().any(|mark| out.ends_with(mark));
        match rest[..digits].parse::<u32>() {
            Ok(number) if marked && digits < 6 && behind(&rest[digits..]) => {
                out.push_str(&number.saturating_add(by).to_string());
            }
            _ => out.push_str(&rest[..digits]),
        }
        rest = &rest[digits..];
    }
    out
}

fn is_seconds(behind: &str) -> bool {
    let unit = ["s\n", "s ", "s)", " ms", "ms", " s\n"];
    unit.iter().any(|unit| behind.starts_with(unit))
}

/// Colours words in turn, as tools do that think they write to a terminal.
fn coloured(text: &str, every: usize) -> String {
    let mut out = String::new();
    for (at, word) in text.split_inclusive(' ').enumerate() {
        if at % every == 0 {
            out.push_str("\u{1b}[1;3");
            out.push_str(&(at % 8).to_string());
            out.push('m');
            out.push_str(word);
            out.push_str("\u{1b}[0m");
        } else {
            out.push_str(word);
        }
    }
    out
}

fn same(case: &Case, text: &str, cwd: &str) -> Result<(), TestCaseError> {
    let (one, other) = (case.signed(), sign(text, case.exit_code, Some(cwd)));
    prop_assert_eq!(&one.canonical, &other.canonical, "{}", &case.group);
    prop_assert_eq!(one, other);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn colour_and_line_ends_change_nothing(case in case(), every in 1_usize..5) {
        let text = coloured(&case.raw, every).replace('\n', "\r\n");
        same(&case, &text, &case.cwd)?;
    }

    #[test]
    fn other_directories_change_nothing(case in case(), name in "[a-z]{1,9}(-[0-9a-f]{7})?") {
        let cwd = format!("/tmp/{name}/tree");
        same(&case, &case.raw.replace(&case.cwd, &cwd), &cwd)?;
    }

    #[test]
    fn other_lines_and_timings_change_nothing(case in case(), by in 1_u32..900) {
        let files = [".rs:", ".py:", ".go:", ".c:", ".js:", ".ts:", ".java:", ".ts(", ", line "];
        let text = renumbered(&case.raw, &files, by, |_| true);
        let text = renumbered(&text, &[".", "(", " ", ">"], by, is_seconds);
        same(&case, &text, &case.cwd)?;
    }

    #[test]
    fn progress_around_it_changes_nothing(case in case(), share in 1_u32..100) {
        prop_assume!(case.signed().strength != Strength::Weak);
        let text = format!(
            "   Compiling itoa v1.0.{share}\n {share}%\r 100%\n{}\n    Finished in {share}.5s\n", case.raw
        );
        same(&case, &text, &case.cwd)?;
    }

    #[test]
    fn broken_texts_are_signed_all_the_same(
        case in case(), at in any::<prop::sample::Index>(), bytes in prop::collection::vec(any::<u8>(), 0..9)
    ) {
        let mut text = case.raw.clone().into_bytes();
        let at = at.index(text.len() + 1);
        let end = (at + bytes.len()).min(text.len());
        text.splice(at..end, bytes);
        let text = String::from_utf8_lossy(&text);
        let signed = sign(&text, case.exit_code, Some(&case.cwd));
        prop_assert_eq!(&signed, &sign(&text, case.exit_code, Some(&case.cwd)));
        prop_assert!(signed.canonical.lines().count() <= watchfloor::rules::signature::LINES);
    }
}
