//! As much of HTTP/1.1 as an agent program needs of a model: requests with a body of known
//! length or in chunks, answers of known length, connections that are used again.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;

/// The longest head of a request, in bytes.
const HEAD: u64 = 64 << 10;
/// The longest body, in bytes: a long session with images stays far below.
const BODY: u64 = 64 << 20;

/// A request.
#[derive(Debug, Default)]
pub(super) struct Request {
    /// `GET`, `POST` ...
    pub method: String,
    /// The path, without what follows a question mark.
    pub path: String,
    /// Its body; empty where it has none.
    pub body: Vec<u8>,
    /// The body is packed in a way that is not read here.
    pub packed: bool,
    /// The connection ends behind it.
    pub last: bool,
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reply {
    /// The status code.
    pub status: u16,
    /// The media type.
    pub kind: &'static str,
    /// The body.
    pub body: String,
}

impl Reply {
    /// A JSON object.
    pub(super) fn json(status: u16, body: &serde_json::Value) -> Self {
        Self {
            status,
            kind: "application/json",
            body: body.to_string(),
        }
    }

    /// Server-sent events: a name, where the format has one, and the data.
    pub(super) fn events(events: &[(Option<&str>, String)]) -> Self {
        let mut body = String::new();
        for (name, data) in events {
            if let Some(name) = name {
                body.extend(["event: ", name, "\n"]);
            }
            body.extend(["data: ", data, "\n\n"]);
        }
        Self {
            status: 200,
            kind: "text/event-stream",
            body,
        }
    }
}

/// Reads the next request of a connection; `None` when the other side has closed it.
///
/// # Errors
/// It is no request, it is too long, or the connection broke.
pub(super) fn read(from: &mut BufReader<TcpStream>) -> io::Result<Option<Request>> {
    let mut head = from.by_ref().take(HEAD);
    let Some(first) = line(&mut head)? else {
        return Ok(None);
    };
    let mut words = first.split(' ');
    let (Some(method), Some(target)) = (words.next(), words.next()) else {
        return Err(off("the first line is no request"));
    };
    let mut request = Request {
        method: method.to_owned(),
        path: target
            .split(['?', '#'])
            .next()
            .unwrap_or_default()
            .to_owned(),
        ..Request::default()
    };
    let (mut length, mut chunked, mut waits) = (0, false, false);
    loop {
        let Some(line) = line(&mut head)? else {
            return Err(off("the head is cut off"));
        };
        if line.is_empty() {
            break;
        }
        let (name, value) = line.split_once(':').unwrap_or((&line, ""));
        let value = value.trim().to_ascii_lowercase();
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.parse().map_err(|_| off("no length"))?,
            "transfer-encoding" => chunked = value.contains("chunked"),
            "content-encoding" => request.packed = value != "identity",
            "connection" => request.last = value == "close",
            "expect" => waits = value == "100-continue",
            _ => {}
        }
    }
    if waits {
        from.get_mut().write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
    }
    request.body = if chunked {
        chunks(from)?
    } else {
        exactly(from, length)?
    };
    Ok(Some(request))
}

/// Writes an answer. A `HEAD` gets its head alone.
///
/// # Errors
/// The connection broke.
pub(super) fn write(to: &mut dyn Write, reply: &Reply, only_head: bool) -> io::Result<()> {
    let reason = match reply.status {
        200 => "OK",
        404 => "Not Found",
        415 => "Unsupported Media Type",
        _ => "Bad Request",
    };
    let (kind, length) = (reply.kind, reply.body.len());
    let mut text = format!(
        "HTTP/1.1 {} {reason}\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\ncache-control: no-cache\r\n\r\n",
        reply.status
    );
    if !only_head {
        text.push_str(&reply.body);
    }
    to.write_all(text.as_bytes())?;
    to.flush()
}

/// A line without its end; `None` at the end of what there is.
fn line(from: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    from.read_until(b'\n', &mut bytes)?;
    if bytes.is_empty() {
        return Ok(None);
    }
    if bytes.pop() != Some(b'\n') {
        return Err(off("a line is too long or cut off"));
    }
    let text = String::from_utf8_lossy(&bytes);
    Ok(Some(text.trim_end_matches('\r').to_owned()))
}

fn exactly(from: &mut impl Read, length: u64) -> io::Result<Vec<u8>> {
    if length > BODY {
        return Err(off("the body is too long"));
    }
    let mut body = Vec::new();
    let read = from.take(length).read_to_end(&mut body)?;
    if read as u64 == length {
        Ok(body)
    } else {
        Err(off("the body is cut off"))
    }
}

fn chunks(from: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let text = line(&mut from.by_ref().take(HEAD))?.unwrap_or_default();
        let digits = text.split(';').next().unwrap_or_default().trim();
        let length = u64::from_str_radix(digits, 16).map_err(|_| off("no length of a chunk"))?;
        if body.len() as u64 + length > BODY {
            return Err(off("the body is too long"));
        }
        if length == 0 {
            // What follows the last chunk ends with an empty line.
            while line(&mut from.by_ref().take(HEAD))?.is_some_and(|line| !line.is_empty()) {}
            return Ok(body);
        }
        body.extend(exactly(from, length)?);
        line(&mut from.by_ref().take(HEAD))?;
    }
}

fn off(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why.to_owned())
}
