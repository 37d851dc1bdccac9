//! `init`, `status`, `tick`, `verify`, `rebuild`.

use std::io::{IsTerminal, Write};
use std::ops::ControlFlow;

use serde::Serialize;

use crate::contract::refusal::Refusal;
use crate::contract::row::Status;
use crate::ops::context::Context;
use crate::ops::store::JournalUse;
use crate::ops::verify::{self, Checked};
use crate::ops::{status as rows, store, sweep};

use super::out::{Out, Reply};
use super::table::{plain, table};

#[derive(Serialize)]
struct Made {
    store: String,
    seq: u64,
}

/// Makes the store.
pub fn init(context: &Context) -> Result<Reply, Refusal> {
    store::make(context)?;
    let path = context.store.display().to_string();
    let human = format!("Made the store {path}. Next: watchfloor identity init");
    Reply::of(
        &Made {
            store: path,
            seq: 0,
        },
        human,
    )
}

/// The state of the fleet.
pub fn status(context: &Context) -> Result<Reply, Refusal> {
    let mut journal = store::open_readonly(context)?;
    let status = journal.read(|read| rows::status(context, read))?;
    let human = screen(&status);
    Reply::of(&status, human)
}

fn screen(status: &Status) -> String {
    let c = &status.counts;
    let mut text = format!(
        "{} agents, {} stopped; {} breakers open; {} handoffs open, {} held; {} tasks, {} escalated, {} with a step due; {} attempts, {} failing; record {} at {}\n",
        c.agents,
        c.stopped,
        c.breakers_open,
        c.handoffs_open,
        c.handoffs_claimed,
        c.tasks,
        c.escalated,
        c.due,
        c.attempts,
        c.failures,
        status.seq,
        status.at
    );
    if status.attention.is_empty() {
        text.push_str("\nNothing needs you.\n");
    } else {
        text.push_str("\nNeeds you\n");
        let rows: Vec<Vec<String>> = status
            .attention
            .iter()
            .map(|row| {
                vec![
                    row.handle.clone(),
                    row.what.clone(),
                    format!("a {}", row.needs),
                    row.since.clone(),
                ]
            })
            .collect();
        text.push_str(&table(&["", "what", "needs", "since"], &rows));
    }
    // A cell is cut, and a command that is cut mends nothing.
    if let Some(next) = &status.flags.next_command {
        let why = status.flags.why.as_deref().unwrap_or_default();
        let told = format!("\nFlags\n  {}\n  next:  {}\n", plain(why), plain(next));
        text.push_str(&told);
    }
    let running: Vec<_> = status
        .handoffs
        .iter()
        .filter(|row| super::handoff::matters(row))
        .collect();
    if !running.is_empty() {
        text.push_str("\nHandoffs\n");
        text.push_str(&super::handoff::short_table(&running));
    }
    if !status.tasks.is_empty() {
        text.push_str("\nTasks\n");
        text.push_str(&super::mission::task_table(&status.tasks));
    }
    if !status.agents.is_empty() {
        text.push_str("\nAgents\n");
        let rows: Vec<Vec<String>> = status
            .agents
            .iter()
            .map(|row| {
                vec![
                    row.agent.clone(),
                    row.state.clone(),
                    row.lamp.clone(),
                    row.task.clone(),
                    format!("{}/{}", row.failures, row.attempts),
                    plain(&row.last_action),
                ]
            })
            .collect();
        text.push_str(&table(
            &["agent", "state", "lamp", "task", "failed", "last"],
            &rows,
        ));
    }
    text
}

/// Sweeps the time limits.
pub fn tick(context: &Context) -> Result<Reply, Refusal> {
    let mut journal = store::open(context)?;
    let swept = sweep::tick(context, &mut journal, &store::flags(context))?;
    store::checkpoint(&mut journal)?;
    let human = format!(
        "{} permits expired, {} handoffs expired, {} sessions ended, {} stops recorded, {} flags cleared, {} flags set, {} breakers opened",
        swept.permits_expired,
        swept.handoffs_expired,
        swept.sessions_gone,
        swept.stops_recorded,
        swept.flags_cleared,
        swept.flags_set,
        swept.opened.len()
    );
    Reply::of(&swept, human)
}

/// Checks the chain, and with `deep` the projections.
pub fn verify(context: &Context, deep: bool, out: &Out) -> Result<Reply, Refusal> {
    let mut progress = bar(out, "verify");
    let checked = verify::verify(context, deep, &mut progress)?;
    clear(out);
    let human = sentence(&checked);
    let exit = u8::from(!checked.holds);
    Ok(Reply::of(&checked, human)?.exit(exit))
}

fn sentence(checked: &Checked) -> String {
    if checked.holds {
        let deep = if checked.deep {
            ", and the projections agree"
        } else {
            ""
        };
        let mut text = format!(
            "{} records hold; head {}{deep}. {}",
            checked.rows, checked.head, checked.signed
        );
        for restart in &checked.restarts {
            text.push_str("\nLeft out, as a human signed: ");
            text.push_str(restart);
            text.push('.');
        }
        return text;
    }
    let at = checked
        .first_bad
        .map_or_else(String::new, |seq| format!("record {seq}: "));
    let kept = checked
        .quarantine
        .as_ref()
        .map_or_else(String::new, |path| {
            format!("\nThe bytes are kept in {path}.")
        });
    let stopped = checked.breaker.as_ref().map_or_else(String::new, |handle| {
        format!("\nThe fleet is stopped. Next: watchfloor breaker reset {handle} --check")
    });
    format!(
        "does not hold: {at}{}{kept}{stopped}",
        checked.why.as_deref().unwrap_or("unknown")
    )
}

/// Makes the projections anew.
pub fn rebuild(context: &Context, out: &Out) -> Result<Reply, Refusal> {
    let mut progress = bar(out, "rebuild");
    let rebuilt = store::rebuild(context, &mut progress)?;
    clear(out);
    let human = format!("{} records folded anew", rebuilt.rows);
    Reply::of(&rebuilt, human)
}

/// What a read costs at the least: open, one position, exit.
pub fn floor_read(context: &Context) -> Result<Reply, Refusal> {
    let seq = store::floor_read(context)?;
    Ok(Reply::plain(seq.to_string()))
}

/// What a verification costs at the least, in microseconds of processor time.
pub fn floor_hash(context: &Context) -> Result<Reply, Refusal> {
    let took = store::floor_hash(context)?;
    Ok(Reply::plain(took.as_micros().to_string()))
}

/// A line that tells how far it is; only for a person at a terminal.
fn bar(out: &Out, what: &'static str) -> impl FnMut(u64, u64) -> ControlFlow<()> {
    let shown = !out.json && !out.quiet && std::io::stderr().is_terminal();
    let mut last = 0;
    move |done, all| {
        let percent = done.saturating_mul(100).checked_div(all).unwrap_or(100);
        if shown && percent != last {
            last = percent;
            drop(write!(
                std::io::stderr().lock(),
                "\r{what} {percent:>3} % of {all} records (Ctrl-C cancels)"
            ));
        }
        ControlFlow::Continue(())
    }
}

fn clear(out: &Out) {
    if !out.json && !out.quiet && std::io::stderr().is_terminal() {
        drop(write!(std::io::stderr().lock(), "\r\u{1b}[K"));
    }
}
