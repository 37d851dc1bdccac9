//! `attempt record | plan | list` (spec 3.1).

mod failure;
mod list;
mod parse;
mod plan;

pub use failure::{Explained, Failure, explain};
pub use list::{Attempts, attempts};
pub use parse::parse;
pub use plan::{Planned, plan};

use serde::{Deserialize, Serialize};

use crate::contract::attempt::{ATTEMPT, Attempt, AttemptInput, Derived, Origin};
use crate::contract::breaker::Trigger;
use crate::contract::fault::Fault;
use crate::contract::ids::{AgentId, MissionId, RecordId, TaskId};
use crate::contract::limits::Limits;
use crate::contract::record::{Kind, NewRecord};
use crate::contract::refusal::{Code, Refusal};
use crate::contract::row::default_mission;
use crate::contract::safety::SafetyTrip;
use crate::contract::scope::Scope;
use crate::contract::secret;
use crate::contract::time::rfc3339;
use crate::journal::{Durability, Journal, Read, Write};
use crate::ops::flags::Flags;
use crate::ops::records::fresh_id;
use crate::rules::ledger::{Facts, Judgement};

use crate::ops::context::Context;
use crate::ops::domain::{self, Mission, PRODUCER, Task};
use crate::ops::fold::entry_of;
use crate::ops::store::{around, load};
use crate::ops::trip::{self, Wanted};
use crate::ops::{codes, disk, keyed, paths, sweep};

/// What `attempt record` answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recorded {
    /// Its id.
    pub attempt_id: String,
    /// Its short handle.
    pub handle: String,
    /// Its position.
    pub seq: u64,
    /// What the rules noticed.
    pub findings: Vec<String>,
    /// Breakers that it opened.
    pub trips: Vec<String>,
    /// What is worth knowing, beyond the contract.
    pub warnings: Vec<String>,
    /// The step that is due now.
    pub due: Option<String>,
    /// Which attempts prove each finding and trip.
    pub proof: Vec<Proof>,
}

/// The attempts that prove one finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proof {
    /// The finding or trip.
    pub of: String,
    /// The attempts.
    pub attempts: Vec<String>,
}

/// Records one entry: strict, redacted, judged, and with the breakers that it opens.
///
/// # Errors
/// The entry breaks its contract, holds a secret, names evidence that does not exist; or the
/// store fails. Nothing is written then.
pub fn record(
    context: &Context,
    input: &AttemptInput,
    request: &[u8],
    journal: &mut impl Journal,
    flags: &Flags,
) -> Result<Recorded, Refusal> {
    refuse_shapes(input, request)?;
    refuse_secrets(input)?;
    let files = paths::normal_files(context, &input.change.files);
    let mut failure = Failure::of(context, input)?;
    disk::check(context, flags, journal)?;
    journal.write(Durability::Full, |write| {
        keyed::once(context, "attempt record", request, write, |write| {
            let evidence = paths::evidence(context, input, write)?;
            failure.classify(write)?;
            let mut attempt = complete(context, input, failure, write)?;
            attempt.change.files = files;
            attempt.derived.evidence = evidence;
            append(context, &attempt, write, flags)
        })
    })
}

/// Appends a complete entry inside a transaction, and trips what it trips.
///
/// # Errors
/// The store fails.
pub fn append(
    context: &Context,
    attempt: &Attempt,
    write: &mut dyn Write,
    flags: &Flags,
) -> Result<Recorded, Refusal> {
    let place = context.place(
        Some(&attempt.task_id),
        Some(&attempt.mission_id),
        Some(&attempt.agent),
    );
    sweep::permits(context, &place, write)?;
    let judged = judge(context, attempt, write)?;
    let triage = attempt.derived.triage.as_ref();
    let first = codes::is_first(triage, write)?;
    let body = serde_json::to_string(attempt).map_err(|error| {
        Refusal::new(
            Code::Internal,
            format!("an attempt has no JSON form: {error}"),
            "watchfloor status",
        )
    })?;
    let record = write.append(NewRecord {
        kind: Kind::Attempt,
        id: Some(attempt.attempt_id.clone()),
        schema: ATTEMPT.to_owned(),
        producer: PRODUCER.to_owned(),
        project: context.project.clone(),
        task: Some(attempt.task_id.clone()),
        agent: Some(attempt.agent.clone()),
        body,
    })?;
    let wanted: Vec<Wanted> = judged
        .trips
        .iter()
        .map(|trip| wanted(context, attempt, trip))
        .collect();
    trip::open(context, flags, &wanted, write)?;
    if let (Some(minted), Some(triage)) = (first, triage) {
        let about = (Some(&attempt.task_id), Some(&attempt.agent));
        codes::cards(context, triage, minted, about, &record.id, write)?;
    }
    Ok(answer(&record.id, record.seq, &judged))
}

