//! Before a tool call: flags, breakers, guard, gate, then allow (spec 6.1).

use crate::contract::event::{CALL_REFUSED, CallRefused};
use crate::contract::guard::GuardOutcome;
use crate::contract::guarded::{CALL_ALLOWED, CallAllowed, GUARD_WOULD, GuardWould};
use crate::contract::ids::RecordId;
use crate::contract::refusal::{Code, Refusal};
use crate::contract::safety::{Verdict, WorkRole};
use crate::contract::scope::Scope;
use crate::contract::tool::{Act, HookAnswer, ToolCall};
use crate::journal::flags::Flag;
use crate::journal::{Durability, Journal, Read};
use crate::ops::context::Context;
use crate::ops::disk;
use crate::ops::domain::{self, Breaker, GrantState, ScopeState};
use crate::ops::flags::Flags;
use crate::ops::gate;
use crate::ops::grant;
use crate::ops::records::observation;
use crate::ops::store::{Store, around, deadline, load};
use crate::rules::ledger::{GateFacts, Question};

use super::failing::{self, said};
use super::guard::{self, Sight};
use super::{Stand, open, register, trips, waits};

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
        Ok(table) => table.hits(&known_without_store(context, call)),
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
        Some(flag) if sight.changes(call) => Some(flagged_by(flag)),
        _ => failing::refusal(call, &sight, &refusal),
    }
}

