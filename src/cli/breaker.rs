//! `breaker`, `stop`, `resume`.

use crate::contract::agent::{ResetAnswer, ResetRequest};
use crate::contract::breaker::Trigger;
use crate::contract::ids::{AgentId, RecordId};
use crate::contract::mission::MissionState;
use crate::contract::refusal::Refusal;
use crate::contract::scope::Scope;
use crate::ops::context::Context;
use crate::ops::store::{self, JournalUse};
use crate::ops::{breaker as breakers, reset, stop as stops, sweep};

use super::args::{BreakerVerb, Range};
use super::mission::state;
use super::out::{Reply, need, usage};
use super::prompt::passphrase;
use super::table::{plain, table};

/// `breaker list | show | trip | permit | reset`.
pub fn breaker(context: &Context, verb: BreakerVerb) -> Result<Reply, Refusal> {
    match verb {
        BreakerVerb::List { range } => list(context, range),
        BreakerVerb::Show { id } => show(context, &id),
        BreakerVerb::Trip {
            trigger,
            scope,
            reason,
        } => trip(context, &trigger, &scope, &reason),
        BreakerVerb::Permit {
            id,
            minutes,
            cause,
            principal,
        } => permit(context, &id, minutes, &cause, principal.as_deref()),
        BreakerVerb::Reset {
            id,
            cause,
            fix,
            evidence,
            to,
            check,
            principal,
        } => {
            let to = to.as_deref().map(state).transpose()?;
            let request = ResetRequest {
                breaker_id: RecordId::new(id),
                cause,
                fix,
                evidence,
                to,
                principal,
            };
            let mut journal = store::open(context)?;
            if check {
                return checked(&reset::check(context, &request, &mut journal)?);
            }
            let answer = reset::reset(
                context,
                &request,
                &mut |who| passphrase(who),
                &mut journal,
                &store::flags(context),
            )?;
            Reply::of(&answer, reset_text(&answer))
        }
    }
}

fn list(context: &Context, range: Range) -> Result<Reply, Refusal> {
    let mut journal = store::open_readonly(context)?;
    let list = breakers::list(context, range.since, range.limit, &mut journal)?;
    let rows: Vec<Vec<String>> = list
        .breakers
        .iter()
        .map(|b| {
            let row = b.row.clone();
            vec![
                row.handle,
                row.state,
                row.triggers.join(", "),
                row.scope,
                row.needs,
                row.reason,
            ]
        })
        .collect();
    Reply::of(
        &list,
        table(
            &["breaker", "state", "trigger", "scope", "needs", "reason"],
            &rows,
        ),
    )
}

fn show(context: &Context, id: &str) -> Result<Reply, Refusal> {
    let mut journal = store::open_readonly(context)?;
    let shown = breakers::show(context, id, &mut journal)?;
    let row = &shown.row;
    let mut human = vec![
        format!(
            "{} {} on {} is {}",
            row.handle,
            row.triggers.join(", "),
            plain(&row.scope),
            row.state
        ),
        format!("reason: {}", plain(&row.reason)),
        format!("opened: {}", row.opened_at),
        format!("stopped: {}", plain(&row.stopped.join(", "))),
    ];
    if let (Some(at), Some(by)) = (&row.closed_at, &row.closed_by) {
        human.push(format!("closed: {at} by {}", plain(by)));
    } else {
        human.push(format!("needs: a {}", row.needs));
        human.push(format!("lacks: {}", shown.lacks.join(", ")));
    }
    Reply::of(&shown, human.join("\n"))
}

fn trip(context: &Context, trigger: &str, scope: &str, reason: &str) -> Result<Reply, Refusal> {
    let trigger = Trigger::parse(trigger).ok_or_else(|| {
        usage(
            format!("{trigger} is no trigger"),
            "watchfloor breaker trip --help",
        )
    })?;
    let scope = breakers::scope(context, scope)?;
    let mut journal = store::open(context)?;
    let tripped = breakers::trip(
        context,
        trigger,
        &scope,
        reason,
        &mut journal,
        &store::flags(context),
    )?;
    let human = format!(
        "breaker {} ({}) is open on {}",
        tripped.handle,
        tripped.trigger,
        plain(&tripped.scope)
    );
    Reply::of(&tripped, human)
}

