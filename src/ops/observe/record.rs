//! Appends what was observed, once: two watchers of one transcript do not double it.

use crate::contract::observed::{OBSERVED, Observed};
use crate::contract::refusal::Refusal;
use crate::journal::{Durability, Journal, Read};
use crate::ops::context::Context;
use crate::ops::domain::{self, Agent};
use crate::ops::records::observation;

/// What became of an observation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recorded {
    /// It was appended here.
    At(u64),
    /// Another watcher had told all of it.
    Known,
}

/// Appends an observation, without what is recorded already. It is never synced to disk: the
/// transcript it comes from is still there.
///
/// # Errors
/// The store fails.
pub fn record(
    context: &Context,
    observed: &Observed,
    journal: &mut impl Journal,
) -> Result<Recorded, Refusal> {
    if news(observed, &journal.read(|read| standing(observed, read))?).is_none() {
        return Ok(Recorded::Known);
    }
    journal.write(Durability::Normal, |write| {
        // Another watcher may have told it since.
        let Some(news) = news(observed, &standing(observed, write)?) else {
            return Ok(Recorded::Known);
        };
        let task = Some(news.task_id.clone());
        let agent = Some(news.agent.clone());
        let record = write.append(observation(context, OBSERVED, task, agent, &news)?)?;
        Ok(Recorded::At(record.seq))
    })
}

fn standing<R: Read + ?Sized>(observed: &Observed, read: &R) -> Result<Option<Agent>, Refusal> {
    read.state(domain::AGENT, observed.agent.as_str())?
        .map(|body| domain::read_state(domain::AGENT, observed.agent.as_str(), &body))
        .transpose()
}

/// The observation without the steps that are recorded already; `None` when nothing is left.
fn news(observed: &Observed, known: &Option<Agent>) -> Option<Observed> {
    let Some(agent) = known else {
        return Some(observed.clone());
    };
    let mut news = observed.clone();
    if let Some(seen) = &agent.observed
        && seen.file == news.source.file
        && seen.inode == news.source.inode
    {
        news.steps.retain(|step| step.to > seen.to);
    }
    let row = &agent.row;
    if agent.only_observed() && news.at < row.last_at {
        // Whoever told it had read further.
        return None;
    }
    let told = if agent.hooked() {
        // Its hooks tell what it does.
        news.steps.clear();
        true
    } else {
        row.state == news.state || row.state == "stopped"
    };
    let same = told
        && news.steps.is_empty()
        && row.title == news.title
        && row.model == news.model
        && row.tokens == news.tokens
        && row.context == news.context
        && row.cost_microusd == news.cost_microusd
        && row.findings == news.findings
        && row.transcript.as_deref() == Some(news.source.file.as_str());
    (!same).then_some(news)
}
