//! What the form of a decision shows (spec 5.1).

use crate::authority::Keys;
use crate::contract::decide::DecideForm;
use crate::contract::handoff::ThreadLine;
use crate::contract::ids::{RecordId, handle};
use crate::contract::refusal::Refusal;
use crate::journal::Journal;
use crate::ops::context::Context;
use crate::ops::identity;
use crate::rules::handoff::Command;

use super::live::Sight;
use super::{NEEDS, find, refuse, thread};

/// Everything that the decision on one entry needs.
///
/// # Errors
/// There is no such entry, it is not escalated or decided already, or the store fails.
pub fn form(
    context: &Context,
    id: &str,
    journal: &mut impl Journal,
) -> Result<DecideForm, Refusal> {
    journal.read(|read| {
        let mut handoff = find(read, id)?;
        handoff
            .entry
            .decide(&Command::Decide)
            .map_err(|no| refuse::no(&handoff, &no))?;
        Sight::of(read)?.see(&mut handoff);
        let keys = Keys::new(&context.config);
        let signers = identity::known(read)?
            .into_iter()
            .filter(|signer| !signer.revoked && signer.holds(NEEDS) && keys.has(&signer.principal))
            .map(|signer| signer.principal)
            .collect();
        let parents = handoff.escalation.iter();
        Ok(DecideForm {
            thread: thread(&handoff, read)?.iter().map(said).collect(),
            needs: NEEDS,
            signers,
            parents: parents
                .map(|receipt| handle('r', &RecordId::new(receipt.id.clone())))
                .collect(),
            handoff: handoff.row,
        })
    })
}

/// A line of a thread: when, who, what.
#[must_use]
pub fn said(line: &ThreadLine) -> String {
    let time = line.at.get(11..19).unwrap_or_default();
    let by = line.by.as_deref().unwrap_or("somebody");
    let text = format!("{time} {by} {} {}", line.what, line.text);
    text.trim_end().to_owned()
}
