//! What a machine can check of a reset, checked at that moment (spec 3.6).

use std::process::Command;

use crate::contract::attempt::Attempt;
use crate::contract::breaker::ResetCheck;
use crate::contract::record::Kind;
use crate::contract::refusal::Refusal;
use crate::contract::safety::Outcome;
use crate::contract::scope::Scope;
use crate::journal::sqlite::SqliteStore;
use crate::journal::{Page, Read};
use crate::ops::context::Context;
use crate::ops::disk;
use crate::ops::domain::Breaker;
use crate::ops::store::PROJECTOR;
use crate::rules::breaker::{Check, wanted_checks};

/// Every check that the breaker's triggers ask for.
///
/// # Errors
/// The store fails.
pub fn checks(context: &Context, breaker: &Breaker, read: &dyn Read) -> Result<Vec<ResetCheck>, Refusal> {
    let mut done = Vec::new();
    for check in asked(breaker) {
        done.push(match check {
            Check::ChainVerifies => chain_verifies(context),
            Check::DiskHasSpace => disk::has_space(context),
            Check::CheckPassesAgain => passes_again(breaker, read)?,
            Check::RepositoryIsClean => repository_is_clean(context),
        });
    }
    Ok(done)
}

/// What a reset lacks as far as it can be told without the journal's records.
#[must_use]
pub fn lacks_now(context: &Context, breaker: &Breaker) -> Vec<String> {
    let mut lacks = Vec::new();
    for check in asked(breaker) {
        let checked = match check {
            Check::DiskHasSpace => disk::has_space(context),
            Check::RepositoryIsClean => repository_is_clean(context),
            Check::ChainVerifies | Check::CheckPassesAgain => continue,
        };
        if !checked.holds {
            lacks.push(checked.name);
        }
    }
    lacks.extend(["cause", "fix", "evidence"].map(str::to_owned));
    if matches!(breaker.scope, Scope::Mission { .. }) {
        lacks.push("to".to_owned());
    }
    lacks.push("approval".to_owned());
    lacks
}

fn asked(breaker: &Breaker) -> Vec<Check> {
    let mut asked: Vec<Check> = Vec::new();
    for trip in &breaker.trips {
        for check in wanted_checks(trip.trigger) {
            if !asked.contains(check) {
                asked.push(*check);
            }
        }
    }
    asked
}

fn check(name: Check, holds: bool, seen: impl Into<String>) -> ResetCheck {
    ResetCheck { name: name.as_str().to_owned(), holds, seen: seen.into() }
}

fn chain_verifies(context: &Context) -> ResetCheck {
    let verified = SqliteStore::open_readonly(&context.store, &PROJECTOR).and_then(|store| {
        store.verify(&mut |_| std::ops::ControlFlow::Continue(()))
    });
    match verified {
        Ok(report) => match report.first_bad {
            None => check(Check::ChainVerifies, true, format!("{} records hold", report.rows)),
            Some(bad) => check(Check::ChainVerifies, false, format!("record {}: {}", bad.seq, bad.why)),
        },
        Err(refusal) => check(Check::ChainVerifies, false, refusal.cause),
    }
}

/// A passing entry of the same check, later than the trip.
fn passes_again(breaker: &Breaker, read: &dyn Read) -> Result<ResetCheck, Refusal> {
    let named = breaker.trips.iter().find_map(|trip| trip.key.clone()).unwrap_or_default();
    let task = match &breaker.scope {
        Scope::Task { task, .. } => Some(task.clone()),
        _ => None,
    };
    let page = Page {
        after: breaker.row.opened_seq,
        kind: Some(Kind::Attempt),
        task,
        limit: 1_000,
        newest_first: true,
        ..Page::default()
    };
    for record in read.page(&page)? {
        let Ok(attempt) = serde_json::from_str::<Attempt>(&record.body) else { continue };
        let same = attempt.check.as_deref().is_some_and(|name| named.is_empty() || named == "by hand" || named.contains(name));
        if same && attempt.result == Outcome::Pass {
            return Ok(check(Check::CheckPassesAgain, true, format!("passed in record {}", record.seq)));
        }
    }
    Ok(check(Check::CheckPassesAgain, false, "no passing run since the breaker opened"))
}

fn repository_is_clean(context: &Context) -> ResetCheck {
    let name = Check::RepositoryIsClean;
    let output = Command::new("git").arg("-C").arg(&context.root).args(["status", "--porcelain=v2"]).output();
    let Ok(output) = output else { return check(name, false, "git cannot be run") };
    if !output.status.success() {
        return check(name, true, "no repository here");
    }
    // A conflict is what must be gone; work in progress is no damage.
    let text = String::from_utf8_lossy(&output.stdout);
    let unmerged = text.lines().filter(|line| line.starts_with("u ")).count();
    if unmerged == 0 {
        return check(name, true, "no conflict is open");
    }
    check(name, false, format!("{unmerged} files are in conflict"))
}
