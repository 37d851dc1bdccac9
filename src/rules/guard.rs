//! The guard (spec 3.8): what a tool call would do, read from its words in linear time, and what
//! a result says of what was done.

#![expect(
    clippy::similar_names,
    reason = "one arg of the args, one word of the words"
)]
#![expect(
    clippy::case_sensitive_file_extension_comparisons,
    reason = "names of files and settings mean what a file system or git takes them for"
)]

mod call;
mod code;
mod command;
mod files;
mod forge;
mod git;
mod lex;
mod mcp;
mod own;
mod paths;
mod peel;
mod prod;
mod results;
mod rules;
mod secrets;
mod shell;
mod ssh;
mod text;
mod tools;
mod tree;
mod walk;

use crate::contract::grant::call_digest;
use crate::contract::guard::{Grantable, GuardOutcome, Judgement, Policy};
use crate::contract::guard_rule::GuardRule;

use walk::{Finding, Walk};

/// Judges a call before it runs: `tool` is the harness's name of it, `input` its whole input, a
/// JSON object, or the bare command of a shell.
///
/// ```
/// use watchfloor::contract::guard::{GuardOutcome, Policy};
/// use watchfloor::rules::guard::judge;
/// let policy = Policy::default();
/// assert_eq!(judge("Bash", "echo 'rm -rf /'", &policy).outcome, GuardOutcome::Allow);
/// assert_eq!(judge("Bash", "echo 'rm -rf /' | sh", &policy).outcome, GuardOutcome::Trip);
/// ```
#[must_use]
pub fn judge(tool: &str, input: &str, policy: &Policy) -> Judgement {
    let mut walk = Walk::new(policy);
    tools::judge(&mut walk, tool, input);
    let reads = walk.reads && policy.fault.is_none();
    if let Some(fault) = policy.fault.as_ref().filter(|_| !walk.reads) {
        walk.unclear(fault);
    }
    if walk.found.is_none() && walk.unclear.is_none() {
        return Judgement::allow(reads);
    }
    let once = Grantable::Call(call_digest(tool, input));
    if policy.grants.contains(&once) {
        return Judgement::allow(false);
    }
    match (walk.found, walk.unclear) {
        (Some(finding), _) => refusal(finding, once),
        (None, unclear) => Judgement {
            outcome: GuardOutcome::Indeterminate,
            trigger: None,
            rule: Some("guard.unclear".to_owned()),
            reason: unclear.unwrap_or_default(),
            only_reads: walk.reads,
            wants: Some(once),
        },
    }
}

fn refusal(finding: Finding, once: Grantable) -> Judgement {
    let outcome = if finding.trigger.is_some() {
        GuardOutcome::Trip
    } else {
        GuardOutcome::Deny
    };
    Judgement {
        outcome,
        trigger: finding.trigger,
        rule: Some(finding.rule),
        reason: finding.reason,
        only_reads: false,
        wants: Some(finding.wants.unwrap_or(once)),
    }
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
    let _ = tool;
    results::judge(exit_code, text, policy)
}

/// What is wrong with a rule's examples: those that it should match and does not, and those that
/// it should let pass and does not.
#[must_use]
pub fn wrong_examples(rule: &GuardRule) -> Vec<String> {
    let policy = Policy {
        rules: vec![rule.clone()],
        ..Policy::default()
    };
    let hits = |example: &str| {
        let mut walk = Walk::new(&policy);
        walk.shown(&text::clean(example));
        walk.found.is_some_and(|found| found.rule == rule.id)
    };
    let missed = rule.matches.iter().filter(|example| !hits(example));
    let caught = rule.pass.iter().filter(|example| hits(example));
    missed
        .map(|example| format!("it does not match `{example}`"))
        .chain(caught.map(|example| format!("it matches `{example}`")))
        .collect()
}

#[cfg(test)]
mod answers;
#[cfg(test)]
mod cases;
#[cfg(test)]
mod tests;
