//! Before a tool call: flags, breakers, secrets, gate, then allow (spec 6.1).

use crate::contract::breaker::Trigger;
use crate::contract::event::{CALL_REFUSED, CallRefused};
use crate::contract::ids::RecordId;
use crate::contract::refusal::{Code, Refusal};
use crate::contract::safety::{Verdict, WorkRole};
use crate::contract::scope::Scope;
use crate::contract::tool::{AGENT_SEEN, Act, HookAnswer, ToolCall};
use crate::journal::flags::Flag;
use crate::journal::{Durability, Journal, Read};
use crate::ops::context::Context;
use crate::ops::disk;
use crate::ops::domain::{self, Breaker, ScopeState};
use crate::ops::flags::Flags;
use crate::ops::gate;
use crate::ops::records::fresh_id;
use crate::ops::records::observation;
use crate::ops::store::{around, deadline, load};
use crate::ops::trip::Wanted;
use crate::rules::ledger::{GateFacts, Question};

use super::failing::{self, changes, said};
use super::{Stand, open, secrets, seen_body, waits};

/// Answers before a tool call.
pub(super) fn answer(context: &Context, call: &ToolCall, flags: &Flags) -> HookAnswer {
    // The flags come first: a stop works whatever has become of the store.
    let flagged = match flags.load() {
        Ok(table) => table.hits(&known_without_store(context, call)),
        Err(refusal) => return failing::answer(call, &refusal),
    };
    match judge(context, call, flags, &flagged) {
        Ok(None) => HookAnswer::Allow,
        Ok(Some(refusal)) => HookAnswer::Refuse(said(&refusal.cause, &refusal.next_command)),
        Err(refusal) if flagged.is_empty() => failing::answer(call, &refusal),
        Err(_) => match (changes(call), flagged.first()) {
            (true, Some(flag)) => {
                HookAnswer::Refuse(said(&flag_words(flag), "watchfloor breaker list"))
            }
            _ => HookAnswer::Allow,
        },
    }
}

fn flag_words(flag: &Flag) -> String {
    format!(
        "a {} stop is in force: {}",
        flag.trigger.as_str(),
        flag.reason
    )
}

/// Session, project and fleet are known without a store.
fn known_without_store(context: &Context, call: &ToolCall) -> Vec<Scope> {
    let root = crate::contract::tool::Caller {
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

/// `None` lets the call run; a refusal that was decided is recorded.
fn judge(
    context: &Context,
    call: &ToolCall,
    flags: &Flags,
    flagged: &[Flag],
) -> Result<Option<Refusal>, Refusal> {
    let mut journal = open(context)?;
    let (stand, refusal) = journal.read(|read| {
        let stand = Stand::read(context, &call.caller, read)?;
        let refusal = decide(context, call, flagged, &stand, read)?;
        Ok((stand, refusal))
    })?;
    if let Some((refusal, breaker)) = refusal {
        // A refusal stands even when it cannot be recorded.
        drop(record(
            context,
            call,
            &stand,
            &refusal,
            breaker,
            &mut journal,
        ));
        return Ok(Some(refusal));
    }
    if let Some(found) = secrets::prevented(call) {
        let refusal = secrets::trip_prevented(context, call, &stand, &found, flags, &mut journal)?;
        drop(record(context, call, &stand, &refusal, None, &mut journal));
        return Ok(Some(refusal));
    }
    if changes(call) && disk::short_here(context).is_some() {
        disk::check(context, flags, &mut journal)?;
        let cause = disk::short_here(context).unwrap_or_default();
        return Ok(Some(Refusal::new(Code::StoreFull, cause, "df -h .")));
    }
    if stand.known.is_none() {
        let tree = stand.first_tree(context);
        let body = seen_body(context, &call.caller, &stand, "start", tree);
        let (task, agent) = (Some(stand.task.clone()), Some(stand.agent.clone()));
        journal.write(Durability::Normal, |write| {
            write.append(observation(context, AGENT_SEEN, task, agent, &body)?)
        })?;
    } else if stand.waits() {
        journal.write(Durability::Normal, |write| {
            waits::no_more(context, &stand, write)
        })?;
    }
    Ok(None)
}

type Decided = Option<(Refusal, Option<RecordId>)>;

fn decide(
    context: &Context,
    call: &ToolCall,
    flagged: &[Flag],
    stand: &Stand,
    read: &dyn Read,
) -> Result<Decided, Refusal> {
    if !changes(call) {
        return Ok(None);
    }
    let place = stand.place(context);
    let standing = around(&place, read)?;
    if let Some(id) = standing.blocking.first() {
        let breaker: Option<Breaker> = load(read, domain::BREAKER, id.as_str())?;
        return Ok(Some((gate::stopped(breaker.as_ref()), Some(id.clone()))));
    }
    for flag in flagged.iter().filter(|flag| flag.kind == "session") {
        if let Some(refusal) = slot_holds(flag, stand, read)? {
            return Ok(Some(refusal));
        }
    }
    if let Some(flag) = gate::unrecorded(flagged, read)? {
        let refusal = Refusal::new(
            Code::BreakerOpen,
            flag_words(&flag),
            "watchfloor breaker list",
        );
        return Ok(Some((refusal, None)));
    }
    let planned = stand.known.as_ref().and_then(|agent| agent.plan.as_ref());
    if let (Act::Edit(_), Some(plan)) = (&call.act, planned)
        && plan.task == stand.task.as_str()
    {
        return gate_says(context, stand, &plan.strategy, standing.permitted(), read);
    }
    Ok(None)
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

/// Under a plan every verdict of the gate holds for a call that edits.
fn gate_says(
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

fn record(
    context: &Context,
    call: &ToolCall,
    stand: &Stand,
    refusal: &Refusal,
    breaker_id: Option<RecordId>,
    journal: &mut impl Journal,
) -> Result<(), Refusal> {
    let body = CallRefused {
        schema: CALL_REFUSED.to_owned(),
        agent: stand.agent.clone(),
        tool: call.tool.clone(),
        call_id: call.call_id.clone(),
        breaker_id,
        code: refusal.code.as_str().to_owned(),
    };
    let (task, agent) = (Some(stand.task.clone()), Some(stand.agent.clone()));
    let first = stand.known.is_none();
    let tree = first.then(|| stand.first_tree(context)).flatten();
    journal.write(Durability::Normal, |write| {
        if first {
            let seen = seen_body(context, &call.caller, stand, "start", tree);
            write.append(observation(
                context,
                AGENT_SEEN,
                task.clone(),
                agent.clone(),
                &seen,
            )?)?;
        }
        write.append(observation(
            context,
            CALL_REFUSED,
            task.clone(),
            agent.clone(),
            &body,
        )?)?;
        Ok(())
    })
}

/// A breaker that a hook opens on an agent's session or its mission.
pub(super) fn wanted(
    trigger: Trigger,
    scope: Scope,
    key: String,
    reason: String,
    stand: &Stand,
) -> Wanted {
    Wanted {
        trigger,
        scope,
        key: Some(key),
        reason,
        agent: Some(stand.agent.clone()),
        proof: Vec::new(),
        breaker_id: Some(fresh_id()),
    }
}
