//! `acceptance`: what it came to, for a person or as one JSON object.

use serde::Serialize;

use crate::contract::acceptance::{Accepted, Participant};
use crate::contract::refusal::Refusal;
use crate::contract::text::neutral;
use crate::ops::acceptance;
use crate::ops::context::Context;
use crate::ops::store;

use super::out::{Out, Reply};

/// What was played, apart from its result.
#[derive(Clone, Debug, Default)]
pub struct Told {
    /// Programs that are not installed.
    pub missing: Vec<&'static str>,
    /// How long it took, in seconds.
    pub seconds: f64,
    /// Where everything was left.
    pub kept: Option<String>,
}

#[derive(Serialize)]
struct Answer<'a> {
    #[serde(flatten)]
    accepted: &'a Accepted,
    missing: &'a [&'static str],
    seconds: f64,
    kept: &'a Option<String>,
    /// Its position in the user's store; absent where there is none.
    seq: Option<u64>,
}

/// Records the result in the user's store, where there is one, and writes it. Answers the exit
/// code: 0 only if all seven points hold.
#[must_use]
pub fn answer(context: &Context, accepted: &Accepted, told: &Told, json: bool, quiet: bool) -> u8 {
    let out = Out { json, quiet };
    match reply(context, accepted, told) {
        Ok(reply) => out.reply(&reply),
        Err(refusal) => out.refusal(&refusal),
    }
}

fn reply(context: &Context, accepted: &Accepted, told: &Told) -> Result<Reply, Refusal> {
    let seq = if store::is_there(context) {
        Some(acceptance::record(context, accepted)?)
    } else {
        None
    };
    let answer = Answer {
        accepted,
        missing: &told.missing,
        seconds: told.seconds,
        kept: &told.kept,
        seq,
    };
    let exit = u8::from(!accepted.passed);
    Ok(Reply::of(&answer, words(accepted, told, seq))?.exit(exit))
}

fn words(accepted: &Accepted, told: &Told, seq: Option<u64>) -> String {
    let mut lines = Vec::new();
    for name in &told.missing {
        lines.push(format!(
            "{name} is not installed: name it with --program {name}=PATH"
        ));
    }
    if accepted.plain {
        lines.push(
            "Two plain processes stand in for agent programs: this does not count for a roll-out."
                .to_owned(),
        );
    }
    let who = |one: &Participant| format!("{} {}, {}", one.harness, one.version, one.agent);
    lines.push(format!("A: {}", who(&accepted.a)));
    lines.push(format!("B: {}", who(&accepted.b)));
    for point in &accepted.points {
        let verdict = if point.holds {
            "holds"
        } else {
            "DOES NOT HOLD"
        };
        lines.push(format!("{}. {verdict}: {}", point.number, point.claim));
        lines.extend(point.proof.iter().map(|proof| format!("     {proof}")));
    }
    let held = accepted.points.iter().filter(|point| point.holds).count();
    lines.push(format!("{held} of 7 hold, in {:.1} s", told.seconds));
    match seq {
        Some(seq) => lines.push(format!("recorded: record {seq} of this machine's store")),
        None => lines.push(
            "not recorded: there is no store on this machine yet; watchfloor init makes it"
                .to_owned(),
        ),
    }
    lines.extend(told.kept.as_ref().map(|folder| format!("left in {folder}")));
    let lines: Vec<String> = lines.iter().map(|line| neutral(line)).collect();
    lines.join("\n")
}
