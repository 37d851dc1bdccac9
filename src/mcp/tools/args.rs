//! What a tool takes: one table gives the schema and the check.

use std::sync::Arc;

use rmcp::model::JsonObject;
use serde_json::{Map, Value, json};

use crate::contract::fault::Fault;

/// What an argument may be.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    /// A text.
    Text,
    /// One of these words.
    Word(&'static [&'static str]),
    /// Texts.
    Texts,
    /// A whole number from 0 to this.
    Number(u64),
    /// Yes or no.
    Flag,
    /// An object, read by the verb itself; its schema as JSON.
    Object(&'static str),
}

/// One argument.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arg {
    name: &'static str,
    kind: Kind,
    needed: bool,
    about: &'static str,
}

impl Arg {
    /// One that must be there.
    pub(super) const fn needed(name: &'static str, kind: Kind, about: &'static str) -> Self {
        Self {
            name,
            kind,
            needed: true,
            about,
        }
    }

    /// One that may be left out.
    pub(super) const fn may(name: &'static str, kind: Kind, about: &'static str) -> Self {
        Self {
            name,
            kind,
            needed: false,
            about,
        }
    }
}

/// What was given, checked.
#[derive(Clone, Debug, Default)]
pub(super) struct Given(JsonObject);

impl Given {
    /// A text; empty where none was given.
    pub(super) fn text(&self, name: &str) -> &str {
        self.maybe(name).unwrap_or_default()
    }

    /// A text, where one was given.
    pub(super) fn maybe(&self, name: &str) -> Option<&str> {
        self.0.get(name).and_then(Value::as_str)
    }

    /// Texts.
    pub(super) fn texts(&self, name: &str) -> Vec<String> {
        let items = self.0.get(name).and_then(Value::as_array);
        let texts = items.into_iter().flatten().filter_map(Value::as_str);
        texts.map(str::to_owned).collect()
    }

    /// A number, where one was given.
    pub(super) fn number(&self, name: &str) -> Option<u64> {
        self.0.get(name).and_then(Value::as_u64)
    }

    /// Whether it was said.
    pub(super) fn flag(&self, name: &str) -> bool {
        self.0.get(name).and_then(Value::as_bool).unwrap_or(false)
    }

    /// All of it as it came.
    pub(super) fn whole(&self) -> &JsonObject {
        &self.0
    }
}

/// Reads what was given; `null` is as good as nothing.
///
/// # Errors
/// All faults together.
pub(super) fn read(args: &[Arg], mut given: JsonObject) -> Result<Given, Vec<Fault>> {
    given.retain(|_, value| !value.is_null());
    let mut faults = Vec::new();
    for arg in args {
        match given.get(arg.name) {
            None if arg.needed => faults.push(Fault::new("missing", arg.name, "is required")),
            None => {}
            Some(value) => faults.extend(wrong(arg, value)),
        }
    }
    for key in given.keys() {
        if !args.iter().any(|arg| arg.name == key) {
            faults.push(Fault::new(
                "extra_forbidden",
                key,
                "the tool takes no such argument",
            ));
        }
    }
    if faults.is_empty() {
        Ok(Given(given))
    } else {
        Err(faults)
    }
}

fn wrong(arg: &Arg, value: &Value) -> Option<Fault> {
    let (fits, wanted) = match arg.kind {
        Kind::Text => (value.is_string(), "must be a text".to_owned()),
        Kind::Texts => {
            let items = value.as_array();
            let fits = items.is_some_and(|items| items.iter().all(Value::is_string));
            (fits, "must be a list of texts".to_owned())
        }
        Kind::Flag => (value.is_boolean(), "must be true or false".to_owned()),
        Kind::Object(_) => (value.is_object(), "must be an object".to_owned()),
        Kind::Number(most) => {
            let fits = value.as_u64().is_some_and(|number| number <= most);
            (fits, format!("must be a whole number up to {most}"))
        }
        Kind::Word(words) => {
            let known = value.as_str().is_some_and(|word| words.contains(&word));
            let wanted = format!("must be one of {}", words.join(", "));
            if value.is_string() && !known {
                return Some(Fault::new("literal_error", arg.name, wanted));
            }
            (known, wanted)
        }
    };
    (!fits).then(|| Fault::new("type", arg.name, wanted))
}

