//! `attempt`, `gate`, `task`, `mission`, `breaker`, `limits`, `stop`, `resume`, `signature`.

use std::io::Write;

use serde::Serialize;

use crate::contract::agent::{ResetAnswer, ResetRequest};
use crate::contract::attempt::{AttemptInput, Defaults};
use crate::contract::breaker::Trigger;
use crate::contract::goal::{GOAL, Goal, PrimaryProof};
use crate::contract::ids::{AgentId, MissionId, RecordId, TaskId};
use crate::contract::mission::MissionState;
use crate::contract::refusal::{Code, Refusal};
use crate::contract::row::TaskRow;
use crate::contract::safety::{Verdict, WorkRole};
use crate::ops::attempt::{self as attempts, Recorded};
use crate::ops::context::Context;
use crate::ops::flags::Flags;
use crate::ops::gate::{self as gates, Asked};
use crate::ops::store::{self, JournalUse};
use crate::ops::{breaker as breakers, mission as missions, reset, stop as stops};

use super::args::{AttemptVerb, BreakerVerb, GateVerb, MissionVerb, SignatureVerb, TaskVerb};
use super::context::with_ancestors;
use super::out::Reply;
use super::prompt::passphrase;
use super::store::input;
use super::table::{plain, table};

fn usage(cause: impl Into<String>, next: &str) -> Refusal {
    Refusal::new(Code::Usage, cause, next)
}

fn need<T: Clone>(value: Option<&T>, flag: &str, verb: &str) -> Result<T, Refusal> {
    value.cloned().ok_or_else(|| {
        usage(
            format!("{verb} needs {flag}"),
            &format!("watchfloor {verb} --help"),
        )
    })
}

/// `attempt record | plan | list`.
pub fn attempt(context: &Context, verb: AttemptVerb) -> Result<Reply, Refusal> {
    match verb {
        AttemptVerb::Record { file, lines } => {
            let context = with_ancestors(context.clone());
            let bytes = input(&file)?;
            if lines {
                record_lines(&context, &bytes)
            } else {
                record(&context, &bytes)
            }
        }
        AttemptVerb::Plan {
            strategy,
            hypothesis,
        } => {
            let context = &with_ancestors(context.clone());
            let task = need(context.task.as_ref(), "--task", "attempt plan")?;
            let agent = need(context.agent.as_ref(), "--agent", "attempt plan")?;
            let blank = |text: &str| text.trim().is_empty();
            if blank(&strategy) || blank(&hypothesis) {
                return Err(usage(
                    "a plan needs a strategy and a hypothesis",
                    "watchfloor attempt plan --help",
                ));
            }
            let mut journal = store::open(context)?;
            let agent = store::caller(context, &agent, &mut journal)?;
            let planned =
                attempts::plan(context, &task, &agent, &hypothesis, &strategy, &mut journal)?;
            let human = format!("{agent} plans in {task}: {strategy}");
            Reply::of(&planned, plain(&human))
        }
        AttemptVerb::List { range } => {
            let mut journal = store::open_readonly(context)?;
            let list = attempts::attempts(
                context.task.as_ref(),
                range.since,
                range.limit,
                &mut journal,
            )?;
            let text = |value: &serde_json::Value, key: &str| {
                value[key].as_str().unwrap_or_default().to_owned()
            };
            let rows: Vec<Vec<String>> = list
                .attempts
                .iter()
                .map(|a| {
                    let seq = a["seq"].to_string();
                    vec![
                        seq,
                        text(a, "task_id"),
                        text(a, "agent"),
                        text(a, "role"),
                        text(a, "result"),
                        text(a, "strategy"),
                    ]
                })
                .collect();
            Reply::of(
                &list,
                table(
                    &["seq", "task", "agent", "role", "result", "strategy"],
                    &rows,
                ),
            )
        }
    }
}

