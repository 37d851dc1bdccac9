//! How entries stand now: time that has passed counts although no record says so yet, and a
//! waiter whose process is gone waits no longer.

use crate::contract::refusal::{Exit, Refusal};
use crate::contract::row::Counts;
use crate::journal::{Durability, Journal, Read};
use crate::ops::context::Context;
use crate::ops::domain::{self, Handoff};
use crate::ops::process;
use crate::ops::store::{list, load};

use super::case::Case;

/// The moment at which entries are looked at.
#[derive(Clone, Debug)]
pub struct Sight {
    /// The store's time, UTC microseconds.
    pub now_us: i64,
    /// A jump of the clock that no record tells yet, microseconds.
    pub jump_us: i64,
    here: String,
}

impl Sight {
    /// Now.
    ///
    /// # Errors
    /// The store fails.
    pub fn of(read: &dyn Read) -> Result<Self, Refusal> {
        Ok(Self {
            now_us: read.now()?.utc_us,
            jump_us: read.pending_jump()?,
            here: process::host(),
        })
    }

    /// The entry as it stands at this moment.
    pub fn see(&self, handoff: &mut Handoff) {
        handoff.see(self.now_us, self.jump_us, &|lease| {
            process::may_live(&self.here, &lease.host, lease.pid, lease.started)
        });
    }

    /// Whether time has brought something that no record says yet.
    #[must_use]
    pub fn is_due(&self, handoff: &Handoff) -> bool {
        let mut entry = handoff.entry.clone();
        entry.shift(self.jump_us);
        entry
            .limit()
            .is_some_and(|limit| limit.until_us <= self.now_us)
    }
}

/// How many entries a person must decide, and how many are open or claimed, by the journal.
pub(super) fn running_counts(read: &dyn Read) -> Result<(usize, usize), Refusal> {
    let counts: Counts = load(read, domain::COUNT, domain::ALL)?.unwrap_or_default();
    let whole = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
    Ok((
        whole(counts.handoffs_escalated),
        whole(counts.handoffs_open + counts.handoffs_claimed),
    ))
}

/// The entries that are open or claimed by the journal, as it has them.
pub(super) fn running(read: &dyn Read) -> Result<Vec<Handoff>, Refusal> {
    let (escalated, running) = running_counts(read)?;
    if running == 0 {
        return Ok(Vec::new());
    }
    list(read, domain::HANDOFF, running, escalated)
}

/// Records everything that time has brought; how many entries it changed.
///
/// # Errors
/// The store fails.
pub fn expire_all(context: &Context, journal: &mut impl Journal) -> Result<u64, Refusal> {
    let due = journal.read(|read| {
        let sight = Sight::of(read)?;
        let running = running(read)?.into_iter();
        Ok(running
            .filter(|handoff| sight.is_due(handoff))
            .map(|handoff| handoff.row.id)
            .collect::<Vec<_>>())
    })?;
    if due.is_empty() {
        return Ok(0);
    }
    journal.write(Durability::Full, |write| {
        let mut changed = 0;
        for id in &due {
            match Case::open(context, id, write) {
                Ok(case) => changed += u64::from(case.expired > 0),
                Err(refusal) if refusal.code.exit() == Exit::Refused => {}
                Err(refusal) => return Err(refusal),
            }
        }
        Ok(changed)
    })
}
