//! Appends what was observed, once: two watchers of one transcript do not double it.

use crate::contract::ids::{AgentId, MissionId, ProjectId, TaskId};
use crate::contract::observed::{OBSERVED, Observed};
use crate::contract::refusal::Refusal;
use crate::contract::time::rfc3339;
use crate::journal::{Durability, Journal, Read};
use crate::ops::context::Context;
use crate::ops::domain::{self, Agent};
use crate::ops::records::observation;
use crate::ops::store::list;

/// Agents that are looked through for those that nobody follows any more.
const AGENTS: usize = 2_000;

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
    if journal
        .read(|read| Ok(news(observed, standing(observed, read)?.as_ref())))?
        .is_none()
    {
        return Ok(Recorded::Known);
    }
    journal.write(Durability::Normal, |write| {
        // Another watcher may have told it since.
        let Some(news) = news(observed, standing(observed, write)?.as_ref()) else {
            return Ok(Recorded::Known);
        };
        let task = Some(news.task_id.clone());
        let agent = Some(news.agent.clone());
        let record = write.append(observation(context, OBSERVED, task, agent, &news)?)?;
        Ok(Recorded::At(record.seq))
    })
}

/// Agents that were observed and whose transcripts are too old to be followed have ended: nobody
/// else will say so. `before_us` is how old a newest row must be. Answers how many ended.
///
/// # Errors
/// The store fails.
pub fn settle(
    context: &Context,
    before_us: i64,
    journal: &mut impl Journal,
) -> Result<usize, Refusal> {
    let before = rfc3339(before_us);
    let agents: Vec<Agent> = journal.read(|read| list(read, domain::AGENT, AGENTS, 0))?;
    let left = agents.into_iter().filter(|agent| {
        let row = &agent.row;
        agent.only_observed() && row.state != "ended" && row.last_at < before
    });
    let mut settled = 0;
    for agent in left {
        let there = Context {
            project: ProjectId::new(agent.row.project.clone()),
            ..context.clone()
        };
        settled += usize::from(record(&there, &over(agent), journal)? != Recorded::Known);
    }
    Ok(settled)
}

/// What is known of an agent, once more, and that it has ended.
fn over(agent: Agent) -> Observed {
    let row = agent.row;
    Observed {
        schema: OBSERVED.to_owned(),
        agent: AgentId::new(row.agent),
        harness: row.harness,
        mission_id: MissionId::new(row.mission),
        task_id: TaskId::new(row.task),
        source: agent.observed.unwrap_or_default(),
        state: "ended".to_owned(),
        at: row.last_at,
        action: row.last_action,
        steps: Vec::new(),
        failure: None,
        findings: row.findings,
        title: row.title,
        model: row.model,
        tokens: row.tokens,
        context: row.context,
        cost_microusd: row.cost_microusd,
        pid: None,
    }
}

fn standing<R: Read + ?Sized>(observed: &Observed, read: &R) -> Result<Option<Agent>, Refusal> {
    read.state(domain::AGENT, observed.agent.as_str())?
        .map(|body| domain::read_state(domain::AGENT, observed.agent.as_str(), &body))
        .transpose()
}

/// The observation without the steps that are recorded already; `None` when nothing is left.
fn news(observed: &Observed, known: Option<&Agent>) -> Option<Observed> {
    let Some(agent) = known else {
        return Some(observed.clone());
    };
    let mut news = observed.clone();
    if let Some(seen) = &agent.observed
        && seen.file == news.source.file
        && seen.inode == news.source.inode
    {
        if seen.to > news.source.to {
            // Whoever told it had read further; or the file was cut, and what came is newer.
            if news.at <= agent.row.last_at {
                return None;
            }
        } else {
            news.steps.retain(|step| step.to > seen.to);
        }
    }
    let row = &agent.row;
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
