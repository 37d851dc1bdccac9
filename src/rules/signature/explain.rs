//! How a failure text came to its signature, step by step.

use std::collections::BTreeMap;

use serde::Serialize;

use super::records::Tier;
use super::{read, signed};
use crate::contract::signature::{FamilyId, SignatureId, Strength};

/// What an extractor made of a part of the text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Extracted {
    /// The line that it began in, from 1.
    pub line: usize,
    /// Which extractor it was.
    pub extractor: &'static str,
    /// How much the record says: `cause`, `tool`, `warning` or `wrapper`.
    pub tier: &'static str,
    /// The record, masked.
    pub record: String,
    /// It is part of the signature: no better tier has any record.
    pub counts: bool,
}

/// How often something was masked in the records that count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Masked {
    /// What stands in its place, such as `<path>`.
    pub mask: String,
    /// How often.
    pub times: usize,
}

/// A signature and how it came about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Explained {
    /// The id.
    pub signature: SignatureId,
    /// The id of its family.
    pub family: FamilyId,
    /// How much it says.
    pub strength: Strength,
    /// What was hashed, one record a line.
    pub records: Vec<String>,
    /// The tier that the records are of; `outcome` when no extractor knew a line.
    pub tier: &'static str,
    /// All records that were found, also those that a better tier outdid.
    pub extracted: Vec<Extracted>,
    /// What was masked in the records.
    pub masked: Vec<Masked>,
    /// Lines of the text that hold something.
    pub lines: usize,
    /// Lines that no extractor took.
    pub dropped: usize,
    /// How many tests the text says failed.
    pub failing_tests: Option<u64>,
}

/// Signs a text and tells how; the arguments are those of [`super::sign`].
#[must_use]
pub fn explain(text: &str, exit_code: Option<i32>, root: Option<&str>) -> Explained {
    let found = read(text, root);
    let signature = signed(&found, exit_code);
    let records: Vec<String> = signature.canonical.lines().map(str::to_owned).collect();
    let best = found.tier();
    let extracted = found.kept.iter().map(|kept| Extracted {
        line: kept.line + 1,
        extractor: kept.extractor,
        tier: kept.tier.as_str(),
        record: kept.text.clone(),
        counts: Some(kept.tier) == best,
    });
    Explained {
        extracted: extracted.collect(),
        masked: masked(&records),
        tier: best.map_or("outcome", Tier::as_str),
        signature: signature.id,
        family: signature.family,
        strength: signature.strength,
        records,
        lines: found.lines,
        dropped: found.dropped,
        failing_tests: super::failing_tests(text),
    }
}

fn masked(records: &[String]) -> Vec<Masked> {
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    for record in records {
        let mut rest = record.as_str();
        while let Some(open) = rest.find('<') {
            rest = &rest[open..];
            let end = rest[1..].find(|c: char| !c.is_ascii_lowercase());
            let end = end.map_or(rest.len(), |end| end + 1);
            if rest[end..].starts_with('>') && super::mask::MASKS.contains(&&rest[..=end]) {
                *times.entry(&rest[..=end]).or_default() += 1;
            }
            rest = &rest[end.max(1)..];
        }
    }
    let masks = times.into_iter().map(|(mask, times)| Masked {
        mask: mask.to_owned(),
        times,
    });
    masks.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_explanation_names_tier_line_and_masks() {
        let text = "curl: (7) Failed to connect to 127.0.0.1 port 8080 after 12 ms\n\
            Traceback (most recent call last):\n  File \"/w/one/app.py\", line 3, in load\n\
            ValueError: no key at 0x7ffd12ab or 0x7ffd12ac\n\
            make: *** [Makefile:3: all] Error 1\n";
        let told = explain(text, Some(2), Some("/w/one"));
        assert_eq!(told.tier, "cause");
        assert_eq!(told.strength, Strength::Strong);
        let rows: Vec<(usize, &str, bool)> = told
            .extracted
            .iter()
            .map(|row| (row.line, row.tier, row.counts))
            .collect();
        assert_eq!(
            rows,
            [
                (1, "tool", false),
                (2, "cause", true),
                (5, "wrapper", false)
            ]
        );
        assert_eq!(told.records.len(), 1);
        assert_eq!(told.records[0], told.extracted[1].record);
        let masks: Vec<(&str, usize)> = told
            .masked
            .iter()
            .map(|masked| (masked.mask.as_str(), masked.times))
            .collect();
        assert_eq!(masks, [("<addr>", 2)]);
        assert_eq!((told.lines, told.dropped), (5, 0));
        assert_eq!(told.failing_tests, None);
    }

    #[test]
    fn each_tier_has_its_name() {
        for (text, tier) in [
            ("src/a.py:3: error: no", "cause"),
            ("curl: (6) Could not resolve host: x", "tool"),
            (
                "warning: unused variable: `x`\n --> src/main.rs:2:9",
                "warning",
            ),
            ("make: *** [Makefile:3: all] Error 1", "wrapper"),
            ("Exit code 4", "outcome"),
            ("", "outcome"),
        ] {
            assert_eq!(explain(text, Some(1), None).tier, tier, "{text}");
        }
    }

    #[test]
    fn the_backtrace_of_a_panic_belongs_to_it() {
        let frames = "   0: std::panicking::begin_panic\n             at /rustc/a/b.rs:1\n   \
            1: demo::main\n             at ./src/main.rs:2:5\n";
        for panic in [
            "thread 'main' panicked at 'boom', src/main.rs:2:5\n",
            "thread 'main' panicked at 'boom', src/main.rs:2:5\nstack backtrace:\n",
            "thread 'main' panicked at src/main.rs:2:5:\nboom\nstack backtrace:\n",
        ] {
            let text = format!("{panic}{frames}the rest\n");
            let told = explain(&text, Some(101), None);
            assert_eq!(told.records, ["panic|main|src/main.rs|boom"], "{text}");
            assert_eq!(told.lines, text.lines().count(), "{text}");
            assert_eq!(told.dropped, 1, "{text}");
        }
    }
}
