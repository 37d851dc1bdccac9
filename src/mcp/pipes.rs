//! Standard input and output as the server's transport: one JSON-RPC message a line.
//!
//! Two threads of their own read and write, so that the end of the input is seen at once, whatever
//! the server is doing, and a client that reads slowly holds up nobody else. A line that is no
//! message is answered with the error that JSON-RPC has for it, and ends nothing.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, ErrorCode, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};

/// Longest line that is read, in bytes.
pub(super) const LONGEST_LINE: usize = 8 << 20;
/// Messages that may wait between a thread and the server.
const ROOM: usize = 64;

/// A line to be written, and who wants to know that it was.
type Line = (String, Option<oneshot::Sender<io::Result<()>>>);

/// Whether the client has gone.
#[derive(Debug, Default)]
pub(super) struct Ended(AtomicBool);

impl Ended {
    /// Whether it has.
    pub(super) fn is(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }

    fn set(&self) {
        self.0.store(true, Ordering::Release);
    }
}

/// The two ends.
pub(super) struct Pipes {
    incoming: mpsc::Receiver<ClientJsonRpcMessage>,
    outgoing: mpsc::Sender<Line>,
}

impl Pipes {
    /// Starts the two threads.
    pub(super) fn open(
        input: impl Read + Send + 'static,
        output: impl Write + Send + 'static,
        ended: &Arc<Ended>,
    ) -> Self {
        let (to_server, incoming) = mpsc::channel(ROOM);
        let (outgoing, lines) = mpsc::channel(ROOM);
        let (reads, faults) = (Arc::clone(ended), outgoing.clone());
        thread::spawn(move || {
            read(BufReader::new(input), &to_server, &faults);
            reads.set();
        });
        let writes = Arc::clone(ended);
        thread::spawn(move || {
            if write(output, lines).is_err() {
                writes.set();
            }
        });
        Self { incoming, outgoing }
    }
}

impl Transport<RoleServer> for Pipes {
    type Error = io::Error;

