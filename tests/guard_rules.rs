//! The guard's built-in rules: the tables that are built in are those of `catalog/guard/`, and each
//! rule's examples hold. Run with `WATCHFLOOR_WRITE_CATALOG=1` to write the tables after a rule was
//! changed.

#![expect(clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use watchfloor::contract::guard::{GuardOutcome, Policy};
use watchfloor::contract::guard_rule::{Environment, GuardRule, RuleFile, RuleOutcome};
use watchfloor::rules::guard::judge;

const RULES: &str = "src/rules/guard/rules/table.rs";
const PATTERNS: &str = "src/rules/guard/rules/patterns.rs";

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// All files, in the order of their names.
fn files() -> RuleFile {
    let mut names: Vec<PathBuf> = fs::read_dir(path("catalog/guard"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "toml"))
        .collect();
    names.sort();
    let mut all = RuleFile::default();
    for name in names {
        let text = fs::read_to_string(&name).unwrap();
        let file: RuleFile =
            toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", name.display()));
        all.rule.extend(file.rule);
        all.values.extend(file.values);
    }
    all
}

fn outcome(rule: &GuardRule) -> String {
    match rule.outcome {
        RuleOutcome::Trip => format!("Outcome::Trip(Trigger::{:?})", rule.trigger.unwrap()),
        RuleOutcome::Deny => "Outcome::Deny".to_owned(),
        RuleOutcome::Reads => "Outcome::Reads".to_owned(),
    }
}

fn rules(all: &RuleFile) -> String {
    let mut source = "//! Made from `catalog/guard/` by `tests/guard_rules.rs`; the files are the \
                      source.\n\nuse crate::contract::breaker::Trigger;\n\
                      use crate::contract::guard_rule::Environment;\n\n\
                      use super::{Outcome, Rule};\n\n#[rustfmt::skip]\n\
                      pub(super) static RULES: &[Rule] = &[\n"
        .to_owned();
    for rule in &all.rule {
        let environment = match rule.environment {
            Environment::Any => "Any",
            Environment::Production => "Production",
            Environment::Unnamed => "Unnamed",
        };
        writeln!(
            source,
            "    Rule {{ id: {:?}, outcome: {}, reason: {:?}, environment: Environment::{environment}, \
             prints: {:?}, unless: &{:?} }},",
            rule.id,
            outcome(rule),
            rule.reason,
            rule.prints,
            rule.unless
        )
        .unwrap();
    }
    source.push_str(
        "];\n\n/// Flags that take a value.\n#[rustfmt::skip]\n\
         pub(super) static VALUED: &[(&str, &[&str])] = &[\n",
    );
    for (program, flags) in &all.values {
        writeln!(source, "    ({program:?}, &{flags:?}),").unwrap();
    }
    source.push_str("];\n");
    source
}

fn patterns(all: &RuleFile) -> String {
    let mut programs: BTreeMap<&str, Vec<(usize, &str)>> = BTreeMap::new();
    for (at, rule) in all.rule.iter().enumerate() {
        for pattern in &rule.when {
            let (names, rest) = pattern.split_once(' ').unwrap_or((pattern, ""));
            for name in names.split('|') {
                programs.entry(name).or_default().push((at, rest));
            }
        }
    }
    let mut source = "//! Made from `catalog/guard/` by `tests/guard_rules.rs`; the files are the \
                      source.\n\nuse super::Patterns;\n\n/// By program, in order.\n"
        .to_owned();
    for (name, wild) in [("PATTERNS", false), ("WILD", true)] {
        if wild {
            source.push_str("\n/// By programs with stars in their names.\n");
        }
        let _ = write!(
            source,
            "#[rustfmt::skip]\npub(super) static {name}: &[Patterns] = &[\n"
        );
        let mut line = String::new();
        for (program, patterns) in programs
            .iter()
            .filter(|(program, _)| program.contains('*') == wild)
        {
            let entry = format!("({program:?}, &{patterns:?}),");
            if line.len() + entry.len() > 180 && !line.is_empty() {
                writeln!(source, "   {line}").unwrap();
                line.clear();
            }
            line.push(' ');
            line.push_str(&entry);
        }
        writeln!(source, "   {line}\n];").unwrap();
    }
    source
}

#[test]
fn the_tables_are_those_of_the_files() {
    let all = files();
    let write = std::env::var_os("WATCHFLOOR_WRITE_CATALOG").is_some_and(|value| value == "1");
    for (name, wanted) in [(RULES, rules(&all)), (PATTERNS, patterns(&all))] {
        if write {
            fs::write(path(name), &wanted).unwrap();
        }
        let there = fs::read_to_string(path(name)).unwrap_or_default();
        assert!(there == wanted, "{name} is out of date");
    }
}

#[test]
fn every_rule_holds_its_examples() {
    let policy = Policy {
        workspace: "/w/app".to_owned(),
        cwd: "/w/app".to_owned(),
        home: "/home/d".to_owned(),
        ..Policy::default()
    };
    let mut faults = Vec::new();
    let mut examples = 0;
    for rule in files().rule {
        for example in &rule.matches {
            examples += 1;
            let said = judge("Bash", example, &policy);
            let outcome = rule.outcome.answer();
            let reads = rule.outcome == RuleOutcome::Reads;
            if said.outcome != outcome
                || (!reads && said.rule.as_deref() != Some(&rule.id))
                || (reads && !said.only_reads)
            {
                faults.push(format!("{} does not match `{example}`: {said:?}", rule.id));
            }
        }
        for example in &rule.pass {
            examples += 1;
            let said = judge("Bash", example, &policy);
            if said.outcome != GuardOutcome::Allow {
                faults.push(format!("{} lets not pass `{example}`: {said:?}", rule.id));
            }
        }
    }
    println!("{examples} examples");
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

#[test]
fn every_rule_is_named_once_and_every_named_rule_exists() {
    let all = files();
    let ids: BTreeSet<&str> = all.rule.iter().map(|rule| rule.id.as_str()).collect();
    assert_eq!(ids.len(), all.rule.len(), "two rules of one id");
    let mut folders = vec![path("src/rules/guard")];
    let mut missing = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let file = entry.unwrap().path();
            if file.is_dir() {
                folders.push(file);
                continue;
            }
            let text = fs::read_to_string(&file).unwrap();
            for part in text.split('"').skip(1).step_by(2) {
                let family = [
                    "git.",
                    "prod.",
                    "secret.",
                    "ssh.",
                    "disk.",
                    "persist.",
                    "approval.",
                    "exec.",
                ];
                let named = family.iter().any(|start| {
                    part.strip_prefix(start).is_some_and(|rest| {
                        !rest.is_empty()
                            && rest.bytes().all(|b| b.is_ascii_lowercase() || b == b'-')
                    })
                });
                // Those of values are named `secret.value-KIND`; a test may ask for their beginning.
                let begins = ids.iter().any(|id| id.starts_with(&format!("{part}-")));
                if named && !begins && !ids.contains(part) && part != "prod.env" {
                    missing.push(format!("{}: {part}", file.display()));
                }
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}
