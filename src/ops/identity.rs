//! `identity init | add | list | revoke` (spec 7.1). The journal is the truth about signers;
//! the `allowed_signers` file is what OpenSSH reads.

use std::path::PathBuf;

use serde::Serialize;
use serde_json::Value;

use crate::authority::{AllowedSigners, Keys, Public, Signer, signer};
use crate::contract::breaker::Approver;
use crate::contract::event::{IDENTITY_ADDED, IDENTITY_REVOKED, IdentityAdded, IdentityRevoked};
use crate::contract::refusal::{Code, Refusal};
use crate::contract::time::rfc3339;
use crate::journal::{Durability, Journal, Read};

use super::context::Context;
use super::domain::{self, Identity};
use super::records::event;
use super::reset::{Ask, Passphrase};
use super::store::{list as rows, session_behind};

/// The signers file.
#[must_use]
pub fn signers_file(context: &Context) -> PathBuf {
    context.config.join("allowed_signers")
}

/// Every signer that the journal knows, revoked ones included.
///
/// # Errors
/// The store fails.
pub fn known(read: &dyn Read) -> Result<Vec<Signer>, Refusal> {
    let known: Vec<Identity> = rows(read, domain::IDENTITY, 1_000, 0)?;
    Ok(known.into_iter().map(signer_of).collect())
}

fn signer_of(identity: Identity) -> Signer {
    Signer {
        principal: identity.principal,
        fingerprint: identity.key,
        public_key: identity.public_key,
        roles: identity.roles,
        revoked: identity.revoked,
    }
}

/// Whether the private key of a principal lies here.
#[must_use]
pub fn key_is_here(context: &Context, principal: &str) -> bool {
    Keys::new(&context.config).has(principal)
}

/// What the identity verbs answer about one signer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Shown {
    /// Its name.
    pub principal: String,
    /// What it may approve as.
    pub roles: Vec<String>,
    /// `SHA256:` fingerprint.
    pub key: String,
    /// `active` or `revoked`.
    pub state: String,
    /// Trusted on first use.
    pub first_use: bool,
    /// When it was added.
    pub added_at: String,
    /// Whether its private key lies here.
    pub key_here: bool,
    /// Whether `allowed_signers` names it.
    pub in_file: bool,
}

/// Signers, oldest first.
#[derive(Clone, Debug, Serialize)]
pub struct Identities {
    /// The signers.
    pub identities: Vec<Shown>,
    /// There are no more.
    pub more: bool,
    /// The signers file.
    pub file: String,
}

/// Lists the signers.
///
/// # Errors
/// The store fails, or the signers file cannot be read.
pub fn list(context: &Context, journal: &mut impl Journal) -> Result<Identities, Refusal> {
    let path = signers_file(context);
    let file = AllowedSigners::load(&path)?;
    let keys = Keys::new(&context.config);
    let mut known: Vec<Identity> = journal.read(|read| rows(read, domain::IDENTITY, 1_000, 0))?;
    known.sort_by_key(|identity| identity.added_us);
    let identities = known
        .into_iter()
        .map(|identity| shown(&identity, &keys, &file))
        .collect();
    Ok(Identities {
        identities,
        more: false,
        file: path.display().to_string(),
    })
}

fn shown(identity: &Identity, keys: &Keys, file: &AllowedSigners) -> Shown {
    Shown {
        principal: identity.principal.clone(),
        roles: identity
            .roles
            .iter()
            .map(|role| role.as_str().to_owned())
            .collect(),
        key: identity.key.clone(),
        state: if identity.revoked {
            "revoked"
        } else {
            "active"
        }
        .to_owned(),
        first_use: identity.first_use,
        added_at: rfc3339(identity.added_us),
        key_here: keys.has(&identity.principal),
        in_file: file.find(&identity.key).next().is_some(),
    }
}

