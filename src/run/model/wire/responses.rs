//! The Responses format, which Codex speaks.

use serde_json::{Value, json};

use super::super::http::Reply;
use super::super::tools::{Deed, Tool};
use super::{Asked, flat, is, list, streams, text, texts};

const CALLS: [&str; 3] = ["function_call", "custom_tool_call", "local_shell_call"];
const RESULTS: [&str; 3] = [
    "function_call_output",
    "custom_tool_call_output",
    "local_shell_call_output",
];

/// Reads a request.
pub(in super::super) fn read(body: &Value) -> Asked {
    let items = list(body, "input");
    let kind = |item: &Value| match text(item, "type") {
        "" => "message".to_owned(),
        kind => kind.to_owned(),
    };
    let from = |item: &&Value, role: &str| kind(item) == "message" && is(item, "role", role);
    let calls = |item: &&Value| CALLS.contains(&kind(item).as_str());
    let turn = items
        .iter()
        .filter(|item| calls(item) || from(item, "assistant"));
    let mut results = items
        .iter()
        .filter(|item| RESULTS.contains(&kind(item).as_str()));
    let users = items.iter().filter(|item| from(item, "user"));
    let told = match body.get("input") {
        Some(Value::String(words)) => vec![words.clone()],
        _ => texts(users.map(|item| flat(item.get("content")))),
    };
    Asked {
        turn: turn.count(),
        result: results.next_back().map(|item| flat(item.get("output"))),
        told,
        tools: tools(list(body, "tools"), None),
        stream: streams(body),
        model: text(body, "model").to_owned(),
        form: None,
    }
}

/// The tools of a list; servers' tools lie in groups.
fn tools(offered: &[Value], space: Option<&str>) -> Vec<Tool> {
    let mut found = Vec::new();
    for tool in offered {
        let name = text(tool, "name");
        match text(tool, "type") {
            "namespace" => found.extend(tools(list(tool, "tools"), Some(name))),
            "function" | "custom" => found.push(Tool {
                name: name.to_owned(),
                schema: tool.get("parameters").cloned().unwrap_or_default(),
                space: space.map(str::to_owned),
                free: is(tool, "type", "custom"),
            }),
            _ => {}
        }
    }
    found
}

/// Writes an answer.
pub(in super::super) fn write(asked: &Asked, deed: &Deed) -> Reply {
    let turn = asked.turn;
    let item = match deed {
        Deed::Text(words) => json!({
            "type": "message", "id": format!("msg_{turn:04}"), "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": words, "annotations": []}],
        }),
        Deed::Call(call) => {
            let mut item = json!({
                "type": "function_call", "id": format!("fc_{turn:04}"),
                "call_id": format!("call_{turn:04}"), "name": call.name, "status": "completed",
            });
            if let Value::String(input) = &call.args {
                item["type"] = json!("custom_tool_call");
                item["input"] = json!(input);
            } else {
                item["arguments"] = json!(call.args.to_string());
            }
            if let Some(space) = &call.space {
                item["namespace"] = json!(space);
            }
            item
        }
    };
    let whole = |status: &str, output: Value, usage: Value| {
        json!({
            "id": format!("resp_{turn:04}"), "object": "response", "created_at": 0,
            "status": status, "model": asked.model, "output": output, "usage": usage,
        })
    };
    let usage = json!({
        "input_tokens": 1, "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 1, "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 2,
    });
    let done = whole("completed", json!([item]), usage);
    if !asked.stream {
        return Reply::json(200, &done);
    }
    let mut parts = vec![json!({
        "type": "response.created", "response": whole("in_progress", json!([]), Value::Null),
    })];
    parts.extend(item_parts(&item));
    parts.push(json!({"type": "response.completed", "response": done}));
    for (number, part) in parts.iter_mut().enumerate() {
        part["sequence_number"] = json!(number);
    }
    let events = parts
        .iter()
        .map(|part| (Some(text(part, "type")), part.to_string()));
    Reply::events(&events.collect::<Vec<_>>())
}

