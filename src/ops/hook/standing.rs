//! What stops a call whatever it is: flags, open breakers, and under a plan the gate.

use crate::contract::ids::RecordId;
use crate::contract::refusal::{Code, Refusal};
use crate::contract::safety::{Verdict, WorkRole};
use crate::contract::scope::Scope;
use crate::contract::tool::{Caller, ToolCall};
use crate::journal::Read;
use crate::journal::flags::Flag;
use crate::ops::context::Context;
use crate::ops::domain::{self, Breaker, ScopeState, Standing};
use crate::ops::gate;
use crate::ops::store::{deadline, load};
use crate::rules::ledger::{GateFacts, Question};

use super::Stand;

/// A refusal, and the breaker that it is by.
pub(super) type Decided = Option<(Refusal, Option<RecordId>)>;

/// A flag as the model reads of it.
fn flag_words(flag: &Flag) -> String {
    format!(
        "a {} stop is in force: {}",
        flag.trigger.as_str(),
        flag.reason
    )
}

/// The refusal of a flag alone.
pub(super) fn flagged_by(flag: &Flag) -> Refusal {
    let next = "watchfloor breaker list";
    Refusal::new(Code::BreakerOpen, flag_words(flag), next)
}

/// Session, project and fleet are known without a store.
pub(super) fn known_without_store(context: &Context, call: &ToolCall) -> Vec<Scope> {
    let root = Caller {
        subagent: None,
        ..call.caller.clone()
    };
    let mut scopes = vec![
        Scope::Fleet,
        Scope::Project {
            project: context.project.clone(),
        },
        Scope::Session {
            agent: call.caller.agent(),
        },
    ];
    if call.caller.subagent.is_some() {
        scopes.push(Scope::Session {
            agent: root.agent(),
        });
    }
    if let Some(task) = &context.task {
        scopes.push(Scope::Task {
            project: context.project.clone(),
            task: task.clone(),
        });
    }
    if let Some(mission) = &context.mission {
        scopes.push(Scope::Mission {
            project: context.project.clone(),
            mission: mission.clone(),
        });
    }
    scopes
}

/// A breaker or a flag around the call.
pub(super) fn stopped(
    flagged: &[Flag],
    stand: &Stand,
    standing: &Standing,
    read: &dyn Read,
) -> Result<Decided, Refusal> {
    if let Some(id) = standing.blocking.first() {
        let breaker: Option<Breaker> = load(read, domain::BREAKER, id.as_str())?;
        return Ok(Some((gate::stopped(breaker.as_ref()), Some(id.clone()))));
    }
    for flag in flagged.iter().filter(|flag| flag.kind == "session") {
        if let Some(refusal) = slot_holds(flag, stand, read)? {
            return Ok(Some(refusal));
        }
    }
    let unrecorded = gate::unrecorded(flagged, read)?;
    Ok(unrecorded.map(|flag| (flagged_by(&flag), None)))
}

/// The slot of a session stops it as long as its breaker is open, whatever task the session's
/// environment names by now; a permit for that breaker lets it work.
fn slot_holds(flag: &Flag, stand: &Stand, read: &dyn Read) -> Result<Decided, Refusal> {
    let id = flag.breaker_id();
    let Some(breaker) = load::<Breaker>(read, domain::BREAKER, id.as_str())? else {
        return Ok(None);
    };
    if breaker.row.state != "open" {
        return Ok(None);
    }
    let scope: ScopeState = load(read, domain::SCOPE, &breaker.scope.key())?.unwrap_or_default();
    let now = deadline(read)?;
    let permitted = scope.permits.iter().any(|permit| {
        permit.breaker_id == id && permit.agent == stand.agent && permit.until_us > now
    });
    Ok((!permitted).then(|| (gate::stopped(Some(&breaker)), Some(id))))
}

/// What the gate says to a maker with the strategy of its plan.
pub(super) fn gate_says(
    context: &Context,
    stand: &Stand,
    strategy: &str,
    permit: bool,
    read: &dyn Read,
) -> Result<Decided, Refusal> {
    let key = domain::in_project(&context.project, stand.task.as_str());
    let Some(task) = load::<domain::Task>(read, domain::TASK, &key)? else {
        return Ok(None);
    };
    let question = Question {
        role: WorkRole::Maker,
        strategy: strategy.to_owned(),
        agent: Some(stand.agent.clone()),
    };
    let facts = GateFacts {
        breaker_open: false,
        permit,
        mission_tries: 0,
    };
    let answer = task.ledger.gate(&question, &facts, &context.limits);
    let (code, why) = match answer.verdict {
        Verdict::Allow => return Ok(None),
        Verdict::StrategyChangeDue => (
            Code::StrategyChangeDue,
            "this strategy failed the same way before; plan another one",
        ),
        Verdict::DebuggerDue => (
            Code::DebuggerDue,
            "the task is stuck; a debugger's analysis is due first",
        ),
        Verdict::SecondOpinionDue => (
            Code::SecondOpinionDue,
            "the task is stuck; a second opinion is due first",
        ),
        Verdict::BreakerOpen => (Code::BreakerOpen, "a breaker is open"),
    };
    let next = format!("watchfloor task show {}", stand.task);
    Ok(Some((Refusal::new(code, why, next), None)))
}
