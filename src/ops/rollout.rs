//! Records of what was rolled out to agents' programs, and what proves that their stops hold
//! (spec 6.2): an acceptance that was passed, canaries, and what real sessions showed.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::contract::acceptance::ACCEPTANCE;
use crate::contract::event::{CALL_REFUSED, CallRefused};
use crate::contract::record::Record;
use crate::contract::refusal::{Code, Refusal};
use crate::contract::rollout::{CANARY, Canary, INSTALLED, Installed, Lamp};
use crate::contract::tool::{TOOL_SEEN, ToolSeen};
use crate::journal::{Durability, Journal, Page, Read};

use super::context::Context;
use super::domain::{self, HarnessState};
use super::records::event;
use super::store;

/// How many refusals, and how many results behind the first of them, a passive proof looks at.
const LOOKED_AT: usize = 5_000;

/// Names of agents' programs, as agents' ids begin.
const HARNESSES: [&str; 6] = ["claude", "codex", "gemini", "hermes", "opencode", "pi"];

/// Records an install or an uninstall. Answers whether there is a store to record it in.
///
/// # Errors
/// The store fails.
pub fn installed(context: &Context, body: &Installed) -> Result<bool, Refusal> {
    if !store::is_there(context) {
        return Ok(false);
    }
    let mut journal = store::open(context)?;
    journal.write(Durability::Full, |write| {
        write.append(event(context, INSTALLED, None, None, body)?)
    })?;
    Ok(true)
}

/// Records what a canary showed.
///
/// # Errors
/// The store fails.
pub fn canary(context: &Context, body: &Canary) -> Result<(), Refusal> {
    let mut journal = store::open(context)?;
    journal.write(Durability::Full, |write| {
        write.append(event(context, CANARY, None, None, body)?)
    })?;
    Ok(())
}

/// That an acceptance was passed on this machine, by real agents. Plain processes do not count.
///
/// # Errors
/// None was, or the store fails.
pub fn accepted(context: &Context) -> Result<(), Refusal> {
    let mut journal = store::open_readonly(context)?;
    let records = journal.read(|read| newest(read, ACCEPTANCE, 1_000))?;
    let passed = records.iter().any(|record| {
        let body: Value = serde_json::from_str(&record.body).unwrap_or_default();
        let body = body.get("payload").unwrap_or(&body);
        body["passed"] == true && body["plain"] != true
    });
    if passed {
        return Ok(());
    }
    let cause = "a user-level install reaches every project, and no acceptance with real agents was passed on this machine; pass one, or say why it goes without, with --without-acceptance REASON";
    Err(Refusal::new(
        Code::AcceptanceMissing,
        cause,
        "watchfloor acceptance",
    ))
}

/// The newest records of a schema.
///
/// # Errors
/// The store fails.
pub fn newest(read: &dyn Read, schema: &str, limit: usize) -> Result<Vec<Record>, Refusal> {
    read.page(&Page {
        schema: Some(schema.to_owned()),
        limit,
        newest_first: true,
        ..Page::default()
    })
}

/// What the store knows about the stops of agents' programs.
#[derive(Clone, Debug, Default)]
pub struct Known {
    canaries: BTreeMap<String, (Canary, i64)>,
    installs: BTreeMap<String, (Option<String>, i64)>,
    sessions: BTreeMap<String, Sessions>,
}

/// What real sessions of one program showed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Sessions {
    /// A refused call that never ran, though its session went on: when it was refused last.
    held_us: Option<i64>,
    /// When a refused call was seen to run last, and whose it was.
    ran: Option<(i64, String)>,
}

/// What is asked of one program.
#[derive(Clone, Debug)]
pub struct Asked<'a> {
    /// Its name.
    pub harness: &'a str,
    /// What it says of its version.
    pub version: Option<&'a str>,
    /// Digest of the entries that are installed.
    pub entry: Option<&'a str>,
    /// When its program was written last, UTC microseconds.
    pub program_us: Option<i64>,
}

impl Known {
    /// Reads the store; without one nothing is known.
    ///
    /// # Errors
    /// The store fails.
    pub fn read(context: &Context) -> Result<Self, Refusal> {
        if !store::is_there(context) {
            return Ok(Self::default());
        }
        store::open_readonly(context)?.read(|read| {
            let mut known = Self::default();
            for record in newest(read, CANARY, 1_000)? {
                if let Ok(canary) = serde_json::from_str::<Canary>(&record.body) {
                    let name = canary.harness.clone();
                    let told = (canary, record.recorded_at);
                    known.canaries.entry(name).or_insert(told);
                }
            }
            for record in newest(read, INSTALLED, 1_000)? {
                if let Ok(body) = serde_json::from_str::<Installed>(&record.body) {
                    let at = (body.entry, record.recorded_at);
                    known.installs.entry(body.harness).or_insert(at);
                }
            }
            known.sessions = sessions(read)?;
            Ok(known)
        })
    }

