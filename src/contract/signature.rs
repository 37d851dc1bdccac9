//! Ids of failure signatures (spec 3.5) and how much they say.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::digest::Digest;

/// How much a signature says. `Weak` is outcome only and is not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Strength {
    /// A diagnostic names the cause.
    #[default]
    Strong,
    /// A tool's own message.
    Medium,
    /// The outcome alone: a signal, a time-out, an exit code.
    Weak,
}

/// A failure signature id: `es1:` and 16 lower-case hex digits; older records carry `es0:`.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
pub struct SignatureId(String);

impl SignatureId {
    /// The id of a canonical text.
    #[must_use]
    pub fn of(canonical: &str) -> Self {
        Self(hashed("es1:", canonical))
    }

    /// Reads an id; `None` when the text is no id (and may be a failure text).
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let hex = text
            .strip_prefix("es1:")
            .or_else(|| text.strip_prefix("es0:"))?;
        let fits = hex.len() == 16 && hex.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        fits.then(|| Self(text.to_owned()))
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SignatureId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The id of a family of signatures, which differ in quoted names and numbers only: `ef1:` and
/// 16 lower-case hex digits. It is for warnings; limits never count it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct FamilyId(String);

impl FamilyId {
    /// The id of the family with this canonical text.
    #[must_use]
    pub fn of(canonical: &str) -> Self {
        Self(hashed("ef1:", canonical))
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn hashed(prefix: &str, canonical: &str) -> String {
    let hex = Digest::of(canonical.as_bytes()).hex();
    format!("{prefix}{}", &hex[..16])
}

/// What a failure text was read as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The id.
    pub id: SignatureId,
    /// How much it says.
    pub strength: Strength,
    /// The canonical text that was hashed: the records in order, one a line.
    pub canonical: String,
    /// Which others it is like.
    pub family: FamilyId,
    /// Nothing is known but the outcome: no line of the text says anything.
    pub outcome_only: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_of_the_canonical_text() {
        let hex = Digest::of(b"x").hex();
        assert_eq!(SignatureId::of("x").as_str(), format!("es1:{}", &hex[..16]));
        assert_eq!(FamilyId::of("x").as_str(), format!("ef1:{}", &hex[..16]));
        assert!(SignatureId::parse(SignatureId::of("").as_str()).is_some());
    }

    #[test]
    fn only_exact_ids_are_ids() {
        for good in ["es1:0123456789abcdef", "es0:ffffffffffffffff"] {
            assert_eq!(
                SignatureId::parse(good).map(|id| id.to_string()),
                Some(good.to_owned())
            );
        }
        for bad in [
            "",
            "es1:",
            "es1:0123456789abcde",
            "es1:0123456789abcdef0",
            "es2:0123456789abcdef",
            "es1:0123456789ABCDEF",
            "ES1:0123456789abcdef",
            " es1:0123456789abcdef",
            "es1:0123456789abcdeg",
        ] {
            assert_eq!(SignatureId::parse(bad), None, "{bad}");
        }
    }
}
