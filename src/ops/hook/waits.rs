//! A session that waits for a person in its own program: it stands in the list of what needs one
//! until its next call, its next prompt or its end (spec 6.1).

use crate::contract::refusal::Refusal;
use crate::contract::secret;
use crate::contract::session::{AGENT_WAITS, AgentWaits, WaitKind};
use crate::contract::text::neutral;
use crate::contract::tool::{Caller, HookAnswer, ToolCall, Waits};
use crate::journal::{Durability, Journal, Write};
use crate::ops::context::Context;
use crate::ops::records::observation;

use super::{Stand, open};

/// Tools by which an agent asks its person something.
const ASKING: [&str; 6] = [
    "AskUserQuestion",
    "ask_user",
    "request_user_input",
    "clarify",
    "question",
    "ask_question",
];

/// Characters of what is asked that are kept.
const KEPT: usize = 160;
/// Bytes of it that are looked at: the rest is cut before secrets are looked for.
const LOOKED_AT: usize = 4 << 10;

/// A wait begins.
pub(super) fn begin(context: &Context, waits: &Waits) -> Result<HookAnswer, Refusal> {
    let mut journal = open(context)?;
    journal.write(Durability::Normal, |write| {
        let stand = Stand::read(context, &waits.caller, write)?;
        let body = AgentWaits {
            kind: waits.kind,
            call_id: waits.call_id.clone(),
            text: shown(&waits.text),
            ..over(&stand, &waits.caller.harness)
        };
        append(context, &stand, &body, write)
    })?;
    Ok(HookAnswer::Allow)
}

/// A question that a tool call asks is a wait too. It is taken down beside the call, which runs
/// whether this can be recorded or not.
pub(super) fn asked_by(context: &Context, call: &ToolCall) {
    if !ASKING.contains(&call.tool.as_str()) {
        return;
    }
    let waits = Waits {
        caller: call.caller.clone(),
        kind: WaitKind::Question,
        call_id: call.call_id.clone(),
        text: question(&call.input),
    };
    drop(begin(context, &waits));
}

/// The first question of a tool's input, whatever shape it has.
fn question(input: &str) -> String {
    let value: serde_json::Value = serde_json::from_str(input).unwrap_or_default();
    let first = &value["questions"][0];
    let found = [first, &value].into_iter().find_map(|of| {
        let of = of.get("question").or_else(|| of.get("header"))?;
        of.as_str().map(str::to_owned)
    });
    found.unwrap_or_default()
}

/// A wait is over.
pub(super) fn end(context: &Context, caller: &Caller) -> Result<HookAnswer, Refusal> {
    let mut journal = open(context)?;
    let stand = journal.read(|read| Stand::read(context, caller, read))?;
    if stand.waits() {
        journal.write(Durability::Normal, |write| no_more(context, &stand, write))?;
    }
    Ok(HookAnswer::Allow)
}

/// Takes down that a session waits no more.
pub(super) fn no_more(
    context: &Context,
    stand: &Stand,
    write: &mut dyn Write,
) -> Result<(), Refusal> {
    let harness = stand.known.as_ref().map(|known| known.row.harness.as_str());
    let body = over(stand, harness.unwrap_or_default());
    append(context, stand, &body, write)
}

fn over(stand: &Stand, harness: &str) -> AgentWaits {
    AgentWaits {
        schema: AGENT_WAITS.to_owned(),
        agent: stand.agent.clone(),
        harness: harness.to_owned(),
        mission_id: stand.mission.clone(),
        task_id: stand.task.clone(),
        kind: WaitKind::Over,
        call_id: None,
        text: String::new(),
    }
}

fn append(
    context: &Context,
    stand: &Stand,
    body: &AgentWaits,
    write: &mut dyn Write,
) -> Result<(), Refusal> {
    let (task, agent) = (Some(stand.task.clone()), Some(stand.agent.clone()));
    write.append(observation(context, AGENT_WAITS, task, agent, body)?)?;
    Ok(())
}

/// What is asked, on a line, without secrets and escapes.
fn shown(text: &str) -> String {
    let mut end = text.len().min(LOOKED_AT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let (clean, _) = secret::redact(&text[..end]);
    let line: Vec<&str> = clean.split_whitespace().collect();
    neutral(&line.join(" ")).chars().take(KEPT).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_found_in_the_shapes_that_tools_use() {
        for (input, words) in [
            (
                r#"{"questions":[{"question":"Which port?","header":"p"}]}"#,
                "Which port?",
            ),
            (r#"{"question":"Which port?"}"#, "Which port?"),
            (r#"{"questions":[{"header":"Port"}]}"#, "Port"),
            ("{}", ""),
            ("no JSON", ""),
        ] {
            assert_eq!(question(input), words, "{input}");
        }
    }

    #[test]
    fn what_is_shown_is_a_short_line_without_escapes() {
        let long = format!("run\n\u{1b}[31mthis {}", "ä".repeat(9_000));
        let line = shown(&long);
        assert!(line.starts_with("run \u{fffd}[31mthis ä"), "{line}");
        assert_eq!(line.chars().count(), KEPT);
    }
}
