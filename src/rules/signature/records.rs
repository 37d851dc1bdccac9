//! What the extractors found, by how much it says.

use crate::contract::signature::Strength;

use super::LINES;
use super::mask::mask;
use super::shape::unsnipped;

/// The longest record, in characters.
const LONGEST: usize = 300;

/// The most lines that stand for a failure of which nothing is known but that it failed.
const LAST: usize = 3;

/// How much a record says. The best tier that has any record makes the signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Tier {
    /// A diagnostic names the cause.
    Cause,
    /// A tool says what it could not do.
    Told,
    /// A diagnostic warns; it counts where nothing worse was said.
    Warned,
    /// A tool says that another one failed.
    Wrapper,
}

impl Tier {
    const ALL: [Self; 4] = [Self::Cause, Self::Told, Self::Warned, Self::Wrapper];

    const fn strength(self) -> Strength {
        match self {
            Self::Cause | Self::Warned => Strength::Strong,
            Self::Told | Self::Wrapper => Strength::Medium,
        }
    }

    /// Its name in an explanation.
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Cause => "cause",
            Self::Told => "tool",
            Self::Warned => "warning",
            Self::Wrapper => "wrapper",
        }
    }
}

/// One record: the masked text and where it came from.
#[derive(Clone, Debug)]
pub(super) struct Record {
    pub tier: Tier,
    pub extractor: &'static str,
    /// The line that it began in, from 0.
    pub line: usize,
    pub text: String,
}

/// Records of one text. Each is kept once, and no more than [`LINES`] of a tier.
#[derive(Debug, Default)]
pub(super) struct Records {
    pub kept: Vec<Record>,
    counts: [usize; 4],
    /// The outcome that the text states.
    pub outcome: Option<String>,
    /// The last lines that say something nobody knows how to read.
    pub unknown: Vec<String>,
    /// Lines of the text that hold something, and those of them that no extractor took.
    pub lines: usize,
    pub dropped: usize,
}

impl Records {
    /// No records of a text with so many lines that hold something.
    pub(super) fn of(lines: usize) -> Self {
        Self {
            lines,
            ..Self::default()
        }
    }

    /// Keeps a record: each part is masked, and those that say something are joined.
    pub(super) fn put(
        &mut self,
        tier: Tier,
        extractor: &'static str,
        line: usize,
        parts: &[&str],
        root: Option<&str>,
    ) {
        if self.counts[tier as usize] >= LINES {
            return;
        }
        let mut text = String::with_capacity(80);
        for part in parts {
            let part = mask(unsnipped(part), root);
            if part.is_empty() {
                continue;
            }
            if !text.is_empty() {
                text.push('|');
            }
            text.push_str(&part);
        }
        cut(&mut text);
        let mut same = self.kept.iter().filter(|kept| kept.tier == tier);
        if text.is_empty() || same.any(|kept| kept.text == text) {
            return;
        }
        self.counts[tier as usize] += 1;
        self.kept.push(Record {
            tier,
            extractor,
            line,
            text,
        });
    }

    /// Remembers a line that nobody knows how to read.
    pub(super) fn unknown(&mut self, line: &str, root: Option<&str>) {
        if self.unknown.len() == LAST {
            self.unknown.remove(0);
        }
        let mut text = mask(line, root);
        cut(&mut text);
        if !text.is_empty() {
            self.unknown.push(text);
        }
    }

    /// The tier that makes the signature; `None` when only the outcome is known.
    pub(super) fn tier(&self) -> Option<Tier> {
        let mut tiers = Tier::ALL.into_iter();
        tiers.find(|tier| self.counts[*tier as usize] > 0)
    }

