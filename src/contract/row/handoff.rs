//! A handoff as the panes show it (spec 4, 5.3).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A handoff, in the default order: escalated and undecided, open and blocking, open, claimed,
/// answered and not used, then the rest; newest first within each.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HandoffRow {
    /// Id of the receipt that opened it.
    pub id: String,
    /// Short handle, `h-` and the tail of the id.
    pub handle: String,
    /// Its project.
    pub project: String,
    /// `open`, `claimed`, `resolved`, `blocked` or `escalated`.
    pub state: String,
    /// `blocking` while an agent waits for it, else `background`. Derived, never set.
    pub priority: String,
    /// What is asked.
    pub question: String,
    /// What the asker tried already.
    pub tried: String,
    /// What the answer must hold.
    pub needed: String,
    /// `answer` or `action`.
    pub wants: String,
    /// Words to filter by.
    pub tags: Vec<String>,
    /// Who asks.
    pub asker: String,
    /// The task that it came up in.
    pub task: Option<String>,
    /// The mission that it came up in.
    pub mission: Option<String>,
    /// Agents that wait for it now.
    pub waiters: Vec<String>,
    /// Who holds the claim.
    pub holder: Option<String>,
    /// The epoch of the last claim; 0 before the first one.
    pub epoch: u64,
    /// Where the running time limit began, RFC 3339; absent in a terminal state.
    pub limit_from: Option<String>,
    /// Where the running time limit ends, RFC 3339; absent in a terminal state.
    pub deadline: Option<String>,
    /// Claims that lapsed or were released.
    pub lapses: u64,
    /// Follow-up questions that the holders asked.
    pub follow_ups: u64,
    /// The answer, in a line.
    pub answer: Option<String>,
    /// Id of the answer's receipt.
    pub answer_id: Option<String>,
    /// Who answered.
    pub answered_by: Option<String>,
    /// Whether the asker recorded what it did with the answer.
    pub used: bool,
    /// The class of an escalation.
    pub class: Option<String>,
    /// Why it ended without an answer.
    pub reason: Option<String>,
    /// A person's decision on an escalated one.
    pub decision: Option<String>,
    /// Late answers that were kept as hints.
    pub hints: u64,
    /// When it was opened, RFC 3339.
    pub opened_at: String,
    /// When the last record about it came, RFC 3339.
    pub last_at: String,
    /// Which one that was.
    pub last_seq: u64,
}
