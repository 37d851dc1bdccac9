//! A result, read before the store is locked. Whatever its size, what is kept, signed and
//! classified of it is bounded; secrets are looked for in the whole of it.

use std::borrow::Cow;

use crate::contract::guard::{GuardMode, Judgement, Preset};
use crate::contract::secret::{self, SecretHit};
use crate::contract::signature::Strength;
use crate::contract::tool::{Act, CallOutcome, CheckSeen, TOOL_SEEN, ToolResult, ToolSeen};
use crate::ops::attempt::Failure;
use crate::ops::context::Context;
use crate::ops::paths::normal_files;
use crate::ops::tree;
use crate::rules::cycle;
use crate::rules::signature;

use super::after::Ended;
use super::{Stand, guard, secrets};

/// How much of a result's text is kept, in bytes: of its beginning, and of its end.
const KEPT: (usize, usize) = (12 << 10, 4 << 10);
/// How much of it is signed and classified, in bytes: of its beginning, and of its end.
const SIGNED: (usize, usize) = (256 << 10, 256 << 10);
/// What stands where a text was that holds a secret without a known form.
const LEFT_OUT: &str = "[left out: it holds a secret]";
/// What stands where the middle was.
const CUT: &str = "\n[...]\n";

pub(super) struct Reading {
    pub(super) seen: ToolSeen,
    pub(super) failure: Failure,
    /// What the guard has against what happened.
    pub(super) against: Option<Judgement>,
    /// A secret in it: for the fingerprint alone.
    pub(super) found: Option<secrets::Found>,
    pub(super) mode: GuardMode,
    pub(super) preset: Preset,
}

impl Reading {
    pub(super) fn of(context: &Context, result: &ToolResult, stand: &Stand, ended: Ended) -> Self {
        let hits = secret::find(&result.text);
        let found = secrets::of(&result.text, &hits);
        let whole = shortened(&result.text, SIGNED, CUT);
        let (judged, policy) = guard::of_result(context, result, &whole);
        let unnamed = found.is_none() && judged.as_ref().is_some_and(guard::is_secret);
        let judged = match &found {
            Some(found) if !judged.as_ref().is_some_and(guard::is_secret) => {
                let place = format!("the result of {}", result.call.tool);
                Some(secrets::judgement(&place, found))
            }
            _ => judged,
        };
        let (text, cut) = kept(&result.text, &hits);
        let (text, placed) = secret::redact(&text);
        let (whole, text) = if unnamed {
            // Where such a secret begins and ends is not known: nothing of the text is kept.
            (Cow::Borrowed(""), LEFT_OUT.to_owned())
        } else {
            (whole, text)
        };
        let hidden = !result.failed() && hidden_failure(result, &whole);
        let failure = if result.failed() {
            Failure::of_text(context, &whole, result.exit_code)
        } else if hidden {
            Failure::of_text(context, &whole, None)
        } else {
            Failure::none()
        };
        let files = match &result.call.act {
            Act::Edit(files) if !result.failed() => normal_files(context, files),
            _ => Vec::new(),
        };
        let seen = ToolSeen {
            schema: TOOL_SEEN.to_owned(),
            agent: stand.agent.clone(),
            harness: result.call.caller.harness.clone(),
            mission_id: stand.mission.clone(),
            task_id: stand.task.clone(),
            tool: result.call.tool.clone(),
            call_id: result.call.call_id.clone(),
            action: action(result, &guard::Sight::of(context, &result.call)),
            files,
            failed: result.failed(),
            unknown: result.outcome == CallOutcome::Unknown,
            exit_code: result.exit_code,
            text,
            cut,
            redacted: u32::try_from(hits.len().max(usize::from(unnamed)))
                .map_or(u32::MAX, |known| known.saturating_add(placed)),
            check: check(context, result, stand, ended, (&failure, &whole, hidden)),
            triage: None,
        };
        Self {
            seen,
            failure,
            against: judged,
            found,
            mode: policy.mode,
            preset: policy.preset,
        }
    }
}

/// A command on the list of checks, or any whose failure names its cause.
fn check(
    context: &Context,
    result: &ToolResult,
    stand: &Stand,
    ended: Ended,
    (failure, text, hidden): (&Failure, &str, bool),
) -> Option<CheckSeen> {
    let Act::Shell(command) = &result.call.act else {
        return None;
    };
    let failed = result.failed() || hidden;
    // Nobody told what became of it, nor does its output: it closes no cycle.
    if result.outcome == CallOutcome::Unknown && !hidden {
        return None;
    }
    if failed && failure.strength != Strength::Strong && cycle::is_pending(text) {
        return None;
    }
    let name = match ended {
        Ended::Call => cycle::closing_name(command, failed.then_some(failure.strength), &[])?,
        Ended::Command => cycle::command_name(command),
        Ended::Stopped => return None,
    };
    let known = stand.known.as_ref().map(|agent| &agent.cycle);
    let paths: Vec<String> = known.map(cycle::Cycle::paths).unwrap_or_default();
    Some(CheckSeen {
        check: secret::redact(&name).0,
        passed: !failed,
        failing_tests: signature::failing_tests(text),
        signature: failure.signature.clone(),
        strength: failure.strength,
        tree: tree::changed(context, paths.iter()),
    })
}

/// A check that failed although its line ended well: what follows it in the line, or a harness
/// that tells no exit code, hides how it ended, and what it says does not.
fn hidden_failure(result: &ToolResult, text: &str) -> bool {
    let Act::Shell(command) = &result.call.act else {
        return false;
    };
    let untold = result.exit_code.is_none() || cycle::hides_exit(command);
    untold && cycle::is_check(command) && says_failed(text)
}

