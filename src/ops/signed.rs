//! How far a person's signature confirms the chain (spec 7.3): every approval signs the position
//! and hash that it was made at.

use serde::Deserialize;
use serde_json::Value;

use crate::authority;
use crate::contract::approval::Approval;
use crate::contract::breaker::{Approver, PERMIT, RESET};
use crate::contract::code::{ALIAS, PROMOTION, UNDO};
use crate::contract::event::ChainRestart;
use crate::contract::grant::GRANT;
use crate::contract::handoff::DECISION;
use crate::contract::ids::{AgentId, RecordId};
use crate::contract::record::Kind;
use crate::contract::refusal::{Code, Refusal};
use crate::journal::sqlite::Bad;
use crate::journal::{Journal, Page, Read};

use super::domain::{self, Breaker};
use super::identity;

/// Payloads that a person signs.
const DECISIONS: [&str; 7] = [RESET, PERMIT, DECISION, GRANT, ALIAS, PROMOTION, UNDO];

/// How many receipts are looked through for signed ones.
const LOOK: usize = 500;

/// The last signed position. Each approval that is looked at must carry a signature of a known
/// signer, which may have been revoked since, and what it signed must still be there; the inner
/// error is what does not hold. What a restart leaves out is not looked at.
///
/// # Errors
/// The store fails.
pub fn position(
    journal: &mut impl Journal,
    restarts: &[ChainRestart],
) -> Result<Result<String, Bad>, Refusal> {
    let left_out = |seq: u64| {
        let mut out = restarts.iter();
        out.any(|restart| restart.first_bad <= seq && seq <= restart.after)
    };
    journal.read(|read| {
        let mut known = identity::known(read)?;
        for signer in &mut known {
            signer.revoked = false;
        }
        let page = Page {
            kind: Some(Kind::Receipt),
            limit: LOOK,
            newest_first: true,
            ..Page::default()
        };
        let mut words = None;
        for record in read.page(&page)? {
            let body: Value = serde_json::from_str(&record.body).unwrap_or_default();
            let schema = body["payload_schema"].as_str().unwrap_or_default();
            if !DECISIONS.contains(&schema) || left_out(record.seq) {
                continue;
            }
            let payload = &body["payload"];
            let approval = Approval::deserialize(&payload["approval"]).unwrap_or_else(|_| absent());
            let seq = payload["at_seq"].as_u64().unwrap_or_default();
            let hash = payload["at_hash"].as_str().unwrap_or_default();
            let who = &approval.principal;
            let signed = authority::verify(payload, &approval, &known, Approver::Lead, &[]);
            let fault = match signed {
                Err(refusal) => Some(Bad {
                    seq: record.seq,
                    why: format!(
                        "it decides without a signature that holds: {}",
                        refusal.cause
                    ),
                }),
                Ok(_) if seq == 0 => Some(Bad {
                    seq: record.seq,
                    why: format!("{who} signed no position of this chain there"),
                }),
                Ok(_) if !left_out(seq) && !stands(read, seq, hash)? => Some(Bad {
                    seq,
                    why: format!("it is not what {who} signed there"),
                }),
                Ok(_) => None,
            };
            if let Some(fault) = fault {
                return Ok(Err(fault));
            }
            words.get_or_insert_with(|| {
                format!("Signed up to record {seq} by {who}: nothing before it changed")
            });
        }
        Ok(Ok(words.unwrap_or_else(|| {
            "No signature confirms it yet.".to_owned()
        })))
    })
}

