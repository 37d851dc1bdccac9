//! A command that runs as an agent (spec 6.5): registered before it starts, refused where a call
//! would be, and its exit an entry of the ledger by the rules of derived tries.

use crate::contract::ids::{AgentId, MissionId, TaskId};
use crate::contract::refusal::{Code, Refusal};
use crate::contract::scope::Scope;
use crate::contract::secret;
use crate::contract::tool::{
    AGENT_SEEN, Act, AgentSeen, CallOutcome, Caller, HookAnswer, ToolCall, ToolResult,
};
use crate::journal::{Durability, Journal, Read};
use crate::ops::context::{Ancestor, Context};
use crate::ops::domain::{self, Agent};
use crate::ops::flags::Flags;
use crate::ops::process::may_live;
use crate::ops::records::{fresh_id, observation};
use crate::ops::store::{self, load, session_behind};

use super::after::{self, Ended};
use super::guard::Sight;
use super::record::Recorder;
use super::trips::{self, Happened};
use super::{Stand, before, open, secrets, seen_body, standing};

/// The harness of a command that nobody named.
pub const HARNESS: &str = "exec";
/// The tool under which its records stand.
const TOOL: &str = "exec";
/// The longest name of an agent, task or mission, in bytes.
const LONGEST_NAME: usize = 1_000;

/// A command that runs as an agent.
#[derive(Clone, Debug)]
pub struct Exec {
    /// Its surroundings: agent, task and mission are named there.
    pub context: Context,
    caller: Caller,
    command: String,
    flags: Flags,
}

/// How a command ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct End {
    /// Its exit code; 128 and the signal where one ended it.
    pub code: i32,
    /// What it said, as far as it was kept, not yet redacted.
    pub text: String,
    /// By whose will.
    pub by: Will,
}

/// By whose will a command ended. Only what ended by its own makes a try.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Will {
    /// Its own.
    #[default]
    Own,
    /// A stop's, or a person's whose signal was handed on.
    Told,
    /// Somebody's whose signal ended it without a word: what it would have come to, nobody knows.
    Signal,
}

impl Exec {
    /// Registers a command and asks whether it may run. `own` is the process that watches it;
    /// `by` tells apart who calls without a name or a task.
    ///
    /// # Errors
    /// A breaker is open in scope, a guard refuses the call, or the store cannot answer.
    pub fn begin(
        context: &Context,
        command: &str,
        own: Option<Ancestor>,
        by: Option<Ancestor>,
    ) -> Result<Self, Refusal> {
        shapes(context)?;
        let flags = Flags::of(context);
        let mut exec = Self {
            context: context.clone(),
            caller: Caller::of(&unnamed(context, by), ""),
            command: command.to_owned(),
            flags,
        };
        // Who it is lies in the store; where that cannot be asked, a stop holds all the same.
        match open(context).and_then(|mut journal| exec.identify(&mut journal, by)) {
            Ok(()) => {}
            Err(refusal) => return Err(exec.refusal().unwrap_or(refusal)),
        }
        // A command that only reads passes where a tool call would; as an agent it does not start.
        let halted = exec.halted();
        if let Some(refusal) = &halted {
            drop(exec.ended_by(refusal));
        }
        if let Some(refusal) = halted.or_else(|| exec.refusal()) {
            drop(exec.seen("end", None));
            return Err(refusal);
        }
        exec.register(own)?;
        Ok(exec)
    }

    fn refusal(&self) -> Option<Refusal> {
        before::refusal(&self.context, &self.call(), &self.flags)
    }

    fn call(&self) -> ToolCall {
        ToolCall {
            caller: self.caller.clone(),
            tool: TOOL.to_owned(),
            call_id: None,
            act: Act::Shell(self.command.clone()),
            input: self.command.clone(),
        }
    }

