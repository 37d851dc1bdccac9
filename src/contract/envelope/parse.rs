//! Reads an envelope by the table of spec 2.1.

use serde_json::{Map, Value};

use super::{ENVELOPE, Envelope, IsCode, ParentRef};
use crate::contract::catalog::{is_forbidden_label, is_minted};
use crate::contract::digest::Digest;
use crate::contract::fault::Fault;
use crate::contract::ids::RecordId;
use crate::contract::json::{Doc, Fields, is_blank};
use crate::contract::time::parse_rfc3339;

const GOAL_HASH: (&str, &str) = (
    "goal_hash_shape",
    "must be sha256: and 64 lower-case hex digits",
);
const DIGEST: (&str, &str) = (
    "digest_shape",
    "must be sha256: and 64 lower-case hex digits",
);
const EMITTED_AT: (&str, &str) = ("emitted_at_shape", "must be a time by RFC 3339");
const TRIAGE_CODE: (&str, &str) = (
    "ambiguous_triage_code",
    "must be a code of the catalogue or a minted one",
);

/// Reads an envelope. That its parents exist and fit is not proved by this.
///
/// # Errors
/// All faults together, in the order of the fields.
pub fn parse(bytes: &[u8], is_catalogue_code: IsCode<'_>) -> Result<Envelope, Vec<Fault>> {
    let doc = Doc::parse(bytes)?;
    let mut fields = Fields::open(&doc, "")?;
    let schema = fields.literal("schema", ENVELOPE);
    let receipt_id = RecordId::new(fields.text("receipt_id"));
    let payload_schema = fields.text("payload_schema");
    let producer = fields.text("producer");
    let emitted_at = fields.shaped("emitted_at", EMITTED_AT, |t| parse_rfc3339(t).is_some());
    let goal_hash = fields.optional_shaped("goal_hash", GOAL_HASH, is_digest);
    let parent_refs = parents(&mut fields);
    let triage_code = fields.optional_shaped("triage_code", TRIAGE_CODE, |code| {
        is_minted(code) || (!is_forbidden_label(code) && is_catalogue_code(code))
    });
    let payload = payload(&mut fields, &payload_schema);
    let faults = fields.close();
    if !faults.is_empty() {
        return Err(faults);
    }
    Ok(Envelope {
        schema,
        receipt_id,
        payload_schema,
        producer,
        emitted_at,
        goal_hash,
        parent_refs,
        triage_code,
        payload,
    })
}

fn is_digest(text: &str) -> bool {
    Digest::parse(text).is_some()
}

fn parents(fields: &mut Fields<'_>) -> Vec<ParentRef> {
    let items = fields.items("parent_refs");
    let mut parents = Vec::with_capacity(items.len());
    for (at, item) in items.iter().enumerate() {
        match parent(item, &format!("parent_refs.{at}")) {
            Ok(parent) => parents.push(parent),
            Err(faults) => fields.absorb(faults),
        }
    }
    // A goal hash of another form counts as given: its own fault says enough.
    if !items.is_empty() && fields.given("goal_hash").is_none() {
        let message = "must be empty where no goal_hash is given";
        fields.fault("parent_refs_require_goal_hash", "parent_refs", message);
    }
    parents
}

fn parent(doc: &Doc, path: &str) -> Result<ParentRef, Vec<Fault>> {
    let mut fields = Fields::open(doc, path)?;
    let parent = ParentRef {
        receipt_id: RecordId::new(fields.text("receipt_id")),
        expected_schema: fields.text("expected_schema"),
        expected_producer: fields.text("expected_producer"),
        digest: fields.optional_shaped("digest", DIGEST, is_digest),
    };
    let faults = fields.close();
    if faults.is_empty() {
        Ok(parent)
    } else {
        Err(faults)
    }
}

