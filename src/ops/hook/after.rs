//! After a tool call: the observation, and at the end of a check the derived try (spec 3.1, 6.1).

use crate::contract::attempt::{ATTEMPT, Attempt, Change, Derived, Origin, Progress};
use crate::contract::refusal::Refusal;
use crate::contract::safety::{Outcome, WorkRole};
use crate::contract::secret;
use crate::contract::time::rfc3339;
use crate::contract::tool::{
    Act, CallOutcome, CheckSeen, HookAnswer, TOOL_SEEN, ToolResult, ToolSeen,
};
use crate::journal::{Durability, Journal, Read};
use crate::ops::attempt::{self, Failure, Recorded, custom};
use crate::ops::codes;
use crate::ops::context::Context;
use crate::ops::flags::Flags;
use crate::ops::paths::normal_files;
use crate::ops::records::{fresh_id, observation};
use crate::ops::tree;
use crate::rules::cycle::{self, Derived as Meant, DerivedTry};
use crate::rules::signature;

use super::{Stand, open, secrets};

/// How much of a result's text is kept, in bytes.
const KEPT: usize = 16 << 10;

/// Answers after a tool call.
pub(super) fn answer(
    context: &Context,
    result: &ToolResult,
    flags: &Flags,
) -> Result<HookAnswer, Refusal> {
    let mut journal = open(context)?;
    let stand = journal.read(|read| Stand::read(context, &result.call.caller, read))?;
    let mut read = Reading::of(context, result, &stand);
    // A check may be a try, and a try is a decision: it is on disk before it is answered.
    let durability = if read.seen.check.is_some() {
        Durability::Full
    } else {
        Durability::Normal
    };
    journal
        .write(durability, |write| {
            // The state may have moved since it was read; the record is made of what holds now.
            let stand = Stand::read(context, &result.call.caller, write)?;
            let mut told = Vec::new();
            if read.seen.check.is_some() {
                read.failure.classify(write)?;
            }
            let derived = derive(&read, &stand);
            if read.seen.check.is_some() && derived.is_none() {
                read.seen.triage.clone_from(&read.failure.triage);
            }
            let first = codes::is_first(read.seen.triage.as_ref(), write)?;
            let record = write.append(observation(
                context,
                TOOL_SEEN,
                Some(stand.task.clone()),
                Some(stand.agent.clone()),
                &read.seen,
            )?)?;
            if let (Some(minted), Some(triage)) = (first, &read.seen.triage) {
                let about = (Some(&stand.task), Some(&stand.agent));
                codes::cards(context, triage, minted, about, &record.id, write)?;
            }
            if let Some(derived) = derived {
                let attempt = attempt_of(context, &read, &stand, derived, write)?;
                let recorded = attempt::append(context, &attempt, write, flags)?;
                told.extend(words(&recorded, &stand));
            }
            if let Some(found) = &read.secret {
                told.push(secrets::trip_happened(
                    context,
                    &result.call,
                    &stand,
                    found,
                    flags,
                    write,
                )?);
            }
            Ok(told)
        })
        .map(|told| {
            if told.is_empty() {
                HookAnswer::Allow
            } else {
                HookAnswer::Tell(format!("Watchfloor: {}", told.join(" ")))
            }
        })
}

/// A result, read before the store is locked.
struct Reading {
    seen: ToolSeen,
    failure: Failure,
    secret: Option<secrets::Found>,
}

impl Reading {
    fn of(context: &Context, result: &ToolResult, stand: &Stand) -> Self {
        let (text, redacted) = secret::redact(&result.text);
        let (text, cut) = shortened(text);
        let failure = if result.failed() {
            Failure::of_text(context, &result.text, result.exit_code)
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
            action: action(result),
            files,
            failed: result.failed(),
            unknown: result.outcome == CallOutcome::Unknown,
            exit_code: result.exit_code,
            text,
            cut,
            redacted,
            check: check(context, result, stand, &failure),
            triage: None,
        };
        Self {
            seen,
            failure,
            secret: secrets::first(&result.text),
        }
    }
}