/// The JSON Schema of a tool's arguments.
pub(super) fn schema(args: &[Arg]) -> Arc<JsonObject> {
    let mut properties = Map::new();
    for arg in args {
        let mut one = match arg.kind {
            Kind::Text => json!({"type": "string"}),
            Kind::Texts => json!({"type": "array", "items": {"type": "string"}}),
            Kind::Number(most) => json!({"type": "integer", "minimum": 0, "maximum": most}),
            Kind::Flag => json!({"type": "boolean"}),
            Kind::Word(words) => json!({"enum": words}),
            Kind::Object(schema) => serde_json::from_str(schema).unwrap_or_default(),
        };
        if !arg.about.is_empty() {
            one["description"] = arg.about.into();
        }
        properties.insert(arg.name.to_owned(), one);
    }
    let needed: Vec<&str> = args
        .iter()
        .filter(|arg| arg.needed)
        .map(|arg| arg.name)
        .collect();
    let mut schema = Map::new();
    schema.insert("type".to_owned(), "object".into());
    schema.insert("properties".to_owned(), Value::Object(properties));
    if !needed.is_empty() {
        schema.insert("required".to_owned(), needed.into());
    }
    Arc::new(schema)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ARGS: &[Arg] = &[
        Arg::needed("id", Kind::Text, "which"),
        Arg::may("kind", Kind::Word(&["a", "b"]), ""),
        Arg::may("tags", Kind::Texts, ""),
        Arg::may("epoch", Kind::Number(9), ""),
        Arg::may("claim", Kind::Flag, ""),
        Arg::may("change", Kind::Object(r#"{"type":"object"}"#), ""),
    ];

    fn faults(given: Value) -> Vec<String> {
        let Value::Object(given) = given else {
            unreachable!()
        };
        read(ARGS, given).map_or_else(
            |faults| {
                let shown = faults.iter().map(|f| format!("{} {}", f.code, f.path));
                shown.collect()
            },
            |_| Vec::new(),
        )
    }

    #[test]
    fn what_fits_is_taken() {
        let full = json!({"id": "h-1", "kind": "b", "tags": ["x"], "epoch": 9, "claim": true,
            "change": {}, });
        assert!(faults(full.clone()).is_empty());
        let Value::Object(map) = full else {
            unreachable!()
        };
        let given = read(ARGS, map).unwrap();
        assert_eq!((given.text("id"), given.number("epoch")), ("h-1", Some(9)));
        assert_eq!(
            (given.texts("tags"), given.flag("claim")),
            (vec!["x".into()], true)
        );
        assert!(faults(json!({"id": "h-1", "kind": null, "other": null})).is_empty());
    }

    #[test]
    fn what_does_not_fit_is_told_at_once() {
        let given = json!({"kind": "c", "tags": "x", "epoch": 10, "claim": 1, "change": [],
            "agent": "somebody"});
        assert_eq!(
            faults(given),
            [
                "missing id",
                "literal_error kind",
                "type tags",
                "type epoch",
                "type claim",
                "type change",
                "extra_forbidden agent"
            ]
        );
        assert_eq!(
            faults(json!({"id": 1, "kind": 2})),
            ["type id", "type kind"]
        );
        assert_eq!(faults(json!({"id": "", "epoch": -1})), ["type epoch"]);
        assert_eq!(faults(json!({"id": "", "epoch": 1.5})), ["type epoch"]);
    }

    #[test]
    fn the_schema_says_what_the_check_does() {
        let schema = schema(ARGS);
        assert_eq!(schema["required"], json!(["id"]));
        assert_eq!(schema["properties"]["id"]["description"], "which");
        assert_eq!(schema["properties"]["kind"]["enum"], json!(["a", "b"]));
        assert_eq!(schema["properties"]["change"], json!({"type": "object"}));
    }
}
