//! The aggregates that the journal folds into, and where their rows lie.

mod agent;
mod grant;
mod handoff;
mod harness;

use std::collections::{BTreeMap, BTreeSet};

pub use agent::{Agent, Inbox, PlanState, ProcessState, TurnState, WaitState};
pub use grant::{GrantState, Grants};
pub use harness::{HarnessState, RefusedCall};

pub use handoff::{Alive, Handoff, ReceiptRef, words};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::contract::breaker::{Approver, Trigger};
use crate::contract::event::IdentityAdded;
use crate::contract::goal::Goal;
use crate::contract::handoff::Source;
use crate::contract::ids::{AgentId, ProjectId, RecordId};
use crate::contract::mission::MissionState;
use crate::contract::refusal::{Code, Refusal};
use crate::contract::row::{BreakerRow, CodeRow, MissionRow, TaskRow};
use crate::contract::scope::{Place, Scope};
use crate::rules::codes::Life;
use crate::rules::ledger::TaskLedger;

/// Domain of [`TaskState`].
pub const TASK: &str = "task";
/// Domain of [`Mission`].
pub const MISSION: &str = "mission";
/// Domain of [`Breaker`].
pub const BREAKER: &str = "breaker";
/// Domain of [`ScopeState`].
pub const SCOPE: &str = "scope";
/// Domain of [`Agent`].
pub const AGENT: &str = "agent";
/// Domain of [`Identity`].
pub const IDENTITY: &str = "identity";
/// Domain of used nonces.
pub const NONCE: &str = "nonce";
/// Domain of [`crate::contract::event::Keyed`].
pub const KEYED: &str = "keyed";
/// Domain of [`WaitState`]: the agents that wait for a person, and no others.
pub const WAITS: &str = "waits";
/// Domain of agents by their process.
pub const PROCESS: &str = "process";
/// Domain of [`Handoff`].
pub const HANDOFF: &str = "handoff";
/// Domain of imported handoffs by where they came from.
pub const HANDOFF_SOURCE: &str = "handoff_source";
/// Domain of [`crate::contract::message::MessageRow`].
pub const MESSAGE: &str = "message";
/// Domain of [`Inbox`].
pub const INBOX: &str = "inbox";
/// Domain of [`FailureCode`].
pub const CODE: &str = "code";
/// Domain of [`crate::rules::codes::Vocabulary`]: one row.
pub const VOCABULARY: &str = "vocabulary";
/// Domain of [`Grants`].
pub const GRANT: &str = "grant";
/// Domain of [`HarnessState`].
pub const HARNESS: &str = "harness";
/// Domain of the totals.
pub const COUNT: &str = "count";
/// What is said of an agent whose process is gone.
pub const PROCESS_GONE: &str = "session ended: its process is gone";
/// The key in [`PROCESS`] that is there as soon as any process is.
pub const ANY: &str = "";
/// The one key of a domain with a single row.
pub const ALL: &str = "all";
/// Prefix of payload schemas that only the product's own verbs write.
pub const OWN: &str = "watchfloor.";
/// The producer of the product's own records.
pub const PRODUCER: &str = "watchfloor";

/// A task: its row and its window.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Task {
    /// What the panes show.
    pub row: TaskRow,
    /// What the rules count.
    pub ledger: TaskLedger,
}

/// A mission.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Mission {
    /// What the panes show.
    pub row: MissionRow,
    /// Its goal.
    pub goal: Goal,
    /// Its state, typed.
    pub state: MissionState,
    /// Who works in it.
    pub agents: BTreeSet<AgentId>,
    /// Prevented calls by trigger (spec 3.6).
    #[serde(default)]
    pub prevented: BTreeMap<String, u32>,
}

/// One trip receipt of a breaker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TripRef {
    /// The receipt.
    pub receipt_id: RecordId,
    /// What it tripped.
    pub trigger: Trigger,
    /// Signature or rule.
    pub key: Option<String>,
    /// Where it stands.
    pub seq: u64,
    /// Digest of the stored bytes.
    pub digest: String,
}

/// A breaker: everything that one entry opened in one scope, and further hits.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Breaker {
    /// What the panes show.
    pub row: BreakerRow,
    /// What it covers.
    pub scope: Scope,
    /// Its trips, the first one first.
    pub trips: Vec<TripRef>,
    /// Records that prove it.
    pub proof: Vec<RecordId>,
    /// Who may reset it.
    pub needs: Approver,
    /// The goal that its receipts carry.
    pub goal_hash: String,
    /// When it opened, UTC microseconds.
    pub opened_us: i64,
    /// When each agent was really refused first: microseconds after the opening.
    pub refused_after_us: Vec<(AgentId, i64)>,
}

/// A permit that is running.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PermitState {
    /// Its receipt.
    pub id: RecordId,
    /// The breaker it is for.
    pub breaker_id: RecordId,
    /// Who may work.
    pub agent: AgentId,
    /// Until when, UTC microseconds.
    pub until_us: i64,
}

/// What stops a scope.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScopeState {
    /// Open breakers.
    pub open: Vec<RecordId>,
    /// Running permits.
    pub permits: Vec<PermitState>,
}

