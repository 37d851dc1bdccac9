//! The detail of an agent: where it stands, what it holds, what its transcript tells.

use crate::contract::agent::{Detail, Section};
use crate::contract::ids::{AgentId, TaskId};
use crate::contract::observed::{
    LAMP_GATED, LAMP_LEAKING, LAMP_OBSERVED, LAMP_PROVEN, OBSERVED, Observed,
};
use crate::contract::record::Record;
use crate::contract::refusal::Refusal;
use crate::contract::row::AgentRow;
use crate::journal::{Journal, Page, Read};
use crate::ops::domain::{self, Agent};
use crate::ops::grant;
use crate::ops::handoff;
use crate::ops::store::{load, not_found};

use super::{RECENT, record_line, section};

/// Records of its task that are looked through for those of the agent.
const LOOKED_THROUGH: usize = 200;
/// Handoffs that are looked through for those that it holds.
const HANDOFFS: usize = 200;

/// An agent: where it stands, and what it did last.
///
/// # Errors
/// There is none, or the store fails.
pub fn agent(id: &str, journal: &mut impl Journal) -> Result<Detail, Refusal> {
    journal.read(|read| {
        let agent: Agent = load(read, domain::AGENT, id)?
            .ok_or_else(|| not_found("agent", id, "watchfloor status"))?;
        let row = &agent.row;
        let mut sections = vec![section("stands", stands(&agent))];
        let held = held(id, read)?;
        if !held.is_empty() {
            sections.push(section("holds", held));
        }
        let refused = grant::told(grant::Of::Agent(id), read)?;
        if !refused.is_empty() {
            sections.push(section("the guard refused it last", refused));
        }
        sections.extend(found(row));
        let told = told(row);
        if !told.is_empty() {
            sections.push(section("its transcript tells", told));
        }
        let who = AgentId::new(id);
        let page = Page {
            task: Some(TaskId::new(row.task.clone())),
            limit: LOOKED_THROUGH,
            newest_first: true,
            ..Page::default()
        };
        let of_agent = read.page(&page)?.into_iter();
        let of_agent: Vec<Record> = of_agent
            .filter(|record| record.agent.as_ref() == Some(&who))
            .collect();
        sections.push(section("latest", latest(&of_agent)));
        Ok(Detail {
            title: format!("agent {id}"),
            sections,
        })
    })
}

fn stands(agent: &Agent) -> Vec<String> {
    let row = &agent.row;
    let mut stands = vec![
        if row.task.is_empty() {
            format!("{}, in no task yet", row.state)
        } else {
            format!(
                "{} in task {}, mission {}",
                row.state, row.task, row.mission
            )
        },
        format!("project {}", row.project),
    ];
    stands.push(match row.lamp.as_str() {
        LAMP_GATED => "gated: its hooks ask before each call".to_owned(),
        LAMP_PROVEN => "proven: a call that was refused it did not run".to_owned(),
        LAMP_LEAKING => "leaking: a call that was refused it ran all the same".to_owned(),
        LAMP_OBSERVED => "observed, not gated: nothing can refuse its calls".to_owned(),
        _ => "a plain caller: it asks the gate by itself".to_owned(),
    });
    stands.push(if agent.only_observed() {
        format!("{} tool calls seen, {} failed", row.attempts, row.failures)
    } else {
        format!(
            "{} attempts, {} failing, {} calls refused",
            row.attempts, row.failures, row.refused
        )
    });
    stands.extend(row.stopped_by.iter().map(|by| format!("stopped by {by}")));
    stands.extend(row.pid.iter().map(|pid| format!("process {pid}")));
    stands.extend(
        agent
            .plan
            .iter()
            .map(|plan| format!("plans in {}: {}", plan.task, plan.strategy)),
    );
    stands
}

/// Handoffs that it has claimed.
fn held(id: &str, read: &dyn Read) -> Result<Vec<String>, Refusal> {
    let rows = handoff::rows(read, HANDOFFS, 0)?;
    let held = rows
        .iter()
        .filter(|row| row.state == "claimed" && row.holder.as_deref() == Some(id));
    Ok(held
        .map(|row| format!("{} {}", row.handle, row.question))
        .collect())
}

/// What the rules found in what was observed.
fn found(row: &AgentRow) -> Option<Section> {
    let mut lines = Vec::new();
    if !row.findings.is_empty() {
        lines.push(format!("found: {}", row.findings.join(", ")));
    }
    if let Some(signature) = &row.signature {
        let line = row.failure.as_deref().unwrap_or_default();
        lines.push(
            format!("latest failure {signature} {line}")
                .trim()
                .to_owned(),
        );
    }
    (!lines.is_empty()).then(|| section("failures observed", lines))
}

fn told(row: &AgentRow) -> Vec<String> {
    let mut told = Vec::new();
    told.extend(row.title.iter().map(|title| format!("title {title}")));
    told.extend(row.model.iter().map(|model| format!("model {model}")));
    told.extend(row.tokens.iter().map(|n| format!("{n} tokens seen")));
    told.extend(
        row.context
            .iter()
            .map(|n| format!("{n} tokens in its context")),
    );
    told.extend(
        row.cost_microusd
            .iter()
            .map(|cost| format!("cost {}", dollars(*cost))),
    );
    told.extend(row.transcript.iter().map(|file| format!("file {file}")));
    told
}

/// Millionths of a dollar, in dollars and cents; what is below a cent in full.
fn dollars(microusd: u64) -> String {
    let (whole, part) = (microusd / 1_000_000, microusd % 1_000_000);
    if whole == 0 && part < 10_000 {
        format!("$0.{part:06}")
    } else {
        format!("${whole}.{:02}", part / 10_000)
    }
}

/// What it did last, newest first: of what was observed, the steps.
fn latest(records: &[Record]) -> Vec<String> {
    let lines = records.iter().flat_map(|record| {
        if record.schema != OBSERVED {
            return vec![record_line(record.clone())];
        }
        let Ok(seen) = serde_json::from_str::<Observed>(&record.body) else {
            return Vec::new();
        };
        let steps = seen.steps.iter().rev();
        let line = |step: &crate::contract::observed::Step| {
            let time = step.at.get(11..19).unwrap_or("--:--:--");
            format!("{time} {}", step.what)
        };
        steps.map(line).collect()
    });
    lines.take(RECENT).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_has_a_unit_and_small_sums_are_not_nothing() {
        for (microusd, shown) in [
            (0, "$0.000000"),
            (560, "$0.000560"),
            (9_999, "$0.009999"),
            (10_000, "$0.01"),
            (1_239_999, "$1.23"),
        ] {
            assert_eq!(dollars(microusd), shown);
        }
    }
}
