//! Opening, making and checking the store, and reading typed state.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::contract::ids::AgentId;
use crate::contract::refusal::{Code, Refusal};
use crate::contract::scope::Place;
use crate::contract::time::Now;
use crate::journal::sqlite::{self, SqliteStore, Tail};
use crate::journal::{Clock, Journal, Read, SystemClock};

use super::context::Context;
use super::domain::{self, Agent, Standing};
use super::flags::Flags;
use super::fold::Projector;

/// The store that the product uses by default.
pub type Store = SqliteStore;
/// Reading and writing it.
pub use crate::journal::Journal as JournalUse;
/// What one snapshot of it gives.
pub use crate::journal::Read as Reading;
/// Records as they come.
pub use crate::journal::sqlite::Tail as Follow;

/// Whether there is anything where the store should be.
#[must_use]
pub fn is_there(context: &Context) -> bool {
    context.store.exists()
}

/// Whether a store must have been there: its lock, bell or flag file lies beside (spec 1.2).
#[must_use]
pub fn is_expected(context: &Context) -> bool {
    crate::journal::paths::expected(&context.store)
}

/// The refusal of a store that is not there.
#[must_use]
pub fn missing(context: &Context) -> Refusal {
    let cause = format!("there is no store at {}", context.store.display());
    Refusal::new(Code::StoreMissing, cause, "watchfloor init")
}

/// Opens the store for writing.
///
/// # Errors
/// It is missing, damaged, newer, read-only.
pub fn open(context: &Context) -> Result<Store, Refusal> {
    sqlite::open(&context.store, Arc::new(Projector))
}

/// Keeps a store open until the process ends, which is soon after its one call: taking a
/// connection apart costs as much as a small query.
#[must_use]
pub fn kept(store: Store) -> &'static mut Store {
    Box::leak(Box::new(store))
}

/// Opens the store for reading.
///
/// # Errors
/// It is missing, damaged, newer.
pub fn open_readonly(context: &Context) -> Result<Store, Refusal> {
    sqlite::open_readonly(&context.store, Arc::new(Projector))
}

/// Opens the store for a question that may note a beginning; a store that cannot be written
/// is asked all the same.
///
/// # Errors
/// It is missing, damaged, newer.
pub fn for_gate(context: &Context) -> Result<Store, Refusal> {
    match open(context) {
        Err(refusal) if refusal.code == Code::StoreReadonly => open_readonly(context),
        other => other,
    }
}

/// Makes the store. It knows no signer: who stands in `allowed_signers` may have been written
/// there by anybody, and comes in by `identity init` with the passphrase of its key.
///
/// # Errors
/// A store is there already, or the place cannot hold one.
pub fn make(context: &Context) -> Result<(), Refusal> {
    sqlite::init(&context.store, Arc::new(Projector)).map(drop)
}

/// The flags beside the store.
#[must_use]
pub fn flags(context: &Context) -> Flags {
    Flags::of(context)
}

/// The files that change when a stop or a record comes: the flags and the bell.
#[must_use]
pub fn signs(context: &Context) -> [std::path::PathBuf; 2] {
    let paths = crate::journal::Paths::of(&context.store);
    [paths.flags, paths.bell]
}

/// What the wall clock says, in UTC microseconds; for a stop, which needs no store.
#[must_use]
pub fn utc_us() -> i64 {
    let Now { utc_us, .. } = SystemClock.read();
    utc_us
}

/// Follows the store from a position on.
///
/// # Errors
/// It is missing, damaged, newer.
pub fn follow(context: &Context, after: u64) -> Result<Tail, Refusal> {
    Tail::open(&context.store, after)
}

/// Says whether nobody waits any more; absent where the waiting process is the one that waits.
pub type Over<'a> = Option<&'a dyn Fn() -> bool>;

/// How often a wait that may be broken off looks whether it was.
const SLICE: Duration = Duration::from_millis(250);

/// Rests until there are new records, the time is up, or nobody waits any more.
///
/// # Errors
/// The store fails.
pub fn rest(tail: &mut Tail, patience: Duration, over: Over<'_>) -> Result<(), Refusal> {
    let Some(over) = over else {
        return tail.next(patience).map(drop);
    };
    let until = Instant::now() + patience;
    loop {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() || over() || !tail.next(left.min(SLICE))?.is_empty() {
            return Ok(());
        }
    }
}

/// Moves the write-ahead log into the database.
///
/// # Errors
/// The store fails.
pub fn checkpoint(journal: &mut Store) -> Result<(), Refusal> {
    journal.checkpoint()
}

