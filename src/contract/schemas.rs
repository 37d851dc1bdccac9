//! JSON Schemas of the contracts, generated from their types: the types are the source (spec 2).

use schemars::{JsonSchema, Schema, schema_for};
use serde::Deserialize;
use serde_json::{Value, json};

use super::fault::Fault;
use super::{
    acceptance, attempt, breaker, catalog, code, envelope, event, goal, grant, guard, guarded,
    handoff, limits, message, observed, rollout, row, session, tool,
};

/// One schema: the name of its file in `schemas/` and its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaFile {
    /// The contract's id and `.json`.
    pub name: String,
    /// JSON, indented, with a line end.
    pub text: String,
}

/// A refusal as it is written with `--json` (spec 1.4).
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RefusalAnswer {
    /// The catalogue code.
    pub code: String,
    /// Why, in a sentence.
    pub cause: String,
    /// What to run next.
    pub next_command: String,
    /// All faults of the object, where one was refused.
    #[serde(default)]
    pub faults: Vec<Fault>,
}

/// Every schema, in the order of the file names.
#[must_use]
pub fn all() -> Vec<SchemaFile> {
    let mut files = vec![
        named(catalog::CATALOG, schema_for!(catalog::Catalog)),
        named(envelope::ENVELOPE, schema_for!(envelope::Envelope)),
        named(attempt::ATTEMPT, schema_for!(attempt::Attempt)),
        named(goal::GOAL, schema_for!(goal::Goal)),
        named(breaker::TRIP, schema_for!(breaker::Trip)),
        named(breaker::PERMIT, schema_for!(breaker::Permit)),
        named(breaker::RESET, schema_for!(breaker::Reset)),
        named(event::PLAN, schema_for!(event::Plan)),
        named(event::MISSION_NEW, schema_for!(event::MissionNew)),
        named(event::MISSION_MOVED, schema_for!(event::MissionMoved)),
        named(event::TASK_MOVED, schema_for!(event::TaskMoved)),
        named(event::PROMPTED, schema_for!(event::Prompted)),
        named(event::IDENTITY_ADDED, schema_for!(event::IdentityAdded)),
        named(event::IDENTITY_REVOKED, schema_for!(event::IdentityRevoked)),
        named(event::KEYED, schema_for!(event::Keyed)),
        named(event::CLOCK_JUMP, schema_for!(event::ClockJump)),
        named(event::CHAIN_RESTART, schema_for!(event::ChainRestart)),
        named(event::PERMIT_EXPIRED, schema_for!(event::PermitExpired)),
        named(event::GATE_ANSWERED, schema_for!(event::GateAnswered)),
        named(event::CALL_REFUSED, schema_for!(event::CallRefused)),
        named(grant::GRANT, schema_for!(grant::Grant)),
        named(grant::GRANT_USED, schema_for!(grant::GrantUsed)),
        named(grant::GRANT_REVOKED, schema_for!(grant::GrantRevoked)),
        named(guarded::GUARD_WOULD, schema_for!(guarded::GuardWould)),
        named(guarded::CALL_ALLOWED, schema_for!(guarded::CallAllowed)),
        named(guarded::HOOK_LEAK, schema_for!(guarded::HookLeak)),
        named(code::SIGNAL, schema_for!(code::Signal)),
        named(code::CODE_TICKET, schema_for!(code::CodeTicket)),
        named(code::EVAL_STUB, schema_for!(code::EvalStub)),
        named(code::CODE_MEMORY, schema_for!(code::CodeMemory)),
        named(code::ALIAS, schema_for!(code::AliasPromotion)),
        named(code::PROMOTION, schema_for!(code::CodePromotion)),
        named(code::UNDO, schema_for!(code::CodeUndo)),
        named(tool::TOOL_SEEN, schema_for!(tool::ToolSeen)),
        named(observed::OBSERVED, schema_for!(observed::Observed)),
        named(tool::AGENT_SEEN, schema_for!(tool::AgentSeen)),
        named(rollout::INSTALLED, schema_for!(rollout::Installed)),
        named(rollout::CANARY, schema_for!(rollout::Canary)),
        named(acceptance::ACCEPTANCE, schema_for!(acceptance::Accepted)),
        named(acceptance::BEGAN, schema_for!(acceptance::Began)),
        named(session::AGENT_WAITS, schema_for!(session::AgentWaits)),
        named(session::TURN_REFUSED, schema_for!(session::TurnRefused)),
        named(session::TURN_LET_GO, schema_for!(session::TurnLetGo)),
        named(
            session::HOOK_UNREADABLE,
            schema_for!(session::HookUnreadable),
        ),
        named(handoff::OPENED, schema_for!(handoff::Opened)),
        named(handoff::CLAIMED, schema_for!(handoff::Claimed)),
        named(handoff::ANSWERED, schema_for!(handoff::Answered)),
        named(handoff::USED, schema_for!(handoff::Used)),
        named(handoff::CLOSED, schema_for!(handoff::Closed)),
        named(handoff::ESCALATED, schema_for!(handoff::Escalated)),
        named(handoff::DECISION, schema_for!(handoff::Decision)),
        named(handoff::ASKED, schema_for!(handoff::Asked)),
        named(handoff::REPLIED, schema_for!(handoff::Replied)),
        named(handoff::REOPENED, schema_for!(handoff::Reopened)),
        named(handoff::WAITING, schema_for!(handoff::Waiting)),
        named(handoff::LATE, schema_for!(handoff::LateAnswer)),
        named(message::MESSAGE, schema_for!(message::Message)),
        named(message::DELIVERED, schema_for!(message::MessageDelivered)),
        named(
            message::ACKNOWLEDGED,
            schema_for!(message::MessageAcknowledged),
        ),
        answer("handoff", schema_for!(handoff::HandoffAnswer)),
        answer("message", schema_for!(message::MessageRow)),
        answer("attempt_input", schema_for!(attempt::AttemptInput)),
        answer("catalog_entry", schema_for!(catalog::Entry)),
        answer("code", schema_for!(code::CodeShown)),
        answer("code_decided", schema_for!(code::CodeAnswer)),
        answer("code_preview", schema_for!(code::CodePreview)),
        answer("guard", schema_for!(guard::GuardAnswer)),
        answer("guard_rules", schema_for!(guard::GuardRulesAnswer)),
        answer("doctor", schema_for!(rollout::DoctorAnswer)),
        answer("install", schema_for!(rollout::InstallAnswer)),
        answer("limits", schema_for!(limits::Limits)),
        answer("refusal", schema_for!(RefusalAnswer)),
        answer("resolution", schema_for!(envelope::Resolution)),
        answer("status", schema_for!(row::Status)),
    ];
    files.sort_by(|a, b| a.name.cmp(&b.name));
    files
}

