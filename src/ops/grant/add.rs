//! Making a grant: a human's signed word on one host, path, branch or call.

use std::path::{Component, Path, PathBuf};

use serde_json::Value;

use crate::authority;
use crate::contract::approval::Approval;
use crate::contract::digest::Digest;
use crate::contract::fault::Fault;
use crate::contract::goal::Goal;
use crate::contract::grant::{GRANT, Grant};
use crate::contract::granting::LONGEST_MINUTES;
use crate::contract::guard::Grantable;
use crate::contract::ids::handle;
use crate::contract::record::Record;
use crate::contract::refusal::{Code, Refusal};
use crate::contract::scope::Scope;
use crate::contract::secret;
use crate::contract::time::rfc3339;
use crate::journal::{Durability, Journal, Read, Write};
use crate::ops::context::Context;
use crate::ops::domain::GrantState;
use crate::ops::flags::Flags;
use crate::ops::identity::{self, refuse_inside_agent};
use crate::ops::records::{self, Receipt, fresh_id};
use crate::ops::reset::{Ask, presented_refused, sign_as};
use crate::ops::signed::may_be_taken;
use crate::ops::store::deadline;
use crate::rules::breaker::{Authority, Decision};

use super::open::running;
use super::refused::{covers, words};
use super::{GrantRow, find, row};

/// Longest name of what is opened, and longest reason, in bytes.
const LONGEST_TEXT: usize = 1_000;
/// What a grant's time is counted in, in microseconds.
const MINUTE: i64 = 60_000_000;

/// What a grant shall open.
#[derive(Clone, Debug)]
pub struct Wish<'a> {
    /// The host, path, branch or call.
    pub opens: Grantable,
    /// For how many minutes.
    pub minutes: u32,
    /// Why.
    pub reason: &'a str,
    /// Who signs; the first one here whose role suffices when absent.
    pub principal: Option<&'a str>,
}

/// Signs and records a grant.
///
/// # Errors
/// The wish has faults, a running grant opens it already, the call comes from an agent's session,
/// no human is known here, the passphrase is wrong, the signature does not hold, or the store
/// fails. Nothing is opened then.
pub fn add(
    context: &Context,
    wish: &Wish<'_>,
    ask: Ask<'_>,
    journal: &mut impl Journal,
    flags: &Flags,
) -> Result<GrantRow, Refusal> {
    refuse_inside_agent(context, journal)?;
    let opens = checked(context, wish)?;
    let payload = journal.read(|read| {
        refuse_opened(context, &opens, wish.minutes, read)?;
        let head = read.head()?;
        let grant = Grant {
            schema: GRANT.to_owned(),
            project: context.project.clone(),
            opens: opens.clone(),
            minutes: wish.minutes,
            reason: wish.reason.trim().to_owned(),
            nonce: uuid::Uuid::now_v7().to_string(),
            at_seq: head.seq,
            at_hash: head.hash.to_string(),
            approval: None,
        };
        serde_json::to_value(&grant).map_err(|error| {
            let cause = format!("a grant has no JSON form: {error}");
            Refusal::new(Code::Internal, cause, "watchfloor status")
        })
    })?;
    let needs = Authority::default().of(Decision::Grant);
    let signed = sign_as(context, needs, &payload, wish.principal, ask, journal)?;
    let written = journal.write(Durability::Full, |write| {
        may_be_taken(&signed, needs, &[], "watchfloor grant list", write)?;
        // Another console may have signed for the same while this one was asked for a passphrase.
        refuse_opened(context, &opens, wish.minutes, write)?;
        append(context, &signed, write)
    });
    match written {
        Ok(record) => journal.read(|read| {
            let now = deadline(read)?;
            Ok(row(context, &find(context, record.id.as_str(), read)?, now))
        }),
        Err(refusal) => {
            presented_refused(context, None, &refusal, journal, flags)?;
            Err(refusal)
        }
    }
}

/// Refuses what a running grant opens already: a second one of a call would let it pass twice, and
/// one that ends no later, to the minute, opens nothing more.
fn refuse_opened(
    context: &Context,
    opens: &Grantable,
    minutes: u32,
    read: &dyn Read,
) -> Result<(), Refusal> {
    let until_us = deadline(read)?.saturating_add(i64::from(minutes) * MINUTE);
    let once = matches!(opens, Grantable::Call(_));
    // Time is granted by the minute: two who press at once differ by less.
    let lasts = |one: &GrantState| once || until_us.saturating_sub(one.until_us) < MINUTE;
    let mut running = running(context, read)?.into_iter();
    let found = running.find(|one| covers(&one.opens, opens) && lasts(one));
    found.map_or(Ok(()), |one| {
        let grant = handle('r', &one.id);
        let until = rfc3339(one.until_us);
        let cause = format!(
            "grant {grant} opens {} already, until {until}",
            words(opens)
        );
        let next = "watchfloor grant list";
        Err(Refusal::new(Code::TransitionForbidden, cause, next))
    })
}