/// A command on the list of checks, or any whose failure names its cause.
fn check(
    context: &Context,
    result: &ToolResult,
    stand: &Stand,
    failure: &Failure,
) -> Option<CheckSeen> {
    let Act::Shell(command) = &result.call.act else {
        return None;
    };
    // Nobody told what became of it: it closes no cycle.
    if result.outcome == CallOutcome::Unknown {
        return None;
    }
    let name = cycle::closing_name(command, result.failed().then_some(failure.strength), &[])?;
    let known = stand.known.as_ref().map(|agent| &agent.cycle);
    let paths: Vec<String> = known.map(cycle::Cycle::paths).unwrap_or_default();
    Some(CheckSeen {
        check: name,
        passed: !result.failed(),
        failing_tests: signature::failing_tests(&result.text),
        signature: failure.signature.clone(),
        strength: failure.strength,
        tree: tree::changed(&context.root, paths.iter()),
    })
}

fn derive(read: &Reading, stand: &Stand) -> Option<DerivedTry> {
    let check = read.seen.check.as_ref()?;
    if read.failure.transient {
        return None;
    }
    let mut cycle = stand.known.clone().unwrap_or_default().cycle;
    match cycle.check(check) {
        Meant::Observation => None,
        Meant::Try(derived) => Some(*derived),
    }
}

fn attempt_of(
    context: &Context,
    read: &Reading,
    stand: &Stand,
    derived: DerivedTry,
    store: &dyn Read,
) -> Result<Attempt, Refusal> {
    let check = read.seen.check.as_ref().map(|check| check.check.clone());
    let failed = derived.result == Outcome::Fail;
    let made = derived.metric.is_some() || !derived.evidence.is_empty();
    let progress = made.then(|| Progress {
        made,
        metric: derived.metric,
        evidence: derived.evidence.clone(),
    });
    Ok(Attempt {
        schema: ATTEMPT.to_owned(),
        attempt_id: fresh_id(),
        timestamp: rfc3339(store.now()?.utc_us),
        task_id: stand.task.clone(),
        mission_id: stand.mission.clone(),
        agent: stand.agent.clone(),
        role: WorkRole::Maker,
        hypothesis: "derived from an edit-check cycle".to_owned(),
        strategy: derived.strategy,
        change: Change {
            summary: read.seen.action.clone(),
            files: derived.files,
            state: derived.state,
        },
        check,
        result: derived.result,
        error_signature: if failed {
            read.failure.signature.clone()
        } else {
            None
        },
        progress,
        derived: Derived {
            origin: if derived.planned {
                Origin::Planned
            } else {
                Origin::Undeclared
            },
            strength: read.failure.strength,
            transient: false,
            failure: if failed {
                read.failure.line.clone()
            } else {
                None
            },
            triage: if failed {
                read.failure.triage.clone()
            } else {
                None
            },
            evidence: derived.evidence,
            limits: custom(&context.limits),
        },
    })
}

/// What the model should read: what was noticed, and what is closed to it now.
fn words(recorded: &Recorded, stand: &Stand) -> Vec<String> {
    let mut words = Vec::new();
    if !recorded.findings.is_empty() {
        words.push(format!("noticed: {}.", recorded.findings.join(", ")));
    }
    if !recorded.warnings.is_empty() {
        words.push(format!("warning: {}.", recorded.warnings.join(", ")));
    }
    if !recorded.trips.is_empty() {
        let trips = recorded.trips.join(", ");
        words.push(format!(
            "breaker {trips} is open on task {}: stop changing things, write down what you know; a person decides. See: watchfloor breaker list",
            stand.task
        ));
    }
    words
}

fn action(result: &ToolResult) -> String {
    let what = match &result.call.act {
        Act::Shell(command) => command.split_whitespace().collect::<Vec<_>>().join(" "),
        Act::Edit(files) => files.join(", "),
        Act::Read | Act::Other => String::new(),
    };
    let failed = match (result.failed(), result.exit_code) {
        (true, Some(code)) => format!(" (failed, exit {code})"),
        (true, None) => " (failed)".to_owned(),
        _ => String::new(),
    };
    let what: String = secret::redact(&what).0.chars().take(140).collect();
    format!("{} {what}{failed}", result.call.tool)
        .trim()
        .to_owned()
}

fn shortened(text: String) -> (String, bool) {
    if text.len() <= KEPT {
        return (text, false);
    }
    let mut end = KEPT;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    (text[..end].to_owned(), true)
}
