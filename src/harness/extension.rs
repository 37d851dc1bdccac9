//! The two harnesses that run a file of ours inside themselves, pi and opencode: that file, and what
//! its calls read and are answered: one JSON object on standard input, `{"decision":"block",
//! "reason":...}` or `{"tell":...}` on standard output.

use serde_json::json;

use crate::contract::refusal::Refusal;
use crate::contract::tool::HookAnswer;

use super::bad_payload;
use super::command::block;

/// The extension for pi.
pub(super) const PI: &str = concat!(
    include_str!("../../assets/extension/call.js"),
    include_str!("../../assets/pi/watchfloor.ts")
);

/// The plugin for opencode.
pub(super) const OPENCODE: &str = concat!(
    include_str!("../../assets/extension/call.js"),
    include_str!("../../assets/opencode/watchfloor.js")
);

/// Writes an answer.
pub(super) fn write(answer: &HookAnswer) -> String {
    match answer {
        HookAnswer::Allow => "{}".to_owned(),
        HookAnswer::Refuse(reason) => block(reason),
        HookAnswer::Tell(words) => json!({"tell": words}).to_string(),
    }
}

/// Whether an event names its session, and its tool where it is the call of one.
///
/// # Errors
/// It does not.
pub(super) fn named(session: &str, call: bool, tool: &str) -> Result<(), Refusal> {
    let missing = match (session, tool) {
        ("", _) => "session",
        (_, "") if call => "tool",
        _ => return Ok(()),
    };
    Err(bad_payload(format!("the event names no {missing}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_answer_has_one_form_that_the_files_read() {
        for (answer, text, read) in [
            (HookAnswer::Allow, "{}", "JSON.parse(stdout)"),
            (
                HookAnswer::Refuse("no \"x\"".to_owned()),
                r#"{"decision":"block","reason":"no \"x\""}"#,
                "answer.decision === \"block\"",
            ),
            (
                HookAnswer::Tell("words".to_owned()),
                r#"{"tell":"words"}"#,
                "answer.tell",
            ),
        ] {
            assert_eq!(write(&answer), text);
            assert!(PI.contains(read) && OPENCODE.contains(read), "{read}");
        }
    }

    #[test]
    fn a_file_of_ours_stands_alone() {
        for text in [PI, OPENCODE] {
            let imports: Vec<_> = text.matches("import ").collect();
            assert_eq!(imports.len(), 1, "only Node's own module");
            assert!(text.contains("from \"node:child_process\""));
        }
    }
}
