//! The guard's verbs: what is configured, what becomes of a call, whether rules hold (spec 3.8).

mod branch;
mod policy;

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::contract::digest::Digest;
use crate::contract::guard::{
    Grantable, GuardAnswer, GuardOutcome, GuardRulesAnswer, Judgement, Policy,
};
use crate::contract::guard_rule::{GuardRule, RuleFile};
use crate::contract::refusal::{Code, Refusal};
use crate::rules::guard;

pub use policy::{policy, policy_for};

use super::context::Context;
use super::grant::{self, GrantRow};
use super::store;

/// The user's own rules, in the configuration folder.
const RULES: &str = "guard.toml";
/// Beside it: the digest of the rules whose examples were seen to hold.
const CHECKED: &str = "guard.checked";

/// The user's rules. Their examples are held against them only where that was not done before.
fn own_rules(config: &Path) -> Result<Vec<GuardRule>, String> {
    let file = config.join(RULES);
    let Ok(bytes) = std::fs::read(&file) else {
        return match file.symlink_metadata() {
            Ok(_) => Err(format!("{} cannot be read", file.display())),
            Err(_) => Ok(Vec::new()),
        };
    };
    let text = String::from_utf8_lossy(&bytes);
    let rules = RuleFile::parse_own(&text).map_err(|fault| format!("{RULES}: {fault}"))?;
    let checked = std::fs::read_to_string(config.join(CHECKED)).unwrap_or_default();
    if checked.trim() != Digest::of(&bytes).to_string() {
        for rule in &rules {
            if let Some(fault) = guard::wrong_examples(rule).first() {
                return Err(format!("{RULES}: rule {}: {fault}", rule.id));
            }
        }
    }
    Ok(rules)
}

/// What `guard check` finds.
#[derive(Clone, Debug)]
pub struct Checked {
    /// What becomes of the call.
    pub judgement: Judgement,
    /// The grants that let it through, and what would become of it without them.
    pub granted: Option<(Vec<GrantRow>, Judgement)>,
}

impl Checked {
    fn of(judgement: Judgement) -> Self {
        Self {
            judgement,
            granted: None,
        }
    }
}

/// What becomes of a call, with the grants that run in the project where a store is there; or, for
/// the tool `ToolResult`, what is said of a result `{text, exit_code?}`.
/// Where the store cannot be read no grant counts, for a hook either.
#[must_use]
pub fn check(context: &Context, tool: &str, input: &str) -> Checked {
    let mut policy = policy_for(context, &context.cwd, input);
    if tool == "ToolResult" {
        let judgement = of_result(tool, input, &policy);
        return Checked::of(judgement);
    }
    let bare = guard::judge(tool, input, &policy);
    if bare.outcome == GuardOutcome::Allow || !store::is_there(context) {
        return Checked::of(bare);
    }
    let running = store::open_readonly(context)
        .and_then(|mut journal| grant::rows_running(context, &mut journal));
    let mut grants = running.unwrap_or_default();
    let mut lets = |grants: &[(Grantable, GrantRow)]| {
        policy.grants = grants.iter().map(|(opens, _)| opens.clone()).collect();
        // What a shell's line ends with is none of the input that a hook is given.
        [input, input.trim_end()]
            .map(|input| guard::judge(tool, input, &policy))
            .into_iter()
            .find(|judged| judged.outcome == GuardOutcome::Allow)
    };
    let Some(judgement) = lets(&grants) else {
        return Checked::of(bare);
    };
    // Only those that it needs are named.
    let mut at = 0;
    while at < grants.len() {
        let one = grants.remove(at);
        if lets(&grants).is_none() {
            grants.insert(at, one);
            at += 1;
        }
    }
    let rows = grants.into_iter().map(|(_, row)| row).collect();
    Checked {
        judgement,
        granted: Some((rows, bare)),
    }
}

fn of_result(tool: &str, input: &str, policy: &Policy) -> Judgement {
    let result: Option<Value> = serde_json::from_str(input).ok();
    let code = result
        .as_ref()
        .and_then(|result| result["exit_code"].as_i64());
    let code = code.map(|code| i32::try_from(code).unwrap_or(i32::MAX));
    let text = match &result {
        Some(result) => result["text"].as_str().unwrap_or(input),
        None => input,
    };
    guard::judge_result(tool, code, text, policy).unwrap_or_else(|| Judgement::allow(true))
}

/// What was found, as `guard check` answers it.
#[must_use]
pub fn answer(checked: &Checked) -> GuardAnswer {
    let judgement = &checked.judgement;
    let granted = checked.granted.iter().flat_map(|(grants, _)| grants);
    GuardAnswer {
        granted_by: granted.map(|row| row.handle.clone()).collect(),
        outcome: judgement.outcome,
        trigger: judgement.trigger,
        rule: judgement.rule.clone(),
        reason: judgement.reason.clone(),
    }
}

/// Holds each rule of some files against its examples, by default the user's own; what holds of
/// these is noted beside them, so that no hook has to do it again.
///
/// # Errors
/// A named file cannot be read.
pub fn check_rules(context: &Context, files: &[String]) -> Result<GuardRulesAnswer, Refusal> {
    let own = context.config.join(RULES);
    let mut answer = GuardRulesAnswer {
        valid: true,
        rules: 0,
        faults: Vec::new(),
    };
    let named: Vec<PathBuf> = files.iter().map(|file| context.cwd.join(file)).collect();
    let all = if named.is_empty() {
        vec![own.clone()]
    } else {
        named
    };
    for file in all {
        let bytes = match std::fs::read(&file) {
            Ok(bytes) => bytes,
            Err(error) if files.is_empty() && error.kind() == std::io::ErrorKind::NotFound => break,
            Err(error) => {
                return Err(Refusal::new(
                    Code::FileUnreadable,
                    format!("{} cannot be read: {error}", file.display()),
                    format!("ls -l {}", file.display()),
                ));
            }
        };
        let name = file
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        match RuleFile::parse_own(&String::from_utf8_lossy(&bytes)) {
            Err(fault) => answer.faults.push(format!("{name}: {fault}")),
            Ok(rules) => {
                answer.rules += rules.len();
                for rule in &rules {
                    let wrong = guard::wrong_examples(rule).into_iter();
                    answer
                        .faults
                        .extend(wrong.map(|fault| format!("{name}: rule {}: {fault}", rule.id)));
                }
            }
        }
        if answer.faults.is_empty() && file == own {
            // Without the note a hook checks for itself.
            let _ = std::fs::write(context.config.join(CHECKED), Digest::of(&bytes).to_string());
        }
    }
    answer.valid = answer.faults.is_empty();
    Ok(answer)
}