fn judge(context: &Context, attempt: &Attempt, read: &dyn Read) -> Result<Judgement, Refusal> {
    let place = context.place(
        Some(&attempt.task_id),
        Some(&attempt.mission_id),
        Some(&attempt.agent),
    );
    let standing = around(&place, read)?;
    let task: Option<Task> = load(
        read,
        domain::TASK,
        &domain::in_project(&context.project, attempt.task_id.as_str()),
    )?;
    let mission: Option<Mission> = load(
        read,
        domain::MISSION,
        &domain::in_project(&context.project, attempt.mission_id.as_str()),
    )?;
    let facts = Facts {
        id: attempt.attempt_id.clone(),
        seq: read.head()?.seq + 1,
        breaker_open: standing.stopped(),
        permit: standing.permitted(),
        mission_tries: mission.map_or(0, |m| u32::try_from(m.row.tries).unwrap_or(u32::MAX)),
    };
    let mut ledger = task.unwrap_or_default().ledger;
    Ok(ledger.judge(&entry_of(attempt), &facts, &context.limits))
}

fn answer(id: &RecordId, seq: u64, judged: &Judgement) -> Recorded {
    let proofs = judged
        .findings
        .iter()
        .map(|(finding, proof)| (finding.to_string(), proof));
    let trips = judged
        .trips
        .iter()
        .map(|(trip, _, proof)| (trip.as_str().to_owned(), proof));
    Recorded {
        attempt_id: id.to_string(),
        handle: crate::contract::ids::handle('a', id),
        seq,
        findings: judged
            .findings
            .iter()
            .map(|(finding, _)| finding.to_string())
            .collect(),
        trips: judged
            .trips
            .iter()
            .map(|(trip, ..)| trip.as_str().to_owned())
            .collect(),
        warnings: judged.warnings.clone(),
        due: judged.due.map(|due| due.as_str().to_owned()),
        proof: proofs
            .chain(trips)
            .map(|(of, proof)| Proof {
                of,
                attempts: proof.iter().map(ToString::to_string).collect(),
            })
            .collect(),
    }
}

fn wanted(
    context: &Context,
    attempt: &Attempt,
    trip: &(SafetyTrip, String, Vec<RecordId>),
) -> Wanted {
    let (trip, key, proof) = trip;
    let project = context.project.clone();
    let task = Scope::Task {
        project: project.clone(),
        task: attempt.task_id.clone(),
    };
    let (trigger, scope, reason) = match trip {
        SafetyTrip::Retry => (
            Trigger::Retry,
            task,
            format!("too many failing tries in {}", attempt.task_id),
        ),
        SafetyTrip::Oscillation => (
            Trigger::Oscillation,
            task,
            format!(
                "{} goes round in circles, or skipped a due step",
                attempt.task_id
            ),
        ),
        SafetyTrip::RetryMission => (
            Trigger::Retry,
            Scope::Mission {
                project,
                mission: attempt.mission_id.clone(),
            },
            format!(
                "the mission has used its {} tries",
                context.limits.max_iterations
            ),
        ),
    };
    Wanted {
        trigger,
        scope,
        key: Some(key.clone()),
        reason,
        agent: Some(attempt.agent.clone()),
        proof: proof.clone(),
        breaker_id: None,
    }
}

/// The largest entry, in bytes: it can never be purged.
const LARGEST: usize = 4 << 20;