/// Refuses a call from inside an agent's session.
pub(crate) fn refuse_inside_agent(
    context: &Context,
    journal: &mut impl Journal,
) -> Result<(), Refusal> {
    let behind = journal.read(|read| session_behind(context, read))?;
    if context.inside_agent || behind.is_some() {
        let cause = "an agent's session makes and changes no identities";
        return Err(Refusal::new(
            Code::IdentityInAgent,
            cause,
            "run it in a terminal of your own",
        ));
    }
    Ok(())
}

/// Makes the first identity: a key behind a passphrase, trusted on first use.
/// A key that lies here already is taken, if the passphrase opens it.
///
/// # Errors
/// Somebody is a signer already, or stands in `allowed_signers` and the journal does not know why, the call comes from an agent's session, or the store fails.
pub fn init(
    context: &Context,
    principal: &str,
    role: Approver,
    ask: Ask<'_>,
    journal: &mut impl Journal,
) -> Result<Shown, Refusal> {
    refuse_inside_agent(context, journal)?;
    if !journal.read(|read| known(read))?.is_empty() {
        let cause = "this store has its first identity; another one needs a human's approval";
        return Err(Refusal::new(
            Code::IdentityExists,
            cause,
            "watchfloor identity add --help",
        ));
    }
    let keys = Keys::new(&context.config);
    let file = AllowedSigners::load(&signers_file(context))?.signers();
    if !keys.has(principal) {
        file.first().map_or(Ok(()), |signer| Err(stray(signer)))?;
    }
    let passphrase = ask(principal)?;
    let public = if keys.has(principal) {
        keys.load(principal, Some(&passphrase))?.public().clone()
    } else {
        keys.make(principal, &passphrase)?
    };
    let other = file.iter().find(|s| s.fingerprint != public.fingerprint);
    other.map_or(Ok(()), |signer| Err(stray(signer)))?;
    let body = added(principal, role, &public, true);
    save(context, &body, role, &public, journal)
}

/// A journal that has lost its signers must not take whoever comes next for the first.
fn stray(signer: &Signer) -> Refusal {
    let cause = format!(
        "{} is in allowed_signers, and this store does not know why: records may be lost",
        signer.principal
    );
    Refusal::new(Code::IdentityExists, cause, "watchfloor verify --deep")
}

/// Adds a further identity, approved by a human. With `public_key` it is somebody whose private
/// key lies elsewhere; without, a key is made here.
///
/// # Errors
/// There is no first identity, the approval does not hold, the name or key is taken.
pub fn add(
    context: &Context,
    principal: &str,
    role: Approver,
    public_key: Option<&str>,
    approver: Option<&str>,
    ask: Ask<'_>,
    journal: &mut impl Journal,
) -> Result<Shown, Refusal> {
    refuse_inside_agent(context, journal)?;
    let known = journal.read(|read| known(read))?;
    if known.is_empty() {
        let cause = "there is no identity yet that could approve another";
        return Err(Refusal::new(
            Code::IdentityMissing,
            cause,
            "watchfloor identity init",
        ));
    }
    if known
        .iter()
        .any(|signer| signer.principal == principal && !signer.revoked)
    {
        let cause = format!("{principal} is a signer already");
        return Err(Refusal::new(
            Code::IdentityExists,
            cause,
            "watchfloor identity list",
        ));
    }
    let public = if let Some(text) = public_key {
        Public::parse(text)?
    } else {
        let passphrase: Passphrase = ask(principal)?;
        Keys::new(&context.config).make(principal, &passphrase)?
    };
    let mut body = added(principal, role, &public, false);
    let payload = value(&body)?;
    let signed = super::reset::sign_as(context, Approver::Human, &payload, approver, ask, journal)?;
    body.approval = approval(&signed);
    save(context, &body, role, &public, journal)
}

