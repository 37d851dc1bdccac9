//! A client in raw lines, and a store in a home of its own.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

/// Longer than any answer may take on a busy machine.
pub const LIMIT: Duration = Duration::from_mins(2);

/// A home with a project and a store.
pub struct Desk {
    home: TempDir,
}

impl Desk {
    pub fn new() -> Self {
        let desk = Self::bare();
        desk.ok(&["init"]);
        desk
    }

    /// Without a store.
    pub fn bare() -> Self {
        let home = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(home.path().join("project")).unwrap();
        Self { home }
    }

    pub fn project(&self) -> PathBuf {
        self.home.path().join("project")
    }

    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_watchfloor"));
        command
            .args(words)
            .env_clear()
            .env("HOME", self.home.path())
            .current_dir(self.project())
            .stdin(Stdio::null());
        command
    }

    pub fn run(&self, words: &[&str]) -> Output {
        self.command(&[words, &["--json"]].concat())
            .output()
            .unwrap()
    }

    /// A call that must go well; its answer.
    pub fn ok(&self, words: &[&str]) -> Value {
        let output = self.run(words);
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{words:?}: {said}");
        serde_json::from_str(&said).unwrap_or(Value::Null)
    }

    /// A server for an agent that its entry's environment names.
    pub fn server(&self, agent: &str) -> Client {
        let mut command = self.command(&["mcp"]);
        if !agent.is_empty() {
            command.env("WATCHFLOOR_AGENT", agent);
        }
        Client::of(command)
    }

    /// The same, in a session of the older revisions.
    pub fn session(&self, agent: &str) -> Client {
        let mut client = self.server(agent);
        client.initialize("2025-06-18");
        client
    }
}

/// A client and its server.
pub struct Client {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    next: u64,
    /// Answers that came before somebody asked for them.
    early: Vec<Value>,
}

impl Client {
    pub fn of(mut command: Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (send, lines) = channel();
        std::thread::spawn(move || {
            for line in output.lines() {
                if send.send(line.unwrap()).is_err() {
                    return;
                }
            }
        });
        Self {
            input: child.stdin.take(),
            child,
            lines,
            next: 0,
            early: Vec::new(),
        }
    }

    /// Writes bytes as they are. A server that has gone takes none.
    pub fn write(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().unwrap();
        drop(input.write_all(bytes).and_then(|()| input.flush()));
    }

    pub fn line(&mut self, line: &str) {
        self.write(format!("{line}\n").as_bytes());
    }

    /// Sends a request, and answers its id.
    pub fn send(&mut self, method: &str, params: &Value) -> u64 {
        self.next += 1;
        let id = self.next;
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.line(&request.to_string());
        id
    }

    pub fn notify(&mut self, method: &str, params: &Value) {
        self.line(&json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string());
    }

    /// The next message of the server.
    pub fn receive(&mut self) -> Value {
        let line = self.lines.recv_timeout(LIMIT).unwrap();
        let message: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
        message
    }

    /// The server's answer to one request.
    pub fn answer(&mut self, id: u64) -> Value {
        if let Some(at) = self.early.iter().position(|known| known["id"] == id) {
            return self.early.swap_remove(at);
        }
        loop {
            let message = self.receive();
            if message["id"] == id {
                return message;
            }
            self.early.push(message);
        }
    }

    pub fn ask(&mut self, method: &str, params: &Value) -> Value {
        let id = self.send(method, params);
        self.answer(id)
    }

    pub fn initialize(&mut self, version: &str) -> Value {
        let params = json!({"protocolVersion": version, "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}});
        let answer = self.ask("initialize", &params);
        self.notify("notifications/initialized", &json!({}));
        answer
    }

    pub fn send_call(&mut self, tool: &str, arguments: &Value) -> u64 {
        self.send("tools/call", &json!({"name": tool, "arguments": arguments}))
    }

    /// Calls a tool that must go well; its data.
    pub fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let id = self.send_call(tool, arguments);
        let answer = self.answer(id);
        let result = &answer["result"];
        assert_ne!(result["isError"], true, "{tool}: {answer}");
        let data = result["structuredContent"].clone();
        let text = result["content"][0]["text"].as_str().unwrap();
        let same: Value = serde_json::from_str(text).unwrap();
        assert_eq!(same, data);
        data
    }

    /// Calls a tool that must be refused; the refusal.
    pub fn refused(&mut self, tool: &str, arguments: &Value) -> Value {
        let id = self.send_call(tool, arguments);
        let answer = self.answer(id);
        refusal(&answer)
    }

    /// Closes the client's end.
    pub fn close_input(&mut self) {
        self.input = None;
    }

    /// Closes the client's end and waits for the server's; its status, and what it wrote to
    /// standard error.
    pub fn end(mut self) -> (ExitStatus, String, Duration) {
        self.close_input();
        let begun = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(begun.elapsed() < LIMIT, "the server goes on");
            std::thread::yield_now();
        };
        let mut said = String::new();
        let mut errors = self.child.stderr.take().unwrap();
        errors.read_to_string(&mut said).unwrap();
        (status, said, begun.elapsed())
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// The refusal in a tool's answer.
pub fn refusal(answer: &Value) -> Value {
    let result = &answer["result"];
    assert_eq!(result["isError"], true, "{answer}");
    let data = result["structuredContent"].clone();
    for key in ["code", "cause", "next_command"] {
        assert!(
            data[key].as_str().is_some_and(|text| text.len() > 3),
            "{data}"
        );
    }
    data
}

/// Metadata that each request of the newest revision carries.
pub fn meta(version: &str) -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}