fn parse(context: &Context, bytes: &[u8]) -> Result<AttemptInput, Refusal> {
    let defaults = Defaults {
        task: context.task.clone(),
        agent: context.agent.clone(),
        mission: context.mission.clone(),
    };
    AttemptInput::parse(bytes, defaults).map_err(|faults| {
        let measured = faults
            .iter()
            .all(|fault| fault.code == "progress_unmeasured");
        let mut refusal = Refusal::of_faults(
            "the attempt",
            faults,
            "watchfloor schema show watchfloor.attempt_input.v1",
        );
        if measured {
            refusal.code = Code::ProgressUnmeasured;
        }
        refusal
    })
}

fn record(context: &Context, bytes: &[u8]) -> Result<Reply, Refusal> {
    let input = parse(context, bytes)?;
    let mut journal = store::open(context)?;
    let recorded = one(context, input, bytes, &mut journal, &store::flags(context))?;
    let human = sentence(&recorded);
    Reply::of(&recorded, human)
}

fn one(
    context: &Context,
    mut input: AttemptInput,
    bytes: &[u8],
    journal: &mut crate::ops::store::Store,
    flags: &Flags,
) -> Result<Recorded, Refusal> {
    input.agent = store::caller(context, &input.agent, journal)?;
    attempts::record(context, &input, bytes, journal, flags)
}

/// One entry a line, one answer a line; a line that is refused is answered with its refusal.
fn record_lines(context: &Context, bytes: &[u8]) -> Result<Reply, Refusal> {
    let mut journal = store::open(context)?;
    let flags = store::flags(context);
    let mut output = std::io::BufWriter::new(std::io::stdout().lock());
    let mut worst = 0;
    for line in bytes
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.trim_ascii().is_empty())
    {
        let answered =
            parse(context, line).and_then(|input| one(context, input, line, &mut journal, &flags));
        let text = match answered {
            Ok(recorded) => serde_json::to_string(&recorded).unwrap_or_default(),
            Err(refusal) => {
                worst = worst.max(refusal.code.exit() as u8);
                serde_json::to_string(&refusal.view()).unwrap_or_default()
            }
        };
        if writeln!(output, "{text}").is_err() {
            break;
        }
    }
    drop(output.flush());
    Ok(Reply::written().exit(worst))
}

fn sentence(recorded: &Recorded) -> String {
    let mut text = format!("recorded {} as record {}", recorded.handle, recorded.seq);
    if !recorded.findings.is_empty() {
        text.push_str(&format!(
            "\nfindings: {}",
            plain(&recorded.findings.join(", "))
        ));
    }
    if !recorded.warnings.is_empty() {
        text.push_str(&format!(
            "\nwarnings: {}",
            plain(&recorded.warnings.join(", "))
        ));
    }
    if let Some(due) = &recorded.due {
        text.push_str(&format!("\ndue: {due}"));
    }
    if !recorded.trips.is_empty() {
        text.push_str(&format!(
            "\nbreaker opened: {}. Next: watchfloor breaker list",
            recorded.trips.join(", ")
        ));
    }
    text
}

/// `gate check`.
pub fn gate(context: &Context, verb: GateVerb) -> Result<Reply, Refusal> {
    let GateVerb::Check {
        role,
        strategy,
        explain,
    } = verb;
    let role = WorkRole::parse(&role).ok_or_else(|| {
        usage(
            format!("{role} is no role: maker, checker, debugger or second_opinion"),
            "watchfloor gate check --help",
        )
    })?;
    let asked = Asked {
        task: need(context.task.as_ref(), "--task", "gate check")?,
        role,
        strategy,
        agent: context.agent.clone(),
    };
    let flags = store::flags(context);
    let mut journal = store::for_gate(context)?;
    let answer = gates::check(context, &asked, &mut journal, &flags)?;
    let mut human = format!("{} ({})", answer.verdict.as_str(), answer.rule);
    if explain {
        let c = &answer.counts;
        human.push_str(&format!(
            "\ncounts: {} tries, {} failing, {} repairs, {} with the latest signature, {} tries in the mission",
            c.tries, c.failing, c.repairs, c.same_signature, c.mission_tries
        ));
        for proof in &answer.proof {
            human.push_str(&format!("\nproof: {proof}"));
        }
    }
    let exit = u8::from(answer.verdict != Verdict::Allow);
    Ok(Reply::of(&answer, human)?.exit(exit))
}