/// Whether a decision that is presented may be taken: somebody who may decide this signed it, it was
/// not taken before, and it was signed on this chain, at a position that is still there
/// (spec 7.2, 7.3). `work_of` are the agents whose work it decides about, `next` what to run when it
/// may not be taken.
///
/// # Errors
/// It may not be taken, or the store fails.
pub(crate) fn may_be_taken(
    signed: &Value,
    needs: Approver,
    work_of: &[AgentId],
    next: &str,
    read: &dyn Read,
) -> Result<(), Refusal> {
    let refused = |code: Code, why: &str| Err(Refusal::new(code, why, next));
    let Ok(approval) = Approval::deserialize(&signed["approval"]) else {
        return refused(Code::ApprovalForged, "the decision carries no signature");
    };
    authority::verify(signed, &approval, &identity::known(read)?, needs, work_of)?;
    let nonce = signed["nonce"].as_str().unwrap_or_default();
    if nonce.is_empty() || read.state(domain::NONCE, nonce)?.is_some() {
        let why = "this decision was taken before: its nonce is used";
        return refused(Code::ApprovalReplayed, why);
    }
    let seq = signed["at_seq"].as_u64().unwrap_or_default();
    let hash = signed["at_hash"].as_str().unwrap_or_default();
    if seq == 0 || !stands(read, seq, hash)? {
        let why = "this decision was not signed on this store's chain: what it names as the last \
                   record then is not there";
        return refused(Code::ApprovalReplayed, why);
    }
    Ok(())
}

/// Whether a breaker was closed by a reset receipt whose signature holds. What a projection says
/// anybody with the file can write; a signature nobody can.
///
/// # Errors
/// The store fails.
pub fn reset_holds(breaker: &Breaker, read: &dyn Read) -> Result<bool, Refusal> {
    let Some(id) = &breaker.row.reset_id else {
        return Ok(false);
    };
    let Some(record) = read.by_id(&RecordId::new(id.clone()))? else {
        return Ok(false);
    };
    let body: Value = serde_json::from_str(&record.body).unwrap_or_default();
    let payload = &body["payload"];
    let approval = Approval::deserialize(&payload["approval"]).unwrap_or_else(|_| absent());
    let mut known = identity::known(read)?;
    for signer in &mut known {
        signer.revoked = false;
    }
    let about = payload["breaker_id"] == breaker.row.id.as_str();
    Ok(about && authority::verify(payload, &approval, &known, breaker.needs, &[]).is_ok())
}

/// Whether a human signed a restart: its reset receipt says the same, and the record before the
/// first bad one is still the one that was named.
///
/// # Errors
/// The store fails.
pub fn restart_holds(restart: &ChainRestart, read: &dyn Read) -> Result<bool, Refusal> {
    let Some(record) = read.by_id(&restart.reset_id)? else {
        return Ok(false);
    };
    let body: Value = serde_json::from_str(&record.body).unwrap_or_default();
    let payload = &body["payload"];
    let told = payload["checks"].as_array().is_some_and(|checks| {
        let mut checks = checks.iter();
        checks.any(|check| check["name"] == RESTARTS && check["seen"] == restart.words().as_str())
    });
    if !told
        || !stands(
            read,
            restart.first_bad.saturating_sub(1),
            &restart.last_good,
        )?
    {
        return Ok(false);
    }
    let approval = Approval::deserialize(&payload["approval"]).unwrap_or_else(|_| absent());
    let mut known = identity::known(read)?;
    for signer in &mut known {
        signer.revoked = false;
    }
    Ok(authority::verify(payload, &approval, &known, Approver::Human, &[]).is_ok())
}

/// The machine check of a reset behind which the chain goes on.
pub const RESTARTS: &str = "chain_restarts";

fn absent() -> Approval {
    Approval {
        principal: String::new(),
        role: Approver::Lead,
        key: String::new(),
        signature: String::new(),
    }
}

fn stands(read: &dyn Read, seq: u64, hash: &str) -> Result<bool, Refusal> {
    if seq == 0 {
        return Ok(true);
    }
    let page = Page {
        after: seq - 1,
        limit: 1,
        ..Page::default()
    };
    Ok(read
        .page(&page)?
        .first()
        .is_some_and(|record| record.seq == seq && record.hash.to_string() == hash))
}
