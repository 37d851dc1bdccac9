//! `triage classify`: needs no store and writes nothing.

use serde::Serialize;

use crate::contract::catalog::Catalog;
use crate::contract::fault::Fault;
use crate::contract::refusal::{Code, Refusal};
use crate::ops::context::Context;
use crate::rules::triage::{self, Classified};

use super::overlay;

/// What `triage classify` answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Answer {
    /// The classification.
    #[serde(flatten)]
    pub classified: Classified,
    /// What the author of the user's catalogue, or of the given one, should know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Fault>,
}

/// Classifies a failure text by a catalogue file alone, named by its path and read by the caller;
/// or by the user's catalogue and the shipped one after it.
///
/// # Errors
/// `usage` for a blank text, `forbidden_terminal_label` for a bare verdict word,
/// `catalog_invalid` for a catalogue that breaks its rules.
pub fn classify(
    context: &Context,
    text: &str,
    layer: Option<&str>,
    catalog: Option<(&str, &[u8])>,
) -> Result<Answer, Refusal> {
    // What is wrong with the text is said before anything is read.
    triage::Signal::read(text)?;
    if let Some((path, bytes)) = catalog {
        let loaded = Catalog::parse(bytes).map_err(|faults| invalid(faults, path))?;
        return Ok(Answer {
            classified: triage::classify(&loaded.catalog, text, layer)?,
            warnings: loaded.warnings,
        });
    }
    let (user, warnings) = match overlay::user(context)? {
        Some(loaded) => (loaded.catalog, loaded.warnings),
        None => (Catalog::empty(), Vec::new()),
    };
    Ok(Answer {
        classified: triage::classify_over(&user, text, layer)?,
        warnings,
    })
}

/// The refusal of a catalogue that breaks its rules.
pub(super) fn invalid(faults: Vec<Fault>, path: &str) -> Refusal {
    let mut refusal = Refusal::of_faults(
        &format!("the catalogue {path}"),
        faults,
        format!("edit {path}"),
    );
    refusal.code = Code::CatalogInvalid;
    refusal
}
