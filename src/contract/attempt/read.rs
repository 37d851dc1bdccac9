//! Reads an attempt strictly: as it is submitted, and as it is stored.

use serde::de::DeserializeOwned;

use super::{ATTEMPT, Attempt, AttemptInput, Better, Change, Derived, Metric, Origin, Progress};
use crate::contract::fault::Fault;
use crate::contract::ids::{AgentId, MissionId, RecordId, TaskId};
use crate::contract::json::{Doc, Fields};
use crate::contract::safety::{Outcome, WorkRole};
use crate::contract::signature::{SignatureId, Strength};
use crate::contract::time::parse_rfc3339;

const TIMESTAMP: (&str, &str) = ("timestamp_shape", "must be a time by RFC 3339");
const SIGNATURE: (&str, &str) = (
    "error_signature_shape",
    "must be es1: or es0: and 16 lower-case hex digits",
);

/// What the call itself says, for fields that the body leaves out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Defaults {
    /// The task.
    pub task: Option<TaskId>,
    /// The agent.
    pub agent: Option<AgentId>,
    /// The mission.
    pub mission: Option<MissionId>,
}

impl AttemptInput {
    /// Reads an attempt as somebody submits it; `defaults` stand for fields that it leaves out.
    ///
    /// # Errors
    /// All faults together, in the order of the fields.
    pub fn parse(bytes: &[u8], defaults: Defaults) -> Result<Self, Vec<Fault>> {
        let doc = Doc::parse(bytes)?;
        let mut fields = Fields::open(&doc, "")?;
        let schema = fields.optional_literal("schema", ATTEMPT);
        let attempt_id = fields.optional_text("attempt_id").map(RecordId::new);
        let timestamp = fields.optional_shaped("timestamp", TIMESTAMP, is_time);
        let task = defaults.task.map(|id| id.to_string());
        let task_id = TaskId::new(named(&mut fields, "task_id", task));
        let mission_id = fields.optional_text("mission_id").map(MissionId::new);
        let agent = defaults.agent.map(|id| id.to_string());
        let agent = AgentId::new(named(&mut fields, "agent", agent));
        let told = Told::read(&mut fields);
        let error_signature = fields.optional_text("error_signature");
        needs_signature(&mut fields, told.result);
        let progress = progress(&mut fields);
        let faults = fields.close();
        let (Some(role), Some(result), true) = (told.role, told.result, faults.is_empty()) else {
            return Err(faults);
        };
        Ok(Self {
            schema,
            attempt_id,
            timestamp,
            task_id,
            mission_id: mission_id.or(defaults.mission),
            agent,
            role,
            hypothesis: told.hypothesis,
            strategy: told.strategy,
            change: told.change,
            check: told.check,
            result,
            error_signature,
            progress,
        })
    }
}

impl Attempt {
    /// Reads an attempt as the journal holds it.
    ///
    /// # Errors
    /// All faults together, in the order of the fields.
    pub fn parse(bytes: &[u8]) -> Result<Self, Vec<Fault>> {
        let doc = Doc::parse(bytes)?;
        let mut fields = Fields::open(&doc, "")?;
        let schema = fields.literal("schema", ATTEMPT);
        let attempt_id = RecordId::new(fields.text("attempt_id"));
        let timestamp = fields.shaped("timestamp", TIMESTAMP, is_time);
        let task_id = TaskId::new(fields.text("task_id"));
        let mission_id = MissionId::new(fields.text("mission_id"));
        let agent = AgentId::new(fields.text("agent"));
        let told = Told::read(&mut fields);
        let signature = fields.optional_shaped("error_signature", SIGNATURE, |text| {
            SignatureId::parse(text).is_some()
        });
        needs_signature(&mut fields, told.result);
        let progress = progress(&mut fields);
        let derived = derived(&mut fields);
        let faults = fields.close();
        let (Some(role), Some(result), true) = (told.role, told.result, faults.is_empty()) else {
            return Err(faults);
        };
        Ok(Self {
            schema,
            attempt_id,
            timestamp,
            task_id,
            mission_id,
            agent,
            role,
            hypothesis: told.hypothesis,
            strategy: told.strategy,
            change: told.change,
            check: told.check,
            result,
            error_signature: signature.as_deref().and_then(SignatureId::parse),
            progress,
            derived,
        })
    }
}

/// The fields that both forms have, in their order.
struct Told {
    role: Option<WorkRole>,
    hypothesis: String,
    strategy: String,
    change: Change,
    check: Option<String>,
    result: Option<Outcome>,
}

