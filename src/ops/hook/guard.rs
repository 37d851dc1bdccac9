//! What the guard and the search for secrets have against a call or a result (spec 3.8): one
//! path, whatever found it. Nothing here needs the store.

use std::path::{Path, PathBuf};

use crate::contract::breaker::Trigger;
use crate::contract::grant::call_digest;
use crate::contract::guard::{Grantable, GuardMode, GuardOutcome, Judgement, Policy};
use crate::contract::guarded::GuardSaid;
use crate::contract::refusal::{Code, Refusal};
use crate::contract::secret;
use crate::contract::tool::{Act, ToolCall, ToolResult};
use crate::ops::context::Context;
use crate::ops::domain::GrantState;
use crate::ops::guard::policy_for;
use crate::rules::guard::{judge, judge_result};
use crate::rules::guarded::simple_product_call;

use super::secrets;

/// The names that a shell and a tool that writes files have for the guard.
const SHELL: &str = "Bash";
const WRITE: &str = "write";

/// A call as the guard sees it.
pub(super) struct Sight {
    pub(super) judged: Judgement,
    policy: Policy,
    /// A secret in the input: for the fingerprint alone.
    pub(super) found: Option<secrets::Found>,
}

impl Sight {
    pub(super) fn of(context: &Context, call: &ToolCall) -> Self {
        Self::by(policy_for(context, &cwd(context, call), &call.input), call)
    }

    /// By the defaults alone, where there is no context.
    pub(super) fn bare(call: &ToolCall) -> Self {
        Self::by(Policy::default(), call)
    }

    fn by(policy: Policy, call: &ToolCall) -> Self {
        let (tool, input) = spoken(call);
        let judged = judge(tool, input, &policy);
        let found = secrets::first(&call.input);
        let judged = match &found {
            Some(found) if !is_secret(&judged) => Judgement {
                only_reads: judged.only_reads,
                ..secrets::judgement(&format!("the input of {}", call.tool), found)
            },
            _ => judged,
        };
        Self {
            judged,
            policy,
            found,
        }
    }

    /// Whether the guard only records here.
    pub(super) fn observes(&self) -> bool {
        self.policy.mode == GuardMode::Observe
    }

    pub(super) fn mode(&self) -> GuardMode {
        self.policy.mode
    }

    /// Whether a call may change files, repositories or systems. A shell call that is understood
    /// as only reading does not, nor does one simple call of this product, of a verb that stays
    /// allowed.
    pub(super) fn changes(&self, call: &ToolCall) -> bool {
        match &call.act {
            Act::Read => false,
            Act::Edit(_) | Act::Other => true,
            Act::Shell(command) => {
                let ours = simple_product_call(command).is_some() && names_this_program(command);
                !(ours || self.judged.only_reads && !names_another(command, &call.caller.cwd))
            }
        }
    }

    /// What the guard wants to become of the call: `Allow`, `Deny` or `Trip`, and
    /// `Indeterminate` where the call only reads, which is recorded and passes.
    pub(super) fn outcome(&self, call: &ToolCall) -> GuardOutcome {
        match self.judged.outcome {
            GuardOutcome::Indeterminate if self.changes(call) => GuardOutcome::Deny,
            other => other,
        }
    }

    /// Whether it refuses the call, and not only says what it would have done.
    pub(super) fn refuses(&self, call: &ToolCall) -> bool {
        !self.observes() && matches!(self.outcome(call), GuardOutcome::Deny | GuardOutcome::Trip)
    }

    /// Looks again with what signed grants open. Answers the grant of this one call, which is
    /// used up when the call goes through.
    pub(super) fn with_grants<'a>(
        &mut self,
        call: &ToolCall,
        grants: &'a [GrantState],
    ) -> Option<&'a GrantState> {
        let digest = digest(call);
        let this = |one: &&GrantState| matches!(&one.opens, Grantable::Call(d) if *d == digest);
        if let Some(one) = grants.iter().find(this) {
            self.judged = Judgement::allow(self.judged.only_reads);
            self.found = None;
            return Some(one);
        }
        let lasting = |one: &&GrantState| !matches!(one.opens, Grantable::Call(_));
        let opens: Vec<Grantable> = grants
            .iter()
            .filter(lasting)
            .map(|g| g.opens.clone())
            .collect();
        if self.found.is_none() && !opens.is_empty() {
            self.policy.grants = opens;
            let (tool, input) = spoken(call);
            self.judged = judge(tool, input, &self.policy);
        }
        None
    }

    /// What the refusal's record tells.
    pub(super) fn said(&self) -> GuardSaid {
        let lasting = |wants: &&Grantable| !matches!(wants, Grantable::Call(_));
        GuardSaid {
            trigger: self.judged.trigger,
            rule: self.judged.rule.clone(),
            reason: secret::redact(&self.judged.reason).0,
            wants: self.judged.wants.as_ref().filter(lasting).cloned(),
        }
    }

    /// The call in a line. One that holds a secret which has no known form is told by its tool
    /// alone.
    pub(super) fn action(&self, call: &ToolCall) -> String {
        if is_secret(&self.judged) && self.found.is_none() {
            return call.tool.clone();
        }
        action(call)
    }

    /// The refusal without a breaker.
    pub(super) fn refusal(&self, call: &ToolCall) -> Refusal {
        let reason = secret::redact(&self.judged.reason).0;
        let rule = self.judged.rule.as_deref().unwrap_or("guard");
        let (code, cause) = if self.judged.outcome == GuardOutcome::Indeterminate {
            let cause = format!("{reason} ({rule}): what this call would do cannot be told");
            (Code::GuardUnclear, cause)
        } else {
            (Code::GuardDenied, format!("{reason} ({rule})"))
        };
        Refusal::new(code, cause, grant_words(call, self.judged.wants.as_ref()))
    }
}

