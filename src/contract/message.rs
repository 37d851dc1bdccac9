//! Messages between sessions (spec 8.6): what is kept of one, and what the verbs answer.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ids::AgentId;
use super::row::AgentRow;
use super::text::is_hostile;

/// Schema of [`Message`], an event.
pub const MESSAGE: &str = "watchfloor.message.v1";
/// Schema of [`MessageDelivered`], an observation.
pub const DELIVERED: &str = "watchfloor.message_delivered.v1";
/// Schema of [`MessageAcknowledged`], an event.
pub const ACKNOWLEDGED: &str = "watchfloor.message_acknowledged.v1";

/// Longest text of a message, in characters: it is read in the middle of other work.
pub const LONGEST_MESSAGE: usize = 4_000;
/// Longest name of an agent that a message goes to, in characters.
pub const LONGEST_TARGET: usize = 200;
/// Messages that lie in one inbox unacknowledged, at most.
pub const MOST_UNREAD: usize = 500;

/// What a message is.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum MessageKind {
    /// It wants a reply.
    Question,
    /// Something to know.
    #[default]
    Notification,
    /// About a handoff.
    Handoff,
    /// Something is done.
    Completion,
    /// A reminder to go on.
    Nudge,
    /// It answers something.
    Reply,
}

impl MessageKind {
    /// All of them.
    pub const ALL: &'static [Self] = &[
        Self::Question,
        Self::Notification,
        Self::Handoff,
        Self::Completion,
        Self::Nudge,
        Self::Reply,
    ];

    /// The word as it is written.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Question => "question",
            Self::Notification => "notification",
            Self::Handoff => "handoff",
            Self::Completion => "completion",
            Self::Nudge => "nudge",
            Self::Reply => "reply",
        }
    }

    /// Reads the word.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|one| one.as_str() == text)
    }
}

/// A message. The record's id is the message's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Message {
    /// Always [`MESSAGE`].
    pub schema: String,
    /// Who sends it; absent where a person does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<AgentId>,
    /// Who it is for.
    pub to: AgentId,
    /// What it is.
    pub kind: MessageKind,
    /// What it says, redacted and without anything that a terminal would obey.
    pub text: String,
    /// The record that it is about: a message, or what opened a handoff.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub re: Option<String>,
    /// How many secrets were taken out of the text.
    #[serde(default)]
    pub redacted: u32,
}

/// Messages were shown to whom they are for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MessageDelivered {
    /// Always [`DELIVERED`].
    pub schema: String,
    /// Who saw them.
    pub to: AgentId,
    /// The messages.
    pub messages: Vec<String>,
}

/// Whom a message is for has taken it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MessageAcknowledged {
    /// Always [`ACKNOWLEDGED`].
    pub schema: String,
    /// The message.
    pub message_id: String,
    /// Who took it.
    pub by: AgentId,
}

/// A message as it stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MessageRow {
    /// Its id.
    pub id: String,
    /// Its short handle, `m-` and the tail of the id.
    pub handle: String,
    /// `new`, `delivered` or `acknowledged`.
    pub state: String,
    /// `question`, `notification`, `handoff`, `completion`, `nudge` or `reply`.
    pub kind: String,
    /// Who sent it; absent where a person did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Who it is for.
    pub to: String,
    /// What it says.
    pub text: String,
    /// What it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub re: Option<String>,
    /// How many secrets were taken out of the text.
    #[serde(default)]
    pub redacted: u32,
    /// The project that it was sent from.
    pub project: String,
    /// When it was sent, RFC 3339.
    pub at: String,
    /// When it was shown first, RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delivered_at: Option<String>,
    /// When it was taken, RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acknowledged_at: Option<String>,
    /// Position of its record.
    pub seq: u64,
}

/// What sending answers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MessageSent {
    /// The message.
    #[serde(flatten)]
    pub message: MessageRow,
    /// Whether an agent of that name was ever seen. One that was not finds the message when it
    /// comes.
    pub known: bool,
}

/// Messages, newest last.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Messages {
    /// The messages.
    pub messages: Vec<MessageRow>,
    /// There are more than these.
    pub more: bool,
}

/// What the form of a message shows of whom it goes to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MessageForm {
    /// The agent.
    pub agent: AgentRow,
    /// Messages that it did not acknowledge.
    pub unread: usize,
    /// Those of them that were not shown to it.
    pub unseen: usize,
}

/// What a person filled in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MessageRequest {
    /// The agent that it is for.
    pub to: String,
    /// What it says.
    pub text: String,
}

/// The text without anything that a terminal would obey; its lines stay lines.
#[must_use]
pub fn harmless(text: &str) -> String {
    let shown = |c: char| match c {
        '\n' => '\n',
        '\t' => ' ',
        c if is_hostile(c) => super::text::MARK,
        c => c,
    };
    let text = text.replace("\r\n", "\n");
    text.trim().chars().map(shown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_read_as_they_are_written() {
        for kind in MessageKind::ALL {
            assert_eq!(MessageKind::parse(kind.as_str()), Some(*kind));
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.as_str());
        }
        assert_eq!(MessageKind::parse("Nudge"), None);
    }

    #[test]
    fn a_text_keeps_its_lines_and_loses_its_powers() {
        let text = "  one\r\ntwo\tthree \u{1b}]0;x\u{7}\u{202e}\rfour\n";
        let shown = harmless(text);
        assert_eq!(
            shown,
            "one\ntwo three \u{fffd}]0;x\u{fffd}\u{fffd}\u{fffd}four"
        );
        assert!(shown.chars().all(|c| c == '\n' || !is_hostile(c)));
    }
}