/// The refusal of a flag alone.
pub(super) fn flagged_by(flag: &Flag) -> Refusal {
    let next = "watchfloor breaker list";
    Refusal::new(Code::BreakerOpen, flag_words(flag), next)
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
        let Self { context, call, .. } = *self;
        let mut journal = open(context)?;
        let told = journal.read(|read| self.tell(sight, read))?;
        let granted = sight
            .with_grants(call, &told.grants)
            .map(|one| one.id.clone());
        if let Some((refusal, breaker)) = &told.stopped {
            // What the guard would trip for is a hit all the same; the breaker's word stands.
            if self.trips(sight) {
                drop(self.trip(&told.stand, sight, &mut journal));
            }
            return Ok(Some(self.refused(
                &told.stand,
                sight,
                refusal,
                breaker.clone(),
                &mut journal,
            )));
        }
        if self.trips(sight) {
            let refusal = self.trip(&told.stand, sight, &mut journal)?;
            return Ok(Some(self.refused(
                &told.stand,
                sight,
                &refusal,
                None,
                &mut journal,
            )));
        }
        if sight.refuses(call) {
            let refusal = sight.refusal(call);
            return Ok(Some(self.refused(
                &told.stand,
                sight,
                &refusal,
                None,
                &mut journal,
            )));
        }
        if sight.judged.outcome != GuardOutcome::Allow {
            self.would(&told.stand, sight, &mut journal)?;
        }
        if let Some((refusal, breaker)) = &told.gate {
            return Ok(Some(self.refused(
                &told.stand,
                sight,
                refusal,
                breaker.clone(),
                &mut journal,
            )));
        }
        if sight.changes(call) && disk::short_here(context).is_some() {
            disk::check(context, self.flags, &mut journal)?;
            let cause = disk::short_here(context).unwrap_or_default();
            return Ok(Some(Refusal::new(Code::StoreFull, cause, "df -h .")));
        }
        if let Some(id) = granted
            && !grant::use_up(context, &id, call, &mut journal)?
        {
            let cause = "the grant of this call was used up by another one just now";
            let refusal = Refusal::new(Code::GuardDenied, cause, "watchfloor grant list");
            return Ok(Some(self.refused(
                &told.stand,
                sight,
                &refusal,
                None,
                &mut journal,
            )));
        }
        self.passes(&told.stand, &mut journal)?;
        Ok(None)
    }

    fn tell(&self, sight: &Sight, read: &dyn Read) -> Result<Told, Refusal> {
        let stand = Stand::read(self.context, &self.call.caller, read)?;
        let (mut stopped, mut gate) = (None, None);
        if sight.changes(self.call) {
            let standing = around(&stand.place(self.context), read)?;
            stopped = self.stopped(&stand, &standing, read)?;
            if stopped.is_none() {
                gate = self.gate(&stand, standing.permitted(), read)?;
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

    fn stopped(
        &self,
        stand: &Stand,
        standing: &domain::Standing,
        read: &dyn Read,
    ) -> Result<Decided, Refusal> {
        if let Some(id) = standing.blocking.first() {
            let breaker: Option<Breaker> = load(read, domain::BREAKER, id.as_str())?;
            return Ok(Some((gate::stopped(breaker.as_ref()), Some(id.clone()))));
        }
        for flag in self.flagged.iter().filter(|flag| flag.kind == "session") {
            if let Some(refusal) = slot_holds(flag, stand, read)? {
                return Ok(Some(refusal));
            }
        }
        let unrecorded = gate::unrecorded(self.flagged, read)?;
        Ok(unrecorded.map(|flag| (flagged_by(&flag), None)))
    }

    /// Under a plan every verdict of the gate holds for a call that edits.
    fn gate(&self, stand: &Stand, permit: bool, read: &dyn Read) -> Result<Decided, Refusal> {
        let planned = stand.known.as_ref().and_then(|agent| agent.plan.as_ref());
        match (&self.call.act, planned) {
            (Act::Edit(_), Some(plan)) if plan.task == stand.task.as_str() => {
                gate_says(self.context, stand, &plan.strategy, permit, read)
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

    /// Records a refusal. It stands even when it cannot be recorded.
    fn refused(
        &self,
        stand: &Stand,
        sight: &Sight,
        refusal: &Refusal,
        breaker_id: Option<RecordId>,
        journal: &mut Store,
    ) -> Refusal {
        let Self { context, call, .. } = *self;
        let body = CallRefused {
            schema: CALL_REFUSED.to_owned(),
            agent: stand.agent.clone(),
            tool: call.tool.clone(),
            call_id: call.call_id.clone(),
            breaker_id,
            code: refusal.code.as_str().to_owned(),
            call: guard::digest(call),
            action: guard::action(call),
            guard: sight.refuses(call).then(|| sight.said()),
        };
        let tree = register::first_tree(context, stand);
        let (task, agent) = (Some(stand.task.clone()), Some(stand.agent.clone()));
        drop(journal.write(Durability::Normal, |write| {
            register::if_first(context, &call.caller, stand, tree.clone(), write)?;
            write.append(observation(
                context,
                CALL_REFUSED,
                task.clone(),
                agent.clone(),
                &body,
            )?)
        }));
        refusal.clone()
    }

    /// Records what the guard would have done, where it does nothing.
    fn would(&self, stand: &Stand, sight: &Sight, journal: &mut Store) -> Result<(), Refusal> {
        let Self { context, call, .. } = *self;
        let said = sight.said();
        let body = GuardWould {
            schema: GUARD_WOULD.to_owned(),
            agent: stand.agent.clone(),
            tool: call.tool.clone(),
            call_id: call.call_id.clone(),
            happened: false,
            mode: sight.mode(),
            outcome: sight.judged.outcome,
            trigger: said.trigger,
            rule: said.rule,
            reason: said.reason,
            action: guard::action(call),
        };
        let (task, agent) = (Some(stand.task.clone()), Some(stand.agent.clone()));
        journal.write(Durability::Normal, |write| {
            write.append(observation(
                context,
                GUARD_WOULD,
                task.clone(),
                agent.clone(),
                &body,
            )?)?;
            Ok(())
        })
    }

    /// The call may run. Nothing is written of it, unless the agent is new, or the same call was
    /// refused before and its result is none of that one.
    fn passes(&self, stand: &Stand, journal: &mut Store) -> Result<(), Refusal> {
        let Self { context, call, .. } = *self;
        let (task, agent) = (Some(stand.task.clone()), Some(stand.agent.clone()));
        if stand.known.is_none() {
            let tree = register::first_tree(context, stand);
            return journal.write(Durability::Normal, |write| {
                register::if_first(context, &call.caller, stand, tree.clone(), write)
            });
        }
        if stand.waits() {
            journal.write(Durability::Normal, |write| {
                waits::no_more(context, stand, write)
            })?;
        }
        if stand.refused(call).is_none() {
            return Ok(());
        }
        let body = CallAllowed {
            schema: CALL_ALLOWED.to_owned(),
            agent: stand.agent.clone(),
            tool: call.tool.clone(),
            call_id: call.call_id.clone(),
            call: guard::digest(call),
        };
        journal.write(Durability::Normal, |write| {
            write.append(observation(
                context,
                CALL_ALLOWED,
                task.clone(),
                agent.clone(),
                &body,
            )?)?;
            Ok(())
        })
    }
}

pub(super) type Decided = Option<(Refusal, Option<RecordId>)>;

/// What stops an agent now, whatever it does: a breaker in scope, or one of these flags.
pub(super) fn stopped(
    (context, call): (&Context, &ToolCall),
    (flags, flagged): (&Flags, &[Flag]),
    stand: &Stand,
    read: &dyn Read,
) -> Result<Decided, Refusal> {
    let asked = Asked {
        context,
        call,
        flags,
        flagged,
    };
    asked.stopped(stand, &around(&stand.place(context), read)?, read)
}

/// Records that an agent was stopped while a command of its ran.
pub(super) fn ended(
    (context, call): (&Context, &ToolCall),
    flags: &Flags,
    stand: &Stand,
    (refusal, breaker): (&Refusal, Option<RecordId>),
    journal: &mut Store,
) {
    let asked = Asked {
        context,
        call,
        flags,
        flagged: &[],
    };
    let sight = Sight::of(context, call);
    asked.refused(stand, &sight, refusal, breaker, journal);
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

/// What the gate says to a maker with the strategy of its plan.
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
