//! The entries that the product ships, built in: looking one up parses nothing.

use super::Entry;
use super::table::TABLE;

/// One shipped entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shipped {
    /// Its code.
    pub code: &'static str,
    /// Where it happens.
    pub layer: Option<&'static str>,
    /// Texts that give it away, in lower case.
    pub tokens: &'static [&'static str],
    /// Why it happens.
    pub cause: &'static str,
    /// What to run next.
    pub next_command: &'static str,
    /// Whether it can be got over without a person.
    pub recoverable: bool,
    /// What it is easily taken for.
    pub not_this: &'static [&'static str],
}

impl Shipped {
    /// Every shipped entry, in the order in which they are tried.
    #[must_use]
    pub fn all() -> &'static [Self] {
        TABLE
    }

    /// The entry as a catalogue holds it.
    #[must_use]
    pub fn entry(&self) -> Entry {
        let texts = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect();
        Entry {
            code: self.code.to_owned(),
            layer: self.layer.map(str::to_owned),
            tokens: texts(self.tokens),
            cause: self.cause.to_owned(),
            next_command: self.next_command.to_owned(),
            recoverable: self.recoverable,
            not_this: texts(self.not_this),
        }
    }
}
