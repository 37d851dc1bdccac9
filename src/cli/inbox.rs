//! `inbox`.

use std::time::Duration;

use crate::contract::ids::AgentId;
use crate::contract::message::{MessageKind, MessageRow, Messages};
use crate::contract::refusal::Refusal;
use crate::ops::context::Context;
use crate::ops::inbox::{self, Posting, Wanted};
use crate::ops::store;

use super::args::InboxVerb;
use super::context::with_ancestors;
use super::out::{Reply, usage};
use super::table::{plain, table};

/// `inbox ...`.
pub fn run(context: &Context, verb: InboxVerb) -> Result<Reply, Refusal> {
    let context = &with_ancestors(context.clone());
    match verb {
        InboxVerb::Send { to, kind, text, re } => {
            let posting = Posting {
                to: AgentId::new(to),
                kind: kind_of(&kind)?,
                text,
                re,
            };
            let sent = inbox::send(context, &posting, &mut store::open(context)?)?;
            let row = &sent.message;
            let mut human = vec![format!("{} lies in the inbox of {}", row.handle, row.to)];
            if !sent.known {
                human.push("no agent of that name was seen yet: it is kept until one comes".into());
            }
            if row.redacted > 0 {
                human.push(format!("{} secrets were taken out", row.redacted));
            }
            Reply::of(&sent, plain(&human.join("; ")))
        }
        InboxVerb::Read { wait, limit } => {
            let mut journal = store::for_gate(context)?;
            let waiting = match wait {
                Some(seconds) => {
                    let patience = Duration::from_secs(seconds);
                    inbox::wait(context, limit, patience, None, &mut journal)?
                }
                None => inbox::read(context, limit, &mut journal)?,
            };
            Reply::of(&waiting, read_text(&waiting))
        }
        InboxVerb::Ack { id } => {
            let row = inbox::ack(context, &id, &mut store::open(context)?)?;
            Reply::of(&row, plain(&format!("{} is acknowledged", row.handle)))
        }
        InboxVerb::List { to, unread, range } => {
            let wanted = Wanted {
                to: to.map(AgentId::new),
                unread,
                since: range.since,
                limit: range.limit,
            };
            let list = inbox::list(&wanted, &mut store::open_readonly(context)?)?;
            Reply::of(&list, list_text(&list))
        }
    }
}

fn kind_of(word: &str) -> Result<MessageKind, Refusal> {
    MessageKind::parse(word).ok_or_else(|| {
        let all: Vec<&str> = MessageKind::ALL.iter().map(|kind| kind.as_str()).collect();
        usage(
            format!("{word} is no kind of message: {}", all.join(", ")),
            "watchfloor inbox send --help",
        )
    })
}

fn from(row: &MessageRow) -> &str {
    row.from.as_deref().unwrap_or("the operator")
}

fn read_text(waiting: &Messages) -> String {
    if waiting.messages.is_empty() {
        return "No message waits.".to_owned();
    }
    let mut lines = Vec::new();
    for row in &waiting.messages {
        let re = row.re.as_ref().map(|re| format!(", about {re}"));
        let head = format!(
            "{} {} {} from {}{}",
            row.handle,
            row.at,
            row.kind,
            from(row),
            re.unwrap_or_default()
        );
        lines.push(plain(&head));
        lines.extend(row.text.lines().map(|line| format!("  {}", plain(line))));
    }
    if waiting.more {
        lines.push("There are more.".to_owned());
    }
    lines.join("\n")
}

fn list_text(list: &Messages) -> String {
    let row = |row: &MessageRow| {
        vec![
            row.handle.clone(),
            row.state.clone(),
            row.at.clone(),
            row.kind.clone(),
            from(row).to_owned(),
            row.to.clone(),
            row.text.clone(),
        ]
    };
    let rows: Vec<Vec<String>> = list.messages.iter().map(row).collect();
    table(
        &["message", "state", "sent", "kind", "from", "to", "text"],
        &rows,
    )
}
