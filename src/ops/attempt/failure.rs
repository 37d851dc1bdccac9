//! What a failure text is read as: signature, strength, and whether it will pass by itself.

use crate::contract::attempt::AttemptInput;
use crate::contract::code::Triaged;
use crate::contract::refusal::{Code, Refusal};
use crate::contract::signature::{SignatureId, Strength};
use crate::journal::Read;
use crate::ops::codes;
use crate::ops::context::Context;
use crate::rules::triage::Classified;
use crate::rules::{signature, triage};

pub use crate::rules::signature::Explained;

/// What a failure text was read as.
pub struct Failure {
    /// Its signature.
    pub signature: Option<SignatureId>,
    /// How much it says.
    pub strength: Strength,
    /// It is the provider's or the network's, and will pass.
    pub transient: bool,
    /// In a line, redacted.
    pub line: Option<String>,
    /// What it was classified as, once the store was asked.
    pub triage: Option<Triaged>,
    /// What the classification needs.
    text: Option<Text>,
}

/// A failure text, read as far as it can be without the store.
struct Text {
    signal: triage::Signal,
    shipped: Option<Classified>,
    canonical: String,
    raw: String,
    outcome_only: bool,
}

impl Failure {
    /// Nothing failed.
    #[must_use]
    pub fn none() -> Self {
        Self {
            signature: None,
            strength: Strength::Strong,
            transient: false,
            line: None,
            triage: None,
            text: None,
        }
    }

    /// Reads the text of a failure. A bare verdict word is classified as nothing.
    #[must_use]
    pub fn of_text(context: &Context, text: &str, exit_code: Option<i32>) -> Self {
        Self::read(context, text, codes::signal_of_output(text).ok(), exit_code)
    }

    fn read(
        context: &Context,
        text: &str,
        signal: Option<triage::Signal>,
        exit_code: Option<i32>,
    ) -> Self {
        let root = context.root.to_string_lossy();
        let signed = signature::sign(text, exit_code, Some(&root));
        let raw = codes::raw_kept(text);
        let line = raw.lines().map(str::trim).find(|line| !line.is_empty());
        let line = line.map(|line| line.chars().take(200).collect());
        let text = signal.map(|signal| Text {
            shipped: signal.in_shipped(None),
            signal,
            canonical: signed.canonical,
            raw,
            outcome_only: signed.outcome_only,
        });
        let shipped = text.as_ref().and_then(|text| text.shipped.as_ref());
        Self {
            signature: Some(signed.id),
            strength: signed.strength,
            transient: shipped.is_some_and(triage::is_transient),
            line,
            triage: None,
            text,
        }
    }

    /// Classifies the text by the catalogue in force, which is asked for only where there is a
    /// text. An outcome alone that nobody knows gets no code: it names no cause.
    ///
    /// # Errors
    /// The store fails.
    pub fn classify(&mut self, read: &dyn Read) -> Result<(), Refusal> {
        let Some(text) = self.text.take() else {
            return Ok(());
        };
        let vocabulary = codes::in_force(read)?;
        let Text {
            signal,
            shipped,
            canonical,
            raw,
            outcome_only,
        } = text;
        let (triaged, found) =
            codes::triaged(&vocabulary, &signal, shipped.as_ref(), &canonical, raw);
        if triaged.minted.is_some() && outcome_only {
            return Ok(());
        }
        self.transient = triage::is_transient(&found);
        self.triage = Some(triaged);
        Ok(())
    }

    pub(super) fn of(context: &Context, input: &AttemptInput) -> Result<Self, Refusal> {
        let Some(given) = &input.error_signature else {
            return Ok(Self::none());
        };
        if let Some(id) = SignatureId::parse(given) {
            return Ok(Self {
                signature: Some(id),
                ..Self::none()
            });
        }
        match codes::signal_of_output(given) {
            Err(refusal) if refusal.code == Code::ForbiddenTerminalLabel => Err(refusal),
            signal => Ok(Self::read(context, given, signal.ok(), None)),
        }
    }
}

/// How a failure text came to its signature, step by step.
#[must_use]
pub fn explain(text: &str, exit_code: Option<i32>, root: Option<&str>) -> Explained {
    signature::explain(text, exit_code, root)
}