    fn send(
        &mut self,
        item: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        let outgoing = self.outgoing.clone();
        async move {
            let line = serde_json::to_string(&item)?;
            let (done, written) = oneshot::channel();
            let sent = outgoing.send((line, Some(done))).await;
            match (sent, written.await) {
                (Ok(()), Ok(result)) => result,
                _ => Err(io::ErrorKind::BrokenPipe.into()),
            }
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        tokio::select! {
            message = self.incoming.recv() => message,
            // Nobody reads the answers any more.
            () = self.outgoing.closed() => None,
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.incoming.close();
        Ok(())
    }
}

/// Writes lines until there are none, or the output fails.
fn write(mut output: impl Write, mut lines: mpsc::Receiver<Line>) -> io::Result<()> {
    while let Some((mut line, done)) = lines.blocking_recv() {
        line.push('\n');
        let written = output
            .write_all(line.as_bytes())
            .and_then(|()| output.flush());
        let failed = written.as_ref().err().map(io::Error::kind);
        if let Some(done) = done {
            drop(done.send(written));
        }
        if let Some(kind) = failed {
            return Err(kind.into());
        }
    }
    Ok(())
}

/// Reads lines until the input ends.
fn read(
    mut input: impl BufRead,
    server: &mpsc::Sender<ClientJsonRpcMessage>,
    faults: &mpsc::Sender<Line>,
) {
    let mut line = Vec::new();
    loop {
        let found = next_line(&mut input, &mut line);
        let read = match found {
            Found::Line | Found::Rest => messages(&line),
            Found::TooLong => {
                let message = format!("a message has at most {LONGEST_LINE} bytes");
                vec![Err(fault(
                    ErrorCode::INVALID_REQUEST,
                    &message,
                    &Value::Null,
                ))]
            }
            Found::End => return,
        };
        for message in read {
            let passed = match message {
                Ok(message) => server.blocking_send(message).is_ok(),
                // What the input broke off with is no message, and nobody waits for an answer.
                Err(_) if found == Found::Rest => true,
                Err(fault) => faults.blocking_send((fault.to_string(), None)).is_ok(),
            };
            if !passed {
                return;
            }
        }
    }
}

/// What stands in the buffer after a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    /// A whole line.
    Line,
    /// What the input ended with, without an end of line.
    Rest,
    /// Nothing: the line was too long, and was dropped.
    TooLong,
    /// Nothing: the input has ended.
    End,
}

/// Reads one line into the buffer, which never grows beyond the longest one.
fn next_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> Found {
    line.clear();
    let mut dropped = false;
    loop {
        let part = match input.fill_buf() {
            Ok(part) => part,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => return Found::End,
        };
        if part.is_empty() {
            return if line.is_empty() || dropped {
                Found::End
            } else {
                Found::Rest
            };
        }
        let end = part.iter().position(|byte| *byte == b'\n');
        let text = &part[..end.unwrap_or(part.len())];
        dropped = dropped || line.len() + text.len() > LONGEST_LINE;
        if !dropped {
            line.extend_from_slice(text);
        }
        let used = end.map_or(part.len(), |end| end + 1);
        input.consume(used);
        match end {
            Some(_) if dropped => {
                line.clear();
                return Found::TooLong;
            }
            Some(_) => return Found::Line,
            None => {}
        }
    }
}

/// The messages of a line: one, or those of a batch, each for itself.
fn messages(line: &[u8]) -> Vec<Result<ClientJsonRpcMessage, Value>> {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    if line.trim_ascii().is_empty() {
        return Vec::new();
    }
    match serde_json::from_slice::<Value>(line) {
        Err(error) => {
            let message = format!("the line is no JSON: {error}");
            vec![Err(fault(ErrorCode::PARSE_ERROR, &message, &Value::Null))]
        }
        Ok(Value::Array(batch)) if !batch.is_empty() => batch.into_iter().map(message).collect(),
        Ok(value) => vec![message(value)],
    }
}

fn message(value: Value) -> Result<ClientJsonRpcMessage, Value> {
    let id = match value.get("id") {
        Some(id) if id.is_string() || id.is_i64() || id.is_u64() => id.clone(),
        _ => Value::Null,
    };
    let method = value.get("method").and_then(Value::as_str);
    let method = method.filter(|_| value["jsonrpc"] == "2.0" && !id.is_null());
    let method = method.map(str::to_owned);
    serde_json::from_value(value).map_err(|_| {
        if let Some(method) = method {
            let message = format!("the parameters of {method} are malformed");
            return fault(ErrorCode::INVALID_PARAMS, &message, &id);
        }
        let message = "the line is no JSON-RPC 2.0 request, response or notification";
        fault(ErrorCode::INVALID_REQUEST, message, &id)
    })
}

fn fault(code: ErrorCode, message: &str, id: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code.0, "message": message}})
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &[u8]) -> Vec<(Found, String)> {
        let mut input = BufReader::with_capacity(7, text);
        let mut line = Vec::new();
        let mut found = Vec::new();
        loop {
            match next_line(&mut input, &mut line) {
                Found::End => return found,
                kind => found.push((kind, String::from_utf8_lossy(&line).into_owned())),
            }
        }
    }

    #[test]
    fn lines_are_read_whole_and_never_beyond_their_limit() {
        let read = lines(b"a\n\nlonger than a buffer\nrest");
        let line = |text: &str| (Found::Line, text.to_owned());
        assert_eq!(
            read,
            [
                line("a"),
                line(""),
                line("longer than a buffer"),
                (Found::Rest, "rest".into())
            ]
        );
        let mut text = vec![b'x'; LONGEST_LINE + 1];
        text.extend_from_slice(b"\nshort\n");
        let kinds: Vec<Found> = lines(&text).into_iter().map(|(kind, _)| kind).collect();
        assert_eq!(kinds, [Found::TooLong, Found::Line]);
        let whole = [vec![b'x'; LONGEST_LINE], b"\n".to_vec()].concat();
        assert_eq!(lines(&whole)[0].0, Found::Line);
        assert!(lines(&vec![b'x'; LONGEST_LINE + 1]).is_empty());
    }

    #[test]
    fn what_is_no_message_is_answered_with_its_error() {
        let code = |line: &str| {
            let read = messages(line.as_bytes());
            let codes = read.into_iter().map(|one| match one {
                Ok(_) => 0,
                Err(fault) => fault["error"]["code"].as_i64().unwrap(),
            });
            codes.collect::<Vec<_>>()
        };
        assert_eq!(code("nonsense"), [-32700]);
        assert_eq!(code("{\"jsonrpc\":"), [-32700]);
        assert_eq!(code(&"[".repeat(10_000)), [-32700]);
        assert_eq!(code("[]"), [-32600]);
        assert_eq!(code("7"), [-32600]);
        assert_eq!(code("{\"method\":\"ping\",\"id\":1}"), [-32600]);
        assert!(code("  \r").is_empty());
        let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
        assert_eq!(code(ping), [0]);
        assert_eq!(code(&format!("\u{feff}{ping}\r")), [0]);
        assert_eq!(code(&format!("[{ping},{{}},{ping}]")), [0, -32600, 0]);
        let faulty = messages(br#"{"jsonrpc":"1.0","id":"x","method":"ping"}"#);
        assert_eq!(faulty[0].as_ref().unwrap_err()["id"], "x");
    }
}
