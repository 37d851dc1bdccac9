//! The JSON objects of one line, whatever state it is in: several on a line, half of one before a
//! whole one, lone surrogates, escapes that are none, control characters, a byte-order mark.

use serde_json::Value;

/// Places that are tried for the beginning of an object in a line that is damaged.
const TRIES: usize = 64;
/// In a damaged line above so many bytes only [`FEW`] are tried, so that none takes long.
const LONG: usize = 128 << 10;
const FEW: usize = 4;

/// The objects of a line, in their order. What cannot be read is left out.
pub(super) fn objects(line: &[u8]) -> Vec<Value> {
    let line = trimmed(line);
    if line.is_empty() {
        return Vec::new();
    }
    if let Some(found) = whole(line) {
        return found;
    }
    let mended = mended(line);
    let mut found = Vec::new();
    let mut rest = &mended[..];
    let tries = if line.len() > LONG { FEW } else { TRIES };
    for _ in 0..tries {
        let used = run(rest, &mut found);
        // Behind what could be read, or one further, the next object may begin.
        let from = used.max(1).min(rest.len());
        let Some(next) = next_object(&rest[from..]) else {
            break;
        };
        rest = &rest[from + next..];
    }
    found
}

/// All objects, when the line is nothing else.
fn whole(line: &[u8]) -> Option<Vec<Value>> {
    let mut found = Vec::new();
    for value in serde_json::Deserializer::from_slice(line).into_iter::<Value>() {
        found.push(value.ok()?);
    }
    found.retain(Value::is_object);
    Some(found)
}

/// Reads objects as far as it goes; answers how many bytes were read.
fn run(bytes: &[u8], found: &mut Vec<Value>) -> usize {
    let mut stream = serde_json::Deserializer::from_slice(bytes).into_iter::<Value>();
    let mut used = 0;
    while let Some(Ok(value)) = stream.next() {
        used = stream.byte_offset();
        if value.is_object() {
            found.push(value);
        }
    }
    used
}

/// Where an object seems to begin: an open brace and a name, or nothing, in it.
fn next_object(bytes: &[u8]) -> Option<usize> {
    let opens = |at: &usize| {
        bytes[*at] == b'{'
            && matches!(
                bytes[*at + 1..]
                    .iter()
                    .find(|byte| !byte.is_ascii_whitespace()),
                Some(b'"' | b'}')
            )
    };
    (0..bytes.len()).find(opens)
}

fn trimmed(line: &[u8]) -> &[u8] {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    let blank = |byte: &u8| byte.is_ascii_whitespace() || *byte == 0;
    let begin = line
        .iter()
        .position(|byte| !blank(byte))
        .unwrap_or(line.len());
    let end = line
        .iter()
        .rposition(|byte| !blank(byte))
        .map_or(begin, |at| at + 1);
    &line[begin..end]
}

/// The line as JSON would have it: UTF-8, NULs between values taken out; inside texts control
/// characters as blanks, escapes that are none as a backslash, surrogates without their other
/// half as the mark of what cannot be read.
fn mended(line: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(line);
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len() + 16);
    let (mut at, mut inside) = (0, false);
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                inside = !inside;
                out.push(b'"');
                at += 1;
            }
            b'\\' if inside => at += escape(&bytes[at..], &mut out),
            byte if byte < 0x20 || byte == 0x7f => {
                out.push(b' ');
                at += 1;
            }
            byte => {
                out.push(byte);
                at += 1;
            }
        }
    }
    out
}

/// Writes an escape as JSON would have it; answers how many bytes it took.
fn escape(bytes: &[u8], out: &mut Vec<u8>) -> usize {
    match bytes.get(1) {
        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {
            out.extend_from_slice(&bytes[..2]);
            2
        }
        Some(b'u') => match unit(bytes) {
            Some(0xd800..=0xdbff) => match unit(bytes.get(6..).unwrap_or_default()) {
                Some(0xdc00..=0xdfff) => {
                    out.extend_from_slice(&bytes[..12]);
                    12
                }
                _ => lone(out),
            },
            Some(0xdc00..=0xdfff) => lone(out),
            Some(_) => {
                out.extend_from_slice(&bytes[..6]);
                6
            }
            None => backslash(out),
        },
        _ => backslash(out),
    }
}

fn lone(out: &mut Vec<u8>) -> usize {
    out.extend_from_slice(b"\\ufffd");
    6
}

fn backslash(out: &mut Vec<u8>) -> usize {
    out.extend_from_slice(b"\\\\");
    1
}

/// The number of a `\uXXXX`.
fn unit(bytes: &[u8]) -> Option<u32> {
    let digits = bytes.get(..6)?.strip_prefix(b"\\u")?;
    let digits = std::str::from_utf8(digits).ok()?;
    let hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    hex.then(|| u32::from_str_radix(digits, 16).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn of(line: &str) -> Vec<Value> {
        objects(line.as_bytes())
    }

    #[test]
    fn a_line_in_any_state_gives_what_can_be_read() {
        for (line, wanted) in [
            ("", json!([])),
            ("  \t\r", json!([])),
            ("\u{feff}{\"a\":1}\r", json!([{"a": 1}])),
            (
                "{\"a\":1}{\"b\":2} {\"c\":3}",
                json!([{"a": 1}, {"b": 2}, {"c": 3}]),
            ),
            ("{\"a\":\"\\ud83d\"}", json!([{"a": "\u{fffd}"}])),
            (
                "{\"a\":\"\\udc00x\\ud83d\\ude00\"}",
                json!([{"a": "\u{fffd}x😀"}]),
            ),
            ("{\"a\":\"\\ud83d\\u0041\"}", json!([{"a": "\u{fffd}A"}])),
            (
                "{\"a\":\"C:\\dir \\x \\u12\"}",
                json!([{"a": "C:\\dir \\x \\u12"}]),
            ),
            ("{\"a\":\"tab\there\"}", json!([{"a": "tab here"}])),
            ("\0\0{\"a\":1}\0\0{\"b\":2}", json!([{"a": 1}, {"b": 2}])),
            ("{\"type\":\"assist{\"b\":2}", json!([{"b": 2}])),
            ("{\"a\":[1,2,{\"b\":2}", json!([{"b": 2}])),
            ("{\"a\":1}garbage{\"b\":2}", json!([{"a": 1}, {"b": 2}])),
            ("{\"a\":1}}{\"b\":2}", json!([{"a": 1}, {"b": 2}])),
            ("[1,2]", json!([])),
            ("null", json!([])),
            ("not JSON", json!([])),
            ("{{{{", json!([])),
        ] {
            assert_eq!(json!(of(line)), wanted, "{line}");
        }
        let broken = b"{\"a\":\"\xff\xfe\"}";
        assert_eq!(json!(objects(broken)), json!([{"a": "\u{fffd}\u{fffd}"}]));
        let deep = format!("{}1{}", "{\"a\":".repeat(5000), "}".repeat(5000));
        assert!(of(&deep).len() <= TRIES);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_a_fault(line in proptest::collection::vec(any::<u8>(), 0..300)) {
            objects(&line);
        }

        #[test]
        fn whole_objects_are_found_on_one_line(texts in proptest::collection::vec("\\PC{0,12}", 0..6), blank in "[ \t]{0,2}") {
            let wanted: Vec<Value> = texts.iter().map(|text| json!({"t": text})).collect();
            let line: Vec<String> = wanted.iter().map(Value::to_string).collect();
            prop_assert_eq!(of(&line.join(&blank)), wanted);
        }
    }
}
