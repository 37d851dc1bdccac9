//! Where the console goes to from an agent: its terminal, its transcript, the diff of its working
//! tree (spec 5.1). Texts are not yet neutralised.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A way to an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// The pane of a terminal multiplexer that it runs in.
    Terminal,
    /// What its program writes down.
    Transcript,
    /// What it changed.
    Diff,
}

impl Way {
    /// Every one, in the order of the window.
    pub const ALL: [Self; 3] = [Self::Terminal, Self::Transcript, Self::Diff];

    /// Its name.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Terminal => "terminal pane",
            Self::Transcript => "transcript",
            Self::Diff => "diff",
        }
    }
}

/// Whether a way is open, and where it leads or why it does not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WayRow {
    /// Which one.
    pub way: Way,
    /// Whether it can be gone.
    pub open: bool,
    /// Where it leads; of one that is closed, why.
    pub said: String,
}

/// What a line of a diff is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DiffKind {
    /// The heading of a file.
    File,
    /// What is told of that file, or of the diff.
    Note,
    /// Where a changed part begins.
    Hunk,
    /// A line that is there now, and was not.
    Added,
    /// A line that was there, and is not now.
    Removed,
    /// A line around them that did not change.
    Same,
}

/// One line of a diff, without secrets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DiffLine {
    /// What it is.
    pub kind: DiffKind,
    /// What it says.
    pub text: String,
}

/// What is changed in a working tree against its last commit, staged and not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TreeDiff {
    /// The root of the working tree.
    pub root: String,
    /// How that root is known.
    pub known_by: String,
    /// Files that are changed.
    pub files: usize,
    /// Lines that were added.
    pub added: usize,
    /// Lines that were removed.
    pub removed: usize,
    /// Files that nobody told git of.
    pub untracked: usize,
    /// Secrets that were taken out.
    pub redacted: u32,
    /// Why it ends before its end, where it does.
    pub cut: Option<String>,
    /// The lines.
    pub lines: Vec<DiffLine>,
}
