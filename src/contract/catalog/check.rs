//! The rules that a catalogue must keep, and what its author is warned of.

use std::collections::BTreeSet;

use super::{Catalog, Entry, is_forbidden_label};
use crate::contract::fault::Fault;
use crate::contract::json::is_blank;

/// Words that stand in all sorts of output: a token that is part of one hits nearly anything.
const ORDINARY: [&str; 48] = [
    "about",
    "after",
    "again",
    "before",
    "branch",
    "build",
    "cannot",
    "change",
    "check",
    "class",
    "client",
    "code",
    "command",
    "compile",
    "config",
    "connection",
    "could",
    "data",
    "default",
    "error",
    "exception",
    "expected",
    "failed",
    "failure",
    "file",
    "found",
    "function",
    "import",
    "input",
    "invalid",
    "line",
    "message",
    "missing",
    "module",
    "network",
    "object",
    "output",
    "process",
    "project",
    "request",
    "result",
    "running",
    "server",
    "status",
    "string",
    "system",
    "test",
    "warning",
];

/// All broken rules, in the order of the entries, then the aliases.
pub(super) fn faults(catalog: &Catalog, base: &Catalog) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut seen = BTreeSet::new();
    let lower: Vec<Vec<String>> = catalog.codes.iter().map(lower_tokens).collect();
    for (at, entry) in catalog.codes.iter().enumerate() {
        let place = format!("codes.{at}.code");
        if is_forbidden_label(&entry.code) {
            let message = "names a symptom: look underneath and name that";
            faults.push(Fault::new("forbidden_code", place.clone(), message));
        }
        if !seen.insert(&entry.code) {
            let message = "an earlier entry has the same code";
            faults.push(Fault::new("duplicate_code", place, message));
        }
        for (token_at, token) in lower[at].iter().enumerate() {
            let place = format!("codes.{at}.match.{token_at}");
            if is_blank(token) {
                faults.push(Fault::new("empty_token", place, "must not be blank"));
            } else if let Some(earlier) = shadow(catalog, &lower, at, token) {
                let message = format!("the earlier entry {earlier} hits every text that this hits");
                faults.push(Fault::new("token_shadowed", place, message));
            }
        }
    }
    for (minted, code) in &catalog.aliases {
        if !catalog.is_code(code) && !base.is_code(code) {
            let message = format!("names {code}, which is no entry");
            faults.push(Fault::new(
                "dangling_alias",
                format!("aliases.{minted}"),
                message,
            ));
        }
    }
    faults
}

/// Tokens that hit ordinary words, and so texts that have nothing to do with the entry.
pub(super) fn warnings(catalog: &Catalog) -> Vec<Fault> {
    let mut warnings = Vec::new();
    for (at, entry) in catalog.codes.iter().enumerate() {
        for (token_at, token) in lower_tokens(entry).iter().enumerate() {
            if let Some(word) = ORDINARY.iter().find(|word| word.contains(token.as_str())) {
                let message = format!("also hits the ordinary word {word}");
                let place = format!("codes.{at}.match.{token_at}");
                warnings.push(Fault::new("token_too_common", place, message));
            }
        }
    }
    warnings
}

/// Entries of the catalogue below that a token of this one hides, wholly or in part: where that
/// entry's token is hit, this one is hit before it.
pub(super) fn hidden(catalog: &Catalog, base: &Catalog) -> Vec<Fault> {
    let lower: Vec<Vec<String>> = base.codes.iter().map(lower_tokens).collect();
    let mut hidden = Vec::new();
    for (at, entry) in catalog.codes.iter().enumerate() {
        for (token_at, token) in lower_tokens(entry).iter().enumerate() {
            let below = base.codes.iter().zip(&lower);
            let found = below.filter(|(other, tokens)| {
                !is_blank(token)
                    && (entry.layer.is_none() || entry.layer == other.layer)
                    && tokens.iter().any(|t| t.contains(token.as_str()))
            });
            for (other, _) in found {
                let message = format!("stands before {} and hits what that hits", other.code);
                let place = format!("codes.{at}.match.{token_at}");
                hidden.push(Fault::new("entry_hidden", place, message));
            }
        }
    }
    hidden
}

/// The earlier entry that is always hit where this token would be: it fits every layer that
/// this entry fits, and one of its tokens is part of this one.
fn shadow<'a>(
    catalog: &'a Catalog,
    lower: &[Vec<String>],
    at: usize,
    token: &str,
) -> Option<&'a str> {
    let layer = &catalog.codes[at].layer;
    let mut earlier = catalog.codes[..at].iter().zip(lower);
    let found = earlier.find(|(entry, tokens)| {
        (entry.layer.is_none() || entry.layer == *layer)
            && tokens.iter().any(|t| !is_blank(t) && token.contains(t))
    });
    found.map(|(entry, _)| entry.code.as_str())
}

