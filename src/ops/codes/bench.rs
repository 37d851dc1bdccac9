//! The vocabulary bench and the form of a decision: all that naming a failure needs, as the
//! console shows it (spec 5.1).

use std::collections::BTreeSet;

use crate::authority::Keys;
use crate::contract::bench::{Bench, CodeForm, DraftEntry, KnownCode, Near, Preview, Sample};
use crate::contract::catalog::{Catalog, Entry};
use crate::contract::code::PromotionRequest;
use crate::contract::fault::Fault;
use crate::contract::refusal::Refusal;
use crate::journal::{Journal, Read};
use crate::ops::context::Context;
use crate::ops::domain::{self, FailureCode};
use crate::ops::identity;
use crate::ops::store::{list, load, not_found};

use super::decide::NEEDS;
use super::in_force;
use super::preview::promotion;
use super::show::samples;

/// How many observations are shown.
const SAMPLES: usize = 10;
/// How many codes are compared.
const LOOK: usize = 500;
/// How many of them are named.
const NAMED: usize = 10;
/// From how much in common on, in percent: minted codes, entries of the catalogue.
const ALIKE: (u8, u8) = (50, 20);

/// What is known of a minted code, and what looks like it.
///
/// # Errors
/// Nobody has seen it, or the store fails.
pub fn bench(code: &str, journal: &mut impl Journal) -> Result<Bench, Refusal> {
    journal.read(|read| read_bench(&known(code, read)?, read))
}

/// What an alias or a promotion of a minted code needs.
///
/// # Errors
/// Nobody has seen the code, somebody settled it, or the store fails.
pub fn form(
    context: &Context,
    code: &str,
    journal: &mut impl Journal,
) -> Result<CodeForm, Refusal> {
    journal.read(|read| {
        let known = known(code, read)?;
        known.life.open(code)?;
        let user = in_force(read)?.catalog().codes;
        let entries: Vec<&Entry> = user.iter().chain(&Catalog::shipped().codes).collect();
        let mut layers: Vec<String> = Vec::new();
        for layer in entries.iter().filter_map(|entry| entry.layer.as_ref()) {
            if !layers.contains(layer) {
                layers.push(layer.clone());
            }
        }
        let keys = Keys::new(&context.config);
        let signers = identity::known(read)?.into_iter();
        let signers = signers.filter(|s| !s.revoked && s.holds(NEEDS) && keys.has(&s.principal));
        Ok(CodeForm {
            bench: read_bench(&known, read)?,
            entries: entries.into_iter().map(pick).collect(),
            layers,
            needs: NEEDS,
            signers: signers.map(|signer| signer.principal).collect(),
            parents: known.records.iter().map(ToString::to_string).collect(),
        })
    })
}

/// What a draft would change, were it in the catalogue.
///
/// # Errors
/// The store fails.
pub fn draft_preview(draft: &DraftEntry, journal: &mut impl Journal) -> Result<Preview, Refusal> {
    journal.read(|read| {
        let found = promotion(&draft.minted, &entry_of(draft), read)?;
        let line = |change: &crate::contract::code::Caught| {
            format!("{} -> {}: {}", change.now, change.then, change.sample)
        };
        let fault = |fault: &Fault| format!("{}: {}", fault.path, fault.message);
        Ok(Preview {
            caught: found.samples,
            caught_total: found.caught,
            changed: found.changes.iter().map(line).collect(),
            changed_total: found.changed,
            shadowed: found.hidden,
            faults: found.faults.iter().map(fault).collect(),
            searched: found.looked_at,
        })
    })
}

/// The entry of a draft.
#[must_use]
pub fn entry_of(draft: &DraftEntry) -> Entry {
    let layer = draft.layer.clone();
    Entry {
        code: draft.code.clone(),
        layer: layer.filter(|layer| !layer.trim().is_empty()),
        tokens: draft.tokens.clone(),
        cause: draft.cause.clone(),
        next_command: draft.next_command.clone(),
        recoverable: draft.recoverable,
        not_this: Vec::new(),
    }
}

/// A promotion as a person filled it in.
#[must_use]
pub fn promotion_of(request: &crate::contract::bench::PromoteRequest) -> PromotionRequest {
    PromotionRequest {
        minted: request.entry.minted.clone(),
        entry: entry_of(&request.entry),
        reason: request.reason.clone(),
        principal: request.principal.clone(),
    }
}

fn known(code: &str, read: &dyn Read) -> Result<FailureCode, Refusal> {
    let known: Option<FailureCode> = load(read, domain::CODE, code)?;
    known.ok_or_else(|| not_found("minted code", code, "watchfloor triage list"))
}

fn read_bench(known: &FailureCode, read: &dyn Read) -> Result<Bench, Refusal> {
    let sample = |sample: crate::contract::code::CodeSample| Sample {
        at: sample.at,
        agent: sample.agent,
        task: sample.task,
        text: sample.raw,
    };
    let samples = samples(known, SAMPLES, read)?;
    Ok(Bench {
        near: near(known, read)?,
        samples: samples.into_iter().map(sample).collect(),
        code: known.row.clone(),
    })
}

fn pick(entry: &Entry) -> KnownCode {
    KnownCode {
        code: entry.code.clone(),
        layer: entry.layer.clone(),
        cause: entry.cause.clone(),
        next_command: entry.next_command.clone(),
    }
}

fn words(text: &str) -> BTreeSet<&str> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.chars().count() > 1)
        .collect()
}

/// How much two sets of words have in common, in percent of all of them.
fn alike(one: &BTreeSet<&str>, other: &BTreeSet<&str>) -> u8 {
    let all = one.union(other).count();
    if all == 0 {
        return 0;
    }
    let percent = one.intersection(other).count() * 100 / all;
    u8::try_from(percent).unwrap_or(100)
}

/// Minted codes and entries that look like it, the nearest first.
fn near(known: &FailureCode, read: &dyn Read) -> Result<Vec<Near>, Refusal> {
    let said = words(&known.normal);
    let codes: Vec<FailureCode> = list(read, domain::CODE, LOOK, 0)?;
    let minted = codes
        .into_iter()
        .filter(|other| other.row.code != known.row.code);
    let minted = minted.map(|other| Near {
        percent: alike(&said, &words(&other.normal)),
        code: other.row.code,
        text: other.row.sample,
    });
    let mut near: Vec<Near> = minted.filter(|near| near.percent >= ALIKE.0).collect();
    let user = in_force(read)?.catalog().codes;
    for entry in user.iter().chain(&Catalog::shipped().codes) {
        let tokens = entry.tokens.iter().map(|token| token.to_lowercase());
        let nearest = tokens.map(|token| alike(&said, &words(&token))).max();
        if let Some(percent) = nearest.filter(|percent| *percent >= ALIKE.1) {
            near.push(Near {
                code: entry.code.clone(),
                percent,
                text: entry.cause.clone(),
            });
        }
    }
    near.sort_by(|a, b| b.percent.cmp(&a.percent).then_with(|| a.code.cmp(&b.code)));
    near.truncate(NAMED);
    Ok(near)
}
