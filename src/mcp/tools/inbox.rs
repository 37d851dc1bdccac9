//! Tools of the inbox.

use std::time::Duration;

use serde_json::Value;

use crate::contract::ids::AgentId;
use crate::contract::message::MessageKind;
use crate::contract::refusal::Refusal;
use crate::ops::inbox::{self, Posting};

use super::args::{Arg, Kind};
use super::{Call, Run, Tool, value};

const KINDS: Kind = Kind::Word(&[
    "question",
    "notification",
    "handoff",
    "completion",
    "nudge",
    "reply",
]);
/// Messages that one call shows.
const SHOWN: usize = 50;

/// The tools.
pub(super) const TOOLS: &[Tool] = &[
    Tool {
        name: "inbox_send",
        about: "Leave another agent a message; it reads it at the end of its turn.",
        args: &[
            Arg::needed("to", Kind::Text, "Agent"),
            Arg::needed("text", Kind::Text, ""),
            Arg::may("kind", KINDS, ""),
            Arg::may("re", Kind::Text, "Message or handoff"),
        ],
        reads: false,
        waits: false,
        run: Run::Desk(send),
    },
    Tool {
        name: "inbox_read",
        about: "Messages that wait for you; seconds waits for one.",
        args: &[Arg::may("seconds", Kind::Number(600), "")],
        reads: true,
        waits: true,
        run: Run::Desk(read),
    },
    Tool {
        name: "inbox_ack",
        about: "Take a message, once.",
        args: &[Arg::needed("id", Kind::Text, "")],
        reads: false,
        waits: false,
        run: Run::Desk(ack),
    },
];

fn send(call: &mut Call<'_>) -> Result<Value, Refusal> {
    call.agent()?;
    let given = &call.given;
    let posting = Posting {
        to: AgentId::new(given.text("to")),
        kind: MessageKind::parse(given.text("kind")).unwrap_or_default(),
        text: given.text("text").to_owned(),
        re: given.maybe("re").map(str::to_owned),
    };
    value(&inbox::send(&call.context, &posting, &mut call.store)?)
}

fn read(call: &mut Call<'_>) -> Result<Value, Refusal> {
    call.agent()?;
    let store = &mut call.store;
    let waiting = match call.given.number("seconds") {
        None | Some(0) => inbox::read(&call.context, SHOWN, store)?,
        Some(seconds) => {
            let patience = Duration::from_secs(seconds);
            inbox::wait(&call.context, SHOWN, patience, Some(call.over), store)?
        }
    };
    value(&waiting)
}

fn ack(call: &mut Call<'_>) -> Result<Value, Refusal> {
    call.agent()?;
    let id = call.given.text("id").to_owned();
    value(&inbox::ack(&call.context, &id, &mut call.store)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_are_those_of_the_contract() {
        let Kind::Word(words) = KINDS else {
            unreachable!()
        };
        let kinds: Vec<&str> = MessageKind::ALL.iter().map(|kind| kind.as_str()).collect();
        assert_eq!(words, kinds);
    }
}