/// Tasks as a table.
pub fn task_table(tasks: &[TaskRow]) -> String {
    let rows: Vec<Vec<String>> = tasks
        .iter()
        .map(|row| {
            let lanes: Vec<String> = row
                .lanes
                .iter()
                .map(|step| format!("{}{}", step.lane, if step.failed { "✗" } else { "✓" }))
                .collect();
            let state = row.due.clone().unwrap_or_else(|| row.state.clone());
            vec![
                row.task.clone(),
                state,
                lanes.join(" "),
                format!("{} of {}", row.failing, row.tries),
                row.agent.clone(),
                row.mission.clone(),
            ]
        })
        .collect();
    table(
        &["task", "state", "tries", "failing", "agent", "mission"],
        &rows,
    )
}

/// `task list | show`.
pub fn task(context: &Context, verb: &TaskVerb) -> Result<Reply, Refusal> {
    let mut journal = store::open_readonly(context)?;
    match verb {
        TaskVerb::List { range } => {
            let list = missions::tasks(range.since, range.limit, &mut journal)?;
            let human = task_table(&list.tasks);
            Reply::of(&list, human)
        }
        TaskVerb::Show { id } => {
            let row = missions::task(context, &TaskId::new(id.clone()), &mut journal)?;
            let mut human = task_table(std::slice::from_ref(&row));
            if let Some(signature) = &row.signature {
                let said = row.failure.clone().unwrap_or_default();
                human.push_str(&format!(
                    "latest failure {signature} ({} times) {}\n",
                    row.same,
                    plain(&said)
                ));
            }
            Reply::of(&row, human)
        }
    }
}

/// `mission new | list | show | move`.
pub fn mission(context: &Context, verb: MissionVerb) -> Result<Reply, Refusal> {
    match verb {
        MissionVerb::New { id, outcome, goal } => {
            let goal = match goal {
                Some(file) => Goal::parse(&input(&file)?).map_err(|faults| {
                    Refusal::of_faults(
                        "the goal",
                        faults,
                        "watchfloor schema show watchfloor.goal.v1",
                    )
                })?,
                None => plain_goal(outcome.unwrap_or_default())?,
            };
            let mut journal = store::open(context)?;
            let answer = missions::new(context, &MissionId::new(id), &goal, &mut journal)?;
            let human = format!(
                "mission {} is {}; goal {}",
                answer.mission, answer.state, answer.goal_hash
            );
            Reply::of(&answer, human)
        }
        MissionVerb::Move { id, to, reason } => {
            let to = state(&to)?;
            let mut journal = store::open(context)?;
            let flags = store::flags(context);
            let answer = missions::go(
                context,
                &MissionId::new(id),
                to,
                &reason,
                &mut journal,
                &flags,
            )?;
            let human = format!("mission {} is {}", answer.mission, answer.state);
            Reply::of(&answer, human)
        }
        MissionVerb::List { range } => {
            let mut journal = store::open_readonly(context)?;
            let list = missions::list(range.since, range.limit, &mut journal)?;
            let rows: Vec<Vec<String>> = list
                .missions
                .iter()
                .map(|row| {
                    vec![
                        row.mission.clone(),
                        row.state.clone(),
                        row.tries.to_string(),
                        row.tasks.len().to_string(),
                        row.outcome.clone(),
                    ]
                })
                .collect();
            Reply::of(
                &list,
                table(&["mission", "state", "tries", "tasks", "outcome"], &rows),
            )
        }
        MissionVerb::Show { id } => {
            let mut journal = store::open_readonly(context)?;
            let shown = missions::show(context, &MissionId::new(id), &mut journal)?;
            let human = format!(
                "mission {} is {}\noutcome: {}\ngoal {} ({})\ntries {}; tasks {}",
                shown.row.mission,
                shown.row.state,
                plain(&shown.row.outcome),
                shown.row.goal_hash,
                if shown.goal_hash_holds {
                    "holds"
                } else {
                    "does not hold"
                },
                shown.row.tries,
                plain(&shown.row.tasks.join(", ")),
            );
            Reply::of(&shown, human)
        }
    }
}