/// How a person lets it through.
pub(super) fn grant_words(call: &ToolCall, wants: Option<&Grantable>) -> String {
    let what = match wants {
        Some(Grantable::Host(host)) => format!("--host {host} --minutes 60"),
        Some(Grantable::Branch(branch)) => format!("--branch {branch} --minutes 60"),
        Some(Grantable::Path(path)) => format!("--path {path} --minutes 60"),
        Some(Grantable::Call(_)) | None => format!("--call {} --minutes 60", digest(call)),
    };
    format!("a person may run: watchfloor grant add {what} --reason WHY")
}

/// Digest of the tool and its input, by which one call is granted.
pub(super) fn digest(call: &ToolCall) -> String {
    call_digest(&call.tool, &call.input)
}

/// What the guard has against a result: a secret always, other texts where the exit code says
/// that it failed.
pub(super) fn of_result(
    context: &Context,
    result: &ToolResult,
    text: &str,
) -> (Option<Judgement>, Policy) {
    let call = &result.call;
    let policy = policy_for(context, &cwd(context, call), "");
    let (tool, _) = spoken(call);
    let judged = judge_result(tool, result.exit_code, text, &policy);
    (judged, policy)
}

/// Where a call works.
fn cwd(context: &Context, call: &ToolCall) -> PathBuf {
    let told = Path::new(&call.caller.cwd);
    if told.is_absolute() {
        told.to_path_buf()
    } else {
        context.cwd.clone()
    }
}

/// A shell's call by its command alone, and a tool that writes files as one, whatever its harness
/// calls it; any other by its name and whole input.
fn spoken(call: &ToolCall) -> (&str, &str) {
    match &call.act {
        Act::Shell(command) => (SHELL, command),
        Act::Edit(_) => (WRITE, &call.input),
        _ => (&call.tool, &call.input),
    }
}

/// Whether a command names this program: bare, as the hook's own is found, or by the absolute
/// path of the file that runs here. Any other file can be called `watchfloor` too.
fn names_this_program(command: &str) -> bool {
    let named = command.split_ascii_whitespace().next().unwrap_or_default();
    let path = Path::new(named);
    match (
        path.canonicalize(),
        Path::new("/proc/self/exe").canonicalize(),
    ) {
        _ if !named.contains('/') => true,
        (Ok(named), Ok(running)) => path.is_absolute() && named == running,
        _ => false,
    }
}

/// Whether a line names a file called as this program is, and not this one: what that does nobody
/// knows.
fn names_another(command: &str, cwd: &str) -> bool {
    let between = |c: char| c.is_whitespace() || ";|&()<>'\"`{}=".contains(c);
    let named = command
        .split(between)
        .filter(|word| word.ends_with("/watchfloor"));
    let mut others = named.filter(|word| !Path::new(cwd).join(word).is_dir());
    others.any(|word| !names_this_program(word))
}

/// A call in a line, redacted and cut.
fn action(call: &ToolCall) -> String {
    let what = match &call.act {
        Act::Shell(command) => command.split_whitespace().collect::<Vec<_>>().join(" "),
        Act::Edit(files) => files.join(", "),
        Act::Read | Act::Other => String::new(),
    };
    // What is cut off is not worth looking for secrets in.
    let near: String = what.chars().take(4 << 10).collect();
    let what: String = secret::redact(&near).0.chars().take(140).collect();
    format!("{} {what}", call.tool).trim().to_owned()
}

/// Whether a judgement is about a secret.
pub(super) fn is_secret(judged: &Judgement) -> bool {
    judged.trigger == Some(Trigger::Secret)
}

/// The trigger of a trip; a rule that names none is about a secret of the approvals.
pub(super) fn trigger_of(judged: &Judgement) -> Trigger {
    judged.trigger.unwrap_or(Trigger::ApprovalIdentity)
}
