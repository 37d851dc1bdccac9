//! The vocabulary bench on the user's store: what the verbs of codes answer, as the screen shows it.

use zeroize::Zeroizing;

use crate::console::backend::Meaning;
use crate::contract::bench::{
    AliasRequest, Bench, CodeForm, DraftEntry, KnownCode, Near, Preview, PromoteRequest, Sample,
};
use crate::contract::catalog::{Catalog, Entry};
use crate::contract::code::{self, CodeAnswer, CodeBench, CodePreview};
use crate::contract::decide::Signed;
use crate::contract::fault::Fault;
use crate::contract::ids::handle;
use crate::contract::refusal::Refusal;
use crate::ops::codes;
use crate::ops::context::Context;
use crate::ops::store::{self, JournalUse, Store};

use super::unknown;

/// Samples and near-duplicates of a code.
pub(super) fn bench(context: &Context, id: &str, journal: &mut Store) -> Result<Bench, Refusal> {
    shown(id, &codes::bench(context, id, journal)?)
}

fn shown(id: &str, read: &CodeBench) -> Result<Bench, Refusal> {
    let row = read.shown.row.clone();
    Ok(Bench {
        code: row.ok_or_else(|| unknown("minted code", id))?,
        samples: read
            .shown
            .samples
            .iter()
            .map(|sample| Sample {
                at: sample.at.clone(),
                agent: sample.agent.clone(),
                task: sample.task.clone(),
                text: sample.raw.clone(),
            })
            .collect(),
        near: read
            .near
            .iter()
            .map(|near| Near {
                code: near.code.clone(),
                percent: near.alike,
                text: near.sample.clone(),
            })
            .collect(),
    })
}

/// What an alias or a promotion needs.
pub(super) fn form(context: &Context, id: &str, journal: &mut Store) -> Result<CodeForm, Refusal> {
    let read = codes::bench(context, id, journal)?;
    let user = journal.read(|read| codes::in_force(read))?.catalog();
    let mut entries: Vec<Entry> = user.codes;
    entries.extend(Catalog::shipped().codes.iter().cloned());
    // What it may be stands first, the likeliest at the top.
    entries.sort_by_key(|entry| {
        let place = read.targets.iter().position(|code| *code == entry.code);
        place.unwrap_or(usize::MAX)
    });
    let mut layers: Vec<String> = entries.iter().filter_map(|e| e.layer.clone()).collect();
    layers.sort();
    layers.dedup();
    Ok(CodeForm {
        bench: shown(id, &read)?,
        entries: entries.into_iter().map(known).collect(),
        layers,
        draft: Some(draft(id, &read.draft)),
        needs: read.needs,
        signers: read.signers.clone(),
        parents: read
            .shown
            .samples
            .first()
            .map(|sample| handle('o', &sample.id))
            .into_iter()
            .collect(),
    })
}

fn known(entry: Entry) -> KnownCode {
    KnownCode {
        code: entry.code,
        layer: entry.layer,
        cause: entry.cause,
        next_command: entry.next_command,
    }
}

fn draft(minted: &str, entry: &Entry) -> DraftEntry {
    DraftEntry {
        minted: minted.to_owned(),
        code: entry.code.clone(),
        layer: entry.layer.clone(),
        tokens: entry.tokens.clone(),
        cause: entry.cause.clone(),
        next_command: entry.next_command.clone(),
        recoverable: entry.recoverable,
    }
}

fn entry(draft: &DraftEntry) -> Entry {
    Entry {
        code: draft.code.clone(),
        layer: draft.layer.clone(),
        tokens: draft.tokens.clone(),
        cause: draft.cause.clone(),
        next_command: draft.next_command.clone(),
        recoverable: draft.recoverable,
        not_this: Vec::new(),
    }
}

/// What a draft would change.
pub(super) fn preview(draft: &DraftEntry, journal: &mut Store) -> Result<Preview, Refusal> {
    let told = codes::preview_promotion(&draft.minted, &entry(draft), journal)?;
    Ok(previewed(told))
}

fn previewed(told: CodePreview) -> Preview {
    let fault = |fault: &Fault| format!("{} {}", fault.path, fault.message);
    Preview {
        caught: told.changes.iter().map(|c| c.sample.clone()).collect(),
        caught_total: told.caught,
        changed: told
            .changes
            .iter()
            .map(|c| format!("{} would be {}", c.now, c.then))
            .collect(),
        changed_total: told.changed,
        shadowed: told.hidden,
        faults: told
            .faults
            .iter()
            .chain(&told.warnings)
            .map(fault)
            .collect(),
        searched: told.looked_at,
    }
}

/// Signs and writes an alias.
pub(super) fn alias(
    context: &Context,
    request: &AliasRequest,
    passphrase: Zeroizing<String>,
    journal: &mut Store,
) -> Result<Signed, Refusal> {
    let wanted = code::AliasRequest {
        code: request.minted.clone(),
        to: request.to.clone(),
        principal: request.principal.clone(),
    };
    let mut once = Some(passphrase);
    let mut ask = |_: &str| Ok(once.take().unwrap_or_default());
    let flags = store::flags(context);
    codes::alias(context, &wanted, &mut ask, journal, &flags).map(signed)
}

/// Signs and writes a promotion.
pub(super) fn promote(
    context: &Context,
    request: &PromoteRequest,
    passphrase: Zeroizing<String>,
    journal: &mut Store,
) -> Result<Signed, Refusal> {
    let wanted = code::PromoteRequest {
        code: request.entry.minted.clone(),
        entry: entry(&request.entry),
        principal: request.principal.clone(),
    };
    let mut once = Some(passphrase);
    let mut ask = |_: &str| Ok(once.take().unwrap_or_default());
    let flags = store::flags(context);
    codes::promote(context, &wanted, &mut ask, journal, &flags).map(signed)
}

fn signed(answer: CodeAnswer) -> Signed {
    Signed {
        subject: answer.code,
        state: answer.state,
        receipt_id: answer.handle,
        seq: answer.seq,
    }
}

/// What a text means by the catalogue in force.
pub(super) fn classify(context: &Context, text: &str) -> Result<Meaning, Refusal> {
    let found = codes::classify(context, text, None, None)?.classified;
    Ok(Meaning {
        code: found.code,
        cause: found.cause,
        next_command: found.next_command,
        recoverable: found.recoverable,
        ambiguous: found.ambiguous,
        matched: found.matched_tokens,
    })
}
