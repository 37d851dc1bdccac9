//! Handoffs between agents (spec 4): the words of their states, and what crosses a boundary.

mod answer;
mod bodies;
mod input;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use answer::{Brief, HandoffAnswer, LedgerLine, ThreadLine};
pub use bodies::{
    Answered, Asked, Claimed, Closed, Decision, Escalated, LateAnswer, Opened, Reopened, Replied,
    Source, Used, Waiting,
};
pub use input::{HandoffInput, InputDefaults};

/// Schema of [`Opened`], a dispatch.
pub const OPENED: &str = "watchfloor.handoff_open.v1";
/// Schema of [`Claimed`], a receipt of the claim.
pub const CLAIMED: &str = "watchfloor.handoff_claim.v1";
/// Schema of [`Answered`], a handoff.
pub const ANSWERED: &str = "watchfloor.handoff_answer.v1";
/// Schema of [`Used`], an acceptance.
pub const USED: &str = "watchfloor.handoff_use.v1";
/// Schema of [`Closed`], a closure without an answer.
pub const CLOSED: &str = "watchfloor.handoff_closed.v1";
/// Schema of [`Escalated`], an escalation.
pub const ESCALATED: &str = "watchfloor.handoff_escalated.v1";
/// Schema of [`Decision`], a person's acceptance.
pub const DECISION: &str = "watchfloor.handoff_decision.v1";
/// Schema of [`Asked`], an event.
pub const ASKED: &str = "watchfloor.handoff_follow_up.v1";
/// Schema of [`Replied`], an event.
pub const REPLIED: &str = "watchfloor.handoff_reply.v1";
/// Schema of [`Reopened`], an event.
pub const REOPENED: &str = "watchfloor.handoff_reopened.v1";
/// Schema of [`Waiting`], an event.
pub const WAITING: &str = "watchfloor.handoff_waiting.v1";
/// Schema of [`LateAnswer`], an observation.
pub const LATE: &str = "watchfloor.handoff_late_answer.v1";

/// Longest text that an entry or an answer may hold, in characters.
pub const LONGEST_TEXT: usize = 20_000;

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$one:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
            JsonSchema,
        )]
        #[serde(rename_all = "snake_case")]
        pub enum $name { $($(#[$one])* $variant,)* }

        impl $name {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The word as it is written.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }

            /// Reads the word.
            #[must_use]
            pub fn parse(text: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|one| one.as_str() == text)
            }
        }
    };
}

words! {
    /// Where an entry stands (spec 4.2).
    HandoffState {
        /// Nobody holds it.
        Open = "open",
        /// One agent holds it.
        Claimed = "claimed",
        /// Answered.
        Resolved = "resolved",
        /// Parked: nobody can help, or a time limit passed.
        Blocked = "blocked",
        /// A person must decide.
        Escalated = "escalated",
    }
}

words! {
    /// What the asker wants.
    Wants {
        /// Something to know; who answers does not act.
        Answer = "answer",
        /// Something to be done: it may only be escalated.
        Action = "action",
    }
}

words! {
    /// What a person's real responsibility is (spec 4.2).
    Class {
        /// It costs money.
        Money = "money",
        /// It sends, posts or publishes.
        OutwardEffect = "outward_effect",
        /// It cannot be undone.
        Irreversible = "irreversible",
        /// It needs credentials.
        Credentials = "credentials",
        /// It changes what matters, or how far the work goes.
        PriorityScope = "priority_scope",
    }
}

words! {
    /// Why a claim came to nothing.
    Lapse {
        /// Its time passed.
        Lapsed = "lapsed",
        /// The holder gave it back.
        Released = "released",
    }
}

words! {
    /// Why an entry ended without an answer.
    Ending {
        /// A claim lapsed for good.
        Lapsed = "lapsed",
        /// A second claim was given back.
        Released = "released",
        /// A second follow-up question was asked.
        SecondFollowUp = "second_follow_up",
        /// It was open for too long.
        OpenTooLong = "open_too_long",
        /// The holder cannot help.
        HolderCannotHelp = "holder_cannot_help",
        /// The asker took it back.
        Withdrawn = "withdrawn",
        /// Somebody parked it before a claim.
        Parked = "parked",
    }
}

impl HandoffState {
    /// Nothing but a use or a decision comes after it.
    #[must_use]
    pub fn is_terminal(self) -> bool {
        matches!(self, Self::Resolved | Self::Blocked | Self::Escalated)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_as_they_are_written_and_stored() {
        for state in HandoffState::ALL {
            assert_eq!(HandoffState::parse(state.as_str()), Some(*state));
            assert_eq!(serde_json::to_value(state).unwrap(), state.as_str());
        }
        for class in Class::ALL {
            assert_eq!(Class::parse(class.as_str()), Some(*class));
            assert_eq!(serde_json::to_value(class).unwrap(), class.as_str());
        }
        for ending in Ending::ALL {
            assert_eq!(serde_json::to_value(ending).unwrap(), ending.as_str());
        }
        for lapse in Lapse::ALL {
            assert_eq!(serde_json::to_value(lapse).unwrap(), lapse.as_str());
        }
        assert_eq!(Wants::parse("action"), Some(Wants::Action));
        assert_eq!(Wants::parse("Answer"), None);
        assert_eq!(Class::parse("urgent"), None);
        let ended: Vec<&str> = HandoffState::ALL
            .iter()
            .filter(|state| state.is_terminal())
            .map(|state| state.as_str())
            .collect();
        assert_eq!(ended, ["resolved", "blocked", "escalated"]);
    }
}
