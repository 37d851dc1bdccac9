//! Before a tool call: flags, breakers, guard, gate, then allow (spec 6.1).

use crate::contract::guard::GuardOutcome;
use crate::contract::refusal::{Code, Refusal};
use crate::contract::tool::{Act, HookAnswer, ToolCall};
use crate::journal::flags::Flag;
use crate::journal::{Journal, Read};
use crate::ops::context::Context;
use crate::ops::disk;
use crate::ops::domain::GrantState;
use crate::ops::flags::Flags;
use crate::ops::grant;
use crate::ops::store::{Store, around};

use super::failing::{self, said};
use super::guard::Sight;
use super::record::Recorder;
use super::standing::{self, Decided};
use super::{Stand, leave, open, trips};

/// Answers before a tool call.
pub(super) fn answer(context: &Context, call: &ToolCall, flags: &Flags) -> HookAnswer {
    match refusal(context, call, flags) {
        None => HookAnswer::Allow,
        Some(refusal) => HookAnswer::Refuse(said(&refusal.cause, &refusal.next_command)),
    }
}

/// What refuses a call, if anything does.
pub(super) fn refusal(context: &Context, call: &ToolCall, flags: &Flags) -> Option<Refusal> {
    let mut sight = Sight::of(context, call);
    // The flags come first: a stop works whatever has become of the store.
    let flagged = match flags.load() {
        Ok(table) => table.hits(&standing::known_without_store(context, call)),
        Err(refusal) => return failing::refusal(call, &sight, &refusal),
    };
    let asked = Asked {
        context,
        call,
        flags,
        flagged: &flagged,
    };
    let refusal = match asked.judge(&mut sight) {
        Ok(refusal) => return refusal,
        Err(refusal) => refusal,
    };
    let trips = sight.refuses(call) && sight.judged.outcome == GuardOutcome::Trip;
    // What was tried above may have set the flag before it failed.
    let table = flags.load();
    if trips
        && let Ok(table) = table
        && let Some(flag) = trips::flag_of(call, &sight, table.flags())
    {
        trips::flag_only(context, &flag, flags);
    }
    match flagged.first() {
        Some(flag) if sight.changes(call) => Some(standing::flagged_by(flag)),
        _ => failing::refusal(call, &sight, &refusal),
    }
}

/// A call, and what is asked about it.
struct Asked<'a> {
    context: &'a Context,
    call: &'a ToolCall,
    flags: &'a Flags,
    flagged: &'a [Flag],
}

/// What the store says of a call, read at once.
struct Told {
    stand: Stand,
    /// A breaker or a stop flag.
    stopped: Decided,
    /// The gate, under a plan.
    gate: Decided,
    /// What signed grants open; asked for only where the guard has something against the call.
    grants: Vec<GrantState>,
}

impl Asked<'_> {
    /// `None` lets the call run; a refusal that was decided is recorded.
    fn judge(&self, sight: &mut Sight) -> Result<Option<Refusal>, Refusal> {
        let mut journal = open(self.context)?;
        let judged = self.judged(sight, &mut journal);
        leave(self.context, journal);
        judged
    }

    fn judged(&self, sight: &mut Sight, journal: &mut Store) -> Result<Option<Refusal>, Refusal> {
        let Self { context, call, .. } = *self;
        let told = journal.read(|read| self.tell(sight, read))?;
        let granted = sight
            .with_grants(call, &told.grants)
            .map(|one| one.id.clone());
        let records = Recorder {
            context,
            call,
            stand: &told.stand,
        };
        if let Some((refusal, breaker)) = &told.stopped {
            // What the guard would trip for is a hit all the same; the breaker's word stands.
            if self.trips(sight) {
                drop(self.trip(&told.stand, sight, journal));
            }
            return Ok(Some(records.refused(
                sight,
                refusal,
                breaker.clone(),
                journal,
            )));
        }
        if self.trips(sight) {
            let refusal = self.trip(&told.stand, sight, journal)?;
            return Ok(Some(records.refused(sight, &refusal, None, journal)));
        }
        if sight.refuses(call) {
            let refusal = sight.refusal(call);
            return Ok(Some(records.refused(sight, &refusal, None, journal)));
        }
        if sight.judged.outcome != GuardOutcome::Allow {
            records.would(sight, journal)?;
        }
        if let Some((refusal, breaker)) = &told.gate {
            return Ok(Some(records.refused(
                sight,
                refusal,
                breaker.clone(),
                journal,
            )));
        }
        if sight.changes(call) && disk::short_here(context).is_some() {
            disk::check(context, self.flags, journal)?;
            let cause = disk::short_here(context).unwrap_or_default();
            return Ok(Some(Refusal::new(Code::StoreFull, cause, "df -h .")));
        }
        if let Some(id) = granted
            && !grant::use_up(context, &id, call, journal)?
        {
            let cause = "the grant of this call was used up by another one just now";
            let refusal = Refusal::new(Code::GuardDenied, cause, "watchfloor grant list");
            return Ok(Some(records.refused(sight, &refusal, None, journal)));
        }
        records.passes(journal)?;
        Ok(None)
    }

    fn tell(&self, sight: &Sight, read: &dyn Read) -> Result<Told, Refusal> {
        let stand = Stand::read(self.context, &self.call.caller, read)?;
        let (mut stopped, mut gate) = (None, None);
        if sight.changes(self.call) {
            let around = around(&stand.place(self.context), read)?;
            stopped = standing::stopped(self.flagged, &stand, &around, read)?;
            if stopped.is_none() {
                gate = self.gate(&stand, around.permitted(), read)?;
            }
        }
        let grants = if sight.judged.outcome == GuardOutcome::Allow {
            Vec::new()
        } else {
            grant::running(self.context, read)?
        };
        Ok(Told {
            stand,
            stopped,
            gate,
            grants,
        })
    }

    /// Under a plan every verdict of the gate holds for a call that edits.
    fn gate(&self, stand: &Stand, permit: bool, read: &dyn Read) -> Result<Decided, Refusal> {
        let planned = stand.known.as_ref().and_then(|agent| agent.plan.as_ref());
        match (&self.call.act, planned) {
            (Act::Edit(_), Some(plan)) if plan.task == stand.task.as_str() => {
                standing::gate_says(self.context, stand, &plan.strategy, permit, read)
            }
            _ => Ok(None),
        }
    }

    fn trips(&self, sight: &Sight) -> bool {
        sight.refuses(self.call) && sight.judged.outcome == GuardOutcome::Trip
    }

    fn trip(&self, stand: &Stand, sight: &Sight, journal: &mut Store) -> Result<Refusal, Refusal> {
        trips::prevented(self.context, self.call, stand, sight, self.flags, journal)
    }
}
