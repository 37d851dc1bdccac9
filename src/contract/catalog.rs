//! The catalogue of failure codes, `triage_error.catalog.v1` (spec 2.2): its types, the words
//! that are no codes, the form of a minted code, and the shipped catalogue.

mod check;
mod read;
mod shipped;
mod table;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::fault::Fault;
use super::json::Doc;

pub use shipped::Shipped;

/// Schema of a catalogue.
pub const CATALOG: &str = "triage_error.catalog.v1";

/// Symptoms that are never a terminal classification.
pub const FORBIDDEN_LABELS: [&str; 7] = [
    "NEEDS_ATTENTION",
    "BLOCKED",
    "PASS",
    "FAIL",
    "browser_handler_timeout",
    "unknown_error",
    "generic_failure",
];

/// What stands between the prefix of a minted code and its digits.
pub const MINT_MARK: &str = "_unclassified_";

/// One known failure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Its code.
    pub code: String,
    /// Where it happens; an entry without one fits everywhere.
    #[serde(default)]
    pub layer: Option<String>,
    /// Texts that give it away; each is looked for as it stands, in lower case.
    #[serde(rename = "match")]
    pub tokens: Vec<String>,
    /// Why it happens.
    pub cause: String,
    /// What to run next.
    pub next_command: String,
    /// Whether it can be got over without a person.
    pub recoverable: bool,
    /// What it is easily taken for.
    pub not_this: Vec<String>,
}

/// A catalogue, in the order in which its entries are tried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Catalog {
    /// Always [`CATALOG`].
    pub schema: String,
    /// For whoever reads the file.
    #[serde(default)]
    pub note: String,
    /// The entries.
    pub codes: Vec<Entry>,
    /// Minted codes and the entries that they turned out to be.
    #[serde(default)]
    pub aliases: BTreeMap<String, String>,
}

/// A catalogue that was read and holds, and what its author should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// The catalogue.
    pub catalog: Catalog,
    /// `token_too_common` for each token that hits ordinary words, `entry_hidden` for each one
    /// that hides an entry below it.
    pub warnings: Vec<Fault>,
}

static SHIPPED: LazyLock<Catalog> = LazyLock::new(|| Catalog {
    note: "What the product ships.".to_owned(),
    codes: Shipped::all().iter().map(Shipped::entry).collect(),
    ..Catalog::empty()
});

impl Entry {
    /// Reads one entry strictly. Whether it may stand in a catalogue is for the catalogue to say.
    ///
    /// # Errors
    /// The faults of its fields together.
    pub fn parse(bytes: &[u8]) -> Result<Self, Vec<Fault>> {
        read::entry(&Doc::parse(bytes)?, "")
    }

    /// Whether it is tried for a signal of this layer; without one, always.
    #[must_use]
    pub fn fits(&self, layer: Option<&str>) -> bool {
        fits(self.layer.as_deref(), layer)
    }
}

/// Whether an entry of a layer is tried for a signal of another: any where either is absent.
#[must_use]
pub fn fits(own: Option<&str>, asked: Option<&str>) -> bool {
    match (asked, own) {
        (Some(asked), Some(own)) => asked == own,
        _ => true,
    }
}

impl Catalog {
    /// A catalogue without entries.
    #[must_use]
    pub fn empty() -> Self {
        Self {
            schema: CATALOG.to_owned(),
            note: String::new(),
            codes: Vec::new(),
            aliases: BTreeMap::new(),
        }
    }