fn plain_goal(outcome: String) -> Result<Goal, Refusal> {
    if outcome.trim().is_empty() {
        return Err(usage(
            "a goal needs an outcome",
            "watchfloor mission new --help",
        ));
    }
    Ok(Goal {
        schema: GOAL.to_owned(),
        outcome,
        primary_proof: PrimaryProof::default(),
        completion_criteria: Vec::new(),
        allowed_scope: Vec::new(),
        forbidden_drift: Vec::new(),
        retry_budget: 2,
        stop_condition: String::new(),
        final_report_rule: String::new(),
    })
}

fn state(text: &str) -> Result<MissionState, Refusal> {
    MissionState::parse(text).ok_or_else(|| {
        usage(
            format!("{text} is no state of a mission"),
            "watchfloor mission move --help",
        )
    })
}

/// `breaker list | show | trip | permit | reset`.
pub fn breaker(context: &Context, verb: BreakerVerb) -> Result<Reply, Refusal> {
    match verb {
        BreakerVerb::List { range } => {
            let mut journal = store::open_readonly(context)?;
            let list = breakers::list(context, range.since, range.limit, &mut journal)?;
            let rows: Vec<Vec<String>> = list
                .breakers
                .iter()
                .map(|b| {
                    vec![
                        b.row.handle.clone(),
                        b.row.state.clone(),
                        b.row.triggers.join(", "),
                        b.row.scope.clone(),
                        b.row.needs.clone(),
                        b.row.reason.clone(),
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
        BreakerVerb::Show { id } => {
            let mut journal = store::open_readonly(context)?;
            let shown = breakers::show(context, &id, &mut journal)?;
            let row = &shown.row;
            let human = format!(
                "{} {} on {} is {}\nreason: {}\nopened: {}\nstopped: {}\nneeds: a {}\nlacks: {}",
                row.handle,
                row.triggers.join(", "),
                plain(&row.scope),
                row.state,
                plain(&row.reason),
                row.opened_at,
                plain(&row.stopped.join(", ")),
                row.needs,
                shown.lacks.join(", ")
            );
            Reply::of(&shown, human)
        }
        BreakerVerb::Trip {
            trigger,
            scope,
            reason,
        } => {
            let trigger = Trigger::parse(&trigger).ok_or_else(|| {
                usage(
                    format!("{trigger} is no trigger"),
                    "watchfloor breaker trip --help",
                )
            })?;
            let scope = breakers::scope(context, &scope)?;
            let mut journal = store::open(context)?;
            let tripped = breakers::trip(
                context,
                trigger,
                &scope,
                &reason,
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
        BreakerVerb::Permit {
            id,
            minutes,
            cause,
            principal,
        } => {
            let agent: AgentId = need(context.agent.as_ref(), "--agent", "breaker permit")?;
            let mut journal = store::open(context)?;
            let flags = store::flags(context);
            let permitted = reset::permit(
                context,
                &id,
                &agent,
                minutes,
                &cause,
                principal.as_deref(),
                &mut |who| passphrase(who),
                &mut journal,
                &flags,
            )?;
            let human = format!(
                "{agent} may work under {} for {minutes} minutes",
                permitted.handle
            );
            Reply::of(&permitted, plain(&human))
        }
        BreakerVerb::Reset {
            id,
            cause,
            fix,
            evidence,
            to,
            check,
            principal,
        } => {
            let request = ResetRequest {
                breaker_id: RecordId::new(id),
                cause,
                fix,
                evidence,
                to: to.as_deref().map(state).transpose()?,
                principal,
            };
            let mut journal = store::open(context)?;
            let answer = if check {
                reset::check(context, &request, &mut journal)?
            } else {
                reset::reset(
                    context,
                    &request,
                    &mut |who| passphrase(who),
                    &mut journal,
                    &store::flags(context),
                )?
            };
            reset_reply(&answer)
        }
    }
}

fn reset_reply(answer: &ResetAnswer) -> Result<Reply, Refusal> {
    let mut human = format!(
        "breaker {} on {} is {}",
        answer.handle,
        plain(&answer.scope),
        answer.state
    );
    for check in &answer.checks {
        let mark = if check.holds { "✓" } else { "✗" };
        human.push_str(&format!("\n{mark} {}: {}", check.name, plain(&check.seen)));
    }
    if !answer.lacks.is_empty() {
        human.push_str(&format!("\nlacks: {}", answer.lacks.join(", ")));
    }
    if let Some(receipt) = &answer.receipt_id {
        human.push_str(&format!("\nreceipt {receipt}"));
    }
    Reply::of(answer, human)
}

/// `limits show`.
pub fn limits(context: &Context) -> Result<Reply, Refusal> {
    let l = &context.limits;
    let human = format!(
        "max_iterations {} tries in a mission\nmax_repairs {} failing tries after the first in a task\n\
         max_same_signature {} failing tries with one signature\nmax_weak {} tries\nchurn {} tries\n\
         min_free {} MiB or 2 %\nmin_inodes {}",
        l.max_iterations,
        l.max_repairs,
        l.max_same_signature,
        l.max_weak,
        l.churn,
        l.min_free_bytes >> 20,
        l.min_free_inodes
    );
    Reply::of(l, human)
}

/// `stop`.
pub fn stop(context: &Context, scope: &str, reason: &str) -> Result<Reply, Refusal> {
    let scope = breakers::scope(context, scope)?;
    let stopped = stops::stop(context, &scope, reason, store::utc_us())?;
    let mut human = format!("stopped {} ({})", plain(&stopped.scope), stopped.handle);
    if let Some(cause) = &stopped.cause {
        human.push_str(&format!(
            "\nthe flag stands; the receipt will be written later: {}",
            plain(cause)
        ));
    }
    Reply::of(&stopped, human)
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
    drop(crate::ops::sweep::reconcile(context, &mut journal, &flags));
    let breaker = journal.read(|read| stops::manual(read, &scope))?;
    let mission = matches!(scope, crate::contract::scope::Scope::Mission { .. });
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
    reset_reply(&answer)
}

#[derive(Serialize)]
struct Explained {
    signature: String,
    family: Option<String>,
    strength: crate::contract::signature::Strength,
    records: Vec<String>,
    failing_tests: Option<u64>,
}

/// `signature explain`.
pub fn signature(verb: &SignatureVerb) -> Result<Reply, Refusal> {
    let SignatureVerb::Explain {
        file,
        cwd,
        exit_code,
        tool: _,
    } = verb;
    let text = String::from_utf8_lossy(&input(file)?).into_owned();
    let signed = attempts::explain(&text, *exit_code, cwd.as_deref());
    let explained = Explained {
        signature: signed.0.id.to_string(),
        family: None,
        strength: signed.0.strength,
        records: signed.0.canonical.lines().map(str::to_owned).collect(),
        failing_tests: signed.1,
    };
    let human = format!(
        "{} {:?}\n{}",
        explained.signature,
        explained.strength,
        explained
            .records
            .iter()
            .map(|r| plain(r))
            .collect::<Vec<_>>()
            .join("\n")
    );
    Reply::of(&explained, human)
}