/// How lines begin that tell of a failure, and no warning does.
const FAILED: [&str; 10] = [
    "error",
    "Error",
    "ERROR",
    "FAIL",
    "fatal",
    "FATAL",
    "Traceback",
    "make: ***",
    "npm ERR!",
    "panic:",
];

/// Whether the output of a check tells that it failed: by its count, else by a line that says so
/// beside a diagnostic that names the cause.
fn says_failed(text: &str) -> bool {
    if let Some(failing) = signature::failing_tests(text) {
        return failing > 0;
    }
    let told = |line: &str| {
        let line = line.trim_start();
        FAILED.iter().any(|word| line.starts_with(word))
            || line.contains(": error")
            || line.contains("  error  ")
    };
    text.lines().any(told) && signature::sign(text, None, None).strength == Strength::Strong
}

fn action(result: &ToolResult, sight: &guard::Sight) -> String {
    let failed = match (result.failed(), result.exit_code) {
        (true, Some(code)) => format!(" (failed, exit {code})"),
        (true, None) => " (failed)".to_owned(),
        _ => String::new(),
    };
    format!("{}{failed}", sight.action(&result.call))
}

/// A text without its middle, where it is longer than both ends together.
fn shortened<'t>(text: &'t str, (head, tail): (usize, usize), cut: &str) -> Cow<'t, str> {
    if text.len() <= head + tail {
        return Cow::Borrowed(text);
    }
    let (head, tail) = ends(text, (head, tail));
    Cow::Owned(format!("{}{cut}{}", &text[..head], &text[tail..]))
}

/// Where the beginning ends and the end begins, between characters.
fn ends(text: &str, (head, tail): (usize, usize)) -> (usize, usize) {
    let (mut head, mut tail) = (head, text.len() - tail);
    while !text.is_char_boundary(head) {
        head -= 1;
    }
    while !text.is_char_boundary(tail) {
        tail += 1;
    }
    (head, tail)
}

/// What is kept of a text, without its secrets, and whether that is not all. A secret that lies
/// across an edge goes as a whole.
fn kept(text: &str, hits: &[SecretHit]) -> (String, bool) {
    if text.len() <= KEPT.0 + KEPT.1 {
        return (redacted(text, hits, 0, text.len()), false);
    }
    let (head, tail) = ends(text, KEPT);
    let begin = redacted(text, hits, 0, head);
    let end = redacted(text, hits, tail, text.len());
    (format!("{begin}{CUT}{end}"), true)
}

/// A part of a text with `[redacted:KIND]` in the place of each secret that touches it.
fn redacted(text: &str, hits: &[SecretHit], from: usize, to: usize) -> String {
    let mut clean = String::with_capacity(to - from);
    let mut at = from;
    let first = hits.partition_point(|hit| hit.end <= from);
    for hit in hits[first..].iter().take_while(|hit| hit.start < to) {
        clean.push_str(&text[at..hit.start.max(at)]);
        clean.push_str("[redacted:");
        clean.push_str(hit.kind);
        clean.push(']');
        at = hit.end.min(to);
    }
    clean.push_str(&text[at..to]);
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    const AWS: &str = concat!("AKIA", "4GH7QZ2MXWVN5RTB");

    #[test]
    fn what_is_kept_is_bounded_and_holds_no_part_of_a_secret() {
        let (head, tail) = KEPT;
        for at in [
            0,
            head - AWS.len() / 2,
            head - 1,
            head,
            100_000,
            200_000 - tail - 3,
            200_000 - AWS.len(),
        ] {
            let mut text = ". ".repeat(100_000);
            text.replace_range(at..at + AWS.len(), AWS);
            let hits = secret::find(&text);
            assert_eq!(hits.len(), 1, "{at}");
            let (kept, cut) = kept(&text, &hits);
            assert!(cut && kept.len() < head + tail + 100, "{at}");
            for part in [&AWS[..8], &AWS[AWS.len() - 8..]] {
                assert!(!kept.contains(part), "{at}: {part}");
            }
        }
        let short = format!("a {AWS} b");
        let hits = secret::find(&short);
        assert_eq!(
            kept(&short, &hits),
            ("a [redacted:aws_access_key_id] b".to_owned(), false)
        );
    }

    #[test]
    fn what_a_check_says_tells_how_it_ended() {
        for (text, failed) in [
            ("test result: FAILED. 8 passed; 2 failed; 0 ignored", true),
            ("test result: ok. 8 passed; 0 failed; 0 ignored", false),
            ("src/a.ts(3,7): error TS2304: Cannot find name 'x'.", true),
            ("error[E0308]: mismatched types\n --> src/a.rs:1:5", true),
            (
                "warning: unused import: `x`\n --> src/a.rs:1:5\n    Finished",
                false,
            ),
            ("src/a.js\n  1:7  warning  unused  no-unused-vars\n", false),
            ("ok", false),
            ("", false),
        ] {
            assert_eq!(says_failed(text), failed, "{text}");
        }
    }

    #[test]
    fn a_text_keeps_both_of_its_ends() {
        let text = format!("first{}last", "\u{1f980}".repeat(10_000));
        let short = shortened(&text, (100, 100), CUT);
        assert!(short.starts_with("first") && short.ends_with("last"));
        assert!(short.len() <= 200 + CUT.len());
        assert_eq!(shortened("abc", (2, 1), CUT), "abc");
    }
}