/// What a read costs at the least: open, `SELECT max(seq)`, nothing else.
///
/// # Errors
/// The store cannot be opened.
pub fn floor_read(context: &Context) -> Result<i64, Refusal> {
    sqlite::floor_read(&context.store)
}

/// What a verification costs at the least: the processor time that hashing every record's two
/// texts takes.
///
/// # Errors
/// The store cannot be read.
pub fn floor_hash(context: &Context) -> Result<Duration, Refusal> {
    sqlite::floor_hash(&context.store)
}

/// Whether any session told its process: where none did, nobody need look at processes.
///
/// # Errors
/// The store fails.
pub fn has_sessions(journal: &mut impl Journal) -> Result<bool, Refusal> {
    journal.read(|read| Ok(read.state(domain::PROCESS, domain::ANY)?.is_some()))
}

/// Who calls: where an agent's session stands behind the call, that session, whatever the call
/// says (spec 3.1).
///
/// # Errors
/// The store fails.
pub fn caller(
    context: &Context,
    named: &AgentId,
    journal: &mut impl Journal,
) -> Result<AgentId, Refusal> {
    if context.ancestors.is_empty() {
        return Ok(named.clone());
    }
    Ok(journal
        .read(|read| session_behind(context, read))?
        .unwrap_or_else(|| named.clone()))
}

/// The agent whose process is above the call.
///
/// # Errors
/// The store fails.
pub fn session_behind(context: &Context, read: &dyn Read) -> Result<Option<AgentId>, Refusal> {
    for above in &context.ancestors {
        let key = domain::process_key(&context.host, above.pid, above.started);
        let Some(id) = load::<AgentId>(read, domain::PROCESS, &key)? else {
            continue;
        };
        let agent: Option<Agent> = load(read, domain::AGENT, id.as_str())?;
        if agent.is_some_and(|agent| agent.row.state != "ended") {
            return Ok(Some(id));
        }
    }
    Ok(None)
}

/// Told how many records of how many are done; may break off.
pub type OnProgress<'a> = &'a mut dyn FnMut(u64, u64) -> ControlFlow<()>;

/// What `rebuild` answers.
#[derive(Clone, Debug, Serialize)]
pub struct Rebuilt {
    /// Records that were folded.
    pub rows: u64,
}

/// Makes the projections anew.
///
/// # Errors
/// The store fails, or it was broken off: the projections are then as they were.
pub fn rebuild(context: &Context, progress: OnProgress<'_>) -> Result<Rebuilt, Refusal> {
    let mut journal = sqlite::open_to_rebuild(&context.store, Arc::new(Projector))?;
    Ok(Rebuilt {
        rows: journal.rebuild(|p| progress(p.done, p.total))?,
    })
}

/// The time that running deadlines are compared with, in UTC microseconds: a jump of the clock
/// that is not recorded yet takes no time from them (spec 1.1).
///
/// # Errors
/// The store fails.
pub fn deadline<R: Read + ?Sized>(read: &R) -> Result<i64, Refusal> {
    Ok(read.now()?.utc_us.saturating_sub(read.pending_jump()?))
}

/// How a place stands to the breakers around it now.
///
/// # Errors
/// The store fails.
pub fn around(place: &Place, read: &dyn Read) -> Result<Standing, Refusal> {
    domain::standing(&|d, k| read.state(d, k), place, &|| deadline(read))
}

/// A typed state row.
///
/// # Errors
/// The store fails, or the row cannot be read.
pub fn load<T: DeserializeOwned>(
    read: &dyn Read,
    domain: &str,
    key: &str,
) -> Result<Option<T>, Refusal> {
    read.state(domain, key)?
        .map(|body| domain::read_state(domain, key, &body))
        .transpose()
}

/// Typed state rows in pane order.
///
/// # Errors
/// The store fails, or a row cannot be read.
pub fn list<T: DeserializeOwned>(
    read: &dyn Read,
    domain: &str,
    limit: usize,
    offset: usize,
) -> Result<Vec<T>, Refusal> {
    read.states(domain, limit, offset)?
        .iter()
        .map(|body| domain::read_state(domain, "", body))
        .collect()
}

/// Nothing of that name.
#[must_use]
pub fn not_found(what: &str, id: &str, next_command: &str) -> Refusal {
    Refusal::new(
        Code::NotFound,
        format!("there is no {what} {id}"),
        next_command,
    )
}
