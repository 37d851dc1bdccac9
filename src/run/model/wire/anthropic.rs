//! The Messages format, which Claude Code speaks.

use serde_json::{Value, json};

use super::super::http::Reply;
use super::super::tools::{Deed, Tool};
use super::{Asked, flat, is, list, streams, text, texts};

/// Reads a request.
pub(in super::super) fn read(body: &Value) -> Asked {
    let messages = list(body, "messages");
    let mut asked = Asked {
        turn: messages
            .iter()
            .filter(|one| is(one, "role", "assistant"))
            .count(),
        model: text(body, "model").to_owned(),
        stream: streams(body),
        ..Asked::default()
    };
    let users = messages.iter().filter(|one| is(one, "role", "user"));
    asked.told = texts(users.clone().map(|message| match message.get("content") {
        Some(Value::Array(parts)) => {
            let said = parts.iter().filter(|part| is(part, "type", "text"));
            texts(said.map(|part| text(part, "text").to_owned())).join("\n")
        }
        content => flat(content),
    }));
    let parts = users.flat_map(|message| list(message, "content"));
    let mut results = parts.filter(|part| is(part, "type", "tool_result"));
    asked.result = results.next_back().map(|part| flat(part.get("content")));
    asked.tools = list(body, "tools")
        .iter()
        .map(|tool| Tool {
            name: text(tool, "name").to_owned(),
            schema: tool.get("input_schema").cloned().unwrap_or_default(),
            ..Tool::default()
        })
        .collect();
    asked
}

/// Writes an answer.
pub(in super::super) fn write(asked: &Asked, deed: &Deed) -> Reply {
    let (block, empty, delta, why) = match deed {
        Deed::Text(words) => (
            json!({"type": "text", "text": words}),
            json!({"type": "text", "text": ""}),
            json!({"type": "text_delta", "text": words}),
            "end_turn",
        ),
        Deed::Call(call) => {
            let id = format!("toolu_{:04}", asked.turn);
            (
                json!({"type": "tool_use", "id": id, "name": call.name, "input": call.args}),
                json!({"type": "tool_use", "id": id, "name": call.name, "input": {}}),
                json!({"type": "input_json_delta", "partial_json": call.args.to_string()}),
                "tool_use",
            )
        }
    };
    let usage = json!({
        "input_tokens": 1, "output_tokens": 1,
        "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
    });
    let message = |content: Value, why: Value| {
        json!({
            "id": format!("msg_{:04}", asked.turn), "type": "message", "role": "assistant",
            "model": asked.model, "content": content, "stop_reason": why,
            "stop_sequence": null, "usage": usage,
        })
    };
    if !asked.stream {
        return Reply::json(200, &message(json!([block]), json!(why)));
    }
    let parts = [
        json!({"type": "message_start", "message": message(json!([]), Value::Null)}),
        json!({"type": "content_block_start", "index": 0, "content_block": empty}),
        json!({"type": "content_block_delta", "index": 0, "delta": delta}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": {"stop_reason": why, "stop_sequence": null}, "usage": usage}),
        json!({"type": "message_stop"}),
    ];
    let events = parts
        .iter()
        .map(|part| (Some(text(part, "type")), part.to_string()));
    Reply::events(&events.collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::super::tests::{a_call, events};
    use super::*;

    #[test]
    fn a_turn_a_result_and_the_tools_are_read() {
        let body = json!({"model": "m", "stream": true, "messages": [
            {"role": "user", "content": "make it"},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "Bash", "input": {}}]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": "done"}]},
                {"type": "text", "text": "and now"}]},
        ], "tools": [{"name": "Bash", "input_schema": {"properties": {"command": {}}}}]});
        let asked = read(&body);
        assert_eq!((asked.turn, asked.result.as_deref()), (1, Some("done")));
        assert_eq!(
            (&asked.told[..], asked.tools[0].name.as_str()),
            (&["make it".to_owned(), "and now".to_owned()][..], "Bash")
        );
        assert!(asked.stream);
        assert_eq!(read(&json!({})), Asked::default());
    }

    #[test]
    fn a_call_is_written_in_parts_and_whole() {
        let asked = Asked {
            stream: true,
            ..Asked::default()
        };
        let reply = write(&asked, &a_call("Bash"));
        let parts = events(&reply.body);
        assert_eq!(parts.len(), 6);
        assert!(
            parts
                .iter()
                .all(|(name, data)| data["type"] == name.as_str())
        );
        assert_eq!(parts[2].1["delta"]["partial_json"], r#"{"command":"ls"}"#);
        assert_eq!(parts[4].1["delta"]["stop_reason"], "tool_use");
        let reply = write(&Asked::default(), &Deed::Text("hi".into()));
        let whole: Value = serde_json::from_str(&reply.body).unwrap();
        assert_eq!(whole["content"][0]["text"], "hi");
        assert_eq!(whole["stop_reason"], "end_turn");
    }
}
