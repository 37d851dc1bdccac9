//! The tree of a JSON text. Unlike a map it keeps every key, so duplicates are seen.

use std::collections::BTreeSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use crate::contract::fault::Fault;

/// One JSON value with the keys of its objects in the order of the text.
#[derive(Clone, Debug, PartialEq)]
pub enum Doc {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A finite number.
    Number(Number),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Doc>),
    /// An object; no key stands in it twice.
    Object(Vec<(String, Doc)>),
}

impl Doc {
    /// Reads one JSON text. Nesting is bounded: 127 levels are read, deeper ones are refused.
    ///
    /// # Errors
    /// `json_invalid` for bytes that are no UTF-8, a byte-order mark, trailing text, NaN,
    /// numbers out of range, too deep nesting and anything else that is no JSON; else one
    /// `duplicate_key` for every key that an object holds more than once.
    pub fn parse(bytes: &[u8]) -> Result<Self, Vec<Fault>> {
        let invalid = |message: String| vec![Fault::new("json_invalid", "", message)];
        let text = std::str::from_utf8(bytes)
            .map_err(|e| invalid(format!("is not UTF-8 at byte {}", e.valid_up_to())))?;
        let doc: Self =
            serde_json::from_str(text).map_err(|e| invalid(format!("is not JSON: {e}")))?;
        let mut faults = Vec::new();
        doc.duplicates("", &mut faults);
        if faults.is_empty() {
            Ok(doc)
        } else {
            Err(faults)
        }
    }

    /// What it is, for a message.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Number(_) => "a number",
            Self::Text(_) => "a text",
            Self::List(_) => "a list",
            Self::Object(_) => "an object",
        }
    }

    /// The same value as `serde_json` holds it.
    #[must_use]
    pub fn to_value(&self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(flag) => Value::Bool(*flag),
            Self::Number(number) => Value::Number(number.clone()),
            Self::Text(text) => Value::String(text.clone()),
            Self::List(items) => Value::Array(items.iter().map(Self::to_value).collect()),
            Self::Object(entries) => Value::Object(to_map(entries)),
        }
    }

    fn duplicates(&self, path: &str, faults: &mut Vec<Fault>) {
        match self {
            Self::List(items) => {
                for (at, item) in items.iter().enumerate() {
                    item.duplicates(&join(path, &at.to_string()), faults);
                }
            }
            Self::Object(entries) => {
                let mut seen = BTreeSet::new();
                let mut told = BTreeSet::new();
                for (key, value) in entries {
                    let here = join(path, key);
                    if !seen.insert(key) && told.insert(key) {
                        let message = "the key stands in the object more than once";
                        faults.push(Fault::new("duplicate_key", here.clone(), message));
                    }
                    value.duplicates(&here, faults);
                }
            }
            _ => {}
        }
    }
}

/// The entries of an object as `serde_json` holds them, in their order.
pub(super) fn to_map(entries: &[(String, Doc)]) -> Map<String, Value> {
    let pairs = entries.iter();
    pairs
        .map(|(key, doc)| (key.clone(), doc.to_value()))
        .collect()
}

/// A path and the key or index below it.
pub(super) fn join(path: &str, key: &str) -> String {
    if path.is_empty() {
        key.to_owned()
    } else {
        format!("{path}.{key}")
    }
}

impl<'de> Deserialize<'de> for Doc {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(DocVisitor)
    }
}

struct DocVisitor;

impl<'de> Visitor<'de> for DocVisitor {
    type Value = Doc;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Doc, E> {
        Ok(Doc::Null)
    }

    fn visit_bool<E: Error>(self, flag: bool) -> Result<Doc, E> {
        Ok(Doc::Bool(flag))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Doc, E> {
        Ok(Doc::Number(number.into()))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Doc, E> {
        Ok(Doc::Number(number.into()))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Doc, E> {
        let number = Number::from_f64(number);
        number
            .map(Doc::Number)
            .ok_or_else(|| E::custom("a number that is not finite"))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Doc, E> {
        Ok(Doc::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Doc, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element()? {
            items.push(item);
        }
        Ok(Doc::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Doc, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Doc::Object(entries))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn codes(bytes: &[u8]) -> Vec<(String, String)> {
        let faults = Doc::parse(bytes).unwrap_err();
        faults.into_iter().map(|f| (f.code, f.path)).collect()
    }

    #[test]
    fn every_kind_of_value_is_read_in_its_order() {
        let text = r#" {"z": [null, true, -1, 18446744073709551615, 1.5, "é"], "a": {}} "#;
        let doc = Doc::parse(text.as_bytes()).unwrap();
        let expected: Value = serde_json::from_str(text).unwrap();
        assert_eq!(doc.to_value(), expected);
        assert_eq!(
            doc.to_value().to_string(),
            r#"{"z":[null,true,-1,18446744073709551615,1.5,"é"],"a":{}}"#
        );
        let Doc::Object(entries) = &doc else {
            panic!("no object")
        };
        let Doc::List(items) = &entries[0].1 else {
            panic!("no list")
        };
        let kinds: Vec<&str> = items.iter().map(Doc::kind).collect();
        assert_eq!(
            kinds,
            [
                "null",
                "a boolean",
                "a number",
                "a number",
                "a number",
                "a text"
            ]
        );
        assert_eq!(entries[0].1.kind(), "a list");
        assert_eq!(entries[1].1.kind(), "an object");
    }

    #[test]
    fn what_is_no_json_is_json_invalid() {
        let deep = "[".repeat(200) + &"]".repeat(200);
        let cases: [&[u8]; 13] = [
            b"",
            b"  ",
            b"looks good",
            b"{} x",
            b"{}{}",
            b"\xef\xbb\xbf{}",
            b"{\"a\": NaN}",
            b"[1e999]",
            b"[Infinity]",
            b"{\"a\": 1,}",
            b"\"\\ud800\"",
            b"\"\xff\"",
            deep.as_bytes(),
        ];
        for case in cases {
            let expected = [("json_invalid".to_owned(), String::new())];
            assert_eq!(codes(case), expected, "{}", String::from_utf8_lossy(case));
        }
        let shallow = "[".repeat(127) + &"]".repeat(127);
        assert!(Doc::parse(shallow.as_bytes()).is_ok());
        let faults = Doc::parse(b"{\"a\": \"\xff\"}").unwrap_err();
        assert_eq!(faults[0].message, "is not UTF-8 at byte 7");
    }

    #[test]
    fn duplicate_keys_are_told_once_each_with_their_path() {
        let text =
            br#"{"a": 1, "b": [{"c": 1, "c": 2, "c": 3}], "a": {"d": 0, "d": 0}, "e": {"a": 1}}"#;
        let expected = [("b.0.c"), ("a"), ("a.d")];
        let found = codes(text);
        assert!(found.iter().all(|(code, _)| code == "duplicate_key"));
        let paths: Vec<&str> = found.iter().map(|(_, path)| path.as_str()).collect();
        assert_eq!(paths, expected);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            let ours = Doc::parse(&bytes);
            let theirs: Result<Value, _> = serde_json::from_slice(&bytes);
            prop_assert_eq!(ours.is_ok(), theirs.is_ok());
        }

        #[test]
        fn json_like_texts_never_panic(text in r#"[\[\]{}:,"a0.e\\ -]{0,40}"#) {
            if let Err(faults) = Doc::parse(text.as_bytes()) {
                prop_assert!(!faults.is_empty());
            }
        }
    }
}
