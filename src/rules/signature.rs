//! Failure signatures `es1` (spec 3.5): what is left of a failure text when colour, noise and
//! everything that changes from run to run is taken away.

mod clean;
mod explain;
mod extract;
mod family;
mod mask;
mod records;
mod shape;
mod summary;

use crate::contract::secret::redact;
use crate::contract::signature::{FamilyId, Signature, SignatureId};

use records::Records;

pub use explain::{Explained, Extracted, Masked, explain};
pub use summary::failing_tests;

/// The longest text that is read whole, in bytes; of a longer one the head and the tail.
pub const CAP: usize = 256 * 1024;

/// The most records that make a signature.
pub const LINES: usize = 64;

/// Signs a failure text. `exit_code` counts only where the text says nothing; a negative one is
/// a signal. `root` is the project's directory: paths below it are told relative to it.
#[must_use]
pub fn sign(text: &str, exit_code: Option<i32>, root: Option<&str>) -> Signature {
    signed(&read(text, root), exit_code)
}

/// The records of a text, by tier.
fn read(text: &str, root: Option<&str>) -> Records {
    let plain = clean::plain(&clean::capped(text));
    let (plain, _) = redact(&plain);
    let root = root.map(|root| root.trim_end_matches(['/', '\\']));
    let root = root.filter(|root| !root.is_empty());
    extract::records(&plain, root)
}

fn signed(records: &Records, exit_code: Option<i32>) -> Signature {
    let (strength, canonical) = records.best(exit_code);
    Signature {
        id: SignatureId::of(&canonical),
        strength,
        family: FamilyId::of(&family::coarse(&canonical)),
        outcome_only: records.tier().is_none() && records.unknown.is_empty(),
        canonical,
    }
}

/// A tool's output as a person would read it: escape sequences and overwritten lines are gone.
#[must_use]
pub fn plain(text: &str) -> String {
    clean::plain(&clean::capped(text))
}

#[cfg(test)]
mod groups;
#[cfg(test)]
mod tests;
