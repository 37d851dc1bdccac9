//! Codex's session file: the exit code of a command stands there and in no hook.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;

/// How much of the end of the file is read, in bytes: first the near end, at last this much.
const TAIL: u64 = 4 << 20;
const NEAR: u64 = 256 << 10;
/// How long to wait for the line: the hook may be called before Codex has written it.
const PATIENCE: Duration = Duration::from_millis(150);
/// How often to look meanwhile.
const PAUSE: Duration = Duration::from_millis(10);

/// The exit code of a call, by the end of its session's file.
pub(super) fn exit_code(path: &Path, call_id: &str) -> Option<i32> {
    if call_id.is_empty() || !path.is_file() {
        return None;
    }
    let until = Instant::now() + PATIENCE;
    loop {
        let late = Instant::now() >= until;
        let tail = tail(path, if late { TAIL } else { NEAR });
        let found = tail.and_then(|tail| code_in(&tail, call_id));
        if found.is_some() || late {
            return found;
        }
        std::thread::sleep(PAUSE);
    }
}

fn tail(path: &Path, most: u64) -> Option<Vec<u8>> {
    let mut file = File::open(path).ok()?;
    let length = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(most)))
        .ok()?;
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// The newest line about the call that tells a code. A line that cannot be read is passed over.
fn code_in(tail: &[u8], call_id: &str) -> Option<i32> {
    let lines = tail.split(|byte| *byte == b'\n').rev();
    let mentions = |line: &&[u8]| memory_find(line, call_id.as_bytes());
    lines
        .filter(mentions)
        .filter_map(|line| serde_json::from_slice::<Value>(line).ok())
        .find_map(|line| code_of(&line, call_id))
}

fn memory_find(line: &[u8], word: &[u8]) -> bool {
    line.windows(word.len()).any(|part| part == word)
}

fn code_of(line: &Value, call_id: &str) -> Option<i32> {
    let payload = line.get("payload")?;
    let is = |value: Option<&Value>| value.and_then(Value::as_str) == Some(call_id);
    let number = |value: &Value| i32::try_from(value.get("exit_code")?.as_i64()?).ok();
    match payload.get("type")?.as_str()? {
        "item_completed" => {
            let item = payload.get("item").filter(|item| is(item.get("id")))?;
            number(item)
        }
        "exec_command_end" if is(payload.get("call_id")) => number(payload),
        "function_call_output" | "custom_tool_call_output" if is(payload.get("call_id")) => {
            let output = payload.get("output")?;
            let text = output
                .as_str()
                .or_else(|| output.get("content")?.as_str())?;
            head_code(text).or_else(|| {
                let value: Value = serde_json::from_str(text).ok()?;
                number(value.get("metadata")?)
            })
        }
        _ => None,
    }
}

/// The code in the head above a command's output; the output itself is not looked at.
pub(super) fn head_code(text: &str) -> Option<i32> {
    const MARKS: [&str; 2] = ["Process exited with code ", "Exit code: "];
    let head = text
        .lines()
        .take(6)
        .take_while(|line| line.trim() != "Output:");
    let lines: Vec<&str> = head.collect();
    // Without that line it is no head but output.
    if lines.len() == text.lines().count() {
        return None;
    }
    lines
        .iter()
        .find_map(|line| MARKS.iter().find_map(|mark| line.strip_prefix(mark)))
        .and_then(|code| code.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMPLETED: &str = r#"{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"CommandExecution","id":"call_1","status":"failed","aggregated_output":"oops\n","exit_code":3}}}"#;

    #[test]
    fn the_code_of_a_call_is_found_in_every_form() {
        for (line, code) in [
            (COMPLETED.to_owned(), Some(3)),
            (COMPLETED.replace("call_1", "call_12"), None),
            (COMPLETED.replace("\"exit_code\":3", "\"exit_code\":null"), None),
            (r#"{"payload":{"type":"exec_command_end","call_id":"call_1","exit_code":4}}"#.to_owned(), Some(4)),
            (r#"{"payload":{"type":"function_call_output","call_id":"call_1","output":"Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 5\nOutput:\nx\n"}}"#.to_owned(), Some(5)),
            (r#"{"payload":{"type":"function_call_output","call_id":"call_1","output":"{\"output\":\"x\",\"metadata\":{\"exit_code\":6}}"}}"#.to_owned(), Some(6)),
            (r#"{"payload":{"type":"function_call_output","call_id":"call_1","output":"Process exited with code 7"}}"#.to_owned(), None),
        ] {
            let file = format!("half a line\n{line}\n{{\"payload\":");
            assert_eq!(code_in(file.as_bytes(), "call_1"), code, "{line}");
        }
    }

    #[test]
    fn only_the_end_of_a_file_is_read_and_only_of_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rollout.jsonl");
        assert_eq!(exit_code(&path, "call_1"), None);
        assert_eq!(exit_code(folder.path(), "call_1"), None);
        let mut text = format!("{COMPLETED}\n").into_bytes();
        std::fs::write(&path, &text).unwrap();
        assert_eq!(exit_code(&path, "call_1"), Some(3));
        assert_eq!(exit_code(&path, ""), None);
        text.extend(vec![b'x'; 1 << 20]);
        std::fs::write(&path, &text).unwrap();
        assert_eq!(exit_code(&path, "call_1"), Some(3));
        text.extend(vec![b'x'; 4 << 20]);
        std::fs::write(&path, &text).unwrap();
        assert_eq!(exit_code(&path, "call_1"), None);
    }

    #[test]
    fn output_that_looks_like_a_head_is_none() {
        assert_eq!(
            head_code("Exit code: 0\nWall time: 1 seconds\nOutput:\nExit code: 9"),
            Some(0)
        );
        assert_eq!(head_code("Exit code: 0\nall fine"), None);
        assert_eq!(head_code("Output:\nExit code: 9"), None);
    }
}