    /// The lamp of a program, and why.
    #[must_use]
    pub fn lamp(&self, asked: &Asked<'_>) -> (Lamp, String) {
        let sessions = self
            .sessions
            .get(asked.harness)
            .cloned()
            .unwrap_or_default();
        let canary = self.canaries.get(asked.harness);
        let told_us = canary.map_or(i64::MIN, |(_, at)| *at);
        // What a canary showed later than a leak is about another program, or about its mending.
        if let Some((_, agent)) = sessions.ran.filter(|(at, _)| *at > told_us) {
            return (
                Lamp::Leaking,
                format!("a refused call of {agent} was seen to run"),
            );
        }
        let Some(entry) = asked.entry else {
            return (Lamp::Unproven, "no hooks are installed".to_owned());
        };
        if let Some((canary, _)) = canary {
            let same = canary.entry == entry && Some(canary.version.as_str()) == asked.version;
            match (same, canary.refused) {
                (true, true) => return (Lamp::Proven, format!("canary: {}", canary.seen)),
                (true, false) => return (Lamp::Leaking, format!("canary: {}", canary.seen)),
                (false, _) => {}
            }
        }
        // A session's own refusal counts while program and entries are the ones it ran with.
        let since = match (self.installs.get(asked.harness), asked.program_us) {
            (Some((installed, at)), Some(program)) if installed.as_deref() == Some(entry) => {
                Some(program.max(*at))
            }
            _ => None,
        };
        if let (Some(held), Some(since)) = (sessions.held_us, since)
            && held > since
        {
            let at = crate::contract::time::rfc3339(held);
            return (
                Lamp::Proven,
                format!("a call of a session was refused at {at} and never ran"),
            );
        }
        let why = if canary.is_some() {
            "the canary ran with another version or other entries"
        } else {
            "no call of it was seen to be refused yet"
        };
        (Lamp::Unproven, why.to_owned())
    }
}

/// Goes through refused calls and through the results that came later.
fn sessions(read: &dyn Read) -> Result<BTreeMap<String, Sessions>, Refusal> {
    let mut all: BTreeMap<String, Sessions> = BTreeMap::new();
    for harness in HARNESSES {
        let known: Option<HarnessState> = store::load(read, domain::HARNESS, harness)?;
        if let Some(known) = known.filter(|known| known.leaked > 0) {
            let agent = known.leaked_by.map(|agent| agent.to_string());
            let told = all.entry(harness.to_owned()).or_default();
            told.ran = Some((known.leaked_us, agent.unwrap_or_default()));
        }
    }
    let refused = newest(read, CALL_REFUSED, LOOKED_AT)?;
    let Some(first) = refused.last().map(|record| record.seq) else {
        return Ok(all);
    };
    let results = read.page(&Page {
        schema: Some(TOOL_SEEN.to_owned()),
        after: first,
        limit: LOOKED_AT,
        ..Page::default()
    })?;
    let mut results_of = BTreeSet::new();
    let mut last: BTreeMap<String, u64> = BTreeMap::new();
    for record in &results {
        let Ok(seen) = serde_json::from_str::<ToolSeen>(&record.body) else {
            continue;
        };
        let agent = seen.agent.to_string();
        last.insert(agent.clone(), record.seq);
        results_of.extend(seen.call_id.map(|call| (agent, call)));
    }
    for record in refused {
        let Ok(CallRefused {
            agent,
            call_id: Some(call),
            ..
        }) = serde_json::from_str::<CallRefused>(&record.body)
        else {
            continue;
        };
        let agent = agent.to_string();
        let harness = agent.split(':').next().unwrap_or_default().to_owned();
        let went_on = last.get(&agent).is_some_and(|seq| *seq > record.seq);
        if went_on && !results_of.contains(&(agent, call)) {
            let told = all.entry(harness).or_default();
            told.held_us.get_or_insert(record.recorded_at);
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked<'a>(version: &'a str, entry: &'a str) -> Asked<'a> {
        Asked {
            harness: "pi",
            version: Some(version),
            entry: Some(entry),
            program_us: Some(5),
        }
    }

    fn canary(refused: bool) -> Canary {
        Canary {
            schema: CANARY.to_owned(),
            harness: "pi".to_owned(),
            version: "1.6.0".to_owned(),
            entry: "sha256:aa".to_owned(),
            refused,
            seen: "the file was not made".to_owned(),
        }
    }

    #[test]
    fn a_canary_counts_for_its_version_and_entries_alone() {
        let mut known = Known::default();
        let lamp = |known: &Known, version, entry| known.lamp(&asked(version, entry)).0;
        assert_eq!(lamp(&known, "1.6.0", "sha256:aa"), Lamp::Unproven);
        known.canaries.insert("pi".to_owned(), (canary(true), 30));
        assert_eq!(lamp(&known, "1.6.0", "sha256:aa"), Lamp::Proven);
        assert_eq!(lamp(&known, "1.6.1", "sha256:aa"), Lamp::Unproven);
        assert_eq!(lamp(&known, "1.6.0", "sha256:bb"), Lamp::Unproven);
        known.canaries.insert("pi".to_owned(), (canary(false), 30));
        assert_eq!(lamp(&known, "1.6.0", "sha256:aa"), Lamp::Leaking);
    }

    #[test]
    fn a_session_proves_what_was_installed_and_not_upgraded_since() {
        let mut known = Known::default();
        let held = Sessions {
            held_us: Some(20),
            ran: None,
        };
        known.sessions.insert("pi".to_owned(), held);
        assert_eq!(known.lamp(&asked("1", "sha256:aa")).0, Lamp::Unproven);
        let at = (Some("sha256:aa".to_owned()), 10);
        known.installs.insert("pi".to_owned(), at);
        assert_eq!(known.lamp(&asked("1", "sha256:aa")).0, Lamp::Proven);
        assert_eq!(known.lamp(&asked("1", "sha256:bb")).0, Lamp::Unproven);
        let upgraded = Asked {
            program_us: Some(30),
            ..asked("1", "sha256:aa")
        };
        assert_eq!(known.lamp(&upgraded).0, Lamp::Unproven);
        let ran = Sessions {
            held_us: Some(20),
            ran: Some((40, "pi:s".to_owned())),
        };
        known.sessions.insert("pi".to_owned(), ran);
        assert_eq!(known.lamp(&asked("1", "sha256:aa")).0, Lamp::Leaking);
        let mended = (canary(true), 50);
        known.canaries.insert("pi".to_owned(), mended);
        assert_eq!(known.lamp(&asked("1.6.0", "sha256:aa")).0, Lamp::Proven);
    }
}
