//! A naive model: a clock of half minutes that looks at everything at every tick, and the table
//! of the spec written down as sentences.

use super::*;

/// Half minutes in a limit.
fn halves(us: i64) -> i64 {
    us / HALF_US
}

/// What somebody may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verb {
    Claim,
    Ask,
    Reply,
    Answer,
    Release,
    Block,
    Escalate,
    Use,
    Decide,
}

pub(super) const VERBS: [Verb; 9] = [
    Verb::Claim,
    Verb::Ask,
    Verb::Reply,
    Verb::Answer,
    Verb::Release,
    Verb::Block,
    Verb::Escalate,
    Verb::Use,
    Verb::Decide,
];

pub(super) fn command(verb: Verb, name: &str, epoch: Option<u64>) -> Command {
    let agent = agent(name);
    let some = Some(agent.clone());
    match verb {
        Verb::Claim => Command::Claim { agent },
        Verb::Ask => Command::Ask { agent, epoch },
        Verb::Reply => Command::Reply { agent: some },
        Verb::Answer => Command::Answer { agent, epoch },
        Verb::Release => Command::Release { agent, epoch },
        Verb::Block => Command::Block { agent: some, epoch },
        Verb::Escalate => Command::Escalate { agent: some, epoch },
        Verb::Use => Command::Use { agent: some },
        Verb::Decide => Command::Decide,
    }
}

/// The model; `a` asks.
#[derive(Clone, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "a naive model writes down what it sees"
)]
pub(super) struct Model {
    pub(super) state: &'static str,
    pub(super) holder: Option<String>,
    claims: Vec<String>,
    open_for: i64,
    claimed_for: i64,
    came_to_nothing: i64,
    asked: i64,
    awaits: bool,
    replied: bool,
    settled: bool,
    action: bool,
}

impl Model {
    pub(super) fn new(action: bool) -> Self {
        Self {
            state: "open",
            holder: None,
            claims: Vec::new(),
            open_for: 0,
            claimed_for: 0,
            came_to_nothing: 0,
            asked: 0,
            awaits: false,
            replied: false,
            settled: false,
            action,
        }
    }

    /// Half a minute passes.
    pub(super) fn tick(&mut self) {
        match self.state {
            "open" => {
                self.open_for += 1;
                if self.open_for == halves(OPEN_US) {
                    self.state = "blocked";
                }
            }
            "claimed" => {
                self.claimed_for += 1;
                if self.claimed_for == halves(CLAIM_US) {
                    let used = self.asked > 0;
                    self.nothing(used);
                }
            }
            _ => {}
        }
    }

    fn nothing(&mut self, for_good: bool) {
        self.came_to_nothing += 1;
        self.holder = None;
        let second = self.came_to_nothing == 2;
        self.state = if for_good || second {
            "blocked"
        } else {
            "open"
        };
    }

    fn ends(&mut self, state: &'static str) -> bool {
        self.state = state;
        self.holder = None;
        true
    }

    /// Whether the verb is allowed; if so, what it does.
    pub(super) fn act(&mut self, verb: Verb, name: &str, epoch: Option<u64>) -> bool {
        let last = u64::try_from(self.claims.len()).unwrap();
        let current = epoch.is_none_or(|epoch| epoch == last);
        let holds = self.holder.as_deref() == Some(name) && current;
        // Who names an epoch before a claim speaks as a holder, which nobody is; but who never
        // held it has no epoch to be wrong about only where no epoch is named.
        let free = self.state == "open" && epoch.is_none();
        match verb {
            Verb::Claim if self.state == "open" && name != "a" => {
                self.state = "claimed";
                self.holder = Some(name.to_owned());
                self.claims.push(name.to_owned());
                self.claimed_for = 0;
                self.awaits = false;
                self.replied = false;
                true
            }
            Verb::Ask if holds => {
                self.asked += 1;
                self.awaits = true;
                self.asked < 2 || self.ends("blocked")
            }
            Verb::Reply if self.holder.is_some() && name == "a" && self.awaits => {
                self.awaits = false;
                if !self.replied {
                    self.replied = true;
                    self.claimed_for = 0;
                }
                true
            }
            Verb::Answer if holds && !self.action => self.ends("resolved"),
            Verb::Release if holds => {
                self.nothing(false);
                true
            }
            Verb::Block if name == "a" && matches!(self.state, "open" | "claimed") => {
                self.ends("blocked")
            }
            Verb::Block if holds || free => self.ends("blocked"),
            Verb::Escalate if holds || free => self.ends("escalated"),
            Verb::Use if self.state == "resolved" && name == "a" && !self.settled => {
                self.settled = true;
                true
            }
            Verb::Decide if self.state == "escalated" && !self.settled => {
                self.settled = true;
                true
            }
            _ => false,
        }
    }
}
