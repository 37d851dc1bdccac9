//! Goes to an agent: the terminal pane that its process runs in, or its transcript.

mod seat;

use crate::contract::agent::Jumped;
use crate::contract::going::{Way, WayRow};
use crate::contract::refusal::{Code, Refusal};
use crate::journal::Journal;

use super::context::Context;
use super::diff;
use super::domain::{self, Agent};
use super::store::{load, not_found};

fn agent(id: &str, journal: &mut impl Journal) -> Result<Agent, Refusal> {
    let agent: Option<Agent> = journal.read(|read| load(read, domain::AGENT, id))?;
    agent.ok_or_else(|| not_found("agent", id, "watchfloor status"))
}

/// The ways to an agent, each with where it leads or why it is closed.
///
/// # Errors
/// There is no such agent, or the store fails.
pub fn ways(
    context: &Context,
    id: &str,
    journal: &mut impl Journal,
) -> Result<Vec<WayRow>, Refusal> {
    let agent = agent(id, journal)?;
    let told = |way: Way| -> Result<String, String> {
        match way {
            Way::Terminal => seat::of(&agent, &context.host).map(|seat| seat.words()),
            Way::Transcript => transcript(&agent)
                .map(str::to_owned)
                .ok_or_else(|| "none of it was found on this machine".to_owned()),
            Way::Diff => diff::of(&agent, &context.host)
                .map(|place| format!("{} ({})", place.root.display(), place.known_by)),
        }
    };
    let ways = Way::ALL.into_iter().map(|way| {
        let (open, said) = match told(way) {
            Ok(said) => (true, said),
            Err(said) => (false, said),
        };
        WayRow { way, open, said }
    });
    Ok(ways.collect())
}

/// Goes a way: brings the agent's terminal pane to the front, or answers the path of its transcript,
/// to be copied.
///
/// # Errors
/// There is no such agent, the way is closed, or the store fails.
pub fn jump(
    context: &Context,
    id: &str,
    way: Way,
    journal: &mut impl Journal,
) -> Result<Jumped, Refusal> {
    let agent = agent(id, journal)?;
    if way == Way::Terminal {
        let seat = seat::of(&agent, &context.host);
        let gone = seat.and_then(|seat| seat.go());
        return gone.map_err(|why| {
            let cause = format!("{id} cannot be gone to: {why}");
            Refusal::new(Code::NotFound, cause, "watchfloor status")
        });
    }
    let Some(file) = transcript(&agent) else {
        let cause = format!("no transcript of {id} is known");
        return Err(Refusal::new(
            Code::NotFound,
            cause,
            "watchfloor observe --list",
        ));
    };
    let time = agent.row.last_at.get(11..19).unwrap_or_default();
    Ok(Jumped {
        said: format!("its transcript, at {time}: {file}"),
        copy: Some(file.to_owned()),
    })
}

fn transcript(agent: &Agent) -> Option<&str> {
    agent.row.transcript.as_deref()
}
