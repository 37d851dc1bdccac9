//! The model over real connections.

use std::io::{Read as _, Write as _};

use super::*;

fn send(model: &Model, text: &str) -> String {
    let mut stream = TcpStream::connect(model.address).unwrap();
    stream.write_all(text.as_bytes()).unwrap();
    let mut said = String::new();
    stream.read_to_string(&mut said).unwrap();
    said
}

fn post(model: &Model, path: &str, body: &Value) -> String {
    let body = body.to_string();
    let length = body.len();
    send(
        model,
        &format!(
            "POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        ),
    )
}

/// A request of a session that has come to these results so far.
fn session(results: &[&str]) -> Value {
    let mut messages = vec![json!({"role": "user", "content": "go"})];
    for result in results {
        messages.push(json!({"role": "assistant", "content": null}));
        messages.push(json!({"role": "tool", "content": result}));
    }
    let shell = json!({"name": "bash", "parameters": {"properties": {"command": {}}}});
    json!({"model": "m", "messages": messages, "tools": [{"type": "function", "function": shell}]})
}

fn chat(model: &Model, results: &[&str]) -> String {
    let said = post(model, "/v1/chat/completions", &session(results));
    let (head, body) = said.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    let body: Value = serde_json::from_str(body).unwrap();
    let message = &body["choices"][0]["message"];
    match message["tool_calls"][0]["function"]["arguments"].as_str() {
        Some(args) => args.to_owned(),
        None => message["content"].as_str().unwrap().to_owned(),
    }
}

const LIMIT: Duration = Duration::from_secs(30);

#[test]
fn a_step_depends_on_what_the_last_ones_came_to() {
    let script = vec![
        Step::shell("next")
            .until(Until::Has("id".into()))
            .keep("claimed"),
        Step::shell("answer {claimed.id} {last.code}"),
        Step::text("done with {claimed.id} for: {user}"),
    ];
    let model = Model::serve(script, LIMIT).unwrap();
    let (none, some) = (r#"{"code":"none"}"#, r#"x {"id":"7","code":"c"}"#);
    assert_eq!(chat(&model, &[]), r#"{"command":"next"}"#);
    assert_eq!(chat(&model, &[none]), r#"{"command":"next"}"#);
    assert_eq!(
        chat(&model, &[none, some]),
        r#"{"command":"answer '7' 'c'"}"#
    );
    // Sent again it is answered again, whatever has happened since.
    assert_eq!(chat(&model, &[none]), r#"{"command":"next"}"#);
    assert_eq!(
        chat(&model, &[none, some]),
        r#"{"command":"answer '7' 'c'"}"#
    );
    assert!(!model.is_done());
    assert_eq!(chat(&model, &[none, some, "ok"]), "done with 7 for: go");
    assert!(model.is_done());
    assert_eq!(
        chat(&model, &[none, some, "ok", "?"]),
        "Nothing is left to do."
    );
    let turns = model.turns();
    assert_eq!(turns.len(), 5);
    assert_eq!(turns[1].result.as_deref(), Some(some));
}

#[test]
fn what_asks_for_no_work_gets_a_word_and_moves_nothing() {
    let model = Model::serve(vec![Step::text("first")], LIMIT).unwrap();
    let title = json!({"messages": [{"role": "user", "content": "title?"}]});
    let said = post(&model, "/v1/chat/completions", &title);
    assert!(said.contains(r#""content":"ok""#), "{said}");
    assert!(post(&model, "/v1/messages", &title).contains(r#""text":"ok""#));
    assert!(post(&model, "/v1/responses", &title).contains(r#""text":"ok""#));
    let path = "/v1beta/models/m:generateContent";
    assert!(post(&model, path, &title).contains(r#""text":"ok""#));
    let form = json!({"generationConfig": {"responseSchema": {"type": "OBJECT", "properties": {"a": {"type": "BOOLEAN"}}}}});
    assert!(post(&model, path, &form).contains(r#"{\"a\":false}"#));
    assert_eq!(chat(&model, &[]), "first");
}

#[test]
fn requests_come_whole_in_chunks_and_one_after_the_other() {
    let model = Model::serve(vec![Step::text("first")], LIMIT).unwrap();
    let body = session(&[]).to_string();
    let (one, two) = body.split_at(40);
    let chunked = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n28\r\n{one}\r\n{:x}\r\n{two}\r\n0\r\n\r\n\
         GET /v1/models HTTP/1.1\r\nConnection: close\r\n\r\n",
        two.len()
    );
    let said = send(&model, &chunked);
    assert!(
        said.contains("first") && said.contains("scripted-1"),
        "{said}"
    );
    let head = send(&model, "HEAD / HTTP/1.1\r\nConnection: close\r\n\r\n");
    assert!(head.starts_with("HTTP/1.1 200") && head.ends_with("\r\n\r\n"));
    for (request, status) in [
        (
            "GET /v1/responses HTTP/1.1\r\nUpgrade: websocket\r\nConnection: close\r\n\r\n",
            "404",
        ),
        (
            "POST /v1/messages HTTP/1.1\r\nContent-Length: 1\r\nConnection: close\r\n\r\n{",
            "400",
        ),
        (
            "POST /v1/messages HTTP/1.1\r\nContent-Encoding: zstd\r\nContent-Length: 1\r\nConnection: close\r\n\r\n{",
            "415",
        ),
        (
            "POST /elsewhere HTTP/1.1\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}",
            "404",
        ),
    ] {
        let said = send(&model, request);
        assert!(said.starts_with(&format!("HTTP/1.1 {status}")), "{said}");
    }
    // What is no request ends its connection, and nothing else.
    for broken in [
        "\r\n\r\n",
        "GET\r\n\r\n",
        "POST /v1/messages HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n",
    ] {
        assert_eq!(send(&model, broken), "");
    }
    assert_eq!(chat(&model, &[]), "first");
}

#[test]
fn it_ends_by_itself_and_when_it_is_dropped() {
    let model = Model::serve(Vec::new(), Duration::from_millis(1)).unwrap();
    let mut idle = TcpStream::connect(model.address);
    let end = Instant::now() + LIMIT;
    while TcpStream::connect(model.address).is_ok() {
        // Whoever is let in is put out again once the time is over.
        assert!(Instant::now() < end, "it still listens");
        thread::yield_now();
        if model.threads.iter().all(JoinHandle::is_finished) {
            break;
        }
    }
    if let Ok(stream) = &mut idle {
        let mut said = String::new();
        drop(stream.read_to_string(&mut said));
        assert_eq!(said, "");
    }
    let model = Model::serve(Vec::new(), LIMIT).unwrap();
    let mut idle = TcpStream::connect(model.address).unwrap();
    let begun = Instant::now();
    drop(model);
    assert!(begun.elapsed() < LIMIT / 2);
    let mut said = String::new();
    drop(idle.read_to_string(&mut said));
    assert_eq!(said, "");
}