/// The schema of a contract, whose `schema` field holds exactly its id.
fn named(id: &str, schema: Schema) -> SchemaFile {
    let mut value = schema.to_value();
    if let Some(field) = value.pointer_mut("/properties/schema") {
        field["const"] = json!(id);
    }
    file(id, &value)
}

/// The schema of something that carries no id of its own.
fn answer(name: &str, schema: Schema) -> SchemaFile {
    file(name, &schema.to_value())
}

fn file(name: &str, value: &Value) -> SchemaFile {
    SchemaFile {
        name: format!("{name}.json"),
        text: format!("{value:#}\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::refusal::{Code, Refusal};

    #[test]
    fn every_contract_has_one_file_and_its_id_in_it() {
        let files = all();
        let names: Vec<&str> = files.iter().map(|f| f.name.as_str()).collect();
        let mut sorted = names.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(names, sorted);
        for file in &files {
            let value: Value = serde_json::from_str(&file.text).unwrap();
            assert!(file.text.ends_with("}\n"));
            let id = file.name.strip_suffix(".json").unwrap();
            let expected = if id.contains('.') {
                json!(id)
            } else {
                Value::Null
            };
            assert_eq!(value["properties"]["schema"]["const"], expected, "{id}");
        }
        assert!(names.contains(&"watchfloor.attempt.v1.json"));
        assert!(names.contains(&"status.json"));
    }

    #[test]
    fn a_refusal_is_written_as_its_schema_says() {
        let plain = Refusal::new(Code::Usage, "c", "n");
        let faulty = Refusal::of_faults("x", vec![Fault::new("missing", "a", "m")], "n");
        for refusal in [plain, faulty] {
            let value = serde_json::to_value(refusal.view()).unwrap();
            let answer: RefusalAnswer = serde_json::from_value(value).unwrap();
            assert_eq!(answer.code, refusal.code.as_str());
            assert_eq!(answer.cause, refusal.cause);
            assert_eq!(answer.next_command, refusal.next_command);
            assert_eq!(answer.faults, refusal.faults);
        }
    }
}
