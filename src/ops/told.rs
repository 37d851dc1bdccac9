//! A record as a sentence, for a log that people read.

use serde_json::Value;

use crate::contract::breaker::{PERMIT, RESET, TRIP};
use crate::contract::event;
use crate::contract::grant::{GRANT, GRANT_REVOKED, GRANT_USED};
use crate::contract::guarded::{CALL_ALLOWED, GUARD_WOULD, HOOK_LEAK};
use crate::contract::message;
use crate::contract::observed::OBSERVED;
use crate::contract::record::{Kind, Record};
use crate::contract::row::WHAT;
use crate::contract::scope::Scope;
use crate::contract::tool::{AGENT_SEEN, GONE, TOOL_SEEN};

/// What a record tells, in words, on one line. Texts of agents are not yet neutralised.
#[must_use]
pub fn told(record: &Record) -> String {
    let body: Value = serde_json::from_str(&record.body).unwrap_or_default();
    let said = match record.kind {
        Kind::Receipt => receipt(record, &body),
        _ => plain(record, &body),
    };
    let line = said.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(WHAT).collect()
}

fn text<'a>(body: &'a Value, key: &str) -> &'a str {
    body.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn who(record: &Record) -> &str {
    let agent = record
        .agent
        .as_ref()
        .map(crate::contract::ids::AgentId::as_str);
    agent.unwrap_or("somebody")
}

fn scope(payload: &Value) -> String {
    let scope = payload.get("scope").cloned().unwrap_or_default();
    match serde_json::from_value::<Scope>(scope) {
        Ok(Scope::Fleet) => "the whole fleet".to_owned(),
        Ok(scope) => scope.to_string(),
        Err(_) => "something".to_owned(),
    }
}

/// A schema as words: `watchfloor.code_ticket.v1` is a code ticket.
fn name(schema: &str) -> String {
    let name = schema.trim_start_matches("watchfloor.");
    let name = name.rsplit_once(".v").map_or(name, |(name, _)| name);
    name.replace('_', " ")
}

/// What a record that has no words of its own says, where it says anything.
fn says(body: &Value) -> String {
    let keys = ["question", "text", "line", "reason", "code"];
    let said = keys.iter().map(|key| text(body, key));
    let mut said = said.filter(|said| !said.trim().is_empty());
    said.next()
        .map_or(String::new(), |said| format!(": {said}"))
}

/// A call in a line, where the record tells it, else the tool.
fn tool(body: &Value) -> &str {
    let action = text(body, "action");
    if action.is_empty() {
        text(body, "tool")
    } else {
        action
    }
}

/// What the guard would have done of its own accord.
#[must_use]
pub(crate) fn guard_words(body: &Value) -> String {
    let outcome = text(body, "outcome");
    let trigger = text(body, "trigger");
    let rule = text(body, "rule");
    let would = match (outcome, body["happened"] == Value::Bool(true)) {
        ("trip", true) => format!("guard saw {trigger} happen"),
        ("trip", false) => format!("guard would trip {trigger}"),
        ("deny", _) => "guard would refuse".to_owned(),
        ("allow", _) => "guard noticed".to_owned(),
        _ => "guard did not understand".to_owned(),
    };
    let action = text(body, "action");
    format!("{would} ({rule}): {} [{action}]", text(body, "reason"))
}

fn receipt(record: &Record, body: &Value) -> String {
    let none = Value::Null;
    let payload = body.get("payload").unwrap_or(&none);
    let by = payload
        .pointer("/approval/principal")
        .and_then(Value::as_str);
    let by = by.unwrap_or("somebody");
    match text(body, "payload_schema") {
        TRIP => format!(
            "breaker {} opened on {}: {}",
            text(payload, "trigger"),
            scope(payload),
            text(payload, "reason")
        ),
        RESET => format!(
            "breaker on {} reset by {by}: {}",
            scope(payload),
            text(payload, "fix")
        ),
        PERMIT => format!(
            "{by} permits {} to go on, on {}",
            text(payload, "agent"),
            scope(payload)
        ),
        GRANT => format!(
            "{by} grants {} {} for {} minutes: {}",
            text(payload.get("opens").unwrap_or(&none), "kind"),
            text(payload.get("opens").unwrap_or(&none), "value"),
            payload.get("minutes").unwrap_or(&none),
            text(payload, "reason")
        ),
        schema => format!("{} by {}{}", name(schema), record.producer, says(payload)),
    }
}

fn plain(record: &Record, body: &Value) -> String {
    let who = who(record);
    let task = record.task.as_ref().map_or("", |task| task.as_str());
    match record.schema.as_str() {
        crate::contract::attempt::ATTEMPT => format!(
            "{who} {} on {task}: {} {}",
            text(body, "role"),
            text(body, "result"),
            text(body, "strategy")
        ),
        event::PLAN => format!("{who} plans on {task}: {}", text(body, "strategy")),
        event::CALL_REFUSED => format!("{who} was refused {}: {}", tool(body), text(body, "code")),
        GUARD_WOULD => format!("{who}: {}", guard_words(body)),
        HOOK_LEAK => format!(
            "LEAK: {who} ran {} although it had been refused",
            tool(body)
        ),
        CALL_ALLOWED => format!("{who} may now run {}", text(body, "tool")),
        GRANT_USED => format!("{who} used a grant up: {}", text(body, "tool")),
        GRANT_REVOKED => format!("a grant was taken back{}", says(body)),
        event::GATE_ANSWERED => format!("the gate answered {who} on {task}"),
        event::MISSION_NEW => format!("mission {} began", text(body, "mission_id")),
        event::MISSION_MOVED => format!(
            "mission {} went from {} to {}: {}",
            text(body, "mission_id"),
            text(body, "from"),
            text(body, "to"),
            text(body, "reason")
        ),
        event::TASK_MOVED => format!("task {task} is {} now", text(body, "to")),
        event::PROMPTED => format!("a person spoke to {who}"),
        event::IDENTITY_ADDED => format!("identity {} was added", text(body, "principal")),
        event::IDENTITY_REVOKED => format!("identity {} was revoked", text(body, "principal")),
        event::CLOCK_JUMP => "the clock jumped; running time limits moved with it".to_owned(),
        event::PERMIT_EXPIRED => "a permit is over".to_owned(),
        event::KEYED => format!("{who} called {}", text(body, "verb")),
        message::MESSAGE => format!(
            "{} to {} ({}): {}",
            record
                .agent
                .as_ref()
                .map_or("a person", |agent| agent.as_str()),
            text(body, "to"),
            text(body, "kind"),
            text(body, "text")
        ),
        message::DELIVERED => format!("{who} was shown what lay in its inbox"),
        message::ACKNOWLEDGED => format!("{who} took a message"),
        TOOL_SEEN => format!("{who}: {}", text(body, "action")),
        OBSERVED => format!(
            "{who} (observed, not gated) {}: {}",
            text(body, "state"),
            text(body, "action")
        ),
        AGENT_SEEN if text(body, "moment") == GONE => {
            format!("{who}: session ended without a word, its process is gone")
        }
        AGENT_SEEN => format!("{who}: session {}", text(body, "moment")),
        schema => format!("{who}: {}{}", name(schema), says(body)),
    }
}
