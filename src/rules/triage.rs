//! Which known failure a text is (spec 2.2). Substrings of a normal form, in the order of the
//! catalogue; what nothing hits gets a code of its own.

mod grams;

use schemars::JsonSchema;
use serde::Serialize;

use crate::contract::catalog::{Catalog, Entry, MINT_MARK, Shipped, fits, is_forbidden_label};
use crate::contract::digest::Digest;
use crate::contract::json::is_space;
use crate::contract::refusal::{Code, Refusal};

use grams::Grams;

/// Layers whose recoverable failures pass by themselves (spec 3.1).
const TRANSIENT_LAYERS: [&str; 2] = ["provider", "network"];

/// What a failure was classified as.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Classified {
    /// A code of the catalogue, or a minted one.
    pub code: String,
    /// The layer that was asked for; absent when none was.
    pub layer: Option<String>,
    /// Why it happens.
    pub cause: String,
    /// What to run next.
    pub next_command: String,
    /// Whether it can be got over without a person.
    pub recoverable: bool,
    /// What it is easily taken for.
    pub not_this: Vec<String>,
    /// Whether the code was minted and nobody has said yet what it is.
    pub ambiguous: bool,
    /// The entry's tokens that hit, in its order; or `alias:CODE`.
    pub matched_tokens: Vec<String>,
    /// The minted code that an alias led away from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aliased_from: Option<String>,
    /// The layer of the entry itself; no part of the answer.
    #[serde(skip)]
    pub entry_layer: Option<String>,
}

/// A signal, read once: its normal form, and a sieve over it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signal {
    normal: String,
    grams: Grams,
}

impl Signal {
    /// Reads a signal.
    ///
    /// # Errors
    /// `usage` for a blank text, `forbidden_terminal_label` for a bare verdict word.
    pub fn read(text: &str) -> Result<Self, Refusal> {
        let normal = normal_form(text);
        let next = "watchfloor triage classify --help";
        if normal.is_empty() {
            return Err(Refusal::new(
                Code::Usage,
                "there is no text to classify",
                next,
            ));
        }
        if is_forbidden_label(&normal) {
            let cause =
                format!("{normal} is a verdict and no cause: classify the failure under it");
            return Err(Refusal::new(Code::ForbiddenTerminalLabel, cause, next));
        }
        let grams = Grams::of(&normal);
        Ok(Self { normal, grams })
    }

    /// Its normal form.
    #[must_use]
    pub fn normal(&self) -> &str {
        &self.normal
    }

    /// Which of these tokens are in it, in their order.
    #[must_use]
    pub fn hits(&self, tokens: &[String]) -> Vec<String> {
        let hit = |token: &&String| self.holds(&token.to_lowercase());
        tokens.iter().filter(hit).cloned().collect()
    }

    /// The first entry of a catalogue that fits and hits.
    #[must_use]
    pub fn in_catalog(&self, catalog: &Catalog, layer: Option<&str>) -> Option<Classified> {
        let mut fitting = catalog.codes.iter().filter(|entry| entry.fits(layer));
        fitting.find_map(|entry| {
            let matched = self.hits(&entry.tokens);
            (!matched.is_empty()).then(|| known(entry, layer, matched, None))
        })
    }

    /// The first entry of those that the product ships that fits and hits.
    #[must_use]
    pub fn in_shipped(&self, layer: Option<&str>) -> Option<Classified> {
        let mut fitting = Shipped::all()
            .iter()
            .filter(|entry| fits(entry.layer, layer));
        let found = fitting.find(|entry| entry.tokens.iter().any(|token| self.holds(token)))?;
        let entry = found.entry();
        let matched = self.hits(&entry.tokens);
        Some(known(&entry, layer, matched, None))
    }

    fn holds(&self, lower: &str) -> bool {
        self.grams.may_hold(lower) && self.normal.contains(lower)
    }
}

