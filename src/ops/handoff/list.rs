//! `handoff show`, `list`, `log`: who holds what right now, and everything that was said.

use serde::Serialize;

use crate::contract::handoff::{HandoffAnswer, HandoffState, ThreadLine};
use crate::contract::ids::ProjectId;
use crate::contract::refusal::Refusal;
use crate::contract::row::HandoffRow;
use crate::contract::time::parse_rfc3339;
use crate::journal::{Journal, Read};
use crate::ops::domain::{self, Agent, Handoff};
use crate::ops::process;
use crate::ops::store::{list as states, load};

use super::live::{Sight, running_counts};
use super::{brief, find, told};

/// Entries that have not ended and are looked at anew for a page of the pane, at most.
const LOOK: usize = 2_000;

/// Who holds an entry, as far as anybody saw it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HolderSeen {
    /// Host of its session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// Its process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// When that started, in clock ticks since boot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started: Option<u64>,
    /// Whether the process is there; absent where this host cannot tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alive: Option<bool>,
    /// When its hook or a verb of it was seen last, RFC 3339.
    pub last_seen: String,
}

/// An entry in a list.
#[derive(Clone, Debug, Serialize)]
pub struct Listed {
    /// Its row.
    #[serde(flatten)]
    pub row: HandoffRow,
    /// Seconds that are left of the running time limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds_left: Option<i64>,
    /// Its holder's liveness.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub holder_seen: Option<HolderSeen>,
}

/// Entries, newest last.
#[derive(Clone, Debug, Serialize)]
pub struct Handoffs {
    /// The entries.
    pub handoffs: Vec<Listed>,
    /// More lie before them.
    pub more: bool,
}

/// An entry in full.
#[derive(Clone, Debug, Serialize)]
pub struct Shown {
    /// Where it stands, and its brief.
    #[serde(flatten)]
    pub answer: HandoffAnswer,
    /// Its holder's liveness.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub holder_seen: Option<HolderSeen>,
}

/// Everything that was recorded about an entry.
#[derive(Clone, Debug, Serialize)]
pub struct Log {
    /// Where it stands.
    #[serde(flatten)]
    pub answer: HandoffAnswer,
    /// Its records, oldest first.
    pub records: Vec<ThreadLine>,
    /// Always false: a thread is short.
    pub more: bool,
}

/// Which entries to list.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Only in this state.
    pub state: Option<HandoffState>,
    /// Only of this project.
    pub project: Option<ProjectId>,
    /// Only with all of these tags.
    pub tags: Vec<String>,
    /// Only those with a record after this position.
    pub since: u64,
    /// At most so many.
    pub limit: usize,
}

/// Lists entries as they stand now.
///
/// # Errors
/// The store fails.
pub fn list(wanted: &Wanted, journal: &mut impl Journal) -> Result<Handoffs, Refusal> {
    journal.read(|read| {
        let sight = Sight::of(read)?;
        let mut all: Vec<Handoff> = states(read, domain::HANDOFF, 1_000_000, 0)?;
        for handoff in &mut all {
            sight.see(handoff);
        }
        all.retain(|handoff| fits(wanted, handoff));
        all.sort_by_key(|handoff| std::cmp::Reverse(handoff.row.last_seq));
        let more = all.len() > wanted.limit;
        all.truncate(wanted.limit);
        all.reverse();
        let handoffs = all
            .into_iter()
            .map(|handoff| listed(handoff, &sight, read))
            .collect::<Result<_, _>>()?;
        Ok(Handoffs { handoffs, more })
    })
}

fn fits(wanted: &Wanted, handoff: &Handoff) -> bool {
    let row = &handoff.row;
    row.last_seq > wanted.since
        && wanted
            .state
            .is_none_or(|state| state == handoff.entry.state())
        && wanted
            .project
            .as_ref()
            .is_none_or(|project| project.as_str() == row.project)
        && wanted.tags.iter().all(|tag| row.tags.contains(tag))
}

fn listed(handoff: Handoff, sight: &Sight, read: &dyn Read) -> Result<Listed, Refusal> {
    let row = handoff.row;
    let left = row.deadline.as_deref().and_then(parse_rfc3339);
    Ok(Listed {
        seconds_left: left.map(|until| (until.saturating_sub(sight.now_us)) / 1_000_000),
        holder_seen: holder_seen(row.holder.as_deref(), read)?,
        row,
    })
}

fn holder_seen(holder: Option<&str>, read: &dyn Read) -> Result<Option<HolderSeen>, Refusal> {
    let Some(holder) = holder else {
        return Ok(None);
    };
    let Some(agent) = load::<Agent>(read, domain::AGENT, holder)? else {
        return Ok(None);
    };
    let here = process::host();
    let known = agent.process;
    let alive = known
        .as_ref()
        .filter(|p| !here.is_empty() && p.host == here)
        .map(|p| process::may_live(&here, &p.host, p.pid, p.started));
    Ok(Some(HolderSeen {
        pid: known.as_ref().map(|p| p.pid),
        started: known.as_ref().map(|p| p.started),
        host: known.map(|p| p.host),
        alive,
        last_seen: agent.row.last_at,
    }))
}

/// Shows one entry in full.
///
/// # Errors
/// There is none, or more than one has the handle.
pub fn show(id: &str, journal: &mut impl Journal) -> Result<Shown, Refusal> {
    journal.read(|read| {
        let answer = told(&find(read, id)?, None, true, read)?;
        Ok(Shown {
            holder_seen: holder_seen(answer.holder.as_deref(), read)?,
            answer,
        })
    })
}

/// Every record about an entry in order.
///
/// # Errors
/// There is none, or more than one has the handle.
pub fn log(id: &str, journal: &mut impl Journal) -> Result<Log, Refusal> {
    journal.read(|read| {
        let handoff = find(read, id)?;
        Ok(Log {
            answer: told(&handoff, None, false, read)?,
            records: brief::thread(&handoff, read)?,
            more: false,
        })
    })
}

/// Entries in the pane's order, as they stand now.
///
/// # Errors
/// The store fails.
pub fn rows(read: &dyn Read, limit: usize, offset: usize) -> Result<Vec<HandoffRow>, Refusal> {
    let (escalated, running) = running_counts(read)?;
    let sight = Sight::of(read)?;
    // What runs may have ended since its last record, and then it stands further down.
    let moving = (escalated.saturating_add(running)).min(LOOK);
    let reach = moving.saturating_add(limit).saturating_add(offset);
    let mut all: Vec<Handoff> = states(read, domain::HANDOFF, reach, 0)?;
    for handoff in &mut all {
        sight.see(handoff);
    }
    all.sort_by_key(|handoff| std::cmp::Reverse((handoff.rank(), handoff.row.last_seq)));
    let page = all.into_iter().skip(offset).take(limit);
    Ok(page.map(|handoff| handoff.row).collect())
}
