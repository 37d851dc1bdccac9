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