/// Revokes an identity, approved by a human.
///
/// # Errors
/// There is no such identity, or the approval does not hold.
pub fn revoke(
    context: &Context,
    principal: &str,
    reason: &str,
    approver: Option<&str>,
    ask: Ask<'_>,
    journal: &mut impl Journal,
) -> Result<Shown, Refusal> {
    refuse_inside_agent(context, journal)?;
    let known: Vec<Identity> = journal.read(|read| rows(read, domain::IDENTITY, 1_000, 0))?;
    let Some(identity) = known
        .into_iter()
        .find(|i| i.principal == principal && !i.revoked)
    else {
        let cause = format!("there is no active signer {principal}");
        return Err(Refusal::new(
            Code::NotFound,
            cause,
            "watchfloor identity list",
        ));
    };
    let mut body = IdentityRevoked {
        schema: IDENTITY_REVOKED.to_owned(),
        principal: principal.to_owned(),
        key: identity.key.clone(),
        reason: reason.to_owned(),
        nonce: uuid::Uuid::now_v7().to_string(),
        approval: None,
    };
    let signed = super::reset::sign_as(
        context,
        Approver::Human,
        &value(&body)?,
        approver,
        ask,
        journal,
    )?;
    body.approval = approval(&signed);
    journal.write(Durability::Full, |write| {
        write.append(event(context, IDENTITY_REVOKED, None, None, &body)?)
    })?;
    let path = signers_file(context);
    let mut file = AllowedSigners::load(&path)?;
    if file.revoke(&identity.key).is_ok() {
        file.save(&path)?;
    }
    let revoked = Identity {
        revoked: true,
        ..identity
    };
    Ok(shown(&revoked, &Keys::new(&context.config), &file))
}

fn added(principal: &str, role: Approver, public: &Public, first_use: bool) -> IdentityAdded {
    IdentityAdded {
        schema: IDENTITY_ADDED.to_owned(),
        principal: principal.to_owned(),
        key: public.fingerprint.clone(),
        public_key: public.text.clone(),
        roles: signer::roles(role),
        first_use,
        nonce: uuid::Uuid::now_v7().to_string(),
        approval: None,
    }
}

fn save(
    context: &Context,
    body: &IdentityAdded,
    role: Approver,
    public: &Public,
    journal: &mut impl Journal,
) -> Result<Shown, Refusal> {
    let path = signers_file(context);
    let mut file = AllowedSigners::load(&path)?;
    if file.find(&public.fingerprint).next().is_none() {
        file.add(&body.principal, role, public)?;
    }
    let at = journal.write(Durability::Full, |write| {
        if body.first_use && !known(write)?.is_empty() {
            let cause = "another first identity was made just now";
            return Err(Refusal::new(
                Code::IdentityExists,
                cause,
                "watchfloor identity list",
            ));
        }
        Ok(write
            .append(event(context, IDENTITY_ADDED, None, None, body)?)?
            .recorded_at)
    })?;
    file.save(&path)?;
    let identity = Identity::of(body, at);
    Ok(shown(&identity, &Keys::new(&context.config), &file))
}

fn value<T: Serialize>(body: &T) -> Result<Value, Refusal> {
    serde_json::to_value(body).map_err(|error| {
        Refusal::new(
            Code::Internal,
            format!("a record has no JSON form: {error}"),
            "watchfloor status",
        )
    })
}

fn approval(signed: &Value) -> Option<crate::contract::approval::Approval> {
    signed
        .get("approval")
        .cloned()
        .and_then(|value| serde_json::from_value(value).ok())
}

/// A first identity that is younger than a week is announced (spec 7.1).
///
/// # Errors
/// The store fails.
pub fn notice(read: &dyn Read) -> Result<Option<String>, Refusal> {
    const WEEK_US: i64 = 7 * 24 * 3_600_000_000;
    let now = read.now()?.utc_us;
    let known: Vec<Identity> = rows(read, domain::IDENTITY, 10, 0)?;
    let fresh = known
        .into_iter()
        .find(|i| i.first_use && !i.revoked && now - i.added_us < WEEK_US);
    Ok(fresh.map(|identity| format!("new identity {}", identity.principal)))
}
