//! What is known of one observed session, moment by moment.

use std::collections::VecDeque;

use crate::contract::ids::{AgentId, TaskId};
use crate::contract::observed::{
    CallFact, Fact, Failing, Moment, OBSERVED, Observed, ReturnFact, Source, Step,
};
use crate::contract::row::default_mission;
use crate::contract::secret;
use crate::contract::text;
use crate::contract::time::rfc3339;
use crate::contract::tool::{Act, Caller};
use crate::ops::attempt::Failure;
use crate::ops::context::Context;

use super::loops::Loops;

/// Calls that are remembered until they come back.
const OPEN: usize = 64;
/// Calls that are remembered as having come back: some formats tell it twice.
const DONE: usize = 256;
/// Steps that one observation holds at most; the oldest make room.
const STEPS: usize = 64;
/// Characters of a line.
const LINE: usize = 160;
/// Bytes of a result that are read for its signature.
const READ: usize = 64 << 10;
/// Without a process, a session whose newest row is older than this has ended.
const QUIET_US: i64 = 120_000_000;

/// Whether the agent's process is there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Life {
    /// This one.
    Process(u32),
    /// None was found; it may run where this host does not see it.
    #[default]
    Unknown,
}

/// Who is observed, and through what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Who {
    /// Harness, session, subagent, working directory.
    pub caller: Caller,
    /// The transcript, or the database.
    pub file: String,
}

/// One session as far as its transcript was read.
pub struct Session {
    who: Who,
    context: Context,
    source: Source,
    open: VecDeque<CallFact>,
    done: VecDeque<String>,
    loops: Loops,
    steps: VecDeque<Step>,
    known: Known,
    /// The last state that was told.
    told: Option<Observed>,
}

/// The facts that stand until they are told anew.
#[derive(Default)]
struct Known {
    title: Option<String>,
    titled: bool,
    model: Option<String>,
    sum: Option<u64>,
    last: (String, u64, u64),
    money: Option<u64>,
    context: Option<u64>,
    action: String,
    at_us: i64,
    failure: Option<Failing>,
    busy: bool,
    ended: bool,
}

impl Session {
    /// A session of which nothing was read yet. `context` says where it works.
    #[must_use]
    pub fn new(who: Who, context: Context) -> Self {
        let source = Source {
            file: who.file.clone(),
            ..Source::default()
        };
        Self {
            who,
            context,
            source,
            open: VecDeque::new(),
            done: VecDeque::new(),
            loops: Loops::default(),
            steps: VecDeque::new(),
            known: Known::default(),
            told: None,
        }
    }

    /// The agent, as its hooks would name it.
    #[must_use]
    pub fn agent(&self) -> AgentId {
        self.who.caller.agent()
    }

    /// Who it is.
    #[must_use]
    pub fn who(&self) -> &Who {
        &self.who
    }

    /// Where it works.
    #[must_use]
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// Time of the newest row, in UTC microseconds.
    #[must_use]
    pub fn newest_us(&self) -> i64 {
        self.known.at_us
    }

    /// The file was read up to here; another inode begins anew.
    pub fn read_to(&mut self, inode: u64, to: u64) {
        self.source.inode = inode;
        self.source.to = to;
    }

    /// The file's own time, where its rows tell none.
    pub fn touched(&mut self, at_us: i64) {
        self.known.at_us = self.known.at_us.max(at_us);
    }

    /// Takes in what stands before the part that is read: what the session is, not what it did.
    pub fn before(&mut self, moment: &Moment) {
        match &moment.fact {
            Fact::Title(_) | Fact::Model(_) => self.take(moment, 0),
            Fact::Prompt(prompt) if self.known.title.is_none() => {
                self.known.title = Some(line(prompt));
            }
            _ => {}
        }
    }