    /// Finds out as whom, in which task and mission.
    fn identify(
        &mut self,
        journal: &mut impl Journal,
        by: Option<Ancestor>,
    ) -> Result<(), Refusal> {
        let given = self.context.clone();
        journal.read(|read| {
            let behind = session_behind(&given, read)?;
            let above: Option<Agent> = match &behind {
                Some(id) => load(read, domain::AGENT, id.as_str())?,
                None => None,
            };
            let id = match (&behind, &given.agent) {
                (Some(behind), Some(named)) if behind != named => under(behind, named.as_str()),
                (Some(behind), _) => under(behind, HARNESS),
                (None, Some(named)) => named.clone(),
                (None, None) => unnamed(&given, by),
            };
            self.caller = Caller::of(&id, &given.cwd.to_string_lossy());
            let row = above.map(|agent| agent.row);
            let task = row
                .as_ref()
                .map(|row| row.task.clone())
                .filter(|task| !task.is_empty());
            let task = given.task.clone().or(task.map(TaskId::new));
            let task =
                task.unwrap_or_else(|| TaskId::new(format!("session-{}", self.caller.session)));
            let known: Option<domain::Task> = load(
                read,
                domain::TASK,
                &domain::in_project(&given.project, task.as_str()),
            )?;
            let mission = given.mission.clone().or_else(|| {
                let above = row.map(|row| row.mission);
                let known = known.map(|known| known.row.mission).or(above);
                known
                    .filter(|mission| !mission.is_empty())
                    .map(MissionId::new)
            });
            self.context.mission =
                Some(mission.unwrap_or_else(|| MissionId::new(format!("task-{task}"))));
            self.context.task = Some(task);
            self.context.agent = Some(id);
            Ok(())
        })
    }

    /// Registers under the first free id: a name that another command runs under is taken.
    fn register(&mut self, own: Option<Ancestor>) -> Result<(), Refusal> {
        let mut journal = open(&self.context)?;
        let stand = journal.read(|read| Stand::read(&self.context, &self.caller, read))?;
        let tree = stand.first_tree(&self.context);
        let base = stand.agent.clone();
        let id = journal.write(Durability::Normal, |write| {
            let mut id = base.clone();
            let mut number = 2;
            while is_taken(&self.context, &id, write)? {
                id = under(&base, &format!("{HARNESS}-{number}"));
                number += 1;
            }
            let caller = Caller::of(&id, &self.caller.cwd);
            let stand = Stand::read(&self.context, &caller, write)?;
            let body = AgentSeen {
                pid: own.map(|process| process.pid),
                started: own.map(|process| process.started),
                ..seen_body(&self.context, &caller, &stand, "start", tree)
            };
            let (task, agent) = (Some(stand.task), Some(stand.agent));
            write.append(observation(&self.context, AGENT_SEEN, task, agent, &body)?)?;
            Ok(id)
        })?;
        self.caller = Caller::of(&id, &self.caller.cwd);
        self.context.agent = Some(id);
        Ok(())
    }

    /// The command runs in this process.
    ///
    /// # Errors
    /// The store fails.
    pub fn started(&self, process: Ancestor) -> Result<(), Refusal> {
        self.seen("start", Some(process))
    }

    fn seen(&self, moment: &str, process: Option<Ancestor>) -> Result<(), Refusal> {
        super::seen(&self.context, &self.caller, moment, process).map(drop)
    }

    /// What stops any command here, by the flags and by the journal.
    fn halted(&self) -> Option<Refusal> {
        let table = self.flags.load();
        let flagged = table
            .map(|table| table.hits(&self.scopes()))
            .unwrap_or_default();
        let in_journal = self.in_journal(&flagged);
        in_journal.unwrap_or_else(|_| flagged.first().map(standing::flagged_by))
    }

    fn scopes(&self) -> Vec<Scope> {
        let context = &self.context;
        let (task, mission) = (context.task.as_ref(), context.mission.as_ref());
        context
            .place(task, mission, context.agent.as_ref())
            .scopes()
    }

    /// What stops the command now, if anything does. Without a flag in scope the store is not
    /// asked.
    #[must_use]
    pub fn stopped(&self) -> Option<Refusal> {
        let flagged = match self.flags.load() {
            Ok(table) => table.hits(&self.scopes()),
            // Flags that cannot be read stop no process that runs: the journal says.
            Err(_) => return self.in_journal(&[]).ok().flatten(),
        };
        let first = flagged.first()?;
        match self.in_journal(&flagged) {
            Ok(refusal) => refusal,
            Err(_) => Some(standing::flagged_by(first)),
        }
    }

    fn in_journal(
        &self,
        flagged: &[crate::journal::flags::Flag],
    ) -> Result<Option<Refusal>, Refusal> {
        let mut journal = store::open_readonly(&self.context)?;
        journal.read(|read| {
            let stand = Stand::read(&self.context, &self.caller, read)?;
            let around = store::around(&stand.place(&self.context), read)?;
            let stopped = standing::stopped(flagged, &stand, &around, read)?;
            Ok(stopped.map(|(refusal, _)| refusal))
        })
    }

