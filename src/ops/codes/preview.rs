//! `triage preview`: what an alias or a promotion would change, before anybody signs it.

use std::collections::BTreeSet;

use crate::contract::attempt::ATTEMPT;
use crate::contract::catalog::{Catalog, Entry};
use crate::contract::code::{Caught, CodePreview, SIGNAL, Triaged};
use crate::contract::fault::Fault;
use crate::contract::record::Record;
use crate::contract::refusal::Refusal;
use crate::contract::tool::TOOL_SEEN;
use crate::journal::{Journal, Page, Read};
use crate::ops::domain::{self, FailureCode};
use crate::ops::store::load;
use crate::rules::triage::{self, Signal};

use super::show::{samples, triage_of};
use super::{in_force, signal_of_output};

/// How many records are looked at, the newest ones.
const LOOK: usize = 2_000;
/// How many changes are named.
const NAMED: usize = 20;

/// What aliasing a minted code to an entry would change.
///
/// # Errors
/// The store fails.
pub fn preview_alias(
    code: &str,
    to: &str,
    journal: &mut impl Journal,
) -> Result<CodePreview, Refusal> {
    journal.read(|read| {
        let vocabulary = in_force(read)?;
        let mut after = vocabulary.clone();
        after.alias(code, to, crate::ops::records::fresh_id());
        let mut preview = CodePreview {
            code: code.to_owned(),
            to: to.to_owned(),
            faults: faults(code, vocabulary.alias_faults(code, to), read)?,
            ..CodePreview::default()
        };
        // An alias catches what was minted as its code, and nothing else.
        let catches = |_: &Signal, triage: &Triaged| {
            triage
                .minted
                .as_ref()
                .is_some_and(|minted| minted.code == code)
        };
        look(
            &mut preview,
            &vocabulary.catalog(),
            &after.catalog(),
            &catches,
            read,
        )?;
        Ok(preview)
    })
}

/// What promoting a minted code to a new entry would change.
///
/// # Errors
/// The store fails.
pub fn preview_promotion(
    code: &str,
    entry: &Entry,
    journal: &mut impl Journal,
) -> Result<CodePreview, Refusal> {
    journal.read(|read| promotion(code, entry, read))
}

pub(super) fn promotion(
    code: &str,
    entry: &Entry,
    read: &dyn Read,
) -> Result<CodePreview, Refusal> {
    let vocabulary = in_force(read)?;
    let mut after = vocabulary.clone();
    after.promote(code, entry.clone(), crate::ops::records::fresh_id());
    let found = vocabulary.promotion_faults(code, entry, &past_signals(code, read)?);
    let warnings = vocabulary.promotion_warnings(entry);
    let hidden: BTreeSet<String> = hidden(entry).into_iter().collect();
    let mut preview = CodePreview {
        code: code.to_owned(),
        to: entry.code.clone(),
        hidden: hidden.into_iter().collect(),
        faults: faults(code, found, read)?,
        warnings,
        ..CodePreview::default()
    };
    let catches =
        |signal: &Signal, _: &Triaged| entry.fits(None) && !signal.hits(&entry.tokens).is_empty();
    look(
        &mut preview,
        &vocabulary.catalog(),
        &after.catalog(),
        &catches,
        read,
    )?;
    Ok(preview)
}

/// Normal forms of the kept observations of a code.
pub(super) fn past_signals(code: &str, read: &dyn Read) -> Result<Vec<String>, Refusal> {
    let known: Option<FailureCode> = load(read, domain::CODE, code)?;
    let Some(known) = known.filter(|known| known.life.count > 0) else {
        return Ok(Vec::new());
    };
    let kept = samples(&known, usize::MAX, read)?;
    let signals = kept.iter().filter_map(|sample| {
        let signal = signal_of_output(&sample.raw).ok()?;
        Some(signal.normal().to_owned())
    });
    Ok(signals.collect())
}

fn faults(code: &str, mut faults: Vec<Fault>, read: &dyn Read) -> Result<Vec<Fault>, Refusal> {
    let known: Option<FailureCode> = load(read, domain::CODE, code)?;
    if let Some(Err(settled)) = known.map(|known| known.life.open(code)) {
        faults.insert(
            0,
            Fault::new(settled.code.as_str(), "minted", settled.cause),
        );
    }
    Ok(faults)
}

/// Shipped entries that a new one would hide.
fn hidden(entry: &Entry) -> Vec<String> {
    let shipped = Catalog::shipped().codes.iter();
    let hides = |other: &&Entry| {
        let mut tokens = entry.tokens.iter().map(|token| token.to_lowercase());
        (entry.layer.is_none() || entry.layer == other.layer)
            && tokens.any(|token| {
                !token.trim().is_empty() && other.tokens.iter().any(|t| t.contains(&token))
            })
    };
    shipped
        .filter(hides)
        .map(|other| other.code.clone())
        .collect()
}

type Catches<'a> = &'a dyn Fn(&Signal, &Triaged) -> bool;

/// Walks past signals, newest first.
fn look(
    preview: &mut CodePreview,
    before: &Catalog,
    after: &Catalog,
    catches: Catches<'_>,
    read: &dyn Read,
) -> Result<(), Refusal> {
    let page = Page {
        limit: LOOK,
        newest_first: true,
        ..Page::default()
    };
    for record in read.page(&page)? {
        if ![ATTEMPT, SIGNAL, TOOL_SEEN].contains(&record.schema.as_str()) {
            continue;
        }
        let Some(triage) = triage_of(&record) else {
            continue;
        };
        let read = if record.schema == SIGNAL {
            Signal::read(&triage.raw)
        } else {
            signal_of_output(&triage.raw)
        };
        let Ok(signal) = read else {
            continue;
        };
        preview.looked_at += 1;
        let now = verdict(before, &signal, &triage, &record);
        let then = verdict(after, &signal, &triage, &record);
        let sample = || signal.normal().chars().take(160).collect::<String>();
        if catches(&signal, &triage) {
            preview.caught += 1;
            if preview.samples.len() < NAMED {
                preview.samples.push(sample());
            }
        }
        if now == then {
            continue;
        }
        preview.changed += 1;
        if preview.changes.len() < NAMED {
            preview.changes.push(Caught {
                id: record.id,
                seq: record.seq,
                now,
                then,
                sample: sample(),
            });
        }
    }
    Ok(())
}

/// What a past signal is under a user's catalogue. Where no entry hits, it stays with the code
/// that it was minted as, and where that leads.
fn verdict(user: &Catalog, signal: &Signal, triage: &Triaged, record: &Record) -> String {
    let layer = layer_of(record);
    let layer = layer.as_deref();
    let known = signal
        .in_catalog(user, layer)
        .or_else(|| signal.in_shipped(layer));
    if let Some(known) = known {
        return known.code;
    }
    let Some(minted) = &triage.minted else {
        return triage.code.clone();
    };
    triage::alias_over(user, &minted.code).map_or_else(|| minted.code.clone(), |entry| entry.code)
}

fn layer_of(record: &Record) -> Option<String> {
    if record.schema != SIGNAL {
        return None;
    }
    let body: serde_json::Value = serde_json::from_str(&record.body).ok()?;
    body["layer"].as_str().map(str::to_owned)
}