    /// The catalogue that the product ships.
    #[must_use]
    pub fn shipped() -> &'static Self {
        &SHIPPED
    }

    /// Reads a catalogue that stands alone.
    ///
    /// # Errors
    /// The faults of its fields together; where there are none, those of its rules together:
    /// `forbidden_code`, `duplicate_code`, `empty_token`, `token_shadowed`, `dangling_alias`.
    pub fn parse(bytes: &[u8]) -> Result<Loaded, Vec<Fault>> {
        Self::load(bytes, &Self::empty())
    }

    /// Reads a user's catalogue and lays it over another one: its entries are tried first, and
    /// its aliases may name entries of either.
    ///
    /// # Errors
    /// As [`Catalog::parse`], for the user's part.
    pub fn parse_over(bytes: &[u8], base: &Self) -> Result<Loaded, Vec<Fault>> {
        let mut loaded = Self::load(bytes, base)?;
        let catalog = &mut loaded.catalog;
        catalog.codes.extend(base.codes.iter().cloned());
        for (minted, code) in &base.aliases {
            let alias = catalog.aliases.entry(minted.clone());
            alias.or_insert_with(|| code.clone());
        }
        Ok(loaded)
    }

    /// Reads a user's catalogue by itself, judged as it will lie over another one.
    ///
    /// # Errors
    /// As [`Catalog::parse`].
    pub fn parse_user(bytes: &[u8], base: &Self) -> Result<Loaded, Vec<Fault>> {
        Self::load(bytes, base)
    }

    fn load(bytes: &[u8], base: &Self) -> Result<Loaded, Vec<Fault>> {
        let catalog = read::read(bytes)?;
        let faults = check::faults(&catalog, base);
        if faults.is_empty() {
            let warnings = catalog.warnings_over(base);
            Ok(Loaded { catalog, warnings })
        } else {
            Err(faults)
        }
    }

    /// The rules that it breaks, laid over another catalogue. See [`Catalog::parse`].
    #[must_use]
    pub fn faults_over(&self, base: &Self) -> Vec<Fault> {
        check::faults(self, base)
    }

    /// What its author should know, laid over another catalogue: tokens that hit ordinary words
    /// (`token_too_common`), and entries of the other one that it hides (`entry_hidden`).
    #[must_use]
    pub fn warnings_over(&self, base: &Self) -> Vec<Fault> {
        let mut warnings = check::warnings(self);
        warnings.extend(check::hidden(self, base));
        warnings
    }

    /// The entry of a code.
    #[must_use]
    pub fn entry(&self, code: &str) -> Option<&Entry> {
        self.codes.iter().find(|entry| entry.code == code)
    }

    /// Whether the catalogue has the code.
    #[must_use]
    pub fn is_code(&self, code: &str) -> bool {
        self.entry(code).is_some()
    }
}

/// Whether a text is one of [`FORBIDDEN_LABELS`], in any case.
#[must_use]
pub fn is_forbidden_label(text: &str) -> bool {
    let text = text.to_lowercase();
    FORBIDDEN_LABELS
        .iter()
        .any(|label| label.to_lowercase() == text)
}

/// Whether a text has the form of a minted code: `[a-z0-9_]+`, the last [`MINT_MARK`], and
/// eight lower-case hex digits.
///
/// ```
/// use watchfloor::contract::catalog::is_minted;
/// assert!(is_minted("build_unclassified_0a1b2c3d"));
/// assert!(!is_minted("build_unclassified_0A1B2C3D"));
/// ```
#[must_use]
pub fn is_minted(code: &str) -> bool {
    let Some((prefix, digits)) = code.rsplit_once(MINT_MARK) else {
        return false;
    };
    let prefix_fits = |b: u8| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'_');
    let digit_fits = |b: u8| matches!(b, b'0'..=b'9' | b'a'..=b'f');
    !prefix.is_empty()
        && prefix.bytes().all(prefix_fits)
        && digits.len() == 8
        && digits.bytes().all(digit_fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minted_codes_have_one_form() {
        for good in [
            "ask_unclassified_0a1b2c3d",
            "a_unclassified_b_unclassified_0a1b2c3d",
            "0__unclassified_99999999",
            "__unclassified_ffffffff",
        ] {
            assert!(is_minted(good), "{good}");
        }
        for bad in [
            "",
            "_unclassified_0a1b2c3d",
            "ask_unclassified_0a1b2c3",
            "ask_unclassified_0a1b2c3d4",
            "ask_unclassified_0a1b2c3g",
            "ask_unclassified_0A1B2C3D",
            "Ask_unclassified_0a1b2c3d",
            "a-b_unclassified_0a1b2c3d",
            "a.b_unclassified_0a1b2c3d",
            "größe_unclassified_0a1b2c3d",
            "ask_unclassified",
            "ask_unclassified_0a1b2c3d\n",
        ] {
            assert!(!is_minted(bad), "{bad}");
        }
    }

    #[test]
    fn forbidden_labels_are_forbidden_in_any_case() {
        for label in FORBIDDEN_LABELS {
            assert!(is_forbidden_label(label));
            assert!(is_forbidden_label(&label.to_uppercase()));
            assert!(is_forbidden_label(&label.to_lowercase()));
        }
        assert!(!is_forbidden_label("passed"));
        assert!(!is_forbidden_label(""));
    }
}