    /// Whether it was told that it ended, and nothing came since.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        let told = self.told.as_ref().is_some_and(|told| told.state == "ended");
        told && self.steps.is_empty()
    }

    /// Takes in one moment whose row ends at `to`.
    pub fn take(&mut self, moment: &Moment, to: u64) {
        if let Some(at) = moment.at_us {
            self.known.at_us = self.known.at_us.max(at);
        }
        let at = moment.at_us.map(rfc3339).unwrap_or_default();
        match &moment.fact {
            Fact::Session(_) => {}
            Fact::Title(title) => {
                self.known.title = Some(line(title));
                self.known.titled = true;
            }
            Fact::Model(model) => self.known.model = Some(line(model)),
            Fact::Prompt(prompt) => self.prompted(prompt, at, to),
            Fact::Spoke(said) => {
                self.known.busy = true;
                self.step(format!("says: {}", line(said)), None, at, to);
            }
            Fact::Called(call) => self.called(call, at, to),
            Fact::Returned(back) => self.returned(back, at, to),
            Fact::Usage(usage) => {
                let (key, tokens, money) = &self.known.last;
                let again = *key == usage.key && !key.is_empty();
                let (tokens, money) = if again { (*tokens, *money) } else { (0, 0) };
                let sum = self.known.sum.unwrap_or(0).saturating_sub(tokens);
                self.known.sum = Some(sum.saturating_add(usage.tokens));
                let cost = usage.cost_microusd.unwrap_or(0);
                if usage.cost_microusd.is_some() {
                    let spent = self.known.money.unwrap_or(0).saturating_sub(money);
                    self.known.money = Some(spent.saturating_add(cost));
                }
                self.known.last = (usage.key.clone(), usage.tokens, cost);
                self.known.context = Some(usage.context);
            }
            Fact::Totals(totals) => {
                self.known.sum = totals.tokens.or(self.known.sum);
                self.known.context = totals.context.or(self.known.context);
                self.known.money = totals.cost_microusd.or(self.known.money);
            }
            Fact::TurnEnded => self.known.busy = false,
            Fact::Ended => {
                self.known.busy = false;
                self.known.ended = true;
            }
        }
    }

    fn prompted(&mut self, prompt: &str, at: String, to: u64) {
        self.known.busy = true;
        self.known.ended = false;
        let prompt = line(prompt);
        if !self.known.titled && self.known.title.is_none() {
            self.known.title = Some(prompt.clone());
        }
        self.step(format!("asked: {prompt}"), None, at, to);
    }

    fn called(&mut self, call: &CallFact, at: String, to: u64) {
        self.known.busy = true;
        let known = self.open.iter().any(|open| open.id == call.id) || self.done.contains(&call.id);
        if known && !call.id.is_empty() {
            return;
        }
        self.step(action(call, None), None, at, to);
        self.open.push_back(call.clone());
        if self.open.len() > OPEN {
            self.open.pop_front();
        }
    }

    fn returned(&mut self, back: &ReturnFact, at: String, to: u64) {
        self.known.busy = true;
        if self.done.contains(&back.id) {
            return;
        }
        let at_call = self.open.iter().position(|open| open.id == back.id);
        let Some(call) = at_call.and_then(|found| self.open.remove(found)) else {
            // A result whose call lies before what was read: it says nothing by itself.
            return;
        };
        self.done.push_back(back.id.clone());
        if self.done.len() > DONE {
            self.done.pop_front();
        }
        let read = cut(&back.text);
        let failure = back
            .failed
            .then(|| Failure::of_text(&self.context, read, back.exit_code));
        match &call.act {
            Act::Edit(_) if !back.failed => self.loops.edited(&call.edits),
            Act::Shell(command) => {
                let agent = self.who.caller.agent();
                let limits = &self.context.limits;
                self.loops
                    .ran(command, failure.as_ref(), read, &agent, limits);
            }
            _ => {}
        }
        if let Some(failure) = failure
            && let Some(signature) = failure.signature
        {
            self.known.failure = Some(Failing {
                signature,
                strength: failure.strength,
                line: line(telling(read)),
            });
        }
        // The step of the call becomes the step of its result.
        let asked = action(&call, None);
        if self
            .steps
            .back()
            .is_some_and(|step| step.what == asked && step.failed.is_none())
        {
            self.steps.pop_back();
        }
        self.step(action(&call, Some(back)), Some(back.failed), at, to);
    }

    fn step(&mut self, what: String, failed: Option<bool>, at: String, to: u64) {
        self.known.action.clone_from(&what);
        let step = Step {
            to,
            at,
            what,
            failed,
        };
        self.steps.push_back(step);
        if self.steps.len() > STEPS {
            self.steps.pop_front();
        }
    }

    /// What is to be told now; `None` when that is what was told last.
    #[must_use]
    pub fn tell(&mut self, now_us: i64, life: Life) -> Option<Observed> {
        let observed = self.observed(now_us, life);
        let same = self.told.as_ref().is_some_and(|told| {
            let bare = Observed {
                source: told.source.clone(),
                ..observed.clone()
            };
            observed.steps.is_empty() && bare == *told
        });
        (!same).then_some(observed)
    }

    /// What is known now.
    #[must_use]
    pub fn observed(&self, now_us: i64, life: Life) -> Observed {
        let caller = &self.who.caller;
        let task = TaskId::new(format!("session-{}", caller.session));
        Observed {
            schema: OBSERVED.to_owned(),
            agent: caller.agent(),
            harness: caller.harness.clone(),
            mission_id: default_mission(Some(&caller.session), &task),
            task_id: task,
            source: self.source.clone(),
            state: self.state(now_us, life).to_owned(),
            at: rfc3339(self.known.at_us),
            action: self.known.action.clone(),
            steps: self.steps.iter().cloned().collect(),
            failure: self.known.failure.clone(),
            findings: self.loops.found.clone(),
            title: self.known.title.clone(),
            model: self.known.model.clone(),
            tokens: self.known.sum,
            context: self.known.context,
            cost_microusd: self.known.money,
            pid: match life {
                Life::Process(pid) => Some(pid),
                Life::Unknown => None,
            },
        }
    }

    /// It was recorded, by this process or by another: what comes next is told from there on.
    pub fn was_told(&mut self, observed: Observed) {
        self.steps.clear();
        self.told = Some(Observed {
            steps: Vec::new(),
            ..observed
        });
    }

    fn state(&self, now_us: i64, life: Life) -> &'static str {
        let fresh = now_us.saturating_sub(self.known.at_us) < QUIET_US;
        match life {
            _ if self.known.ended => "ended",
            Life::Unknown if !fresh => "ended",
            _ if self.known.busy => "working",
            _ => "idle",
        }
    }
}

