//! Strict JSON (spec 2): a tree that forgets no key, a reader that collects every fault of an
//! object, and the canonical text of RFC 8785.

mod doc;
mod fields;

use serde::Serialize;

use super::refusal::{Code, Refusal};

pub use doc::Doc;
pub use fields::{Fields, is_blank, is_space};

/// The canonical JSON text of a value by RFC 8785: digests and signatures are taken over it.
///
/// # Errors
/// `internal_fault` when the value has no JSON form, e.g. a map whose keys are no texts.
pub fn canonical<T: Serialize>(value: &T) -> Result<String, Refusal> {
    serde_json_canonicalizer::to_string(value).map_err(|error| {
        Refusal::new(
            Code::Internal,
            format!("a value has no canonical form: {error}"),
            "watchfloor verify --deep",
        )
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;

    use super::*;

    #[test]
    fn the_canonical_form_sorts_keys_and_writes_numbers_one_way() {
        let value = json!({"b": 1.0, "a": ["é", 1e21, -0.0], "\u{20ac}": null});
        assert_eq!(
            canonical(&value),
            Ok("{\"a\":[\"é\",1e+21,0],\"b\":1,\"\u{20ac}\":null}".to_owned())
        );
    }

    #[test]
    fn a_value_without_a_form_is_an_internal_fault() {
        let odd = BTreeMap::from([(vec![1], 1)]);
        let refusal = canonical(&odd).unwrap_err();
        assert_eq!(refusal.code, Code::Internal);
        assert_eq!(refusal.next_command, "watchfloor verify --deep");
    }
}