fn permit(
    context: &Context,
    id: &str,
    minutes: u32,
    cause: &str,
    principal: Option<&str>,
) -> Result<Reply, Refusal> {
    let agent: AgentId = need(context.agent.as_ref(), "--agent", "breaker permit")?;
    let mut journal = store::open(context)?;
    let wish = reset::PermitWish {
        id,
        agent: &agent,
        minutes,
        cause,
        principal,
    };
    let permitted = reset::permit(
        context,
        &wish,
        &mut |who| passphrase(who),
        &mut journal,
        &store::flags(context),
    )?;
    let human = format!(
        "{agent} may work under {} for {minutes} minutes",
        permitted.handle
    );
    Reply::of(&permitted, plain(&human))
}

/// What a reset lacks: a refusal, as the reset would be, when it lacks anything.
fn checked(answer: &ResetAnswer) -> Result<Reply, Refusal> {
    let human = reset_text(answer);
    match reset::refusal_of(answer) {
        Some(refusal) => Reply::lacking(answer, human, refusal),
        None => Reply::of(answer, human),
    }
}

fn reset_text(answer: &ResetAnswer) -> String {
    let mut human = vec![format!(
        "breaker {} on {} is {}",
        answer.handle,
        plain(&answer.scope),
        answer.state
    )];
    for check in &answer.checks {
        let mark = if check.holds { "✓" } else { "✗" };
        human.push(format!("{mark} {}: {}", check.name, plain(&check.seen)));
    }
    if !answer.lacks.is_empty() {
        human.push(format!("lacks: {}", answer.lacks.join(", ")));
    }
    if let Some(receipt) = &answer.receipt_id {
        human.push(format!("receipt {receipt}"));
    }
    human.join("\n")
}

/// `stop`.
pub fn stop(context: &Context, scope: &str, reason: &str) -> Result<Reply, Refusal> {
    let scope = breakers::scope(context, scope)?;
    let stopped = stops::stop(context, &scope, reason, store::utc_us())?;
    let mut human = vec![format!(
        "stopped {} ({})",
        plain(&stopped.scope),
        stopped.handle
    )];
    if let Some(cause) = &stopped.unflagged {
        human.push(format!(
            "the flag is not set; hooks refuse every change until its file is mended: {}",
            plain(cause)
        ));
    }
    if let Some(cause) = &stopped.cause {
        human.push(format!(
            "the flag stands; the receipt will be written later: {}",
            plain(cause)
        ));
    }
    Reply::of(&stopped, human.join("\n"))
}

/// `resume`: the signed reset of a stop.
pub fn resume(
    context: &Context,
    scope: &str,
    reason: &str,
    principal: Option<&str>,
) -> Result<Reply, Refusal> {
    let scope = breakers::scope(context, scope)?;
    let mut journal = store::open(context)?;
    let flags = store::flags(context);
    // A stop whose receipt is still missing is recorded first: what is reset must be known.
    drop(sweep::reconcile(context, &mut journal, &flags));
    let breaker = journal.read(|read| stops::manual(read, &scope))?;
    let mission = matches!(scope, Scope::Mission { .. });
    let request = ResetRequest {
        breaker_id: breakers::id_of(&breaker),
        cause: breaker.row.reason.clone(),
        fix: reason.to_owned(),
        evidence: Vec::new(),
        to: mission.then_some(MissionState::Active),
        principal: principal.map(str::to_owned),
    };
    let answer = reset::reset(
        context,
        &request,
        &mut |who| passphrase(who),
        &mut journal,
        &flags,
    )?;
    Reply::of(&answer, reset_text(&answer))
}
