//! `attempt`, `gate`: the ledger and what is asked of it.

use std::io::Write;

use crate::contract::attempt::{AttemptInput, Defaults};
use crate::contract::refusal::Refusal;
use crate::contract::safety::{Verdict, WorkRole};
use crate::ops::attempt::{self as attempts, Recorded};
use crate::ops::context::Context;
use crate::ops::flags::Flags;
use crate::ops::gate::{self as gates, Asked};
use crate::ops::store;

use super::args::{AttemptVerb, GateVerb};
use super::context::with_ancestors;
use super::input::{entries, input};
use super::out::{Reply, need, usage};
use super::table::{plain, table};

/// `attempt record | plan | list`.
pub fn attempt(context: &Context, verb: AttemptVerb) -> Result<Reply, Refusal> {
    match verb {
        AttemptVerb::Record { file, lines } => {
            if lines {
                record_lines(&with_ancestors(context.clone()), &file)
            } else {
                record(context.clone(), &input(&file)?)
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
    attempts::parse(bytes, defaults)
}

fn record(mut context: Context, bytes: &[u8]) -> Result<Reply, Refusal> {
    let input = parse(&context, bytes)?;
    let journal = store::kept(store::open(&context)?);
    if store::has_sessions(journal)? {
        context = with_ancestors(context);
    }
    let flags = store::flags(&context);
    let recorded = one(&context, input, bytes, journal, &flags)?;
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

/// One entry a line, one answer a line, as they come; a line that is refused is answered with
/// its refusal.
fn record_lines(context: &Context, file: &str) -> Result<Reply, Refusal> {
    let mut journal = store::open(context)?;
    let flags = store::flags(context);
    let mut output = std::io::stdout().lock();
    let mut worst = 0;
    for line in entries(file)? {
        let line = line?;
        if line.trim_ascii().is_empty() {
            continue;
        }
        let answered = parse(context, &line)
            .and_then(|input| one(context, input, &line, &mut journal, &flags));
        let mut text = match answered {
            Ok(recorded) => serde_json::to_string(&recorded).unwrap_or_default(),
            Err(refusal) => {
                worst = worst.max(refusal.code.exit() as u8);
                serde_json::to_string(&refusal.view()).unwrap_or_default()
            }
        };
        text.push('\n');
        // Whoever reads an answer may rely on it, so none waits for the next line.
        if output.write_all(text.as_bytes()).is_err() {
            break;
        }
    }
    Ok(Reply::written().exit(worst))
}

fn sentence(recorded: &Recorded) -> String {
    let mut text = vec![format!(
        "recorded {} as record {}",
        recorded.handle, recorded.seq
    )];
    if !recorded.findings.is_empty() {
        text.push(format!(
            "findings: {}",
            plain(&recorded.findings.join(", "))
        ));
    }
    if !recorded.warnings.is_empty() {
        text.push(format!(
            "warnings: {}",
            plain(&recorded.warnings.join(", "))
        ));
    }
    if let Some(due) = &recorded.due {
        text.push(format!("due: {due}"));
    }
    if !recorded.trips.is_empty() {
        text.push(format!(
            "breaker opened: {}. Next: watchfloor breaker list",
            recorded.trips.join(", ")
        ));
    }
    text.join("\n")
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
    let journal = store::kept(store::for_gate(context)?);
    let answer = gates::check(context, &asked, journal, &flags)?;
    let mut human = vec![format!("{} ({})", answer.verdict.as_str(), answer.rule)];
    if explain {
        let c = &answer.counts;
        human.push(format!("counts: {} tries, {} failing, {} repairs, {} with the latest signature, {} tries in the mission",
            c.tries, c.failing, c.repairs, c.same_signature, c.mission_tries
        ));
        for proof in &answer.proof {
            human.push(format!("proof: {proof}"));
        }
    }
    let exit = u8::from(answer.verdict != Verdict::Allow);
    Ok(Reply::of(&answer, human.join("\n"))?.exit(exit))
}
