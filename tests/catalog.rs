//! The shipped catalogue: its rules, its examples, and the table that is built in. Run with
//! `WATCHFLOOR_WRITE_CATALOG=1` to write the table after an entry was added.

#![expect(
    clippy::unwrap_used,
    reason = "a case that cannot be read fails its test"
)]

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use serde_json::Value;
use watchfloor::contract::catalog::{Catalog, Entry, Shipped};
use watchfloor::contract::refusal::Code;
use watchfloor::rules::triage::{Signal, classify, classify_over, is_transient};

const TABLE: &str = "src/contract/catalog/table.rs";

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn read(name: &str) -> String {
    fs::read_to_string(path(name)).unwrap()
}

fn catalog() -> Catalog {
    let loaded = Catalog::parse(read("catalog/failure_codes.json").as_bytes()).unwrap();
    assert_eq!(loaded.warnings, []);
    loaded.catalog
}

fn examples() -> BTreeMap<String, Vec<String>> {
    let mut examples: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in read("catalog/examples.jsonl").lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let text = |key: &str| case[key].as_str().unwrap().to_owned();
        examples.entry(text("code")).or_default().push(text("text"));
    }
    examples
}

/// The built-in table of a catalogue, an entry a line.
fn table(catalog: &Catalog) -> String {
    let mut source =
        "//! Made from `catalog/failure_codes.json` by `tests/catalog.rs`; the file is \
                      the source.\n\nuse super::Shipped;\n\n#[rustfmt::skip]\n\
                      pub(super) static TABLE: &[Shipped] = &[\n"
            .to_owned();
    for entry in &catalog.codes {
        let Entry {
            code,
            layer,
            tokens,
            cause,
            next_command,
            recoverable,
            not_this,
        } = entry;
        writeln!(
            source,
            "    Shipped {{ code: {code:?}, layer: {layer:?}, tokens: &{tokens:?}, \
             cause: {cause:?}, next_command: {next_command:?}, recoverable: {recoverable}, \
             not_this: &{not_this:?} }},"
        )
        .unwrap();
    }
    source.push_str("];\n");
    source
}

#[test]
fn the_table_is_that_of_the_file() {
    let catalog = catalog();
    let wanted = table(&catalog);
    if std::env::var_os("WATCHFLOOR_WRITE_CATALOG").is_some_and(|value| value == "1") {
        fs::write(path(TABLE), &wanted).unwrap();
    }
    assert!(read(TABLE) == wanted, "{TABLE} is out of date");
}

/// Needs the table to be right, which the test above sees to.
#[test]
fn what_is_built_in_is_what_the_file_says() {
    let catalog = catalog();
    assert!(catalog.codes == Catalog::shipped().codes, "see {TABLE}");
    assert!(
        catalog.aliases.is_empty(),
        "an alias is a person's decision"
    );
    for entry in Shipped::all() {
        for token in entry.tokens {
            let lower = token.to_lowercase();
            assert_eq!(*token, lower, "{} is looked for in lower case", entry.code);
            let normal = Signal::read(token).unwrap();
            assert_eq!(
                normal.normal(),
                token.trim(),
                "{}: no text can hold it",
                entry.code
            );
        }
    }
}

#[test]
fn every_entry_knows_its_examples_and_no_earlier_one_does() {
    let examples = examples();
    for (code, texts) in &examples {
        for text in texts {
            let answer = classify(Catalog::shipped(), text, None).unwrap();
            assert_eq!(&answer.code, code, "{text}");
            let over = classify_over(&Catalog::empty(), text, None).unwrap();
            assert_eq!(over, answer);
            let passes = matches!(answer.entry_layer.as_deref(), Some("provider" | "network"));
            assert_eq!(
                is_transient(&answer),
                answer.recoverable && passes,
                "{code}"
            );
        }
    }
    let codes = &Catalog::shipped().codes;
    assert!(codes.len() >= 130, "{}", codes.len());
    for entry in codes {
        let shown = examples.get(&entry.code).map_or(0, Vec::len);
        assert!(shown >= 2, "{} has {shown} examples", entry.code);
        for other in &entry.not_this {
            assert!(Catalog::shipped().is_code(other), "{other} is no code");
        }
    }
}

/// What says nothing of a cause is known to nobody.
#[test]
fn ordinary_texts_hit_no_entry() {
    for text in [
        "all 214 tests passed in 3.1 s",
        "Compiling demo v0.1.0",
        "the build finished without warnings",
        "error: something is wrong here",
        "fatal: it did not work",
        "Command exited with code 1",
        "exit status 2",
        "see the documentation for the configuration of the server",
        "I looked at the module and changed the function that reads the file",
        "expected behaviour: the client retries the request",
        "warning: unused variable",
        "the connection to the database is checked before each query",
    ] {
        let answer = classify(Catalog::shipped(), text, None).unwrap();
        assert!(answer.ambiguous, "{text}: {}", answer.code);
    }
}

#[test]
fn every_refusal_of_the_product_is_in_the_shipped_catalogue() {
    let refusals: Vec<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
    let entries = Catalog::shipped().codes.iter();
    let own: Vec<&str> = entries
        .filter(|entry| entry.layer.as_deref() == Some("watchfloor"))
        .map(|entry| entry.code.as_str())
        .collect();
    assert_eq!(own, refusals);
    for code in refusals {
        let entry = Catalog::shipped().entry(code).unwrap();
        for token in &entry.tokens {
            let answer = classify(Catalog::shipped(), token, Some("watchfloor")).unwrap();
            assert_eq!(answer.code, code, "{token}");
        }
    }
}
