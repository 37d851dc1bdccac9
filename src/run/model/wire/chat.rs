//! The Chat Completions format, which pi, opencode and Hermes speak.

use serde_json::{Value, json};

use super::super::http::Reply;
use super::super::tools::{Deed, Tool};
use super::{Asked, flat, is, list, streams, text, texts};

/// Reads a request.
pub(in super::super) fn read(body: &Value) -> Asked {
    let messages = list(body, "messages");
    let of = |role: &'static str| messages.iter().filter(move |one| is(one, "role", role));
    Asked {
        turn: of("assistant").count(),
        result: of("tool")
            .next_back()
            .map(|message| flat(message.get("content"))),
        told: texts(of("user").map(|message| flat(message.get("content")))),
        tools: list(body, "tools")
            .iter()
            .filter_map(|tool| tool.get("function"))
            .map(|tool| Tool {
                name: text(tool, "name").to_owned(),
                schema: tool.get("parameters").cloned().unwrap_or_default(),
                ..Tool::default()
            })
            .collect(),
        stream: streams(body),
        model: text(body, "model").to_owned(),
        form: None,
    }
}

/// Writes an answer.
pub(in super::super) fn write(asked: &Asked, deed: &Deed) -> Reply {
    let (message, why) = match deed {
        Deed::Text(words) => (json!({"role": "assistant", "content": words}), "stop"),
        Deed::Call(call) => {
            let call = json!({
                "index": 0, "id": format!("call_{:04}", asked.turn), "type": "function",
                "function": {"name": call.name, "arguments": call.args.to_string()},
            });
            let message = json!({"role": "assistant", "content": null, "tool_calls": [call]});
            (message, "tool_calls")
        }
    };
    let usage = json!({"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2});
    let whole = |kind: &str, choices: Value, usage: Value| {
        json!({
            "id": format!("chat-{:04}", asked.turn), "object": kind, "created": 0,
            "model": asked.model, "choices": choices, "usage": usage,
        })
    };
    if !asked.stream {
        let choices = json!([{"index": 0, "message": message, "finish_reason": why}]);
        return Reply::json(200, &whole("chat.completion", choices, usage));
    }
    let part = |choices: Value, usage: Value| {
        (
            None,
            whole("chat.completion.chunk", choices, usage).to_string(),
        )
    };
    Reply::events(&[
        part(
            json!([{"index": 0, "delta": message, "finish_reason": null}]),
            Value::Null,
        ),
        part(
            json!([{"index": 0, "delta": {}, "finish_reason": why}]),
            Value::Null,
        ),
        part(json!([]), usage),
        (None, "[DONE]".to_owned()),
    ])
}

#[cfg(test)]
mod tests {
    use super::super::tests::{a_call, events};
    use super::*;

    #[test]
    fn a_turn_a_result_and_the_tools_are_read() {
        let body = json!({"model": "m", "stream": true, "messages": [
            {"role": "system", "content": "be good"},
            {"role": "user", "content": [{"type": "text", "text": "make it"}]},
            {"role": "assistant", "content": null, "tool_calls": [{"id": "c", "function": {"name": "bash"}}]},
            {"role": "tool", "tool_call_id": "c", "content": "done"},
        ], "tools": [{"type": "function", "function": {"name": "bash", "parameters": {"properties": {"command": {}}}}}]});
        let asked = read(&body);
        assert_eq!((asked.turn, asked.result.as_deref()), (1, Some("done")));
        assert_eq!(
            (asked.told[0].as_str(), asked.tools[0].name.as_str()),
            ("make it", "bash")
        );
        assert_eq!(read(&json!({})), Asked::default());
    }

    #[test]
    fn a_call_is_written_in_parts_and_whole() {
        let asked = Asked {
            stream: true,
            turn: 3,
            ..Asked::default()
        };
        let parts = events(&write(&asked, &a_call("bash")).body);
        assert_eq!(parts.len(), 4);
        let call = &parts[0].1["choices"][0]["delta"]["tool_calls"][0];
        assert_eq!(
            (call["id"].as_str(), call["index"].as_u64()),
            (Some("call_0003"), Some(0))
        );
        assert_eq!(call["function"]["arguments"], r#"{"command":"ls"}"#);
        assert_eq!(parts[1].1["choices"][0]["finish_reason"], "tool_calls");
        assert_eq!(parts[3].1, "[DONE]");
        let reply = write(&Asked::default(), &Deed::Text("hi".into()));
        let whole: Value = serde_json::from_str(&reply.body).unwrap();
        assert_eq!(whole["choices"][0]["message"]["content"], "hi");
        assert_eq!(whole["object"], "chat.completion");
    }
}
