//! `attempt record | plan | list` (spec 3.1).

use serde::{Deserialize, Serialize};

use crate::contract::attempt::{ATTEMPT, Attempt, AttemptInput, Derived, Origin};
use crate::contract::breaker::Trigger;
use crate::contract::event::{PLAN, Plan};
use crate::contract::ids::{AgentId, MissionId, RecordId, TaskId};
use crate::contract::limits::Limits;
use crate::contract::record::{Kind, NewRecord};
use crate::contract::refusal::{Code, Refusal};
use crate::contract::row::default_mission;
use crate::contract::safety::SafetyTrip;
use crate::contract::scope::Scope;
use crate::contract::secret;
use crate::contract::signature::{Signature, SignatureId, Strength};
use crate::contract::time::rfc3339;
use crate::journal::{Durability, Journal, Page, Read, Write};
use crate::ops::flags::Flags;
use crate::rules::ledger::{Facts, Judgement};
use crate::rules::{signature, triage};

use super::context::Context;
use super::domain::{self, Mission, PRODUCER, Task};
use super::fold::entry_of;
use super::store::load;
use super::trip::{self, Wanted, event};
use super::{disk, keyed, paths, sweep};

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
    refuse_secrets(input)?;
    let files = paths::normal_files(context, &input.change.files);
    let failure = Failure::of(context, input)?;
    disk::check(context, flags, journal)?;
    journal.write(Durability::Full, |write| {
        keyed::once(context, "attempt record", request, write, |write| {
            let evidence = paths::evidence(context, input, write)?;
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
    Ok(answer(&record.id, record.seq, &judged))
}

fn judge(context: &Context, attempt: &Attempt, read: &dyn Read) -> Result<Judgement, Refusal> {
    let now = read.now()?;
    let place = context.place(
        Some(&attempt.task_id),
        Some(&attempt.mission_id),
        Some(&attempt.agent),
    );
    let standing = domain::standing(&|d, k| read.state(d, k), &place, now.utc_us)?;
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

/// What a failure text was read as.
pub struct Failure {
    /// Its signature.
    pub signature: Option<SignatureId>,
    /// How much it says.
    pub strength: Strength,
    /// It is the provider's or the network's, and will pass.
    pub transient: bool,
    /// In a line, redacted.
    pub line: Option<String>,
}

impl Failure {
    /// Nothing failed.
    #[must_use]
    pub fn none() -> Self {
        Self {
            signature: None,
            strength: Strength::Strong,
            transient: false,
            line: None,
        }
    }

    /// Reads the text of a failure.
    ///
    /// # Errors
    /// The text is a bare verdict word.
    pub fn of_text(context: &Context, text: &str, exit_code: Option<i32>) -> Self {
        let root = context.root.to_string_lossy();
        let signed = signature::sign(text, exit_code, Some(&root));
        let transient =
            triage::classify(context.catalog(), text, None).is_ok_and(|c| triage::is_transient(&c));
        let (redacted, _) = secret::redact(text);
        let line = redacted
            .lines()
            .map(str::trim)
            .find(|line| !line.is_empty());
        Self {
            signature: Some(signed.id),
            strength: signed.strength,
            transient,
            line: line.map(|line| line.chars().take(200).collect()),
        }
    }

    fn of(context: &Context, input: &AttemptInput) -> Result<Self, Refusal> {
        let Some(given) = &input.error_signature else {
            return Ok(Self::none());
        };
        if let Some(id) = SignatureId::parse(given) {
            return Ok(Self {
                signature: Some(id),
                strength: Strength::Strong,
                transient: false,
                line: None,
            });
        }
        if let Err(refusal) = triage::classify(context.catalog(), given, None)
            && refusal.code == Code::ForbiddenTerminalLabel
        {
            return Err(refusal);
        }
        Ok(Self::of_text(context, given, None))
    }
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
        attempt_id: input.attempt_id.clone().unwrap_or_else(trip::fresh_id),
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

/// What a failure text is read as, and how many tests it says failed.
#[must_use]
pub fn explain(text: &str, exit_code: Option<i32>, root: Option<&str>) -> (Signature, Option<u64>) {
    (
        signature::sign(text, exit_code, root),
        signature::failing_tests(text),
    )
}

/// What `attempt plan` answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Planned {
    /// The event's id.
    pub id: String,
    /// Its position.
    pub seq: u64,
    /// The task.
    pub task: String,
    /// The strategy.
    pub strategy: String,
}

/// Declares what an agent will try. Refused while the gate says no.
///
/// # Errors
/// The gate refuses, or the store fails.
pub fn plan(
    context: &Context,
    task: &TaskId,
    agent: &AgentId,
    hypothesis: &str,
    strategy: &str,
    journal: &mut impl Journal,
) -> Result<Planned, Refusal> {
    let request = format!("{task}\u{1f}{agent}\u{1f}{hypothesis}\u{1f}{strategy}");
    if let Some(hit) = secret::find(&request).first() {
        let cause = format!("the plan holds a secret of kind {}", hit.kind);
        return Err(Refusal::new(
            Code::SecretInRecord,
            cause,
            "take the secret out and plan again",
        ));
    }
    journal.write(Durability::Full, |write| {
        keyed::once(
            context,
            "attempt plan",
            request.as_bytes(),
            write,
            |write| {
                let mission_id = mission_of(context, task, agent, write)?;
                let place = context.place(Some(task), Some(&mission_id), Some(agent));
                sweep::permits(context, &place, write)?;
                super::gate::refuse_when_stopped(&place, write)?;
                let body = Plan {
                    schema: PLAN.to_owned(),
                    task_id: task.clone(),
                    mission_id,
                    agent: agent.clone(),
                    hypothesis: hypothesis.to_owned(),
                    strategy: strategy.to_owned(),
                };
                let record = write.append(event(
                    context,
                    PLAN,
                    Some(task.clone()),
                    Some(agent.clone()),
                    &body,
                )?)?;
                Ok(Planned {
                    id: record.id.to_string(),
                    seq: record.seq,
                    task: task.to_string(),
                    strategy: strategy.to_owned(),
                })
            },
        )
    })
}

/// Entries of the ledger, newest last.
#[derive(Clone, Debug, Serialize)]
pub struct Attempts {
    /// The entries as they are stored.
    pub attempts: Vec<serde_json::Value>,
    /// More lie before them.
    pub more: bool,
}

/// Lists entries, of one task or of all.
///
/// # Errors
/// The store fails.
pub fn attempts(
    task: Option<&TaskId>,
    since: u64,
    limit: usize,
    journal: &mut impl Journal,
) -> Result<Attempts, Refusal> {
    journal.read(|read| {
        let page = Page {
            after: since,
            kind: Some(Kind::Attempt),
            task: task.cloned(),
            limit: limit.saturating_add(1),
            newest_first: true,
            ..Page::default()
        };
        let mut records = read.page(&page)?;
        let more = records.len() > limit;
        records.truncate(limit);
        records.reverse();
        let attempts = records
            .iter()
            .map(|record| {
                let mut value: serde_json::Value =
                    serde_json::from_str(&record.body).unwrap_or_default();
                value["seq"] = record.seq.into();
                value
            })
            .collect();
        Ok(Attempts { attempts, more })
    })
}
