//! Reads a catalogue's fields strictly.

use std::collections::BTreeMap;

use super::{CATALOG, Catalog, Entry};
use crate::contract::fault::Fault;
use crate::contract::json::{Doc, Fields};

/// Reads a catalogue without judging its rules.
///
/// # Errors
/// All faults together.
pub(super) fn read(bytes: &[u8]) -> Result<Catalog, Vec<Fault>> {
    let doc = Doc::parse(bytes)?;
    let mut fields = Fields::open(&doc, "")?;
    let schema = fields.literal("schema", CATALOG);
    let note = fields.any_text("note").unwrap_or_default();
    let mut codes = Vec::new();
    if fields.required("codes").is_some() {
        for (at, item) in fields.items("codes").iter().enumerate() {
            match entry(item, &format!("codes.{at}")) {
                Ok(entry) => codes.push(entry),
                Err(faults) => fields.absorb(faults),
            }
        }
    }
    let aliases = aliases(&mut fields);
    let faults = fields.close();
    if !faults.is_empty() {
        return Err(faults);
    }
    Ok(Catalog {
        schema,
        note,
        codes,
        aliases,
    })
}

/// Reads one entry.
///
/// # Errors
/// The faults of its fields together.
pub(super) fn entry(doc: &Doc, path: &str) -> Result<Entry, Vec<Fault>> {
    let mut fields = Fields::open(doc, path)?;
    let entry = Entry {
        code: fields.text("code"),
        layer: fields.optional_text("layer"),
        tokens: tokens(&mut fields),
        cause: fields.text("cause"),
        next_command: fields.text("next_command"),
        recoverable: fields.flag("recoverable"),
        not_this: fields.texts("not_this"),
    };
    let faults = fields.close();
    if faults.is_empty() {
        Ok(entry)
    } else {
        Err(faults)
    }
}

/// The tokens as they stand: whether one is blank is a rule of the catalogue.
fn tokens(fields: &mut Fields<'_>) -> Vec<String> {
    let mut tokens = Vec::new();
    if fields.required("match").is_none() {
        return tokens;
    }
    for (at, item) in fields.items("match").iter().enumerate() {
        if let Doc::Text(token) = item {
            tokens.push(token.clone());
        } else {
            let message = format!("must be a text, not {}", item.kind());
            fields.fault("type", &format!("match.{at}"), &message);
        }
    }
    tokens
}

fn aliases(fields: &mut Fields<'_>) -> BTreeMap<String, String> {
    let mut aliases = BTreeMap::new();
    match fields.given("aliases") {
        None => {}
        Some(Doc::Object(entries)) => {
            for (minted, code) in entries {
                if let Doc::Text(code) = code {
                    aliases.insert(minted.clone(), code.clone());
                } else {
                    let message = format!("must be a text, not {}", code.kind());
                    fields.fault("type", &format!("aliases.{minted}"), &message);
                }
            }
        }
        Some(other) => {
            let message = format!("must be an object, not {}", other.kind());
            fields.fault("type", "aliases", &message);
        }
    }
    aliases
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(text: &str) -> Vec<String> {
        let faults = read(text.as_bytes()).unwrap_err();
        let lines = faults.iter();
        lines.map(|f| format!("{} {}", f.code, f.path)).collect()
    }

    #[test]
    fn a_catalogue_is_read_as_it_stands() {
        let text = r#"{"schema": "triage_error.catalog.v1", "note": "", "codes": [
            {"code": "a", "layer": null, "match": ["X", ""], "cause": "c", "next_command": "true",
             "recoverable": true, "not_this": ["b"]}], "aliases": {"m": "a"}}"#;
        let catalog = read(text.as_bytes()).unwrap();
        let expected = Entry {
            code: "a".to_owned(),
            layer: None,
            tokens: vec!["X".to_owned(), String::new()],
            cause: "c".to_owned(),
            next_command: "true".to_owned(),
            recoverable: true,
            not_this: vec!["b".to_owned()],
        };
        assert_eq!(catalog.codes, [expected]);
        assert_eq!(catalog.aliases["m"], "a");
        let bare = r#"{"schema": "triage_error.catalog.v1", "codes": []}"#;
        assert_eq!(read(bare.as_bytes()), Ok(Catalog::empty()));
    }

    #[test]
    fn all_faults_of_the_fields_come_together() {
        let text = r#"{"schema": "triage_error.catalog.v2", "note": 1, "codes": [
            {"match": ["a", 1], "cause": " ", "next_command": "x", "recoverable": "yes", "z": 0},
            7, {"code": "k", "match": null, "cause": "c", "next_command": "n",
            "recoverable": false, "not_this": []},
            {"code": "k", "cause": "c", "next_command": "n", "recoverable": false}],
            "aliases": {"m": 1}, "more": 1}"#;
        assert_eq!(
            faults(text),
            [
                "literal_error schema",
                "type note",
                "missing codes.0.code",
                "type codes.0.match.1",
                "string_too_short codes.0.cause",
                "type codes.0.recoverable",
                "extra_forbidden codes.0.z",
                "type codes.1",
                "type codes.2.match",
                "missing codes.3.match",
                "type aliases.m",
                "extra_forbidden more",
            ]
        );
        let odd = r#"{"schema": "triage_error.catalog.v1", "aliases": []}"#;
        assert_eq!(faults(odd), ["missing codes", "type aliases"]);
    }
}
