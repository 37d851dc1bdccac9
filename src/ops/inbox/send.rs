//! `inbox send`, and what other verbs tell an agent.

use crate::contract::fault::Fault;
use crate::contract::ids::{AgentId, RecordId};
use crate::contract::json::is_blank;
use crate::contract::message::{
    LONGEST_MESSAGE, LONGEST_TARGET, MESSAGE, MOST_UNREAD, Message, MessageKind, MessageRow,
    MessageSent, harmless,
};
use crate::contract::refusal::{Code, Refusal};
use crate::contract::secret;
use crate::contract::text::is_hostile;
use crate::journal::{Durability, Journal, Read, Write};
use crate::ops::context::Context;
use crate::ops::domain::{self, Agent, Inbox};
use crate::ops::records::event;
use crate::ops::store::{load, not_found};
use crate::ops::{gate, keyed};

use super::caller;

/// A message to be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Posting {
    /// Who it is for.
    pub to: AgentId,
    /// What it is.
    pub kind: MessageKind,
    /// What it says.
    pub text: String,
    /// What it is about: a message or a handoff, by id or handle.
    pub re: Option<String>,
}

/// Sends a message. Secrets are taken out of its text. One for an agent that nobody saw yet is
/// kept until it comes.
///
/// # Errors
/// The text is blank or too long, the name is no name, there is nothing that it could be about,
/// the inbox is full, a breaker stops the sender, or the store fails.
pub fn send(
    context: &Context,
    posting: &Posting,
    journal: &mut impl Journal,
) -> Result<MessageSent, Refusal> {
    check(posting)?;
    let request = format!("{posting:?}");
    journal.write(Durability::Full, |write| {
        keyed::once(context, "inbox send", request.as_bytes(), write, |write| {
            let from = sender(context, write)?;
            if let Some(from) = &from {
                gate::refuse_agent_when_stopped(context, from, write)?;
            }
            let re = posting.re.as_deref().map(|re| about(re, write));
            let posting = Posting {
                re: re.transpose()?,
                ..posting.clone()
            };
            if is_full(&posting.to, write)? {
                return Err(full(&posting.to));
            }
            let message = append(context, from, &posting, write)?;
            let known = load::<Agent>(write, domain::AGENT, posting.to.as_str())?.is_some();
            Ok(MessageSent { message, known })
        })
    })
}

/// Tells an agent something inside another verb's transaction; its text is cut where it is too
/// long, and a full inbox takes no more.
///
/// # Errors
/// The store fails.
pub fn post(
    context: &Context,
    from: Option<&AgentId>,
    posting: &Posting,
    write: &mut dyn Write,
) -> Result<(), Refusal> {
    if is_full(&posting.to, write)? {
        return Ok(());
    }
    let mut text: String = posting.text.chars().take(LONGEST_MESSAGE).collect();
    if text.len() < posting.text.len() {
        text.pop();
        text.push('…');
    }
    let posting = Posting {
        text,
        ..posting.clone()
    };
    append(context, from.cloned(), &posting, write).map(drop)
}

fn append(
    context: &Context,
    from: Option<AgentId>,
    posting: &Posting,
    write: &mut dyn Write,
) -> Result<MessageRow, Refusal> {
    let (text, redacted) = secret::redact(&posting.text);
    let body = Message {
        schema: MESSAGE.to_owned(),
        from: from.clone(),
        to: posting.to.clone(),
        kind: posting.kind,
        text: harmless(&text),
        re: posting.re.clone(),
        redacted,
    };
    let record = write.append(event(context, MESSAGE, None, from, &body)?)?;
    load(write, domain::MESSAGE, record.id.as_str())?
        .ok_or_else(|| not_found("message", record.id.as_str(), "watchfloor rebuild"))
}

/// Who sends: an agent, or a person. Inside an agent's session nobody speaks as a person.
fn sender(context: &Context, read: &dyn Read) -> Result<Option<AgentId>, Refusal> {
    let from = caller(context, read)?;
    if from.is_none() && context.inside_agent {
        let cause =
            "inbox send needs --agent inside an agent's session: a message says who sent it";
        return Err(Refusal::new(
            Code::Usage,
            cause,
            "watchfloor inbox send --help",
        ));
    }
    Ok(from)
}

fn check(posting: &Posting) -> Result<(), Refusal> {
    let mut faults = Vec::new();
    let mut fault = |code: &str, path: &str, message: String| {
        faults.push(Fault::new(code, path, message));
    };
    let to = posting.to.as_str();
    if is_blank(to) {
        fault("string_too_short", "to", "must not be blank".to_owned());
    }
    if to.chars().any(is_hostile) || to.chars().count() > LONGEST_TARGET {
        let message = format!("is no name, or longer than {LONGEST_TARGET} characters");
        fault("name_shape", "to", message);
    }
    if is_blank(&posting.text) {
        fault("string_too_short", "text", "must not be blank".to_owned());
    }
    let length = posting.text.chars().count();
    if length > LONGEST_MESSAGE {
        let message = format!(
            "has {length} characters, a message at most {LONGEST_MESSAGE}: name the file or record that holds the rest"
        );
        fault("string_too_long", "text", message);
    }
    let next = "watchfloor inbox send --help";
    if !faults.is_empty() {
        return Err(Refusal::of_faults("the message", faults, next));
    }
    let names = [Some(to), posting.re.as_deref()];
    let hit = names.into_iter().flatten().find_map(|name| {
        let hits = secret::find(name);
        hits.first().map(|hit| hit.kind.to_string())
    });
    match hit {
        Some(kind) => {
            let cause = format!("a name holds a secret of kind {kind}; nothing was written");
            Err(Refusal::new(Code::SecretInRecord, cause, next))
        }
        None => Ok(()),
    }
}

/// The full id of the record that a message is about.
fn about(re: &str, read: &dyn Read) -> Result<String, Refusal> {
    let next = "watchfloor inbox list";
    if read.by_id(&RecordId::new(re))?.is_some() {
        return Ok(re.to_owned());
    }
    let tail = re
        .strip_prefix("m-")
        .or_else(|| re.strip_prefix("h-"))
        .unwrap_or(re);
    if tail.chars().count() < crate::contract::ids::HANDLE_TAIL {
        return Err(not_found("record", re, next));
    }
    let domain = if re.starts_with("h-") {
        domain::HANDOFF
    } else {
        domain::MESSAGE
    };
    let mut found = Vec::new();
    for record in read.by_tail(tail, 200)? {
        if read.state(domain, record.id.as_str())?.is_some() {
            found.push(record.id.to_string());
        }
    }
    match found.len() {
        1 => Ok(found.swap_remove(0)),
        0 => Err(not_found("message or handoff", re, next)),
        count => {
            let cause = format!("{re} names {count} records");
            Err(Refusal::new(Code::HandleAmbiguous, cause, next))
        }
    }
}

fn is_full(to: &AgentId, read: &dyn Read) -> Result<bool, Refusal> {
    let inbox: Inbox = load(read, domain::INBOX, to.as_str())?.unwrap_or_default();
    Ok(inbox.unread.len() >= MOST_UNREAD)
}

fn full(to: &AgentId) -> Refusal {
    let cause = format!(
        "the inbox of {to} holds {MOST_UNREAD} messages that it did not acknowledge; it takes no more"
    );
    Refusal::new(Code::InboxFull, cause, "watchfloor inbox list --unread")
}
