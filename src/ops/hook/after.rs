//! After a tool call: the observation, at the end of a check the derived try, and what the guard
//! says of what happened (spec 3.1, 3.8, 6.1).

use crate::contract::attempt::{ATTEMPT, Attempt, Change, Derived, Origin, Progress};
use crate::contract::breaker::Trigger;
use crate::contract::guard::{GuardMode, GuardOutcome, Judgement, Preset};
use crate::contract::guarded::{GUARD_WOULD, GuardWould, HOOK_LEAK, HookLeak};
use crate::contract::refusal::Refusal;
use crate::contract::safety::{Outcome, WorkRole};
use crate::contract::secret;
use crate::contract::time::rfc3339;
use crate::contract::tool::{HookAnswer, TOOL_SEEN, ToolResult};
use crate::journal::{Durability, Journal, Read, Write};
use crate::ops::attempt::{self, Recorded, custom};
use crate::ops::codes;
use crate::ops::context::Context;
use crate::ops::domain::RefusedCall;
use crate::ops::flags::Flags;
use crate::ops::records::{fresh_id, observation};
use crate::ops::store::Store;
use crate::rules::cycle::{Derived as Meant, DerivedTry};

use super::reading::Reading;
use super::trips::{self, Happened};
use super::{Stand, failing, guard, leave, open};

/// What ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// A tool call.
    Call,
    /// A command that ran as an agent of its own: its exit closes a cycle whatever it is.
    Command,
    /// Such a command, by somebody's will and not its own: nobody's try.
    Stopped,
}

/// Answers after a tool call.
pub(super) fn answer(
    context: &Context,
    result: &ToolResult,
    flags: &Flags,
) -> Result<HookAnswer, Refusal> {
    recorded(context, result, Ended::Call, flags)
}

/// Records what ended, and the try that it makes.
pub(super) fn recorded(
    context: &Context,
    result: &ToolResult,
    ended: Ended,
    flags: &Flags,
) -> Result<HookAnswer, Refusal> {
    let mut journal = open(context)?;
    let answer = taken_down(context, result, ended, flags, &mut journal);
    leave(context, journal);
    answer
}

fn taken_down(
    context: &Context,
    result: &ToolResult,
    ended: Ended,
    flags: &Flags,
    journal: &mut Store,
) -> Result<HookAnswer, Refusal> {
    let stand = journal.read(|read| Stand::read(context, &result.call.caller, read))?;
    // A command that a stop ended was never refused as a call.
    let leaks = ended == Ended::Call;
    let refused = leaks && stand.refused(&result.call).is_some();
    if refused && result.failed() && failing::is_said(&result.text) {
        // The harness hands our own refusal back as the result: nothing ran.
        return Ok(HookAnswer::Allow);
    }
    let mut read = Reading::of(context, result, &stand, ended);
    // A check may be a try, and a try is a decision: it is on disk before it is answered.
    let decides = read.seen.check.is_some() || read.against.is_some() || refused;
    let durability = if decides {
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
            let derived = derive(&read, &stand, ended);
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
            let seen = Seen {
                context,
                result,
                stand: &stand,
                flags,
            };
            if leaks && let Some(refused) = stand.refused(&result.call) {
                told.push(seen.leaked(refused, &read.seen.action, write)?);
            }
            if let Some(against) = &read.against {
                told.push(seen.against(against, &read, write)?);
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

/// A result, and where it stands.
struct Seen<'a> {
    context: &'a Context,
    result: &'a ToolResult,
    stand: &'a Stand,
    flags: &'a Flags,
}

impl Seen<'_> {
    /// The call had been refused, and ran all the same: what the guard refused it for happened.
    fn leaked(
        &self,
        refused: &RefusedCall,
        action: &str,
        write: &mut dyn Write,
    ) -> Result<String, Refusal> {
        let call = &self.result.call;
        let body = HookLeak {
            schema: HOOK_LEAK.to_owned(),
            agent: self.stand.agent.clone(),
            harness: call.caller.harness.clone(),
            tool: call.tool.clone(),
            call_id: call.call_id.clone(),
            call: guard::digest(call),
            code: refused.code.clone(),
            trigger: refused.trigger,
            rule: refused.rule.clone(),
            action: action.to_owned(),
        };
        self.observe(HOOK_LEAK, &body, write)?;
        let cause = format!("{} had been refused and ran all the same", call.tool);
        let Some(trigger) = refused.trigger else {
            return Ok(format!("{cause}: write down what it changed."));
        };
        let judged = Judgement {
            outcome: GuardOutcome::Trip,
            trigger: Some(trigger),
            rule: refused.rule.clone(),
            reason: cause,
            ..Judgement::allow(false)
        };
        let happened = Happened {
            judged: &judged,
            found: None,
            leaked: true,
        };
        trips::happened(self.context, self.stand, &happened, self.flags, write)
    }

    /// What the guard says of a result. In `observe`, and for a conflict under the preset
    /// `field`, it is a finding.
    fn against(
        &self,
        judged: &Judgement,
        read: &Reading,
        write: &mut dyn Write,
    ) -> Result<String, Refusal> {
        let conflict = read.preset == Preset::Field && judged.trigger == Some(Trigger::Git);
        if read.mode == GuardMode::Enforce && judged.outcome == GuardOutcome::Trip && !conflict {
            let happened = Happened {
                judged,
                found: read.found.as_ref(),
                leaked: false,
            };
            return trips::happened(self.context, self.stand, &happened, self.flags, write);
        }
        let call = &self.result.call;
        let body = GuardWould {
            schema: GUARD_WOULD.to_owned(),
            agent: self.stand.agent.clone(),
            tool: call.tool.clone(),
            call_id: call.call_id.clone(),
            happened: true,
            mode: read.mode,
            outcome: judged.outcome,
            trigger: judged.trigger,
            rule: judged.rule.clone(),
            reason: secret::redact(&judged.reason).0,
            action: read.seen.action.clone(),
        };
        self.observe(GUARD_WOULD, &body, write)?;
        Ok(format!("noticed: {}.", body.reason.trim_end_matches('.')))
    }

    fn observe<T: serde::Serialize>(
        &self,
        schema: &str,
        body: &T,
        write: &mut dyn Write,
    ) -> Result<(), Refusal> {
        let (task, agent) = (self.stand.task.clone(), self.stand.agent.clone());
        write.append(observation(
            self.context,
            schema,
            Some(task),
            Some(agent),
            body,
        )?)?;
        Ok(())
    }
}

fn derive(read: &Reading, stand: &Stand, ended: Ended) -> Option<DerivedTry> {
    let check = read.seen.check.as_ref()?;
    if read.failure.transient {
        return None;
    }
    let mut cycle = stand.known.clone().unwrap_or_default().cycle;
    let meant = match ended {
        Ended::Command => cycle.exit(check),
        Ended::Call | Ended::Stopped => cycle.check(check),
    };
    match meant {
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