fn lower_tokens(entry: &Entry) -> Vec<String> {
    entry.tokens.iter().map(|t| t.to_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(code: &str, layer: Option<&str>, tokens: &[&str]) -> Entry {
        Entry {
            code: code.to_owned(),
            layer: layer.map(str::to_owned),
            tokens: tokens.iter().map(|t| (*t).to_owned()).collect(),
            cause: "c".to_owned(),
            next_command: "true".to_owned(),
            recoverable: false,
            not_this: Vec::new(),
        }
    }

    fn of(codes: Vec<Entry>) -> Catalog {
        Catalog {
            codes,
            ..Catalog::empty()
        }
    }

    fn shown(faults: &[Fault]) -> Vec<String> {
        let lines = faults.iter();
        lines.map(|f| format!("{} {}", f.code, f.path)).collect()
    }

    fn check(codes: Vec<Entry>) -> Vec<String> {
        shown(&faults(&of(codes), &Catalog::empty()))
    }

    #[test]
    fn forbidden_and_duplicate_codes_and_empty_tokens_are_refused_together() {
        let found = check(vec![
            entry("a", None, &["one"]),
            entry("Fail", None, &["two", " "]),
            entry("a", None, &["", "three"]),
        ]);
        assert_eq!(
            found,
            [
                "forbidden_code codes.1.code",
                "empty_token codes.1.match.1",
                "duplicate_code codes.2.code",
                "empty_token codes.2.match.0",
            ]
        );
    }

    #[test]
    fn a_token_is_shadowed_only_where_no_layer_is_left_to_it() {
        let shadowed = ["token_shadowed codes.1.match.0"];
        let first = |layer| entry("a", layer, &["Reset by"]);
        let second = |layer| entry("b", layer, &["connection RESET BY peer", "other"]);
        assert_eq!(check(vec![first(None), second(None)]), shadowed);
        assert_eq!(check(vec![first(None), second(Some("net"))]), shadowed);
        assert_eq!(
            check(vec![first(Some("net")), second(Some("net"))]),
            shadowed
        );
        let free: [&str; 0] = [];
        assert_eq!(check(vec![first(Some("net")), second(None)]), free);
        assert_eq!(check(vec![first(Some("net")), second(Some("git"))]), free);
        assert_eq!(check(vec![second(None), first(None)]), free);
        assert_eq!(check(vec![entry("a", None, &["long one", "one"])]), free);
        let told = faults(&of(vec![first(None), second(None)]), &Catalog::empty());
        assert_eq!(
            told[0].message,
            "the earlier entry a hits every text that this hits"
        );
    }

    #[test]
    fn an_alias_names_an_entry_of_either_catalogue() {
        let mut user = of(vec![entry("mine", None, &["gizmo"])]);
        user.aliases.insert("m1".into(), "mine".into());
        user.aliases.insert("m2".into(), "theirs".into());
        user.aliases.insert("m3".into(), "nobodys".into());
        let base = of(vec![entry("theirs", None, &["widget"])]);
        assert_eq!(shown(&faults(&user, &base)), ["dangling_alias aliases.m3"]);
    }

    #[test]
    fn tokens_inside_ordinary_words_are_warned_of() {
        let catalog = of(vec![entry(
            "a",
            None,
            &["ERR", "gizmo", "warning", "warnings"],
        )]);
        let found = warnings(&catalog);
        assert_eq!(
            shown(&found),
            [
                "token_too_common codes.0.match.0",
                "token_too_common codes.0.match.2"
            ]
        );
        assert_eq!(found[0].message, "also hits the ordinary word error");
    }

    #[test]
    fn entries_below_that_are_hidden_are_warned_of() {
        let base = of(vec![
            entry("a", Some("net"), &["connection reset by peer"]),
            entry("b", Some("git"), &["RESET by hand"]),
        ]);
        let told = |layer| {
            let found = hidden(
                &of(vec![entry("mine", layer, &["gizmo", "Reset By"])]),
                &base,
            );
            let lines = found.iter();
            lines
                .map(|f| format!("{} {}", f.path, f.message))
                .collect::<Vec<_>>()
        };
        let a = "codes.0.match.1 stands before a and hits what that hits".to_owned();
        let b = "codes.0.match.1 stands before b and hits what that hits".to_owned();
        assert_eq!(told(None), [a.clone(), b]);
        assert_eq!(told(Some("net")), [a]);
        assert_eq!(told(Some("disk")), [""; 0]);
        let empty = of(vec![entry("mine", None, &[" "])]);
        assert_eq!(hidden(&empty, &base), []);
    }

    #[test]
    fn a_users_catalogue_stands_before_the_other() {
        let user = r#"{"schema": "triage_error.catalog.v1", "codes": [{"code": "mine",
            "match": ["gizmo"], "cause": "c", "next_command": "true", "recoverable": true,
            "not_this": []}], "aliases": {"m": "theirs", "n": "mine"}}"#;
        let mut base = of(vec![entry("theirs", None, &["gizmo"])]);
        base.aliases.insert("m".into(), "base".into());
        base.aliases.insert("o".into(), "theirs".into());
        let loaded = Catalog::parse_over(user.as_bytes(), &base).unwrap();
        let codes: Vec<&str> = loaded
            .catalog
            .codes
            .iter()
            .map(|e| e.code.as_str())
            .collect();
        assert_eq!(codes, ["mine", "theirs"]);
        let aliases: Vec<(&str, &str)> = loaded
            .catalog
            .aliases
            .iter()
            .map(|(m, c)| (m.as_str(), c.as_str()))
            .collect();
        assert_eq!(aliases, [("m", "theirs"), ("n", "mine"), ("o", "theirs")]);
        assert_eq!(shown(&loaded.warnings), ["entry_hidden codes.0.match.0"]);
        let alone = Catalog::parse(user.as_bytes()).unwrap_err();
        assert_eq!(shown(&alone), ["dangling_alias aliases.m"]);
    }
}
