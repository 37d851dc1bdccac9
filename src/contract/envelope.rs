//! The receipt envelope, `pi.receipt_envelope.v1` (spec 2.1): its types, and how the product
//! writes its own. Reading proves shape only; [`resolve`] is its own step.

mod parse;
mod resolve;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::digest::Digest;
use super::fault::Fault;
use super::ids::RecordId;
use super::json::canonical;
use super::refusal::{Code, Refusal};
use super::time::rfc3339;

pub use parse::parse;
pub use resolve::{Check, CheckReport, RefReport, Resolution, resolve};

/// Schema of an envelope.
pub const ENVELOPE: &str = "pi.receipt_envelope.v1";

/// Tells whether a text is a code of the catalogue in force.
pub type IsCode<'a> = &'a dyn Fn(&str) -> bool;

/// One receipt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Envelope {
    /// Always [`ENVELOPE`].
    pub schema: String,
    /// Its id.
    pub receipt_id: RecordId,
    /// Schema of the payload, the same as in the payload itself.
    pub payload_schema: String,
    /// Who made it.
    pub producer: String,
    /// When, RFC 3339.
    pub emitted_at: String,
    /// Hash of the goal that it serves; required with parents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal_hash: Option<String>,
    /// The receipts that it follows from.
    #[serde(default)]
    pub parent_refs: Vec<ParentRef>,
    /// The failure that it is about: a catalogue code or a minted one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub triage_code: Option<String>,
    /// What it says.
    pub payload: Map<String, Value>,
}

/// A receipt that another one follows from, and what it must be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ParentRef {
    /// Its id.
    pub receipt_id: RecordId,
    /// Schema that its payload must have.
    pub expected_schema: String,
    /// Who must have made it.
    pub expected_producer: String,
    /// Digest of its stored bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
}

/// What the product knows of a receipt before its payload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    /// Its id.
    pub receipt_id: RecordId,
    /// Who makes it.
    pub producer: String,
    /// When, in UTC microseconds.
    pub emitted_at_us: i64,
    /// Hash of the goal that it serves.
    pub goal_hash: Digest,
    /// The receipts that it follows from.
    pub parent_refs: Vec<ParentRef>,
    /// The failure that it is about.
    pub triage_code: Option<String>,
}

/// Puts a payload into an envelope and reads it back, so that no receipt leaves the product
/// which it would not take in itself. The payload names its own schema in `schema`.
///
/// # Errors
/// `contract_fault` with all faults, and `internal_fault` for a payload without a JSON form.
pub fn build<P: Serialize>(
    draft: Draft,
    payload: &P,
    is_catalogue_code: IsCode<'_>,
) -> Result<Envelope, Refusal> {
    let next = "watchfloor verify --deep";
    let value = serde_json::to_value(payload).map_err(|error| {
        let cause = format!("a payload has no JSON form: {error}");
        Refusal::new(Code::Internal, cause, next)
    })?;
    let Value::Object(payload) = value else {
        let fault = Fault::new("type", "payload", "must be an object");
        return Err(Refusal::of_faults("a receipt", vec![fault], next));
    };
    let named = payload.get("schema").and_then(Value::as_str);
    let envelope = Envelope {
        schema: ENVELOPE.to_owned(),
        receipt_id: draft.receipt_id,
        payload_schema: named.unwrap_or_default().to_owned(),
        producer: draft.producer,
        emitted_at: rfc3339(draft.emitted_at_us),
        goal_hash: Some(draft.goal_hash.to_string()),
        parent_refs: draft.parent_refs,
        triage_code: draft.triage_code,
        payload,
    };
    let text = envelope.to_text()?;
    match parse(text.as_bytes(), is_catalogue_code) {
        Ok(_) => Ok(envelope),
        Err(faults) => Err(Refusal::of_faults("a receipt", faults, next)),
    }
}

