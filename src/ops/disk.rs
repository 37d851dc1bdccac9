//! Free space and inodes (spec 3.2, 3.6): the file systems of the store and the project.

use std::path::Path;

use rustix::fs::statvfs;

use crate::contract::breaker::{ResetCheck, Trigger};
use crate::contract::limits::Limits;
use crate::contract::refusal::Refusal;
use crate::contract::scope::Scope;
use crate::journal::{Durability, Journal};
use crate::ops::flags::Flags;

use super::context::Context;
use super::domain::{self, ScopeState};
use super::store::load;
use super::trip::{self, Wanted};

/// What is short on one file system, in a sentence; `None` when nothing is.
#[must_use]
pub fn short(path: &Path, limits: &Limits) -> Option<String> {
    let found = existing(path)?;
    let stat = statvfs(found).ok()?;
    let unit = stat.f_frsize.max(1);
    let free = stat.f_bavail.saturating_mul(unit);
    let total = stat.f_blocks.saturating_mul(unit);
    let floor = limits.min_free_bytes.min(total / 50);
    if free < floor {
        let (free, floor) = (free >> 20, floor >> 20);
        return Some(format!(
            "{free} MiB are free where {} lies; the limit is {floor} MiB",
            path.display()
        ));
    }
    // File systems that make inodes as they need them say that they have none.
    let inodes = stat.f_files > 0 && stat.f_favail < limits.min_free_inodes.min(stat.f_files / 50);
    inodes.then(|| {
        format!(
            "{} inodes are free where {} lies",
            stat.f_favail,
            path.display()
        )
    })
}

fn existing(path: &Path) -> Option<&Path> {
    path.ancestors().find(|part| part.exists())
}

/// Opens `disk` on the project when space is short and no such breaker is open yet.
/// Answers the breakers that it opened.
///
/// # Errors
/// The store fails.
pub fn check(
    context: &Context,
    flags: &Flags,
    journal: &mut impl Journal,
) -> Result<Vec<String>, Refusal> {
    let Some(reason) = short_here(context) else {
        return Ok(Vec::new());
    };
    let scope = Scope::Project {
        project: context.project.clone(),
    };
    let known = journal.read(|read| {
        let state: Option<ScopeState> = load(read, domain::SCOPE, &scope.key())?;
        for id in state.unwrap_or_default().open {
            let breaker: Option<domain::Breaker> = load(read, domain::BREAKER, id.as_str())?;
            if breaker.is_some_and(|b| b.trips.iter().any(|trip| trip.trigger == Trigger::Disk)) {
                return Ok(true);
            }
        }
        Ok(false)
    })?;
    if known {
        return Ok(Vec::new());
    }
    let wanted = Wanted {
        trigger: Trigger::Disk,
        scope,
        key: Some("space".to_owned()),
        reason,
        agent: None,
        proof: Vec::new(),
        breaker_id: None,
    };
    let tripped = journal.write(Durability::Full, |write| {
        trip::open(context, flags, &[wanted], write)
    })?;
    Ok(tripped
        .iter()
        .map(|trip| trip.breaker_id.to_string())
        .collect())
}

/// What is short for the store or the project.
#[must_use]
pub fn short_here(context: &Context) -> Option<String> {
    short(&context.store, &context.limits).or_else(|| short(&context.root, &context.limits))
}

/// The machine check of a reset.
#[must_use]
pub fn has_space(context: &Context) -> ResetCheck {
    let short = short_here(context);
    ResetCheck {
        name: "disk_has_space".to_owned(),
        holds: short.is_none(),
        seen: short.unwrap_or_else(|| "enough space and inodes".to_owned()),
    }
}