impl Told {
    fn read(fields: &mut Fields<'_>) -> Self {
        Self {
            role: fields.word("role", &WorkRole::ALL, WorkRole::as_str),
            hypothesis: fields.text("hypothesis"),
            strategy: fields.text("strategy"),
            change: change(fields),
            check: fields.optional_text("check"),
            result: fields.word("result", &Outcome::ALL, Outcome::as_str),
        }
    }
}

fn is_time(text: &str) -> bool {
    parse_rfc3339(text).is_some()
}

/// A text that the body or else the call must give.
fn named(fields: &mut Fields<'_>, key: &'static str, default: Option<String>) -> String {
    if let Some(given) = fields.optional_text(key) {
        return given;
    }
    // A value that is there but no text has had its fault.
    if default.is_none() && fields.given(key).is_none() {
        fields.fault("missing", key, "is required");
    }
    default.unwrap_or_default()
}

fn needs_signature(fields: &mut Fields<'_>, result: Option<Outcome>) {
    if result == Some(Outcome::Fail) && fields.given("error_signature").is_none() {
        let message = "is required with FAIL: a signature or the failure's text";
        fields.fault("missing", "error_signature", message);
    }
}

fn change(fields: &mut Fields<'_>) -> Change {
    let Some(mut inner) = fields.object("change") else {
        return Change::default();
    };
    let change = Change {
        summary: inner.any_text("summary").unwrap_or_default(),
        files: inner.texts("files"),
        state: inner.optional_text("state"),
    };
    fields.absorb(inner.close());
    change
}

fn progress(fields: &mut Fields<'_>) -> Option<Progress> {
    let mut inner = fields.object("progress")?;
    let made = inner.flag("made");
    let metric = metric(&mut inner);
    let evidence = inner.texts("evidence");
    let unmeasured = inner.given("metric").is_none() && evidence.is_empty();
    fields.absorb(inner.close());
    if made && unmeasured {
        let message = "claims progress without a metric and without evidence";
        fields.fault("progress_unmeasured", "progress", message);
    }
    Some(Progress {
        made,
        metric,
        evidence,
    })
}

fn metric(progress: &mut Fields<'_>) -> Option<Metric> {
    let mut inner = progress.object("metric")?;
    let name = inner.text("name");
    let before = inner.number("before");
    let after = inner.number("after");
    let better = inner.word("better", &[Better::Higher, Better::Lower], |b| match b {
        Better::Higher => "higher",
        Better::Lower => "lower",
    });
    progress.absorb(inner.close());
    Some(Metric {
        name,
        before,
        after,
        better: better?,
    })
}

fn derived(fields: &mut Fields<'_>) -> Derived {
    let Some(mut inner) = fields.object("derived") else {
        return Derived::default();
    };
    let origins = [Origin::Declared, Origin::Planned, Origin::Undeclared];
    let strengths = [Strength::Strong, Strength::Medium, Strength::Weak];
    let origin = inner.optional_word("origin", &origins, |origin| match origin {
        Origin::Declared => "declared",
        Origin::Planned => "planned",
        Origin::Undeclared => "undeclared",
    });
    let strength = inner.optional_word("strength", &strengths, |strength| match strength {
        Strength::Strong => "strong",
        Strength::Medium => "medium",
        Strength::Weak => "weak",
    });
    let derived = Derived {
        origin: origin.unwrap_or_default(),
        strength: strength.unwrap_or_default(),
        transient: inner.optional_flag("transient").unwrap_or_default(),
        failure: inner.any_text("failure"),
        evidence: inner.texts("evidence"),
        triage: typed(&mut inner, "triage"),
        limits: typed(&mut inner, "limits"),
    };
    fields.absorb(inner.close());
    derived
}

