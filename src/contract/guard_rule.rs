//! A rule of the guard as it is written down (spec 3.8): what it matches, and examples that it must
//! and must not match.

use serde::Deserialize;

use super::breaker::Trigger;
use super::guard::GuardOutcome;

/// The named environment that a rule needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Environment {
    /// None.
    #[default]
    Any,
    /// Production is named.
    Production,
    /// Nothing but production is named, or nothing at all.
    Unnamed,
}

/// What becomes of a command that a rule matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleOutcome {
    /// Refused, and a breaker opens.
    Trip,
    /// Refused.
    Deny,
    /// It only reads; for built-in rules.
    Reads,
}

impl RuleOutcome {
    /// The guard's answer after a match.
    #[must_use]
    pub fn answer(self) -> GuardOutcome {
        match self {
            Self::Trip => GuardOutcome::Trip,
            Self::Deny => GuardOutcome::Deny,
            Self::Reads => GuardOutcome::Allow,
        }
    }
}

/// One rule.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GuardRule {
    /// What it is called, e.g. `own.no-reboot`.
    pub id: String,
    /// What becomes of a match.
    pub outcome: RuleOutcome,
    /// Which breaker opens, with the outcome `trip`.
    #[serde(default)]
    pub trigger: Option<Trigger>,
    /// Why, for the model and the person.
    pub reason: String,
    /// Patterns: a program, its first words, its flags; `|` between alternatives, `*` for any text,
    /// `...` for any words between, `$` for no further word.
    #[serde(default)]
    pub when: Vec<String>,
    /// Flags or words with which it does not match.
    #[serde(default)]
    pub unless: Vec<String>,
    /// The named environment that it needs.
    #[serde(default)]
    pub environment: Environment,
    /// Whether the command prints a secret, which matters where it is shown.
    #[serde(default)]
    pub prints: bool,
    /// Commands that it must match.
    #[serde(rename = "match", default)]
    pub matches: Vec<String>,
    /// Commands that it must not match.
    #[serde(default)]
    pub pass: Vec<String>,
}

/// A file of rules.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleFile {
    /// The rules.
    #[serde(default)]
    pub rule: Vec<GuardRule>,
    /// Flags of programs that take a value; for built-in rules.
    #[serde(default)]
    pub values: std::collections::BTreeMap<String, Vec<String>>,
}

impl RuleFile {
    /// Reads a user's file of rules.
    ///
    /// # Errors
    /// What is wrong with it, in a sentence that names the place.
    pub fn parse_own(text: &str) -> Result<Vec<GuardRule>, String> {
        let file: Self = toml::from_str(text).map_err(|error| error.to_string())?;
        if !file.values.is_empty() {
            return Err("values: only built-in rules say which flags take a value".to_owned());
        }
        let mut seen = std::collections::BTreeSet::new();
        for rule in &file.rule {
            rule.sound()
                .map_err(|fault| format!("rule {}: {fault}", rule.id))?;
            if !seen.insert(rule.id.as_str()) {
                return Err(format!("rule {}: there are two of that id", rule.id));
            }
        }
        Ok(file.rule)
    }
}

impl GuardRule {
    fn sound(&self) -> Result<(), String> {
        let word = |text: &str| {
            !text.is_empty()
                && text.len() <= 64
                && text
                    .bytes()
                    .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"._-".contains(&b))
        };
        let fault = if !word(&self.id) {
            "its id is lower-case letters, digits, dots and dashes, 64 at most"
        } else if self.reason.trim().is_empty() {
            "it needs a reason"
        } else if self.outcome == RuleOutcome::Reads || self.prints {
            "its outcome is trip or deny"
        } else if (self.outcome == RuleOutcome::Trip) != self.trigger.is_some() {
            "a trip, and nothing else, needs a trigger"
        } else if self.when.is_empty() || self.when.iter().any(|pattern| !starts_well(pattern)) {
            "it needs patterns that begin with a program"
        } else if self.matches.is_empty() || self.pass.is_empty() {
            "it needs examples that match and examples that pass"
        } else {
            return Ok(());
        };
        Err(fault.to_owned())
    }
}

