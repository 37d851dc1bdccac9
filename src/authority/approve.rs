//! Approvals (spec 7.1): an OpenSSH signature over the canonical bytes of a decision.
//!
//! Anyone can check one without this product:
//! `ssh-keygen -Y verify -f allowed_signers -I PRINCIPAL -n NAMESPACE -s SIGNATURE < BYTES`.

use serde_json::Value;
use ssh_key::{Algorithm, HashAlg, LineEnding, PublicKey, SshSig};

use super::keys::SigningKey;
use super::signer::Signer;
use crate::contract::approval::Approval;
use crate::contract::breaker::Approver;
use crate::contract::ids::AgentId;
use crate::contract::refusal::{Code, Refusal};

/// The member of a payload that is left out of what is signed.
const APPROVAL: &str = "approval";
/// The flag of a hardware token's signature: somebody touched it.
const PRESENCE: u8 = 0x01;
/// Bytes behind a hardware token's signature: flags, then a counter of 4 bytes.
const TOKEN_TRAILER: usize = 5;

/// The bytes that a decision's signature is made over: the RFC 8785 form of the payload
/// without its `approval`.
///
/// ```
/// use watchfloor::authority::signed_bytes;
/// let payload = serde_json::json!({"to": "active", "cause": "x", "approval": {"key": "k"}});
/// assert_eq!(signed_bytes(&payload).unwrap(), br#"{"cause":"x","to":"active"}"#);
/// ```
///
/// # Errors
/// [`Code::ContractFault`] when the payload is no object or has no canonical form.
pub fn signed_bytes(payload: &Value) -> Result<Vec<u8>, Refusal> {
    let Value::Object(members) = payload else {
        return Err(no_decision("it is no JSON object"));
    };
    let mut bare = members.clone();
    bare.shift_remove(APPROVAL);
    serde_json_canonicalizer::to_vec(&bare).map_err(|error| no_decision(&error.to_string()))
}

/// Which role a signer signs a decision with: the one that the decision needs.
///
/// # Errors
/// [`Code::RoleRefused`] when the signer does not hold it. Asked before signing, this is a
/// plain refusal; a presented approval that fails [`verify`] is more.
pub fn choose_role(signer: &Signer, needs: Approver) -> Result<Approver, Refusal> {
    if signer.revoked || !signer.holds(needs) {
        return Err(role_refused(format!(
            "{} may not sign this: it needs a {}",
            signer.principal,
            needs.as_str()
        )));
    }
    Ok(needs)
}

/// Signs a decision.
///
/// # Errors
/// [`Code::RoleRefused`] when a key without a passphrase would sign as a human,
/// [`Code::ContractFault`] when the payload has no canonical form, [`Code::Internal`] when
/// the key does not sign.
pub fn sign(
    payload: &Value,
    key: &SigningKey,
    principal: &str,
    role: Approver,
) -> Result<Approval, Refusal> {
    if role == Approver::Human && !key.is_protected() {
        return Err(role_refused(
            "a key without a passphrase signs a lead's decisions only".to_owned(),
        ));
    }
    let bytes = signed_bytes(payload)?;
    let signature = key
        .private()
        .sign(role.namespace(), HashAlg::Sha512, &bytes)
        .and_then(|signature| {
            // A key file whose two halves do not belong together is found here.
            key.private()
                .public_key()
                .verify(role.namespace(), &bytes, &signature)?;
            signature.to_pem(LineEnding::LF)
        })
        .map_err(|error| {
            Refusal::new(
                Code::Internal,
                format!("the key does not sign: {error}"),
                "watchfloor identity list",
            )
        })?;
    Ok(Approval {
        principal: principal.to_owned(),
        role,
        key: key.public().fingerprint.clone(),
        signature,
    })
}

