//! What the safety rules say (spec 3.3, 3.4): verdicts, findings, trips.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The role behind an attempt or a question to the gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WorkRole {
    /// Makes changes.
    Maker,
    /// Gives a verdict on the latest try.
    Checker,
    /// Analyses a stuck task.
    Debugger,
    /// Analyses after the debugger, with fresh eyes.
    SecondOpinion,
}

impl WorkRole {
    /// All roles.
    pub const ALL: [Self; 4] = [
        Self::Maker,
        Self::Checker,
        Self::Debugger,
        Self::SecondOpinion,
    ];

    /// The role as it is written.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Maker => "maker",
            Self::Checker => "checker",
            Self::Debugger => "debugger",
            Self::SecondOpinion => "second_opinion",
        }
    }

    /// Reads a role.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.as_str() == text)
    }
}

/// The terminal verdicts (spec 2.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub enum Outcome {
    /// It holds.
    #[serde(rename = "PASS")]
    Pass,
    /// It does not; the only failing one.
    #[serde(rename = "FAIL")]
    Fail,
    /// It could not be tried.
    #[serde(rename = "BLOCKED")]
    Blocked,
    /// A person or another role must look.
    #[serde(rename = "NEEDS_ATTENTION")]
    NeedsAttention,
}

impl Outcome {
    /// All verdicts.
    pub const ALL: [Self; 4] = [Self::Pass, Self::Fail, Self::Blocked, Self::NeedsAttention];

    /// The verdict as it is written.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "PASS",
            Self::Fail => "FAIL",
            Self::Blocked => "BLOCKED",
            Self::NeedsAttention => "NEEDS_ATTENTION",
        }
    }

    /// Reads a verdict.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|outcome| outcome.as_str() == text)
    }
}

/// The step that a raised ladder asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Due {
    /// A debugger's analysis.
    #[serde(rename = "debugger_due")]
    Debugger,
    /// A second opinion by a fresh agent.
    #[serde(rename = "second_opinion_due")]
    SecondOpinion,
}

impl Due {
    /// The due as it is written.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Debugger => "debugger_due",
            Self::SecondOpinion => "second_opinion_due",
        }
    }
}

/// What the gate answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Go on.
    Allow,
    /// Use another strategy.
    StrategyChangeDue,
    /// A debugger must look first.
    DebuggerDue,
    /// A second opinion must come first.
    SecondOpinionDue,
    /// Stopped.
    BreakerOpen,
}

impl Verdict {
    /// The verdict as it is written.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::StrategyChangeDue => "strategy_change_due",
            Self::DebuggerDue => "debugger_due",
            Self::SecondOpinionDue => "second_opinion_due",
            Self::BreakerOpen => "breaker_open",
        }
    }
}

/// What the rules noticed about one entry.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Finding {
    /// The strategy had been tried on that signature.
    BlindRepeat,
    /// The signature was seen before in the window.
    Repeat,
    /// The second failing try with the signature.
    StuckSignature,
    /// The last repair is used.
    RepairsUsed,
    /// A file is touched again and again.
    Churn(String),
    /// Many tries failed with nothing but an outcome.
    WeakRepeats,
    /// A try while a breaker was open.
    Leak,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BlindRepeat => f.write_str("blind_repeat"),
            Self::Repeat => f.write_str("repeat"),
            Self::StuckSignature => f.write_str("stuck_signature"),
            Self::RepairsUsed => f.write_str("repairs_used"),
            Self::Churn(file) => write!(f, "churn:{file}"),
            Self::WeakRepeats => f.write_str("weak_repeats"),
            Self::Leak => f.write_str("leak"),
        }
    }
}

/// A breaker that one entry opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SafetyTrip {
    /// Too many failing tries in a task.
    Retry,
    /// Going round in circles, or a due step was skipped.
    Oscillation,
    /// The mission's last try.
    RetryMission,
}

impl SafetyTrip {
    /// The trip as it is written.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Retry => "retry",
            Self::Oscillation => "oscillation",
            Self::RetryMission => "retry:mission",
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::to_value;

    use super::*;

    #[test]
    fn roles_are_read_as_written() {
        let words = ["maker", "checker", "debugger", "second_opinion"];
        assert_eq!(WorkRole::ALL.map(WorkRole::as_str), words);
        for role in WorkRole::ALL {
            assert_eq!(WorkRole::parse(role.as_str()), Some(role));
            assert_eq!(to_value(role).unwrap(), role.as_str());
        }
        assert_eq!(WorkRole::parse("Maker"), None);
    }

    #[test]
    fn outcomes_are_read_as_written() {
        let words = ["PASS", "FAIL", "BLOCKED", "NEEDS_ATTENTION"];
        assert_eq!(Outcome::ALL.map(Outcome::as_str), words);
        for outcome in Outcome::ALL {
            assert_eq!(Outcome::parse(outcome.as_str()), Some(outcome));
            assert_eq!(to_value(outcome).unwrap(), outcome.as_str());
        }
        assert_eq!(Outcome::parse("pass"), None);
    }

    #[test]
    fn answers_are_written_as_they_are_stored() {
        for (due, word) in [
            (Due::Debugger, "debugger_due"),
            (Due::SecondOpinion, "second_opinion_due"),
        ] {
            assert_eq!(due.as_str(), word);
            assert_eq!(to_value(due).unwrap(), word);
        }
        for (verdict, word) in [
            (Verdict::Allow, "allow"),
            (Verdict::StrategyChangeDue, "strategy_change_due"),
            (Verdict::DebuggerDue, "debugger_due"),
            (Verdict::SecondOpinionDue, "second_opinion_due"),
            (Verdict::BreakerOpen, "breaker_open"),
        ] {
            assert_eq!(verdict.as_str(), word);
            assert_eq!(to_value(verdict).unwrap(), word);
        }
        for (trip, word) in [
            (SafetyTrip::Retry, "retry"),
            (SafetyTrip::Oscillation, "oscillation"),
            (SafetyTrip::RetryMission, "retry:mission"),
        ] {
            assert_eq!(trip.as_str(), word);
        }
    }

    #[test]
    fn findings_have_their_names() {
        for (finding, word) in [
            (Finding::BlindRepeat, "blind_repeat"),
            (Finding::Repeat, "repeat"),
            (Finding::StuckSignature, "stuck_signature"),
            (Finding::RepairsUsed, "repairs_used"),
            (Finding::Churn("a b".to_owned()), "churn:a b"),
            (Finding::WeakRepeats, "weak_repeats"),
            (Finding::Leak, "leak"),
        ] {
            assert_eq!(finding.to_string(), word);
        }
    }
}
