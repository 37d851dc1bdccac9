//! Answers of the verbs in the protocol's form.

use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ErrorCode};
use serde_json::{Map, Value};

use crate::contract::refusal::{Code, Refusal};

/// Methods that the server knows; a request with one of them and without its form is malformed.
const METHODS: [&str; 10] = [
    "initialize",
    "ping",
    "server/discover",
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "prompts/list",
    "prompts/get",
];

/// What a tool answers: as data, and as the same data in text for clients that know only that.
pub(super) fn given(value: Value) -> CallToolResult {
    CallToolResult::structured(lean(value))
}

/// A refusal: the tool's own error, with code, cause and next command.
pub(super) fn refused(refusal: &Refusal) -> CallToolResult {
    CallToolResult::structured_error(view(refusal))
}

/// A refusal where the protocol has no other place for it than its error.
pub(super) fn error(refusal: &Refusal) -> ErrorData {
    let (cause, data) = (refusal.cause.clone(), Some(view(refusal)));
    match refusal.code {
        Code::NotFound | Code::HandleAmbiguous => ErrorData::resource_not_found(cause, data),
        _ => ErrorData::internal_error(cause, data),
    }
}

/// The error of a method that is not there, or not called as it must be.
pub(super) fn unknown(method: &str) -> ErrorData {
    if METHODS.contains(&method) {
        let message = format!("the parameters of {method} are missing or malformed");
        return ErrorData::invalid_params(message, None);
    }
    let message = format!("there is no method {method}");
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None)
}

fn view(refusal: &Refusal) -> Value {
    serde_json::to_value(refusal.view()).unwrap_or_default()
}

/// An answer without what says nothing: every byte stays in a session's context.
fn lean(value: Value) -> Value {
    match value {
        Value::Object(map) => {
            let kept = map.into_iter().filter(|(_, value)| !value.is_null());
            Value::Object(kept.map(|(key, value)| (key, inner(value))).collect())
        }
        other => inner(other),
    }
}

fn inner(value: Value) -> Value {
    match value {
        Value::Object(map) => {
            let kept: Map<String, Value> = map
                .into_iter()
                .filter(|(_, value)| !is_empty(value))
                .map(|(key, value)| (key, inner(value)))
                .collect();
            Value::Object(kept)
        }
        Value::Array(items) => Value::Array(items.into_iter().map(inner).collect()),
        other => other,
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_says_nothing_is_left_out_below_the_top() {
        let value = json!({"more": false, "rows": [], "no": null,
            "in": [{"a": 1, "b": "", "c": [], "d": null, "e": [{"f": null, "g": false}]}]});
        let expected = json!({"more": false, "rows": [], "in": [{"a": 1, "e": [{"g": false}]}]});
        assert_eq!(lean(value), expected);
    }

    #[test]
    fn a_refusal_has_its_three_parts() {
        let refusal = Refusal::new(
            Code::HandoffNone,
            "nothing waits",
            "watchfloor handoff list",
        );
        let result = refused(&refusal);
        assert_eq!(result.is_error, Some(true));
        let data = result.structured_content.unwrap();
        assert_eq!(data["code"], "handoff_none");
        assert_eq!(data["cause"], "nothing waits");
        assert_eq!(data["next_command"], "watchfloor handoff list");
        assert_eq!(error(&refusal).code, ErrorCode::INTERNAL_ERROR);
        let missing = Refusal::new(Code::NotFound, "c", "n");
        assert_eq!(error(&missing).code, ErrorCode::RESOURCE_NOT_FOUND);
        assert_eq!(unknown("tools/call").code, ErrorCode::INVALID_PARAMS);
        assert_eq!(unknown("tools/cal").code, ErrorCode::METHOD_NOT_FOUND);
    }
}