/// Checks a presented approval of a decision, and answers who gave it.
///
/// `payload` may still hold its `approval`. `needs` is the weakest role that may decide;
/// `work_of` are the agents whose work it approves. Whether the decision was taken before is
/// for the caller to find, by its nonce.
///
/// # Errors
/// [`Code::ApprovalUnknown`]: no known signer has the key. [`Code::ApprovalRevoked`]: the
/// signer was revoked. [`Code::ApprovalForged`]: the principal, the namespace, the key or the
/// bytes do not fit the signature. [`Code::ApprovalUnauthorised`]: the signer does not hold
/// the role, or the role is too weak. [`Code::ApprovalOwnWork`]: an agent approves its own
/// work. [`Code::ContractFault`]: the payload has no canonical form.
pub fn verify(
    payload: &Value,
    approval: &Approval,
    known: &[Signer],
    needs: Approver,
    work_of: &[AgentId],
) -> Result<Signer, Refusal> {
    let bytes = signed_bytes(payload)?;
    let signer = find(approval, known)?;
    check_signature(approval, signer, &bytes).map_err(|why| {
        refused(
            Code::ApprovalForged,
            format!(
                "the approval in the name of {:?} is forged: {why}",
                approval.principal
            ),
        )
    })?;
    if !signer.holds(approval.role) || approval.role < needs {
        return Err(refused(
            Code::ApprovalUnauthorised,
            format!(
                "{} signed as a {}; this needs a {} who holds that role",
                signer.principal,
                approval.role.as_str(),
                needs.as_str()
            ),
        ));
    }
    if work_of
        .iter()
        .any(|agent| is_same(&signer.principal, agent))
    {
        return Err(refused(
            Code::ApprovalOwnWork,
            format!("{} approves its own work", signer.principal),
        ));
    }
    Ok(signer.clone())
}

/// The known signer with the approval's key: one in force before a revoked one, the named
/// principal before another with the same key.
fn find<'a>(approval: &Approval, known: &'a [Signer]) -> Result<&'a Signer, Refusal> {
    let with_key = || known.iter().filter(|s| s.fingerprint == approval.key);
    let named = |s: &&Signer| s.principal == approval.principal;
    let in_force = || with_key().filter(|s| !s.revoked);
    if let Some(signer) = in_force().find(named).or_else(|| in_force().next()) {
        return Ok(signer);
    }
    match with_key().next() {
        Some(signer) => Err(refused(
            Code::ApprovalRevoked,
            format!("the key of {} was revoked", signer.principal),
        )),
        None => Err(refused(
            Code::ApprovalUnknown,
            format!("no known signer has the key {:?}", approval.key),
        )),
    }
}

fn check_signature(approval: &Approval, signer: &Signer, bytes: &[u8]) -> Result<(), String> {
    if signer.principal != approval.principal {
        return Err(format!("its key is the one of {}", signer.principal));
    }
    let key = PublicKey::from_openssh(&signer.public_key)
        .map_err(|error| format!("the signer's key cannot be read: {error}"))?;
    if key.fingerprint(HashAlg::Sha256).to_string() != signer.fingerprint {
        return Err("the signer's key is not the one of its fingerprint".to_owned());
    }
    let signature = read_signature(&approval.signature)?;
    if signature.namespace() != approval.role.namespace() {
        return Err(format!(
            "it was signed for {:?}, not for {:?}",
            signature.namespace(),
            approval.role.namespace()
        ));
    }
    key.verify(approval.role.namespace(), bytes, &signature)
        .map_err(|_| "the signature does not fit the decision".to_owned())?;
    if key.algorithm() == Algorithm::SkEd25519 && !was_touched(signature.signature_bytes()) {
        return Err("nobody touched the hardware key".to_owned());
    }
    Ok(())
}

/// Reads an armoured signature that is written in the one way there is: the reader below is
/// lenient about lengths inside, OpenSSH is not.
fn read_signature(armour: &str) -> Result<SshSig, String> {
    let unreadable = |error| format!("the signature cannot be read: {error}");
    let signature = SshSig::from_pem(armour.as_bytes()).map_err(unreadable)?;
    let again = signature.to_pem(LineEnding::LF).map_err(unreadable)?;
    let written = armour.split_ascii_whitespace().flat_map(str::bytes);
    if signature.version() != SshSig::VERSION
        || !written.eq(again.split_ascii_whitespace().flat_map(str::bytes))
    {
        return Err("the signature is not written as OpenSSH writes it".to_owned());
    }
    Ok(signature)
}

/// Whether a hardware token's signature says that somebody was there.
fn was_touched(signature: &[u8]) -> bool {
    signature
        .len()
        .checked_sub(TOKEN_TRAILER)
        .and_then(|at| signature.get(at))
        .is_some_and(|flags| flags & PRESENCE != 0)
}

/// Whether an agent's work is the principal's own: the agent itself, or one of its subagents.
fn is_same(principal: &str, agent: &AgentId) -> bool {
    agent
        .as_str()
        .strip_prefix(principal)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn refused(code: Code, cause: String) -> Refusal {
    Refusal::new(code, cause, "watchfloor identity list")
}

fn role_refused(cause: String) -> Refusal {
    refused(Code::RoleRefused, cause)
}

fn no_decision(why: &str) -> Refusal {
    Refusal::new(
        Code::ContractFault,
        format!("the decision cannot be signed: {why}"),
        "watchfloor schema list",
    )
}

#[cfg(test)]
mod tests;