fn starts_well(pattern: &str) -> bool {
    let program = pattern.split(' ').next().unwrap_or_default();
    !program.is_empty() && !program.starts_with('-') && program != "..." && program != "$"
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRIP: &str = r#"
[[rule]]
id = "own.no-reboot"
outcome = "trip"
trigger = "disk"
reason = "It stops everyone."
when = ["shutdown | reboot"]
match = ["reboot"]
pass = ["echo reboot"]
"#;

    fn with(line: &str, other: &str) -> Result<Vec<GuardRule>, String> {
        assert_eq!(TRIP.matches(line).count(), 1, "{line}");
        RuleFile::parse_own(&TRIP.replace(line, other))
    }

    #[test]
    fn a_pattern_begins_with_the_name_of_a_program() {
        for pattern in [
            "rm",
            "rm -rf *",
            "*",
            "*sh -c",
            "$x",
            "....",
            "git ... push",
            "rm $",
            "r-m",
        ] {
            assert!(starts_well(pattern), "{pattern}");
        }
        for pattern in [
            "",
            " rm",
            " ",
            "-rf",
            "- rm",
            "--force rm",
            "-",
            "...",
            "... rm",
            "$",
            "$ rm",
        ] {
            assert!(!starts_well(pattern), "{pattern}");
        }
    }

    #[test]
    fn a_sound_rule_is_read_whole() {
        let rules = RuleFile::parse_own(TRIP).unwrap();
        let [rule] = rules.as_slice() else {
            panic!("{rules:?}")
        };
        assert_eq!(rule.id, "own.no-reboot");
        assert_eq!(rule.outcome.answer(), GuardOutcome::Trip);
        assert_eq!(rule.trigger, Some(Trigger::Disk));
        assert_eq!(rule.environment, Environment::Any);
        assert_eq!(rule.when, ["shutdown | reboot"]);
        assert!(rule.unless.is_empty() && !rule.prints);
        assert_eq!(RuleFile::parse_own("").unwrap(), []);
    }

    #[test]
    fn each_outcome_has_its_answer() {
        for (outcome, answer) in [
            (RuleOutcome::Trip, GuardOutcome::Trip),
            (RuleOutcome::Deny, GuardOutcome::Deny),
            (RuleOutcome::Reads, GuardOutcome::Allow),
        ] {
            assert_eq!(outcome.answer(), answer);
        }
    }

    #[test]
    fn an_id_is_short_and_plain() {
        let id = |id: &str| with(r#"id = "own.no-reboot""#, &format!("id = \"{id}\""));
        for good in ["a", "7", ".", "_", "-", "own.a_b-9", &"x".repeat(64)] {
            assert!(id(good).is_ok(), "{good}");
        }
        for bad in ["", "A", "own no", "own/no", "ö", &"x".repeat(65)] {
            let fault = id(bad).unwrap_err();
            assert_eq!(
                fault,
                format!(
                    "rule {bad}: its id is lower-case letters, digits, dots and dashes, 64 at most"
                )
            );
        }
    }

    #[test]
    fn an_unsound_rule_is_named_with_its_fault() {
        let trigger = r#"trigger = "disk""#;
        let trip = r#"outcome = "trip""#;
        let when = r#"when = ["shutdown | reboot"]"#;
        for (line, other, fault) in [
            (
                r#"reason = "It stops everyone.""#,
                "reason = ' '",
                "it needs a reason",
            ),
            (trip, "outcome = 'reads'", "its outcome is trip or deny"),
            (
                trip,
                "outcome = 'trip'\nprints = true",
                "its outcome is trip or deny",
            ),
            (
                trip,
                "outcome = 'deny'",
                "a trip, and nothing else, needs a trigger",
            ),
            (trigger, "", "a trip, and nothing else, needs a trigger"),
            (
                when,
                "when = []",
                "it needs patterns that begin with a program",
            ),
            (
                when,
                "when = ['rm', '-x']",
                "it needs patterns that begin with a program",
            ),
            (
                r#"match = ["reboot"]"#,
                "",
                "it needs examples that match and examples that pass",
            ),
            (
                r#"pass = ["echo reboot"]"#,
                "",
                "it needs examples that match and examples that pass",
            ),
        ] {
            assert_eq!(
                with(line, other).unwrap_err(),
                format!("rule own.no-reboot: {fault}"),
                "{other}"
            );
        }
        let deny = TRIP.replace(trip, "outcome = 'deny'").replace(trigger, "");
        let rules = RuleFile::parse_own(&deny).unwrap();
        assert_eq!(
            rules.first().map(|rule| rule.outcome),
            Some(RuleOutcome::Deny)
        );
    }

    #[test]
    fn a_file_has_no_two_rules_of_one_id_and_no_values() {
        assert_eq!(
            RuleFile::parse_own(&format!("{TRIP}{TRIP}")).unwrap_err(),
            "rule own.no-reboot: there are two of that id"
        );
        let second = TRIP.replace("own.no-reboot", "own.other");
        assert_eq!(
            RuleFile::parse_own(&format!("{TRIP}{second}"))
                .unwrap()
                .len(),
            2
        );
        assert_eq!(
            RuleFile::parse_own("[values]\ngit = ['-C']\n").unwrap_err(),
            "values: only built-in rules say which flags take a value"
        );
        assert!(with(r#"id = "own.no-reboot""#, "id = 'x'\nwat = 1").is_err());
    }
}