/// Classifies a failure by one catalogue alone. `layer` hides the entries of other layers.
///
/// # Errors
/// `usage` for a blank text, `forbidden_terminal_label` for a bare verdict word.
pub fn classify(catalog: &Catalog, text: &str, layer: Option<&str>) -> Result<Classified, Refusal> {
    let signal = Signal::read(text)?;
    Ok(signal
        .in_catalog(catalog, layer)
        .unwrap_or_else(|| unknown(signal.normal(), layer, &|minted| alias(catalog, minted))))
}

/// Classifies a failure by the user's catalogue, where there is one, and by what the product
/// ships after it.
///
/// # Errors
/// As [`classify`].
pub fn classify_over(
    user: &Catalog,
    text: &str,
    layer: Option<&str>,
) -> Result<Classified, Refusal> {
    let signal = Signal::read(text)?;
    let known = signal
        .in_catalog(user, layer)
        .or_else(|| signal.in_shipped(layer));
    Ok(known.unwrap_or_else(|| {
        let resolve = |minted: &str| alias_over(user, minted);
        unknown(signal.normal(), layer, &resolve)
    }))
}

/// What a signal is that no entry hits: minted over this text, or where an alias of that leads.
pub fn unknown(
    normal: &str,
    layer: Option<&str>,
    resolve: &dyn Fn(&str) -> Option<Entry>,
) -> Classified {
    let code = mint_normal(normal, layer);
    match resolve(&code) {
        Some(entry) => {
            let matched = vec![format!("alias:{code}")];
            known(&entry, layer, matched, Some(code))
        }
        None => minted(code, layer),
    }
}

/// The entry that an alias of a catalogue leads to.
#[must_use]
pub fn alias(catalog: &Catalog, minted: &str) -> Option<Entry> {
    let canonical = catalog.aliases.get(minted)?;
    catalog.entry(canonical).cloned()
}

/// The entry that an alias of the user's leads to: one of the user's, or a shipped one.
#[must_use]
pub fn alias_over(user: &Catalog, minted: &str) -> Option<Entry> {
    let canonical = user.aliases.get(minted)?;
    let own = user.entry(canonical).cloned();
    own.or_else(|| Catalog::shipped().entry(canonical).cloned())
}

/// The normal form: lower case, every run of white space one space, ends trimmed.
#[must_use]
pub fn normal_form(text: &str) -> String {
    let lower = text.to_lowercase();
    let words = lower.split(is_space).filter(|word| !word.is_empty());
    let mut normal = String::with_capacity(lower.len());
    for word in words {
        if !normal.is_empty() {
            normal.push(' ');
        }
        normal.push_str(word);
    }
    normal
}

/// The code of a failure that the catalogue does not know: the layer made safe for a code, and
/// eight digits of the digest of the normal form.
#[must_use]
pub fn mint(text: &str, layer: Option<&str>) -> String {
    mint_normal(&normal_form(text), layer)
}

fn mint_normal(normal: &str, layer: Option<&str>) -> String {
    let digits = Digest::of(normal.as_bytes()).hex();
    let safe = code_safe(layer.unwrap_or_default());
    let prefix = if safe.is_empty() { "unknown" } else { &safe };
    format!("{prefix}{MINT_MARK}{}", &digits[..8])
}

/// Whether the failure is the provider's or the network's and passes by itself: no try then.
#[must_use]
pub fn is_transient(classified: &Classified) -> bool {
    let layer = classified.entry_layer.as_deref();
    classified.recoverable && layer.is_some_and(|layer| TRANSIENT_LAYERS.contains(&layer))
}

fn known(
    entry: &Entry,
    layer: Option<&str>,
    matched_tokens: Vec<String>,
    aliased_from: Option<String>,
) -> Classified {
    Classified {
        code: entry.code.clone(),
        layer: layer.map(str::to_owned),
        cause: entry.cause.clone(),
        next_command: entry.next_command.clone(),
        recoverable: entry.recoverable,
        not_this: entry.not_this.clone(),
        ambiguous: false,
        matched_tokens,
        aliased_from,
        entry_layer: entry.layer.clone(),
    }
}