/// What the product wrote itself, by its type: limits that were in force, what a text was
/// classified as.
fn typed<T: DeserializeOwned>(fields: &mut Fields<'_>, key: &'static str) -> Option<T> {
    let value = fields.given(key)?.to_value();
    let read = serde_json::from_value(value);
    if read.is_err() {
        fields.fault("type", key, &format!("must be {key}"));
    }
    read.ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn body() -> Value {
        json!({"task_id": "T", "agent": "a", "role": "maker", "hypothesis": "h", "strategy": "s",
            "result": "PASS"})
    }

    fn shown(faults: &[Fault]) -> Vec<String> {
        let lines = faults.iter();
        lines.map(|f| format!("{} {}", f.code, f.path)).collect()
    }

    fn read(value: &Value) -> Result<AttemptInput, Vec<String>> {
        AttemptInput::parse(value.to_string().as_bytes(), Defaults::default())
            .map_err(|faults| shown(&faults))
    }

    fn with(key: &str, value: Value) -> Vec<String> {
        let mut body = body();
        body[key] = value;
        read(&body).err().unwrap_or_default()
    }

    #[test]
    fn the_smallest_and_the_fullest_are_read() {
        let small = read(&body()).unwrap();
        assert_eq!(small.task_id.as_str(), "T");
        assert_eq!(small.role, WorkRole::Maker);
        assert_eq!(small.result, Outcome::Pass);
        assert_eq!(small.change, Change::default());
        assert_eq!((small.progress, small.mission_id), (None, None));
        let full = json!({"schema": ATTEMPT, "attempt_id": "i", "timestamp":
            "2026-11-30T12:00:00Z", "task_id": "T", "mission_id": "M", "agent": "a", "role":
            "second_opinion", "hypothesis": "h", "strategy": "s", "change": {"summary": "",
            "files": ["x"], "state": "d"}, "check": "cargo test", "result": "FAIL",
            "error_signature": "boom", "progress": {"made": true, "metric": {"name": "n",
            "before": 3.0, "after": 1.5, "better": "lower"}, "evidence": ["e"]}});
        let read = read(&full).unwrap();
        assert_eq!(serde_json::to_value(&read).unwrap(), full);
        assert_eq!(read.progress.unwrap().metric.unwrap().better, Better::Lower);
    }

    #[test]
    fn the_call_fills_what_the_body_leaves_out() {
        let defaults = || Defaults {
            task: Some(TaskId::new("DT")),
            agent: Some(AgentId::new("da")),
            mission: Some(MissionId::new("DM")),
        };
        let bare = json!({"task_id": null, "role": "checker", "hypothesis": "h", "strategy": "s",
            "result": "BLOCKED"});
        let filled = AttemptInput::parse(bare.to_string().as_bytes(), defaults()).unwrap();
        assert_eq!(filled.task_id.as_str(), "DT");
        assert_eq!(filled.agent.as_str(), "da");
        assert_eq!(filled.mission_id, Some(MissionId::new("DM")));
        let mut own = body();
        own["mission_id"] = json!("M");
        let own = AttemptInput::parse(own.to_string().as_bytes(), defaults()).unwrap();
        assert_eq!(own.task_id.as_str(), "T");
        assert_eq!(own.agent.as_str(), "a");
        assert_eq!(own.mission_id, Some(MissionId::new("M")));
        let odd = json!({"task_id": 1, "agent": "", "role": "maker", "hypothesis": "h",
            "strategy": "s", "result": "PASS"});
        let faults = AttemptInput::parse(odd.to_string().as_bytes(), defaults()).unwrap_err();
        assert_eq!(shown(&faults), ["type task_id", "string_too_short agent"]);
        assert_eq!(with("task_id", json!(1)), ["type task_id"]);
        assert_eq!(with("task_id", Value::Null), ["missing task_id"]);
    }

    #[test]
    fn all_faults_come_together() {
        let odd = json!({"schema": "x", "attempt_id": " ", "timestamp": "noon", "mission_id": 1,
            "role": "boss", "hypothesis": "", "change": {"files": [""], "state": " ", "by": 1},
            "check": "", "result": "fail", "error_signature": "", "progress": {"metric":
            {"name": "", "before": "1", "better": "more", "unit": "s"}, "evidence": null},
            "derived": {}});
        assert_eq!(
            read(&odd).unwrap_err(),
            [
                "literal_error schema",
                "string_too_short attempt_id",
                "timestamp_shape timestamp",
                "missing task_id",
                "type mission_id",
                "missing agent",
                "literal_error role",
                "string_too_short hypothesis",
                "missing strategy",
                "string_too_short change.files.0",
                "string_too_short change.state",
                "extra_forbidden change.by",
                "string_too_short check",
                "literal_error result",
                "string_too_short error_signature",
                "missing progress.made",
                "string_too_short progress.metric.name",
                "type progress.metric.before",
                "missing progress.metric.after",
                "literal_error progress.metric.better",
                "extra_forbidden progress.metric.unit",
                "type progress.evidence",
                "extra_forbidden derived",
            ]
        );
    }

    #[test]
    fn a_failure_needs_its_signature() {
        assert_eq!(with("result", json!("FAIL")), ["missing error_signature"]);
        let mut fail = body();
        fail["result"] = json!("FAIL");
        for (signature, fault) in [
            (Value::Null, "missing error_signature"),
            (json!(" "), "string_too_short error_signature"),
            (json!(1), "type error_signature"),
        ] {
            fail["error_signature"] = signature;
            assert_eq!(read(&fail).unwrap_err(), [fault]);
        }
        for result in ["PASS", "BLOCKED", "NEEDS_ATTENTION"] {
            assert_eq!(with("result", json!(result)), Vec::<String>::new());
        }
    }

    #[test]
    fn claimed_progress_is_measured() {
        let metric = json!({"name": "n", "before": 1, "after": 2, "better": "higher"});
        let free = Vec::<String>::new();
        let told = |value: Value| with("progress", value);
        assert_eq!(
            told(json!({"made": true})),
            ["progress_unmeasured progress"]
        );
        assert_eq!(
            told(json!({"made": true, "metric": null, "evidence": []})),
            ["progress_unmeasured progress"]
        );
        assert_eq!(told(json!({"made": false})), free);
        assert_eq!(told(json!({"made": true, "metric": metric})), free);
        assert_eq!(told(json!({"made": true, "evidence": ["e"]})), free);
        assert_eq!(
            told(json!({"made": true, "metric": {"name": "n", "before": 1, "after": 2}})),
            ["missing progress.metric.better"]
        );
        assert_eq!(told(json!(true)), ["type progress"]);
        assert_eq!(
            told(json!({"made": true, "evidence": null})),
            ["type progress.evidence", "progress_unmeasured progress"]
        );
        let huge = body().to_string().replace("\"PASS\"", "1e999");
        let faults = AttemptInput::parse(huge.as_bytes(), Defaults::default()).unwrap_err();
        assert_eq!(shown(&faults), ["json_invalid "]);
    }

    fn stored() -> Value {
        json!({"schema": ATTEMPT, "attempt_id": "i", "timestamp": "2026-11-30T12:00:00Z",
            "task_id": "T", "mission_id": "M", "agent": "a", "role": "debugger",
            "hypothesis": "h", "strategy": "s", "change": {"summary": "", "files": []},
            "result": "FAIL", "error_signature": "es0:0123456789abcdef",
            "derived": {"origin": "undeclared", "strength": "weak", "transient": true,
            "failure": "boom", "evidence": ["a@b"]}})
    }

    #[test]
    fn the_stored_form_reads_back_as_it_was() {
        let attempt = Attempt::parse(stored().to_string().as_bytes()).unwrap();
        assert_eq!(serde_json::to_value(&attempt).unwrap(), stored());
        let mut plain = stored();
        for (origin, strength) in [("declared", "strong"), ("planned", "medium")] {
            plain["derived"] = json!({"origin": origin, "strength": strength});
            let read = Attempt::parse(plain.to_string().as_bytes()).unwrap();
            let derived = serde_json::to_value(&read.derived).unwrap();
            assert_eq!(derived["origin"], origin);
            assert_eq!(derived["strength"], strength);
        }
        plain["derived"] = Value::Null;
        let bare = Attempt::parse(plain.to_string().as_bytes()).unwrap();
        assert_eq!(bare.derived, Derived::default());
    }

    #[test]
    fn the_stored_form_is_strict() {
        let odd = json!({"timestamp": "noon", "mission_id": "", "role": "maker",
            "hypothesis": "h", "strategy": "s", "result": "FAIL", "error_signature": "boom",
            "progress": {"made": true}, "derived": {"origin": "x", "strength": 1,
            "transient": "no", "more": 1}, "x": 1});
        let faults = Attempt::parse(odd.to_string().as_bytes()).unwrap_err();
        assert_eq!(
            shown(&faults),
            [
                "missing schema",
                "missing attempt_id",
                "timestamp_shape timestamp",
                "missing task_id",
                "string_too_short mission_id",
                "missing agent",
                "error_signature_shape error_signature",
                "progress_unmeasured progress",
                "literal_error derived.origin",
                "type derived.strength",
                "type derived.transient",
                "extra_forbidden derived.more",
                "extra_forbidden x",
            ]
        );
        let mut silent = stored();
        silent["error_signature"] = Value::Null;
        let faults = Attempt::parse(silent.to_string().as_bytes()).unwrap_err();
        assert_eq!(shown(&faults), ["missing error_signature"]);
    }

    proptest! {
        #[test]
        fn one_changed_byte_never_panics(at in 0usize..600, byte in any::<u8>()) {
            let mut bytes = stored().to_string().into_bytes();
            let at = at % bytes.len();
            bytes[at] = byte;
            if let Err(faults) = Attempt::parse(&bytes) {
                prop_assert!(!faults.is_empty());
            }
            if let Err(faults) = AttemptInput::parse(&bytes, Defaults::default()) {
                prop_assert!(!faults.is_empty());
            }
        }
    }
}
