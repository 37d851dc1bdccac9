//! What a harness's hook asks and tells (spec 6.1), after its dialect was read.
//! On this path there is no async runtime, and an allowed call is never synced to disk.

mod after;
mod before;
pub mod exec;
mod failing;
mod guard;
pub mod lamp;
mod own;
mod reading;
mod record;
mod register;
mod secrets;
mod standing;
mod start;
mod trips;
mod turn;
mod unreadable;
mod waits;

use std::collections::BTreeMap;

use crate::contract::event::{PROMPTED, Prompted};
use crate::contract::ids::{AgentId, MissionId, TaskId};
use crate::contract::refusal::Refusal;
use crate::contract::row::default_mission;
use crate::contract::scope::{Place, Scope};
use crate::contract::tool::{
    AGENT_SEEN, AgentSeen, Caller, HookAnswer, HookEvent, Prompt, ToolCall,
};
use crate::journal::{Durability, Journal, Read};
use crate::ops::flags::Flags;

use super::context::{Ancestor, Context};
use super::domain::{self, Agent, RefusedCall, TurnState};
use super::inbox;
use super::records::{event, observation};
use super::store::{self, Store, load};
use super::tree;

pub use own::is_own_tool;
pub use unreadable::{note, unreadable};

/// Digests of changed files, by path.
type Tree = BTreeMap<String, String>;

/// How long a hook waits for the store, in milliseconds.
const PATIENCE_MS: u64 = 3_000;

/// Answers a hook. It never fails: what goes wrong inside is a refusal of what changes things.
/// `process` finds the process of the session; only its beginning and its end ask for it.
#[must_use]
pub fn answer(
    context: &Context,
    hook: &HookEvent,
    process: impl FnOnce() -> Option<Ancestor>,
) -> HookAnswer {
    let flags = Flags::of(context);
    match hook {
        HookEvent::Before(call) => {
            let answer = before::answer(context, call, &flags);
            if answer == HookAnswer::Allow {
                waits::asked_by(context, call);
            }
            answer
        }
        HookEvent::After(result) => quiet(after::answer(context, result, &flags)),
        HookEvent::Start(caller) => quiet(started(context, caller, process())),
        HookEvent::End(caller) => quiet(seen(context, caller, "end", process())),
        HookEvent::Prompt(prompt) => quiet(prompted(context, prompt)),
        // Nobody may be kept in a turn because the store fails.
        HookEvent::TurnEnd(end) => quiet(turn::answer(context, end)),
        HookEvent::Waits(waits) => quiet(waits::begin(context, waits)),
        HookEvent::WaitsNoMore(caller) => quiet(waits::end(context, caller)),
        HookEvent::Ignored => HookAnswer::Allow,
    }
}

/// Whether an event is a call that passes when nothing can be asked: it changes nothing, and the
/// guard has nothing against it by its defaults.
#[must_use]
pub fn only_reads(event: &HookEvent) -> bool {
    let HookEvent::Before(call) = event else {
        return false;
    };
    let sight = guard::Sight::bare(call);
    !sight.changes(call) && !sight.refuses(call)
}

/// What happened has happened: a store that fails here is told, and refuses nothing.
fn quiet(answer: Result<HookAnswer, Refusal>) -> HookAnswer {
    answer.unwrap_or_else(|refusal| {
        HookAnswer::Tell(format!("Watchfloor could not record this: {refusal}"))
    })
}

/// Where a hook call stands, and by whom it is made.
struct Stand {
    agent: AgentId,
    task: TaskId,
    mission: MissionId,
    known: Option<Agent>,
}

impl Stand {
    /// `WATCHFLOOR_TASK`, else the task of the last plan, a subagent's own before its session's,
    /// else the session's own.
    fn of(
        context: &Context,
        caller: &Caller,
        known: Option<Agent>,
        session: Option<&Agent>,
    ) -> Self {
        let planned = [known.as_ref(), session]
            .into_iter()
            .flatten()
            .find_map(|agent| agent.plan.as_ref())
            .map(|plan| TaskId::new(plan.task.clone()));
        let task = context.task.clone().or(planned);
        let task = task.unwrap_or_else(|| TaskId::new(format!("session-{}", caller.session)));
        let mission = context
            .mission
            .clone()
            .unwrap_or_else(|| default_mission(Some(&caller.session), &task));
        Self {
            agent: caller.agent(),
            task,
            mission,
            known,
        }
    }

    fn read(context: &Context, caller: &Caller, read: &dyn Read) -> Result<Self, Refusal> {
        let known = load(read, domain::AGENT, caller.agent().as_str())?;
        let root = Caller {
            subagent: None,
            ..caller.clone()
        };
        let session = load(read, domain::AGENT, root.agent().as_str())?;
        Ok(Self::of(context, caller, known, session.as_ref()))
    }

    /// The working tree, when this is the first that is seen of the agent. It is read before the
    /// store is locked.
    fn first_tree(&self, context: &Context) -> Option<Tree> {
        let begun = self.known.as_ref().is_some_and(|known| known.cycle.begun());
        (!begun).then(|| tree::at_start(context)).flatten()
    }

