//! One file a wire format: a request in, what it asks for, and the answer in that format out.

pub(super) mod anthropic;
pub(super) mod chat;
pub(super) mod gemini;
pub(super) mod responses;

use serde_json::Value;

use super::tools::Tool;

/// What a request asks for, whatever its format.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Asked {
    /// How many turns of the model it holds already: a request that is sent again has the same.
    pub turn: usize,
    /// What the last call of a tool came to.
    pub result: Option<String>,
    /// What the model was told by its user, oldest first.
    pub told: Vec<String>,
    /// The tools that are offered.
    pub tools: Vec<Tool>,
    /// The answer is wanted in parts.
    pub stream: bool,
    /// The model that is asked for.
    pub model: String,
    /// The form that an answer must have, where one is asked for.
    pub form: Option<Value>,
}

/// A list under a name; empty where there is none.
fn list<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    value
        .get(name)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

/// A text under a name; empty where there is none.
fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn is(value: &Value, name: &str, word: &str) -> bool {
    text(value, name) == word
}

fn streams(body: &Value) -> bool {
    body.get("stream").and_then(Value::as_bool).unwrap_or(false)
}

/// The texts of a message's content, whatever its shape.
fn flat(content: Option<&Value>) -> String {
    match content {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            let texts = parts.iter().map(|part| flat(Some(part)));
            let texts: Vec<String> = texts.filter(|text| !text.is_empty()).collect();
            texts.join("\n")
        }
        Some(Value::Object(part)) => {
            let inner = ["text", "content", "output"];
            flat(inner.iter().find_map(|name| part.get(*name)))
        }
        _ => String::new(),
    }
}

/// The texts that are not empty.
fn texts(texts: impl Iterator<Item = String>) -> Vec<String> {
    texts.filter(|text| !text.is_empty()).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::tools::{Call, Deed};
    use serde_json::{Value, json};

    /// A call to write in each format.
    pub(in super::super) fn a_call(name: &str) -> Deed {
        Deed::Call(Call {
            name: name.to_owned(),
            space: None,
            args: json!({"command": "ls"}),
        })
    }

    /// The data of server-sent events, the names apart.
    pub(in super::super) fn events(body: &str) -> Vec<(String, Value)> {
        let blocks = body.split("\n\n").filter(|block| !block.is_empty());
        blocks
            .map(|block| {
                let mut name = String::new();
                let mut data = Value::Null;
                for line in block.lines() {
                    if let Some(text) = line.strip_prefix("event: ") {
                        text.clone_into(&mut name);
                    } else if let Some(text) = line.strip_prefix("data: ") {
                        data = serde_json::from_str(text).unwrap_or_else(|_| json!(text));
                    }
                }
                (name, data)
            })
            .collect()
    }
}
