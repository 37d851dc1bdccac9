//! The guard (spec 3.8): what a tool call would do, read from its words in linear time, and what
//! a result says of what was done.

use crate::contract::guard::{Judgement, Policy};

/// Judges a call before it runs: `tool` is the harness's name of it, `input` its whole input, a
/// JSON object, or the bare command of a shell.
#[must_use]
pub fn judge(tool: &str, input: &str, policy: &Policy) -> Judgement {
    let _ = (tool, input, policy);
    Judgement::allow(false)
}

/// Judges a result: secrets always, other texts only where an exit code is given and is not 0.
/// `None` where nothing is to be said.
#[must_use]
pub fn judge_result(
    tool: &str,
    exit_code: Option<i32>,
    text: &str,
    policy: &Policy,
) -> Option<Judgement> {
    let _ = (tool, exit_code, text, policy);
    None
}