/// Whether a human signed a grant, and the signer still stands.
pub(super) fn verify_approval(signed: &Value, read: &dyn Read) -> Result<(), Refusal> {
    let approval: Option<Approval> = signed
        .get("approval")
        .and_then(|value| serde_json::from_value(value.clone()).ok());
    let approval = approval.ok_or_else(|| {
        let cause = "the grant carries no signature";
        Refusal::new(Code::ApprovalForged, cause, "watchfloor grant list")
    })?;
    let needs = Authority::default().of(Decision::Grant);
    authority::verify(signed, &approval, &identity::known(read)?, needs, &[])?;
    Ok(())
}

fn append(context: &Context, signed: &Value, write: &mut dyn Write) -> Result<Record, Refusal> {
    let scope = Scope::Project {
        project: context.project.clone(),
    };
    let about = Receipt {
        id: fresh_id(),
        goal_hash: Goal::fleet().hash().to_string(),
        parents: Vec::new(),
        scope: &scope,
        agent: None,
    };
    records::receipt(context, write, about, signed)
}

/// The wish as it is signed; all faults at once.
fn checked(context: &Context, wish: &Wish<'_>) -> Result<Grantable, Refusal> {
    let mut faults = Vec::new();
    let mut need = |holds: bool, kind: &str, path: &str, message: String| {
        if !holds {
            faults.push(Fault::new(kind, path, message));
        }
    };
    let minutes = (1..=LONGEST_MINUTES).contains(&wish.minutes);
    let range = format!("from 1 to {LONGEST_MINUTES}");
    need(minutes, "less_than_equal", "minutes", range);
    let reason = wish.reason.trim();
    let said = !reason.is_empty();
    need(said, "missing", "reason", "say why".to_owned());
    let (kind, value) = super::kind_of(&wish.opens);
    let short = value.len() <= LONGEST_TEXT && reason.len() <= LONGEST_TEXT;
    let long = format!("is longer than {LONGEST_TEXT} bytes");
    need(short, "string_too_long", kind, long);
    let (holds, message) = named(&wish.opens);
    need(holds, "value_error", kind, message.to_owned());
    let next = "watchfloor grant add --help";
    if !faults.is_empty() {
        return Err(Refusal::of_faults("the grant", faults, next));
    }
    if let Some(hit) = secret::find(&format!("{value}\n{reason}")).first() {
        let cause = format!("the grant holds a secret of kind {}", hit.kind);
        return Err(Refusal::new(Code::SecretInRecord, cause, next));
    }
    Ok(match &wish.opens {
        Grantable::Path(path) => Grantable::Path(absolute(context, path)),
        Grantable::Host(host) => Grantable::Host(host.to_ascii_lowercase()),
        other => other.clone(),
    })
}

/// Whether a grant can name it, and what it should be.
fn named(opens: &Grantable) -> (bool, &'static str) {
    match opens {
        Grantable::Host(host) => (is_host(host), "one host's name or address"),
        Grantable::Branch(branch) => (is_word(branch), "one branch's name"),
        Grantable::Call(digest) => (
            Digest::parse(digest).is_some(),
            "the digest of a refused call, sha256: and 64 hex digits",
        ),
        Grantable::Path(path) => (!path.trim().is_empty(), "a path"),
    }
}

/// Whether a grant of it would be taken, whoever signs.
pub(super) fn can_be_named(opens: &Grantable) -> bool {
    let (_, value) = super::kind_of(opens);
    named(opens).0 && value.len() <= LONGEST_TEXT && secret::find(value).is_empty()
}

fn is_word(text: &str) -> bool {
    let odd = |c: char| c.is_whitespace() || c.is_control() || "*?[]^~:\\".contains(c);
    !text.is_empty() && !text.starts_with('-') && !text.contains(odd)
}

fn is_host(text: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || ".-_:[]".contains(c);
    !text.is_empty() && !text.starts_with(['-', '.']) && text.chars().all(fits)
}

/// The path from the root on, without `.` and `..`.
fn absolute(context: &Context, path: &str) -> String {
    let mut whole = PathBuf::new();
    for part in context.cwd.join(Path::new(path)).components() {
        match part {
            Component::ParentDir => {
                whole.pop();
            }
            Component::CurDir => {}
            other => whole.push(other),
        }
    }
    whole.to_string_lossy().into_owned()
}