/// Entries that are too large, and names that would break the keys and lines they stand in.
fn refuse_shapes(input: &AttemptInput, request: &[u8]) -> Result<(), Refusal> {
    let mut faults = Vec::new();
    if request.len() > LARGEST {
        let message = format!("is larger than {} MiB", LARGEST >> 20);
        faults.push(Fault::new("string_too_long", "", message));
    }
    let mission = input.mission_id.as_ref().map_or("", |id| id.as_str());
    for (path, name) in [
        ("task_id", input.task_id.as_str()),
        ("mission_id", mission),
        ("agent", input.agent.as_str()),
    ] {
        if name.chars().any(|c| c == '\u{1f}' || c == '\0') || name.len() > LONGEST_NAME {
            let message = "holds U+001F or NUL, or is longer than 1,000 bytes";
            faults.push(Fault::new("name_shape", path, message));
        }
    }
    if faults.is_empty() {
        return Ok(());
    }
    let next = "watchfloor schema show watchfloor.attempt_input.v1";
    Err(Refusal::of_faults("the attempt", faults, next))
}

/// The longest name of a task, mission or agent, in bytes.
const LONGEST_NAME: usize = 1_000;

/// Texts that a caller submits must hold no secret; the failure text is taken from tools, and
/// is redacted instead.
fn refuse_secrets(input: &AttemptInput) -> Result<(), Refusal> {
    let spoken = AttemptInput {
        error_signature: None,
        ..input.clone()
    };
    let text = serde_json::to_string(&spoken).unwrap_or_default();
    let hits = secret::find(&text);
    let Some(hit) = hits.first() else {
        return Ok(());
    };
    let cause = format!(
        "the entry holds {} secret(s), the first of kind {}",
        hits.len(),
        hit.kind
    );
    Err(Refusal::new(
        Code::SecretInRecord,
        cause,
        "take the secret out and record again",
    ))
}

fn complete(
    context: &Context,
    input: &AttemptInput,
    failure: Failure,
    read: &dyn Read,
) -> Result<Attempt, Refusal> {
    let mission = match (&input.mission_id, &context.mission) {
        (Some(mission), _) | (None, Some(mission)) => mission.clone(),
        (None, None) => mission_of(context, &input.task_id, &input.agent, read)?,
    };
    let timestamp = match &input.timestamp {
        Some(timestamp) => timestamp.clone(),
        None => rfc3339(read.now()?.utc_us),
    };
    Ok(Attempt {
        schema: ATTEMPT.to_owned(),
        attempt_id: input.attempt_id.clone().unwrap_or_else(fresh_id),
        timestamp,
        task_id: input.task_id.clone(),
        mission_id: mission,
        agent: input.agent.clone(),
        role: input.role,
        hypothesis: input.hypothesis.clone(),
        strategy: input.strategy.clone(),
        change: input.change.clone(),
        check: input.check.clone(),
        result: input.result,
        error_signature: failure.signature,
        progress: input.progress.clone(),
        derived: Derived {
            origin: Origin::Declared,
            strength: failure.strength,
            transient: failure.transient,
            failure: failure.line,
            triage: failure.triage,
            evidence: Vec::new(),
            limits: custom(&context.limits),
        },
    })
}

/// The limits, when they are not the defaults.
#[must_use]
pub fn custom(limits: &Limits) -> Option<Limits> {
    (*limits != Limits::default()).then(|| limits.clone())
}

/// The mission of work that named none: the task's known one, the caller's session's, or the task's own.
///
/// # Errors
/// The store fails.
pub fn mission_of(
    context: &Context,
    task: &TaskId,
    agent: &AgentId,
    read: &dyn Read,
) -> Result<MissionId, Refusal> {
    if let Some(mission) = &context.mission {
        return Ok(mission.clone());
    }
    let known: Option<Task> = load(
        read,
        domain::TASK,
        &domain::in_project(&context.project, task.as_str()),
    )?;
    if let Some(known) = known {
        return Ok(MissionId::new(known.row.mission));
    }
    let session: Option<domain::Agent> = load(read, domain::AGENT, agent.as_str())?;
    match session {
        Some(agent) if !agent.row.harness.is_empty() => Ok(MissionId::new(agent.row.mission)),
        _ => Ok(default_mission(None, task)),
    }
}
