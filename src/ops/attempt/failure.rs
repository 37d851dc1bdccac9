//! What a failure text is read as: signature, strength, and whether it will pass by itself.

use crate::contract::attempt::AttemptInput;
use crate::contract::refusal::{Code, Refusal};
use crate::contract::secret;
use crate::contract::signature::{SignatureId, Strength};
use crate::ops::context::Context;
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
        }
    }

    /// Reads the text of a failure.
    ///
    /// # Errors
    /// The text is a bare verdict word.
    pub fn of_text(context: &Context, text: &str, exit_code: Option<i32>) -> Self {
        let root = context.root.to_string_lossy();
        let signed = signature::sign(text, exit_code, Some(&root));
        let transient =
            triage::classify(context.catalog(), text, None).is_ok_and(|c| triage::is_transient(&c));
        let (redacted, _) = secret::redact(text);
        let line = redacted
            .lines()
            .map(str::trim)
            .find(|line| !line.is_empty());
        Self {
            signature: Some(signed.id),
            strength: signed.strength,
            transient,
            line: line.map(|line| line.chars().take(200).collect()),
        }
    }

    pub(super) fn of(context: &Context, input: &AttemptInput) -> Result<Self, Refusal> {
        let Some(given) = &input.error_signature else {
            return Ok(Self::none());
        };
        if let Some(id) = SignatureId::parse(given) {
            return Ok(Self {
                signature: Some(id),
                strength: Strength::Strong,
                transient: false,
                line: None,
            });
        }
        if let Err(refusal) = triage::classify(context.catalog(), given, None)
            && refusal.code == Code::ForbiddenTerminalLabel
        {
            return Err(refusal);
        }
        Ok(Self::of_text(context, given, None))
    }
}

/// How a failure text came to its signature, step by step.
#[must_use]
pub fn explain(text: &str, exit_code: Option<i32>, root: Option<&str>) -> Explained {
    signature::explain(text, exit_code, root)
}