/// A minted failure code.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct FailureCode {
    /// What the panes show.
    pub row: CodeRow,
    /// What is counted and decided.
    pub life: Life,
    /// What it was minted over.
    pub normal: String,
    /// The first observation and the latest ones, oldest first.
    pub records: Vec<RecordId>,
}

/// A signer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// Its name.
    pub principal: String,
    /// `SHA256:` fingerprint.
    pub key: String,
    /// The public key in OpenSSH form.
    pub public_key: String,
    /// What it may approve as.
    pub roles: Vec<Approver>,
    /// Trusted on first use.
    pub first_use: bool,
    /// Revoked.
    pub revoked: bool,
    /// When it was added, UTC microseconds.
    pub added_us: i64,
}

impl Identity {
    /// One that was added at a moment, UTC microseconds.
    #[must_use]
    pub fn of(body: &IdentityAdded, at: i64) -> Self {
        Self {
            principal: body.principal.clone(),
            key: body.key.clone(),
            public_key: body.public_key.clone(),
            roles: body.roles.clone(),
            first_use: body.first_use,
            revoked: false,
            added_us: at,
        }
    }
}

/// Key of an aggregate inside a project.
#[must_use]
pub fn in_project(project: &ProjectId, id: &str) -> String {
    format!("{project}\u{1f}{id}")
}

/// What stands in the row of every agent that a scope covers; empty where that is any agent.
#[must_use]
pub fn mark(scope: &Scope) -> String {
    let (field, name) = match scope {
        Scope::Session { agent } => ("agent", agent.as_str()),
        Scope::Task { task, .. } => ("task", task.as_str()),
        Scope::Mission { mission, .. } => ("mission", mission.as_str()),
        Scope::Project { project } => ("project", project.as_str()),
        Scope::Fleet => return String::new(),
    };
    format!("\"{field}\":{}", serde_json::Value::from(name))
}

/// Key of a process: an id is used again, its start is not.
#[must_use]
pub fn process_key(host: &str, pid: u32, started: u64) -> String {
    format!("{host}\u{1f}{pid}\u{1f}{started}")
}

/// Key of an imported item.
#[must_use]
pub fn source_key(project: &ProjectId, source: &Source) -> String {
    format!("{project}\u{1f}{}\u{1f}{}", source.system, source.item)
}

/// Key of an idempotency row.
#[must_use]
pub fn key_of(project: &ProjectId, agent: &str, verb: &str, key: &str) -> String {
    format!("{project}\u{1f}{agent}\u{1f}{verb}\u{1f}{key}")
}

/// Reads a state row.
///
/// # Errors
/// The row cannot be read: the projections are damaged.
pub fn read_state<T: DeserializeOwned>(domain: &str, key: &str, body: &str) -> Result<T, Refusal> {
    serde_json::from_str(body).map_err(|error| {
        let shown = key.replace('\u{1f}', " ");
        let cause = format!("the projection of {domain} {shown} cannot be read: {error}");
        Refusal::new(Code::StoreDamaged, cause, "watchfloor rebuild")
    })
}

/// Writes a state row.
///
/// # Errors
/// The state has no JSON form, which is a fault of the product.
pub fn write_state<T: Serialize>(state: &T) -> Result<String, Refusal> {
    serde_json::to_string(state).map_err(|error| {
        Refusal::new(
            Code::Internal,
            format!("a state has no JSON form: {error}"),
            "watchfloor verify --deep",
        )
    })
}

/// How a call stands to the breakers around it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// Open breakers in scope that no permit of the caller covers.
    pub blocking: Vec<RecordId>,
    /// Open breakers in scope that a permit of the caller covers.
    pub covered: Vec<RecordId>,
}

impl Standing {
    /// Something stops the caller.
    #[must_use]
    pub fn stopped(&self) -> bool {
        !self.blocking.is_empty()
    }

    /// A permit lets the caller work although a breaker is open.
    #[must_use]
    pub fn permitted(&self) -> bool {
        self.blocking.is_empty() && !self.covered.is_empty()
    }
}

/// Reads one state row by domain and key: from a snapshot, or inside a fold.
pub type Get<'a> = &'a dyn Fn(&str, &str) -> Result<Option<String>, Refusal>;

/// The time that running deadlines are compared with, in UTC microseconds. Asked for only where
/// a deadline runs.
pub type Deadline<'a> = &'a dyn Fn() -> Result<i64, Refusal>;

/// Looks up every scope of a place. A permit counts until its time is over.
///
/// # Errors
/// The store fails.
pub fn standing(get: Get<'_>, place: &Place, now_us: Deadline<'_>) -> Result<Standing, Refusal> {
    let mut standing = Standing::default();
    for scope in place.scopes() {
        let key = scope.key();
        let Some(body) = get(SCOPE, &key)? else {
            continue;
        };
        let state: ScopeState = read_state(SCOPE, &key, &body)?;
        let now_us = if state.permits.is_empty() {
            0
        } else {
            now_us()?
        };
        for id in state.open {
            let covered = state.permits.iter().any(|permit| {
                permit.breaker_id == id
                    && Some(&permit.agent) == place.agent.as_ref()
                    && permit.until_us > now_us
            });
            if covered {
                standing.covered.push(id);
            } else {
                standing.blocking.push(id);
            }
        }
    }
    Ok(standing)
}
