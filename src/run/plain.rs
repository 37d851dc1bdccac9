//! A plain process in the place of an agent program: it asks a model, does what that says with two
//! tools, and ends when it is told nothing more to do. It knows nothing of who else runs.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

/// Turns after which it gives up.
const TURNS: usize = 2_000;

/// Runs until the model has nothing more to do. What comes on `input` is added to the prompt.
///
/// # Errors
/// The model cannot be reached or answers nothing that can be read.
pub fn run(model: &str, prompt: &str, input: &mut dyn Read) -> io::Result<()> {
    let mut told = prompt.to_owned();
    input.read_to_string(&mut told)?;
    let mut messages = vec![json!({"role": "user", "content": told})];
    for _ in 0..TURNS {
        let message = ask(model, &messages)?;
        messages.push(message.clone());
        let calls = message.get("tool_calls").and_then(Value::as_array);
        let Some(calls) = calls.filter(|calls| !calls.is_empty()) else {
            return Ok(());
        };
        for call in calls {
            let result = done(&call["function"]);
            let id = &call["id"];
            messages.push(json!({"role": "tool", "tool_call_id": id, "content": result}));
        }
    }
    Err(io::Error::other("the model never ends"))
}

/// The model's next message.
fn ask(model: &str, messages: &[Value]) -> io::Result<Value> {
    let text = json!({"type": "string"});
    let tool = |name: &str, properties: Value| {
        let parameters = json!({"type": "object", "properties": properties});
        json!({"type": "function", "function": {"name": name, "parameters": parameters}})
    };
    let tools = [
        tool("bash", json!({"command": text})),
        tool("write", json!({"path": text, "content": text})),
    ];
    let body = json!({"model": "scripted-1", "messages": messages, "tools": tools}).to_string();
    let address = model.trim_start_matches("http://");
    let mut stream = TcpStream::connect(address)?;
    let length = body.len();
    let head = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes())?;
    let mut said = String::new();
    stream.read_to_string(&mut said)?;
    let body = said.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    let answer: Value = serde_json::from_str(body)?;
    let message = answer.pointer("/choices/0/message").cloned();
    message.ok_or_else(|| io::Error::other("the model says nothing"))
}

/// Does what was asked for, and says what it came to.
fn done(function: &Value) -> String {
    let args = function["arguments"].as_str().unwrap_or_default();
    let args: Value = serde_json::from_str(args).unwrap_or_default();
    let text = |name: &str| args[name].as_str().unwrap_or_default();
    let came = match function["name"].as_str() {
        Some("bash") => shell(text("command")),
        Some("write") => std::fs::write(text("path"), text("content")).map(|()| String::new()),
        _ => Ok("there is no such tool".to_owned()),
    };
    came.unwrap_or_else(|error| format!("it cannot be done: {error}"))
}

fn shell(command: &str) -> io::Result<String> {
    let done = Command::new("sh")
        .args(["-c", command])
        .stdin(Stdio::null())
        .output()?;
    let mut said = String::from_utf8_lossy(&done.stdout).into_owned();
    said.push_str(&String::from_utf8_lossy(&done.stderr));
    if let Some(code) = done.status.code().filter(|code| *code != 0) {
        said.extend(["\n(exit ", &code.to_string(), ")"]);
    }
    Ok(said)
}
