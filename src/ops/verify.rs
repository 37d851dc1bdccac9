//! `verify`: the chain, the projections, what was signed; and what follows when one of them does
//! not hold (spec 1.1, 3.6).

use std::ops::ControlFlow;

use serde::Serialize;

use crate::contract::breaker::Trigger;
use crate::contract::event::ChainRestart;
use crate::contract::refusal::{Code, Refusal};
use crate::contract::scope::Scope;
use crate::journal::sqlite::{self, Bad};
use crate::journal::{Journal, Page, Read};

use super::context::Context;
use super::store::{self, OnProgress, Store};
use super::{signed, stop};

/// What `verify` answers.
#[derive(Clone, Debug, Serialize)]
pub struct Checked {
    /// Everything holds.
    pub holds: bool,
    /// Records that were walked.
    pub rows: u64,
    /// The chain's head.
    pub head: String,
    /// The projections were compared too.
    pub deep: bool,
    /// The first bad record.
    pub first_bad: Option<u64>,
    /// What is wrong.
    pub why: Option<String>,
    /// Up to where a person's signature confirms the chain.
    pub signed: String,
    /// Signed restarts: which records are left out, and behind which the chain goes on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub restarts: Vec<String>,
    /// Where a damaged store's bytes were kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quarantine: Option<String>,
    /// Handle of the breaker that stops the fleet, when something does not hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub breaker: Option<String>,
}

/// Walks the chain, and with `deep` folds everything anew and compares. What does not hold opens
/// `persistence` over the fleet.
///
/// # Errors
/// The store is missing or cannot be opened, or the walk was broken off.
pub fn verify(context: &Context, deep: bool, progress: OnProgress<'_>) -> Result<Checked, Refusal> {
    let mut journal = store::open_readonly(context).inspect_err(|refusal| {
        if refusal.code == Code::StoreDamaged {
            // The bytes are kept once per content; that it cannot be done hides nothing.
            drop(sqlite::quarantine(&context.store));
        }
    })?;
    let chain = walk(&mut journal, progress)?;
    let mut checked = Checked {
        holds: chain.bad.is_none(),
        rows: chain.rows,
        head: chain.head,
        deep,
        first_bad: chain.bad.as_ref().map(|bad| bad.seq),
        why: chain.bad.map(|bad| bad.why),
        signed: chain.signed,
        restarts: chain.restarts.iter().map(ChainRestart::words).collect(),
        quarantine: None,
        breaker: None,
    };
    if checked.holds && deep {
        let compared = journal.verify_deep(|p| progress(p.done, p.total))?;
        if let Some(found) = compared.first_difference {
            let key = found.key.replace('\u{1f}', " ");
            checked.holds = false;
            checked.why = Some(format!(
                "the projection of {} {key} is not what the records give",
                found.domain
            ));
        }
    }
    drop(journal);
    if checked.first_bad.is_some() {
        checked.quarantine = sqlite::quarantine(&context.store)
            .ok()
            .map(|path| path.display().to_string());
    }
    if !checked.holds {
        checked.breaker = stop_the_fleet(context, &checked);
    }
    Ok(checked)
}

/// The handle of the breaker; `None` when not even a flag could be set, which hides nothing of
/// what was found.
fn stop_the_fleet(context: &Context, checked: &Checked) -> Option<String> {
    let key = match checked.first_bad {
        Some(_) => "chain",
        None => "projections",
    };
    let why = checked.why.as_deref().unwrap_or("unknown");
    let at = checked
        .first_bad
        .map_or_else(String::new, |seq| format!("record {seq}: "));
    let reason = format!("the store does not verify: {at}{why}");
    let now = store::utc_us();
    let raised = stop::raise(
        context,
        Trigger::Persistence,
        &Scope::Fleet,
        key,
        &reason,
        now,
    );
    raised.ok().map(|stopped| stopped.handle)
}

/// The chain as a walk found it.
pub(crate) struct Chain {
    /// Records.
    pub rows: u64,
    /// The last hash.
    pub head: String,
    /// The first record that does not hold, and that no signed restart leaves out.
    pub bad: Option<Bad>,
    /// Up to where a person's signature confirms it.
    pub signed: String,
    /// The signed restarts.
    pub restarts: Vec<ChainRestart>,
}

/// Walks the chain of the context's store.
///
/// # Errors
/// The store cannot be opened.
pub(crate) fn chain(context: &Context) -> Result<Chain, Refusal> {
    let mut journal = store::open_readonly(context)?;
    walk(&mut journal, &mut |_, _| ControlFlow::Continue(()))
}

fn walk(journal: &mut Store, progress: OnProgress<'_>) -> Result<Chain, Refusal> {
    let walked = journal.verify(|p| progress(p.done, p.total))?;
    let mut bad = walked.first_bad;
    for restart in &walked.restarts {
        let earlier = bad.as_ref().is_none_or(|bad| restart.first_bad < bad.seq);
        if earlier && !journal.read(|read| signed::restart_holds(restart, read))? {
            bad = Some(Bad {
                seq: restart.first_bad,
                why: "a restart leaves it out that nobody signed".to_owned(),
            });
        }
    }
    let mut confirmed = String::new();
    if bad.is_none() {
        match signed::position(journal, &walked.restarts)? {
            Ok(words) => confirmed = words,
            Err(fault) => bad = Some(fault),
        }
    }
    Ok(Chain {
        rows: walked.rows,
        head: walked.head.hash.to_string(),
        bad,
        signed: confirmed,
        restarts: walked.restarts,
    })
}

/// The restart that a person may sign for: behind the last record that is there now.
///
/// # Errors
/// The store fails.
pub(crate) fn restart(bad: &Bad, read: &dyn Read) -> Result<String, Refusal> {
    let head = read.head()?;
    let before = read.page(&Page {
        after: bad.seq.saturating_sub(2),
        limit: 1,
        ..Page::default()
    })?;
    let last_good = match before.first() {
        Some(record) if record.seq + 1 == bad.seq => record.hash.to_string(),
        _ => crate::contract::digest::Digest::ZERO.to_string(),
    };
    let restart = ChainRestart {
        schema: crate::contract::event::CHAIN_RESTART.to_owned(),
        first_bad: bad.seq,
        last_good,
        after: head.seq,
        after_hash: head.hash.to_string(),
        reset_id: crate::contract::ids::RecordId::new(""),
    };
    Ok(restart.words())
}
