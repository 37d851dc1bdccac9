//! The `generateContent` format, which Gemini CLI speaks.

use serde_json::{Value, json};

use super::super::http::Reply;
use super::super::tools::{Deed, Tool};
use super::{Asked, flat, is, list, text};

/// Reads a request; whether the answer is wanted in parts stands in its path, and so does the
/// model.
pub(in super::super) fn read(path: &str, body: &Value) -> Asked {
    let contents = list(body, "contents");
    let users = || contents.iter().filter(|one| is(one, "role", "user"));
    let parts = users().flat_map(|one| list(one, "parts"));
    let mut results = parts.filter_map(|part| part.get("functionResponse"));
    let config = body.get("generationConfig");
    let form = |name| config.and_then(|config| config.get(name)).cloned();
    Asked {
        turn: contents
            .iter()
            .filter(|one| is(one, "role", "model"))
            .count(),
        result: results
            .next_back()
            .map(|result| said(result.get("response"))),
        told: super::texts(users().map(|one| texts(list(one, "parts")))),
        tools: list(body, "tools").iter().flat_map(tools).collect(),
        stream: path.contains(":stream"),
        model: model(path).to_owned(),
        form: form("responseJsonSchema").or_else(|| form("responseSchema")),
    }
}

fn model(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or_default();
    name.split(':').next().unwrap_or_default()
}

fn texts(parts: &[Value]) -> String {
    let texts = parts
        .iter()
        .map(|part| text(part, "text"))
        .filter(|text| !text.is_empty());
    texts.collect::<Vec<_>>().join("\n")
}

/// A result holds its text under a name of the tool's choice.
fn said(response: Option<&Value>) -> String {
    let Some(response) = response else {
        return String::new();
    };
    match flat(Some(response)) {
        text if text.is_empty() => response.to_string(),
        text => text,
    }
}

fn tools(group: &Value) -> Vec<Tool> {
    let names = ["functionDeclarations", "function_declarations"];
    let declared = names.iter().flat_map(|name| list(group, name));
    declared
        .map(|tool| Tool {
            name: text(tool, "name").to_owned(),
            schema: ["parametersJsonSchema", "parameters"]
                .iter()
                .find_map(|name| tool.get(*name))
                .cloned()
                .unwrap_or_default(),
            ..Tool::default()
        })
        .collect()
}

/// Writes an answer.
pub(in super::super) fn write(asked: &Asked, deed: &Deed) -> Reply {
    let part = match deed {
        Deed::Text(words) => json!({"text": words}),
        Deed::Call(call) => json!({"functionCall": {"name": call.name, "args": call.args}}),
    };
    let whole = json!({
        "candidates": [{
            "index": 0, "content": {"role": "model", "parts": [part]}, "finishReason": "STOP",
        }],
        "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
        "modelVersion": asked.model, "responseId": format!("turn-{:04}", asked.turn),
    });
    if asked.stream {
        Reply::events(&[(None, whole.to_string())])
    } else {
        Reply::json(200, &whole)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{a_call, events};
    use super::*;

    const PATH: &str = "/v1beta/models/gemini-9:streamGenerateContent";

    #[test]
    fn a_turn_a_result_and_the_tools_are_read() {
        let body = json!({"contents": [
            {"role": "user", "parts": [{"text": "make it"}]},
            {"role": "model", "parts": [{"functionCall": {"name": "run_shell_command", "args": {}}}]},
            {"role": "user", "parts": [{"functionResponse": {"name": "run_shell_command", "response": {"output": "done"}}}]},
        ], "tools": [{"functionDeclarations": [
            {"name": "run_shell_command", "parametersJsonSchema": {"properties": {"command": {}}}}]}]});
        let asked = read(PATH, &body);
        assert_eq!((asked.turn, asked.result.as_deref()), (1, Some("done")));
        assert_eq!(
            (asked.told[0].as_str(), asked.model.as_str()),
            ("make it", "gemini-9")
        );
        assert_eq!(asked.tools[0].name, "run_shell_command");
        assert!(asked.stream && asked.form.is_none());
        let guess = json!({"generationConfig": {"responseJsonSchema": {"type": "object"}}});
        assert!(
            read("/v1beta/models/m:generateContent", &guess)
                .form
                .is_some()
        );
    }

    #[test]
    fn a_call_is_written_in_parts_and_whole() {
        let asked = read(PATH, &json!({}));
        let parts = events(&write(&asked, &a_call("run_shell_command")).body);
        let call = &parts[0].1["candidates"][0]["content"]["parts"][0]["functionCall"];
        assert_eq!((parts.len(), &call["args"]["command"]), (1, &json!("ls")));
        let reply = write(&Asked::default(), &Deed::Text("hi".into()));
        assert!(reply.body.contains(r#""text":"hi""#));
    }
}