    /// Whether it waits for a person, by the journal.
    fn waits(&self) -> bool {
        self.known
            .as_ref()
            .is_some_and(|known| known.waits.is_some())
    }

    /// How the turn stands whose end is asked for; a fresh one where it is another turn than the
    /// last one that was refused.
    fn turn(&self, id: Option<&str>) -> TurnState {
        let last = self.known.as_ref().and_then(|known| known.turn.clone());
        last.filter(|turn| turn.id.as_deref() == id)
            .unwrap_or_default()
    }

    /// The mission that the agent works in.
    fn mission_scope(&self, context: &Context) -> Scope {
        Scope::Mission {
            project: context.project.clone(),
            mission: self.mission.clone(),
        }
    }

    /// Whether this very call was refused before: then it should have no result.
    fn refused(&self, call: &ToolCall) -> Option<&RefusedCall> {
        let refused = &self.known.as_ref()?.refused;
        if refused.is_empty() {
            return None;
        }
        let digest = guard::digest(call);
        let id = call.call_id.as_deref();
        refused.iter().find(|known| known.is(id, &digest))
    }

    fn place(&self, context: &Context) -> Place {
        context.place(Some(&self.task), Some(&self.mission), Some(&self.agent))
    }
}

/// The store, opened as a hook may: it waits little, and never tidies up behind others.
fn open(context: &Context) -> Result<Store, Refusal> {
    let mut store = store::open(context)?;
    store.set_patience(std::time::Duration::from_millis(PATIENCE_MS))?;
    store.set_checkpoints(false);
    Ok(store)
}

/// Lets go of the store, where the process goes on after this call.
fn leave(context: &Context, store: Store) {
    if context.brief {
        let _: &mut Store = store::kept(store);
    }
}

/// Registers the session, and tells it what it should know.
fn started(
    context: &Context,
    caller: &Caller,
    process: Option<Ancestor>,
) -> Result<HookAnswer, Refusal> {
    seen(context, caller, "start", process)?;
    told(context, caller)
}

fn told(context: &Context, caller: &Caller) -> Result<HookAnswer, Refusal> {
    let mut journal = open(context)?;
    let agent = caller.agent();
    let (mut lines, mail) = journal.read(|read| {
        let lines = start::lines(&agent, read)?;
        Ok((lines, inbox::has_unseen(&agent, read)?))
    })?;
    if mail {
        let rows = journal.write(Durability::Normal, |write| {
            inbox::deliver(context, &agent, write)
        })?;
        lines = format!("{lines}\n{}", inbox::said(&rows));
    }
    Ok(HookAnswer::Tell(lines.trim_end().to_owned()))
}

fn seen(
    context: &Context,
    caller: &Caller,
    moment: &str,
    process: Option<Ancestor>,
) -> Result<HookAnswer, Refusal> {
    let mut journal = open(context)?;
    let stand = journal.read(|read| Stand::read(context, caller, read))?;
    let tree = if moment == "start" {
        stand.first_tree(context)
    } else {
        None
    };
    journal.write(Durability::Normal, |write| {
        let stand = Stand::read(context, caller, write)?;
        let body = AgentSeen {
            pid: process.map(|process| process.pid),
            started: process.map(|process| process.started),
            ..seen_body(context, caller, &stand, moment, tree)
        };
        write.append(observation(
            context,
            AGENT_SEEN,
            Some(stand.task),
            Some(stand.agent),
            &body,
        )?)
    })?;
    Ok(HookAnswer::Allow)
}

fn seen_body(
    context: &Context,
    caller: &Caller,
    stand: &Stand,
    moment: &str,
    tree: Option<Tree>,
) -> AgentSeen {
    AgentSeen {
        schema: AGENT_SEEN.to_owned(),
        agent: stand.agent.clone(),
        harness: caller.harness.clone(),
        mission_id: stand.mission.clone(),
        task_id: stand.task.clone(),
        host: context.host.clone(),
        pid: None,
        started: None,
        worktree: Some(context.root.to_string_lossy().into_owned()),
        moment: moment.to_owned(),
        tree,
    }
}

/// A person's next prompt starts the count of a generated mission anew (spec 3.2).
fn prompted(context: &Context, prompt: &Prompt) -> Result<HookAnswer, Refusal> {
    let caller = &prompt.caller;
    let mut journal = open(context)?;
    let stand = journal.read(|read| Stand::read(context, caller, read))?;
    let first = stand.known.is_none();
    let tree = first.then(|| stand.first_tree(context)).flatten();
    journal.write(Durability::Full, |write| {
        let stand = Stand::read(context, caller, write)?;
        if stand.known.is_none() {
            let body = seen_body(context, caller, &stand, "start", tree);
            write.append(observation(
                context,
                AGENT_SEEN,
                Some(stand.task.clone()),
                Some(stand.agent.clone()),
                &body,
            )?)?;
        }
        let body = Prompted {
            schema: PROMPTED.to_owned(),
            mission_id: stand.mission,
            agent: stand.agent.clone(),
        };
        write.append(event(context, PROMPTED, None, Some(stand.agent), &body)?)
    })?;
    if prompt.first {
        return told(context, caller);
    }
    Ok(HookAnswer::Allow)
}
