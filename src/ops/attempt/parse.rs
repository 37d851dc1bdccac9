//! An entry as it is submitted, and its refusal.

use crate::contract::attempt::{AttemptInput, Defaults};
use crate::contract::refusal::{Code, Refusal};

/// Reads an entry; what the call itself says stands for what the entry leaves out.
///
/// # Errors
/// All faults together. Progress that is claimed and not measured has a code of its own.
pub fn parse(bytes: &[u8], defaults: Defaults) -> Result<AttemptInput, Refusal> {
    AttemptInput::parse(bytes, defaults).map_err(|faults| {
        let measured = faults
            .iter()
            .all(|fault| fault.code == "progress_unmeasured");
        let mut refusal = Refusal::of_faults(
            "the attempt",
            faults,
            "watchfloor schema show attempt_input",
        );
        if measured {
            refusal.code = Code::ProgressUnmeasured;
        }
        refusal
    })
}