/// The events between the beginning and the end: the item, first empty, then its one piece.
fn item_parts(item: &Value) -> Vec<Value> {
    let piece = |kind: &str, name: &str, value: &Value| {
        let mut piece = json!({
            "type": format!("response.{kind}"), "item_id": item["id"], "output_index": 0,
        });
        if kind.starts_with("output_text") {
            piece["content_index"] = json!(0);
        }
        piece[name] = value.clone();
        piece
    };
    let mut empty = item.clone();
    let pieces = match text(item, "type") {
        "message" => {
            empty["content"] = json!([]);
            let words = &item["content"][0]["text"];
            vec![
                piece("output_text.delta", "delta", words),
                piece("output_text.done", "text", words),
            ]
        }
        "custom_tool_call" => {
            empty["input"] = json!("");
            let input = &item["input"];
            vec![
                piece("custom_tool_call_input.delta", "delta", input),
                piece("custom_tool_call_input.done", "input", input),
            ]
        }
        _ => {
            empty["arguments"] = json!("");
            let arguments = &item["arguments"];
            vec![
                piece("function_call_arguments.delta", "delta", arguments),
                piece("function_call_arguments.done", "arguments", arguments),
            ]
        }
    };
    let mut parts = vec![json!({
        "type": "response.output_item.added", "output_index": 0, "item": empty,
    })];
    parts.extend(pieces);
    parts.push(json!({"type": "response.output_item.done", "output_index": 0, "item": item}));
    parts
}

#[cfg(test)]
mod tests {
    use super::super::super::tools::Call;
    use super::super::tests::{a_call, events};
    use super::*;

    #[test]
    fn a_turn_a_result_and_the_tools_are_read() {
        let body = json!({"model": "m", "stream": true, "input": [
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "make it"}]},
            {"type": "function_call", "call_id": "c", "name": "exec_command", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c", "output": "done"},
        ], "tools": [
            {"type": "function", "name": "exec_command", "parameters": {"properties": {"cmd": {}}}},
            {"type": "custom", "name": "apply_patch"},
            {"type": "namespace", "name": "mcp__w", "tools": [{"type": "function", "name": "claim"}]},
            {"type": "web_search"},
        ]});
        let asked = read(&body);
        assert_eq!((asked.turn, asked.result.as_deref()), (1, Some("done")));
        assert_eq!(asked.told, ["make it"]);
        let names: Vec<_> = asked.tools.iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!(names, ["exec_command", "apply_patch", "claim"]);
        assert_eq!(asked.tools[2].space.as_deref(), Some("mcp__w"));
        assert!(asked.tools[1].free);
        assert_eq!(read(&json!({"input": "hi"})).told, ["hi"]);
    }

    #[test]
    fn a_call_is_written_in_parts_and_whole() {
        let asked = Asked {
            stream: true,
            ..Asked::default()
        };
        let parts = events(&write(&asked, &a_call("exec_command")).body);
        let names: Vec<&str> = parts.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(
            names,
            [
                "response.created",
                "response.output_item.added",
                "response.function_call_arguments.delta",
                "response.function_call_arguments.done",
                "response.output_item.done",
                "response.completed"
            ]
        );
        assert_eq!(parts[1].1["item"]["arguments"], "");
        assert_eq!(parts[4].1["item"]["arguments"], r#"{"command":"ls"}"#);
        assert_eq!(parts[5].1["sequence_number"], 5);
        let patch = Deed::Call(Call {
            name: "apply_patch".into(),
            space: Some("s".into()),
            args: json!("*** Begin Patch"),
        });
        let whole: Value = serde_json::from_str(&write(&Asked::default(), &patch).body).unwrap();
        let item = &whole["output"][0];
        assert_eq!(
            (&item["type"], &item["namespace"]),
            (&json!("custom_tool_call"), &json!("s"))
        );
        let words = events(&write(&asked, &Deed::Text("hi".into())).body);
        assert_eq!(words[2].1["delta"], "hi");
    }
}
