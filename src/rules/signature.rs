//! The simple failure signature `es0` (spec 3.5): what is left of a failure text when colour,
//! noise and everything that changes from run to run is taken away.

mod clean;
mod lines;
mod mask;
mod summary;

use std::collections::BTreeSet;

use crate::contract::digest::Digest;
use crate::contract::secret::redact;
use crate::contract::signature::{Signature, SignatureId, Strength};

pub use summary::failing_tests;

/// The longest text that is read whole, in bytes; of a longer one the head and the tail.
pub const CAP: usize = 256 * 1024;

/// The most lines that make a signature.
pub const LINES: usize = 64;

/// Signs a failure text. `exit_code` counts only where the text says nothing; a negative one is
/// a signal. `root` is the project's directory: paths below it are told relative to it, others
/// by their last part.
#[must_use]
pub fn sign(text: &str, exit_code: Option<i32>, root: Option<&str>) -> Signature {
    let plain = clean::plain(&clean::capped(text));
    let (plain, _) = redact(&plain);
    let mut kept = Kept::default();
    for line in plain.lines() {
        kept.take(line, root);
    }
    let (strength, canonical) = kept.best(exit_code);
    Signature {
        id: id(&canonical),
        strength,
        canonical,
    }
}

/// A tool's output as a person would read it: escape sequences and overwritten lines are gone.
#[must_use]
pub fn plain(text: &str) -> String {
    clean::plain(&clean::capped(text))
}

/// The id of a canonical text.
fn id(canonical: &str) -> SignatureId {
    let hex = Digest::of(canonical.as_bytes()).hex();
    let text = format!("es0:{}", &hex[..16]);
    // Sixteen hex digits after the prefix are always an id.
    SignatureId::parse(&text).unwrap_or_else(|| id(""))
}

/// Lines that were kept, by how much they say, and what the dropped ones told of the outcome.
#[derive(Default)]
struct Kept {
    strong: BTreeSet<String>,
    medium: BTreeSet<String>,
    outcome: Option<String>,
}

impl Kept {
    fn take(&mut self, line: &str, root: Option<&str>) {
        if let Some(outcome) = lines::outcome(line) {
            if !outcome.is_empty() {
                self.outcome.get_or_insert(outcome);
            }
            return;
        }
        let masked = mask::mask(line, root);
        if masked.is_empty() {
            return;
        }
        let tier = match lines::tier(line) {
            lines::Tier::Cause => &mut self.strong,
            lines::Tier::Told => &mut self.medium,
            lines::Tier::Noise => return,
        };
        if tier.len() < LINES {
            tier.insert(masked);
        }
    }

    /// The best tier that has anything; else the outcome.
    fn best(self, exit_code: Option<i32>) -> (Strength, String) {
        if !self.strong.is_empty() {
            (Strength::Strong, join(self.strong))
        } else if !self.medium.is_empty() {
            (Strength::Medium, join(self.medium))
        } else {
            let outcome = match exit_code {
                Some(code) if code < 0 => format!("signal {}", code.unsigned_abs()),
                Some(code) => format!("exit {code}"),
                None => self.outcome.unwrap_or_else(|| "exit unknown".to_owned()),
            };
            (Strength::Weak, outcome)
        }
    }
}

fn join(lines: BTreeSet<String>) -> String {
    let lines: Vec<String> = lines.into_iter().collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests;
