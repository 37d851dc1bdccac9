//! Suspicions beyond the contract (spec 3.4, last paragraph): told and shown, never counted,
//! never a finding.

use std::collections::BTreeSet;

use super::window::Try;
use crate::contract::safety::Outcome;

/// Results in a row that are worth a word.
const IDENTICAL: usize = 10;

/// `cycle:<length>` when the strategies went round twice in three to five steps, and
/// `identical_results` at every tenth equal result of calls that differ.
pub(super) fn circles(tries: &[Try]) -> Vec<String> {
    let mut warnings: Vec<String> = (3..=5)
        .filter(|length| goes_round(tries, *length))
        .map(|length| format!("cycle:{length}"))
        .collect();
    if identical(tries) {
        warnings.push("identical_results".to_owned());
    }
    warnings
}

/// The last two rounds hold the same strategies, each once a round, and one try failed.
fn goes_round(tries: &[Try], length: usize) -> bool {
    let declared: Vec<&Try> = tries.iter().filter(|t| !t.undeclared).collect();
    let Some(from) = declared.len().checked_sub(2 * length) else {
        return false;
    };
    let (first, second) = declared[from..].split_at(length);
    let strategies: BTreeSet<&str> = first.iter().map(|t| t.strategy.as_str()).collect();
    strategies.len() == length
        && first
            .iter()
            .zip(second)
            .all(|(a, b)| a.strategy == b.strategy)
        && declared[from..].iter().any(|t| t.failed)
}

/// The run of equal results at the end is a multiple of ten long, and its last ten are not
/// one call again and again. Passing is no suspicion.
fn identical(tries: &[Try]) -> bool {
    let Some(last) = tries.last().filter(|t| t.result != Outcome::Pass) else {
        return false;
    };
    let equal = |t: &&Try| t.result == last.result && t.seen == last.seen;
    let run = tries.iter().rev().take_while(equal).count();
    let varied = tries
        .iter()
        .rev()
        .take(IDENTICAL)
        .any(|t| t.strategy != last.strategy || t.state != last.state || t.files != last.files);
    run.is_multiple_of(IDENTICAL) && varied
}