/// A call in a line, with how it ended.
fn action(call: &CallFact, back: Option<&ReturnFact>) -> String {
    let what = match &call.act {
        Act::Shell(command) => command.clone(),
        Act::Edit(files) => files.join(", "),
        Act::Read | Act::Other => String::new(),
    };
    let end = match back {
        Some(ReturnFact {
            failed: true,
            exit_code: Some(code),
            ..
        }) => {
            format!(" (failed, exit {code})")
        }
        Some(ReturnFact { failed: true, .. }) => " (failed)".to_owned(),
        _ => String::new(),
    };
    let what = line(&what);
    let room = LINE.saturating_sub(end.chars().count() + call.tool.chars().count() + 1);
    let what: String = what.chars().take(room).collect();
    format!("{}{end}", line(&format!("{} {what}", call.tool)))
}

/// In one line: white space collapsed, secrets and control characters taken out, cut.
fn line(text: &str) -> String {
    let start = cut(text);
    let words: Vec<&str> = start.split_whitespace().collect();
    let (clean, _) = secret::redact(&words.join(" "));
    text::neutral(&clean).chars().take(LINE).collect()
}

/// The first line that tells more than an exit code, else the first line.
fn telling(text: &str) -> &str {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.clone().next().unwrap_or_default();
    let bare = |line: &&str| line.to_lowercase().starts_with("exit code");
    lines.find(|line| !bare(line)).unwrap_or(first)
}

/// The beginning of a text, in whole characters.
fn cut(text: &str) -> &str {
    let mut end = text.len().min(READ);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