    /// The command was ended because of a stop: the console shows when.
    ///
    /// # Errors
    /// The store fails.
    pub fn ended_by(&self, refusal: &Refusal) -> Result<(), Refusal> {
        let mut journal = open(&self.context)?;
        let (stand, breaker) = journal.read(|read| {
            let stand = Stand::read(&self.context, &self.caller, read)?;
            let around = store::around(&stand.place(&self.context), read)?;
            Ok((stand, around.blocking.first().cloned()))
        })?;
        let (context, call) = (&self.context, &self.call());
        let records = Recorder {
            context,
            call,
            stand: &stand,
        };
        let sight = Sight::of(context, call);
        records.refused(&sight, refusal, breaker, &mut journal);
        Ok(())
    }

    /// A secret in what the command said opens the breaker at once. Answers what was found.
    ///
    /// # Errors
    /// The store fails.
    pub fn leaked(&self, text: &str) -> Result<Option<String>, Refusal> {
        let Some(found) = secrets::first(text) else {
            return Ok(None);
        };
        let mut journal = open(&self.context)?;
        let told = journal.write(Durability::Full, |write| {
            let stand = Stand::read(&self.context, &self.caller, write)?;
            let judged = secrets::judgement(&format!("the result of {TOOL}"), &found);
            let happened = Happened {
                judged: &judged,
                found: Some(&found),
                leaked: false,
            };
            trips::happened(&self.context, &stand, &happened, &self.flags, write)
        })?;
        Ok(Some(told))
    }

    /// Records the end and what it came to. Answers what is worth saying.
    ///
    /// # Errors
    /// The store fails.
    pub fn end(&self, end: &End) -> Result<Option<String>, Refusal> {
        let result = ToolResult {
            call: self.call(),
            outcome: match end.by {
                Will::Signal => CallOutcome::Unknown,
                Will::Own | Will::Told => CallOutcome::of_exit(Some(end.code)),
            },
            exit_code: Some(end.code),
            // Whatever it holds was found while it came.
            text: secret::redact(&end.text).0,
        };
        let ended = match end.by {
            Will::Own => Ended::Command,
            Will::Told | Will::Signal => Ended::Stopped,
        };
        let told = after::recorded(&self.context, &result, ended, &self.flags);
        let left = self.seen("end", None);
        let told = told?;
        left?;
        Ok(match told {
            HookAnswer::Tell(words) | HookAnswer::Refuse(words) => Some(words),
            HookAnswer::Allow => None,
        })
    }
}

/// The id of a command that nobody named and no session stands behind: the same for each call of
/// one task, else for each call by one process, so that what changed between two of them is seen.
fn unnamed(context: &Context, by: Option<Ancestor>) -> AgentId {
    let session = match (&context.task, by) {
        (Some(task), _) => task.to_string(),
        (None, Some(by)) => format!("{}-{}", by.pid, by.started),
        (None, None) => fresh_id().to_string(),
    };
    // A slash would begin a subagent.
    AgentId::new(format!("{HARNESS}:{}", session.replace('/', "-")))
}

/// The id of an agent that works under another one.
fn under(above: &AgentId, name: &str) -> AgentId {
    let root = above.as_str().split('/').next().unwrap_or_default();
    AgentId::new(format!("{root}/{}", name.replace('/', "-")))
}

/// Whether another process runs under this id.
fn is_taken(context: &Context, id: &AgentId, read: &dyn Read) -> Result<bool, Refusal> {
    let known: Option<Agent> = load(read, domain::AGENT, id.as_str())?;
    Ok(known.is_some_and(|agent| {
        agent.row.state != "ended"
            && agent.process.is_some_and(|process| {
                may_live(&context.host, &process.host, process.pid, process.started)
            })
    }))
}

/// Names that would break the keys and lines that they stand in.
fn shapes(context: &Context) -> Result<(), Refusal> {
    let names = [
        context.agent.as_ref().map(AgentId::as_str),
        context.task.as_ref().map(TaskId::as_str),
        context.mission.as_ref().map(MissionId::as_str),
    ];
    let off = |name: &&str| name.len() > LONGEST_NAME || name.contains(char::is_control);
    if names.into_iter().flatten().any(|name| off(&name)) {
        let cause = "a name of an agent, task or mission holds a control character, or is longer \
                     than 1,000 bytes";
        return Err(Refusal::new(Code::Usage, cause, "watchfloor exec --help"));
    }
    Ok(())
}
