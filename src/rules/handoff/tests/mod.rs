//! The rules of handoffs by cases, by properties, and beside a naive model.

mod cases;
mod model;
mod properties;

use super::*;

/// Half a minute, the step of the tests' clock.
const HALF_US: i64 = 30_000_000;
/// When the tests' entries are opened.
const START_US: i64 = 1_000_000_000;

fn agent(name: &str) -> AgentId {
    AgentId::new(name)
}

/// An entry of `a`.
fn entry() -> Entry {
    Entry::opened(Some(agent("a")), Wants::Answer, START_US)
}

/// An entry and its clock.
struct Desk {
    entry: Entry,
    now_us: i64,
}

impl Desk {
    fn new() -> Self {
        Self {
            entry: entry(),
            now_us: START_US,
        }
    }

    fn pass(&mut self, minutes: i64) -> &mut Self {
        self.now_us += minutes * MINUTE_US;
        self
    }

    /// Expires, decides, and takes the step.
    fn run(&mut self, command: &Command) -> Result<Step, No> {
        self.entry.expire(self.now_us);
        let step = self.entry.decide(command)?;
        self.entry.evolve(&step, self.now_us);
        Ok(step)
    }

    fn claim(&mut self, name: &str) -> Result<Step, No> {
        self.run(&Command::Claim { agent: agent(name) })
    }

    fn ask(&mut self, name: &str) -> Result<Step, No> {
        let agent = agent(name);
        self.run(&Command::Ask { agent, epoch: None })
    }

    fn reply(&mut self, name: &str) -> Result<Step, No> {
        let agent = Some(agent(name));
        self.run(&Command::Reply { agent })
    }

    fn answer(&mut self, name: &str, epoch: Option<u64>) -> Result<Step, No> {
        let agent = agent(name);
        self.run(&Command::Answer { agent, epoch })
    }

    fn release(&mut self, name: &str) -> Result<Step, No> {
        let agent = agent(name);
        self.run(&Command::Release { agent, epoch: None })
    }

    fn block(&mut self, name: Option<&str>) -> Result<Step, No> {
        let agent = name.map(agent);
        self.run(&Command::Block { agent, epoch: None })
    }

    fn escalate(&mut self, name: Option<&str>) -> Result<Step, No> {
        let agent = name.map(agent);
        self.run(&Command::Escalate { agent, epoch: None })
    }

    fn state(&mut self) -> &'static str {
        self.entry.expire(self.now_us);
        self.entry.state().as_str()
    }
}
