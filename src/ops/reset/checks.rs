//! What a machine can check of a reset, checked at that moment (spec 3.6).

use crate::contract::attempt::Attempt;
use crate::contract::breaker::{ResetCheck, Trigger};
use crate::contract::record::Kind;
use crate::contract::refusal::Refusal;
use crate::contract::safety::Outcome;
use crate::contract::scope::Scope;
use crate::journal::{Page, Read};
use crate::ops::context::Context;
use crate::ops::diff;
use crate::ops::disk;
use crate::ops::domain::Breaker;
use crate::ops::signed::RESTARTS;
use crate::ops::verify;
use crate::rules::breaker::machine_checks_of;

/// Every check that the breaker's triggers ask for.
///
/// # Errors
/// The store fails.
pub fn checks(
    context: &Context,
    breaker: &Breaker,
    read: &dyn Read,
) -> Result<Vec<ResetCheck>, Refusal> {
    let mut done = Vec::new();
    for name in asked(breaker) {
        done.push(match name {
            CHAIN => chain_verifies(context, read)?,
            DISK => disk::has_space(context),
            PASSES => passes_again(breaker, read)?,
            CLEAN => repository_is_clean(context),
            unknown => check(unknown, false, "no such check is known"),
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
            DISK => disk::has_space(context),
            CLEAN => repository_is_clean(context),
            _ => continue,
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

const CHAIN: &str = "chain_verifies";
const DISK: &str = "disk_has_space";
const PASSES: &str = "check_passes_again";
const CLEAN: &str = "repository_is_clean";

fn asked(breaker: &Breaker) -> Vec<&'static str> {
    let triggers: Vec<Trigger> = breaker.trips.iter().map(|trip| trip.trigger).collect();
    machine_checks_of(&triggers)
}

fn check(name: &str, holds: bool, seen: impl Into<String>) -> ResetCheck {
    ResetCheck {
        name: name.to_owned(),
        holds,
        seen: seen.into(),
    }
}

/// The chain holds; or a person lets it go on behind what does not, which this names: it is
/// signed with the reset.
fn chain_verifies(context: &Context, read: &dyn Read) -> Result<ResetCheck, Refusal> {
    Ok(match verify::chain(context) {
        Ok(chain) => match chain.bad {
            None => check(CHAIN, true, format!("{} records hold", chain.rows)),
            Some(bad) => check(RESTARTS, true, verify::restart(&bad, read)?),
        },
        Err(refusal) => check(CHAIN, false, refusal.cause),
    })
}

/// A passing entry of the same check, later than the trip.
fn passes_again(breaker: &Breaker, read: &dyn Read) -> Result<ResetCheck, Refusal> {
    let named = breaker
        .trips
        .iter()
        .find_map(|trip| trip.key.clone())
        .unwrap_or_default();
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
        let Ok(attempt) = serde_json::from_str::<Attempt>(&record.body) else {
            continue;
        };
        let same = attempt
            .check
            .as_deref()
            .is_some_and(|name| named.is_empty() || named == "by hand" || named.contains(name));
        if same && attempt.result == Outcome::Pass {
            return Ok(check(
                PASSES,
                true,
                format!("passed in record {}", record.seq),
            ));
        }
    }
    Ok(check(
        PASSES,
        false,
        "no passing run since the breaker opened",
    ))
}

fn repository_is_clean(context: &Context) -> ResetCheck {
    let name = CLEAN;
    let mut above = context.root.ancestors();
    if !above.any(|folder| folder.join(".git").exists()) {
        return check(name, true, "no repository here");
    }
    // A conflict is what must be gone; work in progress is no damage.
    let entries = match diff::status(&context.root, &["--porcelain=v2"]) {
        Ok(entries) => entries,
        Err(refusal) => return check(name, false, refusal.cause),
    };
    let unmerged = entries.iter().filter(|one| one.starts_with("u ")).count();
    if unmerged == 0 {
        return check(name, true, "no conflict is open");
    }
    check(name, false, format!("{unmerged} files are in conflict"))
}
