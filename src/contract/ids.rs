//! Newtypes for identifiers (spec 1.1). An identifier is a non-empty text;
//! what it means is in its type, so a task can never be passed as an agent.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// Wraps a text as this identifier.
            pub fn new(text: impl Into<String>) -> Self {
                Self(text.into())
            }

            /// The identifier as text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

id!(
    /// The id of one journal record: a `UUIDv7`, or what a producer brought.
    RecordId
);
id!(
    /// A project: the git common directory of the working directory, or a given name.
    ProjectId
);
id!(
    /// One unit of a mission.
    TaskId
);
id!(
    /// One bounded piece of work (spec 3, scopes).
    MissionId
);
id!(
    /// Who acts: harness and session, or a given name.
    AgentId
);

/// Letters of short handles, by what they name (spec 1.1).
pub const HANDLE_TAIL: usize = 4;

/// The short handle that people type: a kind letter, a dash and the tail of the id.
///
/// ```
/// use watchfloor::contract::ids::{handle, RecordId};
/// let id = RecordId::new("01a22d8a-8084-7604-ad09-75aa9454a189");
/// assert_eq!(handle('b', &id), "b-a189");
/// ```
#[must_use]
pub fn handle(letter: char, id: &RecordId) -> String {
    let chars: Vec<char> = id.as_str().chars().collect();
    let from = chars.len().saturating_sub(HANDLE_TAIL);
    let tail: String = chars[from..].iter().collect();
    format!("{letter}-{tail}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_is_a_letter_and_the_tail_of_the_id() {
        for (id, expected) in [
            ("01a22d8a-8084-7604-ad09-75aa9454a189", "b-a189"),
            ("abcd", "b-abcd"),
            ("ab", "b-ab"),
            ("xäöüß", "b-äöüß"),
        ] {
            assert_eq!(handle('b', &RecordId::new(id)), expected);
            assert_eq!(RecordId::new(id).to_string(), id);
        }
    }
}
