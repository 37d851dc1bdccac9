//! Minted codes between the verbs and the screen: the bench, the forms, what a draft would change.

use zeroize::Zeroizing;

use crate::contract::bench::{
    AliasRequest, Bench, CodeForm, DraftEntry, KnownCode, Near, Preview, PromoteRequest, Sample,
};
use crate::contract::catalog::{Catalog, Entry};
use crate::contract::code::{
    AliasRequest as Alias, CodeAnswer, CodeBench, PromoteRequest as Promote,
};
use crate::contract::decide::Signed;
use crate::contract::ids::handle;
use crate::contract::refusal::Refusal;
use crate::ops::codes;
use crate::ops::context::Context;
use crate::ops::store::{self, JournalUse, Store};

/// Layer of the product's own refusals: no failure of an agent's work is one of them.
const OWN: &str = "watchfloor";

pub(super) fn bench(context: &Context, code: &str, journal: &mut Store) -> Result<Bench, Refusal> {
    Ok(shown(codes::bench(context, code, journal)?))
}

fn shown(bench: CodeBench) -> Bench {
    let samples = bench.shown.samples.into_iter().map(|sample| Sample {
        at: sample.at,
        agent: sample.agent,
        task: sample.task,
        text: sample.raw,
    });
    let near = bench.near.into_iter().map(|near| Near {
        code: near.code,
        percent: near.alike,
        text: near.sample,
    });
    Bench {
        code: bench.shown.row.unwrap_or_default(),
        samples: samples.collect(),
        near: near.collect(),
    }
}

pub(super) fn form(
    context: &Context,
    code: &str,
    journal: &mut Store,
) -> Result<CodeForm, Refusal> {
    let bench = codes::bench(context, code, journal)?;
    let user = journal.read(|read| codes::in_force(read))?.catalog().codes;
    let all = user.iter().chain(&Catalog::shipped().codes);
    let known = |entry: &&Entry| entry.layer.as_deref() != Some(OWN);
    // What shares words with the failure stands first.
    let mut entries: Vec<KnownCode> = all.filter(known).map(entry).collect();
    let likely = |entry: &KnownCode| bench.targets.iter().position(|code| *code == entry.code);
    entries.sort_by_key(|entry| likely(entry).unwrap_or(usize::MAX));
    let mut layers: Vec<String> = entries.iter().filter_map(|e| e.layer.clone()).collect();
    layers.sort();
    layers.dedup();
    let samples = bench.shown.samples.iter();
    Ok(CodeForm {
        entries,
        layers,
        needs: bench.needs,
        signers: bench.signers.clone(),
        parents: samples.map(|sample| handle('o', &sample.id)).collect(),
        bench: shown(bench),
    })
}

fn entry(entry: &Entry) -> KnownCode {
    KnownCode {
        code: entry.code.clone(),
        layer: entry.layer.clone(),
        cause: entry.cause.clone(),
        next_command: entry.next_command.clone(),
    }
}

fn drafted(draft: &DraftEntry) -> Entry {
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

pub(super) fn preview(draft: &DraftEntry, journal: &mut Store) -> Result<Preview, Refusal> {
    let found = codes::preview_promotion(&draft.minted, &drafted(draft), journal)?;
    let line = |caught: &crate::contract::code::Caught| {
        format!("{} {} -> {}", caught.sample, caught.now, caught.then)
    };
    let changed: Vec<String> = found.changes.iter().map(line).collect();
    let faults = found.faults.iter().chain(&found.warnings);
    Ok(Preview {
        caught: found.samples,
        caught_total: found.caught,
        changed,
        changed_total: found.changed,
        shadowed: found.hidden,
        faults: faults
            .map(|fault| format!("{}: {}", fault.path, fault.message))
            .collect(),
        searched: found.looked_at,
    })
}

pub(super) fn alias(
    context: &Context,
    request: &AliasRequest,
    passphrase: Zeroizing<String>,
    journal: &mut Store,
) -> Result<Signed, Refusal> {
    let wanted = Alias {
        code: request.minted.clone(),
        to: request.to.clone(),
        reason: request.reason.clone(),
        principal: request.principal.clone(),
    };
    let mut once = Some(passphrase);
    let mut ask = |_: &str| Ok(once.take().unwrap_or_default());
    let flags = store::flags(context);
    codes::alias(context, &wanted, &mut ask, journal, &flags).map(signed)
}

pub(super) fn promote(
    context: &Context,
    request: &PromoteRequest,
    passphrase: Zeroizing<String>,
    journal: &mut Store,
) -> Result<Signed, Refusal> {
    let wanted = Promote {
        code: request.entry.minted.clone(),
        entry: drafted(&request.entry),
        reason: request.reason.clone(),
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
        receipt_id: answer.receipt_id,
        seq: answer.seq,
    }
}