    /// The canonical text and how much it says.
    pub(super) fn best(&self, exit_code: Option<i32>) -> (Strength, String) {
        if let Some(tier) = self.tier() {
            let kept = self.kept.iter().filter(|kept| kept.tier == tier);
            let mut texts: Vec<&str> = kept.map(|kept| kept.text.as_str()).collect();
            texts.sort_unstable();
            return (tier.strength(), texts.join("\n"));
        }
        // Whoever ended a process at its time knows better than the code that it left.
        let ended = |told: &&String| told.starts_with("timeout") || told.starts_with("signal");
        let outcome = match (self.outcome.as_ref().filter(ended), exit_code) {
            (Some(told), _) => Some(told.clone()),
            (None, Some(code)) => Some(outcome(code)),
            (None, None) => self.outcome.clone(),
        };
        // Whoever tells of a failure in words and of no outcome has told what there is to tell.
        let strength = if outcome.is_none() && !self.unknown.is_empty() {
            Strength::Medium
        } else {
            Strength::Weak
        };
        let mut texts: Vec<String> = self.unknown.clone();
        // That a program failed in the way in which most do adds nothing to what it said.
        let plain = |outcome: &String| !texts.is_empty() && outcome == "exit 1";
        texts.extend(outcome.filter(|outcome| !plain(outcome)));
        texts.sort_unstable();
        texts.dedup();
        if texts.is_empty() {
            texts.push("exit unknown".to_owned());
        }
        (strength, texts.join("\n"))
    }
}

/// An exit code as an outcome. A shell tells a signal as 128 and its number, and `timeout` a
/// time-out as 124.
pub(super) fn outcome(code: i32) -> String {
    match code {
        124 => "timeout".to_owned(),
        129..=159 => format!("signal {}", code - 128),
        code if code < 0 => format!("signal {}", code.unsigned_abs()),
        code => format!("exit {code}"),
    }
}

fn cut(text: &mut String) {
    if let Some((end, _)) = text.char_indices().nth(LONGEST) {
        text.truncate(end);
        text.truncate(text.trim_end().len());
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn records_are_independent_of_their_order(
            texts in Just((0..40).map(|at| format!("r{}", at % 23)).collect::<Vec<_>>()).prop_shuffle()
        ) {
            let mut records = Records::default();
            for text in &texts {
                put(&mut records, Tier::Cause, text);
            }
            let mut sorted: Vec<String> = (0..23).map(|at| format!("r{at}")).collect();
            sorted.sort();
            prop_assert_eq!(records.best(None).1, sorted.join("\n"));
        }
    }

    fn put(records: &mut Records, tier: Tier, text: &str) {
        records.put(tier, "test", 0, &[text, ""], None);
    }

    #[test]
    fn the_best_tier_makes_the_signature() {
        let mut records = Records::default();
        let tiers = [
            (Tier::Wrapper, Strength::Medium),
            (Tier::Warned, Strength::Strong),
            (Tier::Told, Strength::Medium),
            (Tier::Cause, Strength::Strong),
        ];
        assert_eq!(records.tier(), None);
        for (tier, strength) in tiers {
            put(&mut records, tier, tier.as_str());
            put(&mut records, tier, tier.as_str());
            let best = (strength, tier.as_str().to_owned());
            assert_eq!(records.best(Some(3)), best);
            assert_eq!(records.tier(), Some(tier));
        }
        assert_eq!(records.kept.len(), 4);
    }

    #[test]
    fn records_are_sorted_cut_and_limited() {
        let mut records = Records::default();
        put(&mut records, Tier::Cause, "b");
        put(&mut records, Tier::Cause, "a");
        put(&mut records, Tier::Cause, " ");
        assert_eq!(records.best(None).1, "a\nb");
        put(&mut records, Tier::Cause, &"é".repeat(LONGEST + 1));
        assert_eq!(records.kept[2].text.chars().count(), LONGEST);
        for at in 0..100 {
            put(&mut records, Tier::Cause, &format!("x{at}"));
        }
        assert_eq!(records.kept.len(), LINES);
    }

    #[test]
    fn without_records_the_outcome_and_the_last_lines_count() {
        let mut records = Records::default();
        assert_eq!(
            records.best(None),
            (Strength::Weak, "exit unknown".to_owned())
        );
        for line in ["one", "two", "three", "four"] {
            records.unknown(line, None);
        }
        let told = (Strength::Medium, "four\nthree\ntwo".to_owned());
        assert_eq!(records.best(None), told);
        records.outcome = Some("exit 4".to_owned());
        assert_eq!(
            records.best(None),
            (Strength::Weak, "exit 4\nfour\nthree\ntwo".to_owned())
        );
        for (code, expected) in [
            (0, "exit 0"),
            (1, "exit 1"),
            (124, "timeout"),
            (137, "signal 9"),
            (129, "signal 1"),
            (160, "exit 160"),
            (-11, "signal 11"),
        ] {
            assert_eq!(outcome(code), expected);
        }
    }
}