fn payload(fields: &mut Fields<'_>, payload_schema: &str) -> Map<String, Value> {
    let Some(payload) = fields.free_object("payload") else {
        return Map::new();
    };
    match payload.get("schema").and_then(Value::as_str) {
        None => {
            let message = "must name its schema";
            fields.fault("anonymous_payload", "payload.schema", message);
        }
        Some(named) if is_blank(named) => {
            let message = "must name its schema";
            fields.fault("anonymous_payload", "payload.schema", message);
        }
        // Where the envelope names none, that is the fault.
        Some(named) if named != payload_schema && !is_blank(payload_schema) => {
            let message = format!("must be {payload_schema:?} as the envelope says");
            fields.fault("payload_schema_mismatch", "payload.schema", &message);
        }
        Some(_) => {}
    }
    payload
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn valid() -> Value {
        json!({"schema": ENVELOPE, "receipt_id": "r-1", "payload_schema": "demo.note.v1",
            "producer": "demo", "emitted_at": "2026-11-30T12:00:00Z",
            "payload": {"schema": "demo.note.v1"}})
    }

    fn faults(value: &Value) -> Vec<String> {
        let known = |code: &str| ["known", "PASS"].contains(&code);
        match parse(value.to_string().as_bytes(), &known) {
            Ok(_) => Vec::new(),
            Err(faults) => faults
                .iter()
                .map(|f| format!("{} {}", f.code, f.path))
                .collect(),
        }
    }

    fn with(key: &str, value: Value) -> Vec<String> {
        let mut envelope = valid();
        envelope[key] = value;
        faults(&envelope)
    }

    #[test]
    fn a_full_envelope_is_read_whole() {
        let goal = Digest::of(b"g").to_string();
        let mut value = valid();
        value["goal_hash"] = json!(goal);
        value["triage_code"] = json!("known");
        value["parent_refs"] = json!([{"receipt_id": "p", "expected_schema": "s",
            "expected_producer": "a", "digest": goal}]);
        value["payload"]["deep"] = json!({"z": [1, null], "a": 1.5});
        let envelope = parse(value.to_string().as_bytes(), &|c| c == "known").unwrap();
        assert_eq!(envelope.receipt_id.as_str(), "r-1");
        assert_eq!(envelope.producer, "demo");
        assert_eq!(envelope.goal_hash, Some(goal.clone()));
        assert_eq!(envelope.parent_refs[0].digest, Some(goal));
        assert_eq!(envelope.triage_code.as_deref(), Some("known"));
        assert_eq!(envelope.payload["deep"]["a"], 1.5);
        assert_eq!(serde_json::to_value(&envelope).unwrap(), value);
    }

    #[test]
    fn each_rule_has_its_code() {
        let free: [&str; 0] = [];
        let refs = json!([{"receipt_id": "p", "expected_schema": "s", "expected_producer": "a"}]);
        assert_eq!(faults(&valid()), free);
        assert_eq!(with("schema", json!("x")), ["literal_error schema"]);
        assert_eq!(
            with("receipt_id", json!(" ")),
            ["string_too_short receipt_id"]
        );
        assert_eq!(with("receipt_id", json!(7)), ["type receipt_id"]);
        assert_eq!(with("receipt_id", Value::Null), ["type receipt_id"]);
        assert_eq!(
            with("emitted_at", json!("")),
            ["emitted_at_shape emitted_at"]
        );
        assert_eq!(with("extra", json!(1)), ["extra_forbidden extra"]);
        assert_eq!(with("goal_hash", json!("")), ["goal_hash_shape goal_hash"]);
        assert_eq!(with("goal_hash", Value::Null), free);
        assert_eq!(with("parent_refs", json!([])), free);
        assert_eq!(with("parent_refs", Value::Null), ["type parent_refs"]);
        assert_eq!(
            with("parent_refs", refs),
            ["parent_refs_require_goal_hash parent_refs"]
        );
        assert_eq!(with("triage_code", Value::Null), free);
        assert_eq!(with("triage_code", json!("known")), free);
        assert_eq!(with("triage_code", json!("a_unclassified_0a1b2c3d")), free);
        for code in ["", "PASS", "unheard_of"] {
            assert_eq!(
                with("triage_code", json!(code)),
                ["ambiguous_triage_code triage_code"]
            );
        }
        assert_eq!(with("payload", json!([])), ["type payload"]);
        for anonymous in [json!({}), json!({"schema": null}), json!({"schema": " "})] {
            assert_eq!(
                with("payload", anonymous),
                ["anonymous_payload payload.schema"]
            );
        }
        assert_eq!(
            with("payload", json!({"schema": "other.v1"})),
            ["payload_schema_mismatch payload.schema"]
        );
    }

    #[test]
    fn all_faults_come_together() {
        let value = json!({"schema": 1, "receipt_id": "", "producer": "p", "goal_hash": 3,
            "parent_refs": [1, {"receipt_id": "p", "expected_producer": "", "digest": "d",
            "expected_schema": "s", "path": "/x"}], "payload": {"schema": "s"}, "odd": 1});
        assert_eq!(
            faults(&value),
            [
                "type schema",
                "string_too_short receipt_id",
                "missing payload_schema",
                "missing emitted_at",
                "type goal_hash",
                "type parent_refs.0",
                "string_too_short parent_refs.1.expected_producer",
                "digest_shape parent_refs.1.digest",
                "extra_forbidden parent_refs.1.path",
                "extra_forbidden odd",
            ]
        );
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused_with_faults(
            bytes in proptest::collection::vec(any::<u8>(), 0..200)
        ) {
            if let Err(faults) = parse(&bytes, &|_| true) {
                prop_assert!(!faults.is_empty());
            }
        }

        #[test]
        fn one_changed_byte_never_panics(at in 0usize..180, byte in any::<u8>()) {
            let mut bytes = valid().to_string().into_bytes();
            let at = at % bytes.len();
            bytes[at] = byte;
            if let Err(faults) = parse(&bytes, &|_| true) {
                prop_assert!(!faults.is_empty());
            }
        }
    }
}