fn minted(code: String, layer: Option<&str>) -> Classified {
    Classified {
        layer: layer.map(str::to_owned),
        cause: "no entry of the catalogue knows this failure".to_owned(),
        next_command: format!("watchfloor triage show {code}"),
        code,
        recoverable: false,
        not_this: Vec::new(),
        ambiguous: true,
        matched_tokens: Vec::new(),
        aliased_from: None,
        entry_layer: None,
    }
}

fn code_safe(layer: &str) -> String {
    let lower = layer.to_lowercase();
    let safe = lower.chars().filter_map(|c| match c {
        '-' | '.' | ' ' => Some('_'),
        'a'..='z' | '0'..='9' | '_' => Some(c),
        _ => None,
    });
    safe.collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::contract::catalog::{FORBIDDEN_LABELS, is_minted};

    fn entry(code: &str, layer: Option<&str>, tokens: &[&str], recoverable: bool) -> Entry {
        Entry {
            code: code.to_owned(),
            layer: layer.map(str::to_owned),
            tokens: tokens.iter().map(|t| (*t).to_owned()).collect(),
            cause: format!("cause of {code}"),
            next_command: format!("fix {code}"),
            recoverable,
            not_this: vec!["other".to_owned()],
        }
    }

    fn catalog() -> Catalog {
        let mut catalog = Catalog::empty();
        catalog.codes = vec![
            entry(
                "net_reset",
                Some("network"),
                &["Reset by  peer", "Reset By Peer"],
                true,
            ),
            entry("disk_full", Some("build"), &["no space left"], true),
            entry("bad_key", Some("provider"), &["bad key"], false),
            entry("any_reset", None, &["reset"], true),
        ];
        let alias = mint("the sky fell", Some("build"));
        catalog.aliases.insert(alias, "disk_full".to_owned());
        let dangling = mint("the sea rose", None);
        catalog.aliases.insert(dangling, "nothing".to_owned());
        catalog
    }

    fn code(text: &str, layer: Option<&str>) -> String {
        classify(&catalog(), text, layer).unwrap().code
    }

    #[test]
    fn the_first_entry_that_fits_and_hits_is_the_answer() {
        let found = classify(&catalog(), "Connection RESET\n by peer", Some("network")).unwrap();
        let expected = Classified {
            code: "net_reset".to_owned(),
            layer: Some("network".to_owned()),
            cause: "cause of net_reset".to_owned(),
            next_command: "fix net_reset".to_owned(),
            recoverable: true,
            not_this: vec!["other".to_owned()],
            ambiguous: false,
            matched_tokens: vec!["Reset By Peer".to_owned()],
            aliased_from: None,
            entry_layer: Some("network".to_owned()),
        };
        assert_eq!(found, expected);
        assert_eq!(code("reset by peer", None), "net_reset");
        assert_eq!(code("reset by peer", Some("git")), "any_reset");
        assert_eq!(code("reset", Some("network")), "any_reset");
        assert!(is_minted(&code("no space left", Some("git"))));
        assert_eq!(code("no space left", None), "disk_full");
    }

    #[test]
    fn what_nothing_hits_is_minted() {
        let found = classify(&catalog(), "  Novel\tGIZMO \n exploded ", None).unwrap();
        assert_eq!(found.code, "unknown_unclassified_868a830f");
        assert!(found.ambiguous && !found.recoverable);
        assert_eq!((found.layer, found.aliased_from), (None, None));
        assert_eq!(
            found.next_command,
            "watchfloor triage show unknown_unclassified_868a830f"
        );
        assert_eq!(found.matched_tokens, Vec::<String>::new());
        for (layer, prefix) in [
            ("tau.project-dag x", "tau_project_dag_x"),
            ("Größe_9", "gre_9"),
            ("!!!", "unknown"),
            ("", "unknown"),
            ("-", "_"),
        ] {
            let expected = format!("{prefix}_unclassified_868a830f");
            assert_eq!(mint("novel gizmo exploded", Some(layer)), expected);
        }
    }

    #[test]
    fn an_alias_leads_to_its_entry() {
        let found = classify(&catalog(), "The  SKY fell", Some("build")).unwrap();
        assert_eq!(found.code, "disk_full");
        let minted = mint("the sky fell", Some("build"));
        assert_eq!(found.matched_tokens, [format!("alias:{minted}")]);
        assert_eq!(found.aliased_from, Some(minted));
        assert!(!found.ambiguous);
        assert!(
            classify(&catalog(), "the sea rose", None)
                .unwrap()
                .ambiguous
        );
    }

    #[test]
    fn blank_texts_and_bare_verdicts_are_refused() {
        for text in ["", " \n ", "\u{1c}\u{1f}"] {
            let refusal = classify(&catalog(), text, None).unwrap_err();
            assert_eq!(refusal.code, Code::Usage);
        }
        for label in FORBIDDEN_LABELS {
            let text = format!(" {}\n", label.to_uppercase());
            let refusal = classify(&catalog(), &text, None).unwrap_err();
            assert_eq!(refusal.code, Code::ForbiddenTerminalLabel);
        }
        assert!(classify(&catalog(), "fail again", None).is_ok());
    }

    #[test]
    fn only_recoverable_failures_of_provider_and_network_are_transient() {
        let transient =
            |text: &str, layer| is_transient(&classify(&catalog(), text, layer).unwrap());
        assert!(transient("reset by peer", None));
        assert!(transient("reset by peer", Some("network")));
        assert!(!transient("no space left", None));
        assert!(!transient("bad key", None));
        assert!(!transient("reset", Some("network")));
        assert!(!transient("never seen", Some("network")));
        let mut own = catalog();
        own.codes[2].recoverable = true;
        assert!(is_transient(&classify(&own, "bad key", None).unwrap()));
    }

    #[test]
    fn the_users_entries_stand_before_the_shipped_ones_and_aliases_lead_to_either() {
        let mut user = Catalog {
            codes: vec![entry("mine", None, &["GIZMO"], false)],
            ..Catalog::empty()
        };
        user.aliases
            .insert(mint("the sky fell", None), "mine".to_owned());
        user.aliases
            .insert(mint("the sea rose", None), "disk_full".to_owned());
        let found = |text: &str| classify_over(&user, text, None).unwrap();
        let both = found("the gizmo says no space left on device");
        assert_eq!(
            (both.code.as_str(), both.matched_tokens),
            ("mine", vec!["GIZMO".to_owned()])
        );
        let shipped = found("No space left on\ndevice");
        assert_eq!(shipped.code, "disk_full");
        assert_eq!(shipped.matched_tokens, ["no space left on device"]);
        assert_eq!(found("The sky FELL").code, "mine");
        assert_eq!(found("the sea rose").code, "disk_full");
        assert!(found("the moon set").ambiguous);
    }

    #[test]
    fn the_answer_is_written_with_stable_keys() {
        let found = classify(&catalog(), "the sky fell", None).unwrap();
        let value = serde_json::to_value(found).unwrap();
        let keys: Vec<&String> = value.as_object().unwrap().keys().collect();
        assert_eq!(
            keys,
            [
                "code",
                "layer",
                "cause",
                "next_command",
                "recoverable",
                "not_this",
                "ambiguous",
                "matched_tokens"
            ]
        );
    }

    proptest! {
        #[test]
        fn a_code_is_known_or_has_the_minted_form(text in "\\PC{1,30}", layer in "\\PC{0,8}") {
            if let Ok(found) = classify(&Catalog::empty(), &text, Some(&layer)) {
                let shipped = classify(Catalog::shipped(), &text, Some(&layer));
                prop_assert_eq!(classify_over(&Catalog::empty(), &text, Some(&layer)), shipped);
                prop_assert!(is_minted(&found.code));
                prop_assert_eq!(mint(&normal_form(&text), Some(&layer)), found.code);
            }
        }
    }
}