impl Envelope {
    /// The canonical text (RFC 8785): the bytes that the store keeps of the product's receipts.
    ///
    /// # Errors
    /// `internal_fault` when there is none.
    pub fn to_text(&self) -> Result<String, Refusal> {
        canonical(self)
    }

    /// The payload as a type of its own.
    ///
    /// # Errors
    /// `contract_fault` when it is no such payload.
    pub fn payload_as<P: serde::de::DeserializeOwned>(&self) -> Result<P, Refusal> {
        let value = Value::Object(self.payload.clone());
        serde_json::from_value(value).map_err(|error| {
            let fault = Fault::new("payload_invalid", "payload", error.to_string());
            let next = "watchfloor verify";
            Refusal::of_faults(&self.payload_schema, vec![fault], next)
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn draft() -> Draft {
        Draft {
            receipt_id: RecordId::new("r-1"),
            producer: "watchfloor".to_owned(),
            emitted_at_us: 1_500_000,
            goal_hash: Digest::of(b"goal"),
            parent_refs: vec![ParentRef {
                receipt_id: RecordId::new("p-1"),
                expected_schema: "s.v1".to_owned(),
                expected_producer: "ask".to_owned(),
                digest: None,
            }],
            triage_code: Some("known".to_owned()),
        }
    }

    #[test]
    fn the_products_receipts_read_back_as_they_were() {
        let payload = json!({"schema": "demo.v1", "n": 1});
        let envelope = build(draft(), &payload, &|code| code == "known").unwrap();
        let text = envelope.to_text().unwrap();
        let goal = Digest::of(b"goal");
        let expected = format!(
            "{{\"emitted_at\":\"1970-01-01T00:00:01.500000Z\",\"goal_hash\":\"{goal}\",\
             \"parent_refs\":[{{\"expected_producer\":\"ask\",\"expected_schema\":\"s.v1\",\
             \"receipt_id\":\"p-1\"}}],\"payload\":{{\"n\":1,\"schema\":\"demo.v1\"}},\
             \"payload_schema\":\"demo.v1\",\"producer\":\"watchfloor\",\"receipt_id\":\"r-1\",\
             \"schema\":\"pi.receipt_envelope.v1\",\"triage_code\":\"known\"}}"
        );
        assert_eq!(text, expected);
        assert_eq!(
            parse(text.as_bytes(), &|code| code == "known"),
            Ok(envelope)
        );
    }

    #[test]
    fn what_the_product_would_not_take_in_it_does_not_write() {
        let codes = |refusal: Refusal| -> Vec<String> {
            assert_eq!(refusal.code, Code::ContractFault);
            refusal.faults.into_iter().map(|f| f.code).collect()
        };
        let nameless = build(draft(), &json!({"n": 1}), &|_| true).unwrap_err();
        assert_eq!(codes(nameless), ["string_too_short", "anonymous_payload"]);
        let list = build(draft(), &json!([1]), &|_| true).unwrap_err();
        assert_eq!(codes(list), ["type"]);
        let payload = json!({"schema": "demo.v1"});
        let uncoded = build(draft(), &payload, &|_| false).unwrap_err();
        assert_eq!(codes(uncoded), ["ambiguous_triage_code"]);
        let formless = std::collections::BTreeMap::from([(vec![1], 1)]);
        let refusal = build(draft(), &formless, &|_| true).unwrap_err();
        assert_eq!(refusal.code, Code::Internal);
    }

    #[test]
    fn a_payload_is_read_as_its_type_or_refused() {
        #[derive(serde::Deserialize, Debug, PartialEq)]
        struct Demo {
            n: u32,
        }
        let payload = json!({"schema": "demo.v1", "n": 1});
        let envelope = build(draft(), &payload, &|_| true).unwrap();
        assert_eq!(envelope.payload_as::<Demo>(), Ok(Demo { n: 1 }));
        let refusal = envelope.payload_as::<Vec<u8>>().unwrap_err();
        assert_eq!(refusal.code, Code::ContractFault);
        assert_eq!(refusal.faults[0].code, "payload_invalid");
    }
}
