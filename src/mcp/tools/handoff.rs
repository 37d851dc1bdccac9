//! Tools of handoffs.

use std::time::Duration;

use serde_json::{Value, json};

use crate::contract::handoff::{HandoffAnswer, HandoffInput, HandoffState, InputDefaults, Wants};
use crate::contract::ids::ProjectId;
use crate::contract::refusal::Refusal;
use crate::ops::handoff::{self, Filter, Listed, Wanted};
use crate::ops::process;

use super::args::{Arg, Kind};
use super::{Call, Run, Tool, value};

/// How long a wait lasts where nobody says: below the time that clients give a call by default.
const WAIT_S: u64 = 50;
/// How long it lasts at most.
const LONGEST_WAIT_S: u64 = 600;
/// Entries that a list shows where nobody says how many.
const LISTED: u64 = 20;
/// Characters of a question in a list.
const SHOWN: usize = 200;

const ID: Arg = Arg::needed("id", Kind::Text, "");
const TAGS: Arg = Arg::may("tags", Kind::Texts, "");
const EPOCH: Arg = Arg::may("epoch", Kind::Number(u32::MAX as u64), "");
const CLASSES: Kind = Kind::Word(&[
    "money",
    "outward_effect",
    "irreversible",
    "credentials",
    "priority_scope",
]);
const STATES: Kind = Kind::Word(&["open", "claimed", "resolved", "blocked", "escalated"]);

/// The tools.
pub(super) const TOOLS: &[Tool] = &[
    tool(
        "handoff_open",
        "Ask another agent for what you cannot find out yourself. Then handoff_wait.",
        &[
            Arg::needed("question", Kind::Text, ""),
            Arg::needed("tried", Kind::Text, "What failed already"),
            Arg::needed("needed", Kind::Text, "What the answer must hold"),
            Arg::may(
                "wants",
                Kind::Word(&["answer", "action"]),
                "action is only escalated",
            ),
            TAGS,
            Arg::may("task", Kind::Text, ""),
        ],
        open,
    ),
    waiting(tool(
        "handoff_wait",
        "Wait for the answer, a question back (then handoff_reply) or a decision. Call again when it runs out.",
        &[ID, Arg::may("seconds", Kind::Number(LONGEST_WAIT_S), "")],
        wait,
    )),
    tool(
        "handoff_use",
        "Tell what you did with an answer.",
        &[
            ID,
            Arg::needed(
                "evidence",
                Kind::Texts,
                "Project files or receipts that show it",
            ),
            Arg::may("text", Kind::Text, ""),
        ],
        used,
    ),
    tool(
        "handoff_reply",
        "Answer the holder's question back on your own entry.",
        &[ID, Arg::needed("text", Kind::Text, "")],
        reply,
    ),
    tool(
        "handoff_next",
        "The entry that waits longest for help; claim takes it in the same step, for 10 minutes.",
        &[
            Arg::may("claim", Kind::Flag, ""),
            TAGS,
            Arg::may("project", Kind::Text, ""),
        ],
        next,
    ),
    tool(
        "handoff_claim",
        "Take one entry, for 10 minutes.",
        &[ID],
        claim,
    ),
    tool(
        "handoff_answer",
        "Answer an entry you hold.",
        &[ID, Arg::needed("text", Kind::Text, ""), EPOCH],
        answer,
    ),
    tool(
        "handoff_ask",
        "Ask the asker back; once an entry.",
        &[ID, Arg::needed("question", Kind::Text, ""), EPOCH],
        ask,
    ),
    tool(
        "handoff_release",
        "Give an entry back for another agent.",
        &[ID, EPOCH],
        release,
    ),
    tool(
        "handoff_block",
        "Park an entry: nobody can help, or it is not needed any more.",
        &[ID, Arg::needed("reason", Kind::Text, ""), EPOCH],
        block,
    ),
    tool(
        "handoff_escalate",
        "Hand an entry to a person; only for these classes.",
        &[
            ID,
            Arg::needed("class", CLASSES, ""),
            Arg::needed("reason", Kind::Text, ""),
            EPOCH,
        ],
        escalate,
    ),
    reading(tool(
        "handoff_show",
        "An entry with its thread and what failed before.",
        &[ID],
        show,
    )),
    reading(tool(
        "handoff_list",
        "Entries, newest last.",
        &[
            Arg::may("state", STATES, ""),
            TAGS,
            Arg::may("limit", Kind::Number(200), ""),
        ],
        list,
    )),
];

type Verb = fn(&mut Call<'_>) -> Result<Value, Refusal>;

const fn tool(name: &'static str, about: &'static str, args: &'static [Arg], run: Verb) -> Tool {
    Tool {
        name,
        about,
        args,
        reads: false,
        waits: false,
        run: Run::Desk(run),
    }
}

const fn reading(mut tool: Tool) -> Tool {
    tool.reads = true;
    tool
}

const fn waiting(mut tool: Tool) -> Tool {
    tool.waits = true;
    tool
}

fn open(call: &mut Call<'_>) -> Result<Value, Refusal> {
    let asker = call.agent()?;
    let (context, given) = (&call.context, &call.given);
    let text = |name: &str| given.maybe(name).map(str::to_owned);
    let defaults = InputDefaults {
        project: Some(context.project.clone()),
        question: text("question"),
        tried: text("tried"),
        needed: text("needed"),
        wants: given.maybe("wants").and_then(Wants::parse),
        tags: given.texts("tags"),
        asker: Some(asker),
        task: call.task(),
        mission: context.mission.clone(),
    };
    let input = HandoffInput::of_call(defaults).map_err(|faults| {
        Refusal::of_faults("the handoff", faults, "watchfloor handoff open --help")
    })?;
    value(&handoff::open(context, &input, &mut call.store)?)
}

fn wait(call: &mut Call<'_>) -> Result<Value, Refusal> {
    let this = process::read(std::process::id()).map(|(this, _)| this);
    let seconds = call.given.number("seconds").unwrap_or(WAIT_S);
    let waiting = handoff::Waiting {
        process: this,
        patience: Duration::from_secs(seconds),
        over: Some(call.over),
    };
    let id = call.given.text("id");
    value(&handoff::wait(
        &call.context,
        id,
        &waiting,
        &mut call.store,
    )?)
}

fn next(call: &mut Call<'_>) -> Result<Value, Refusal> {
    let claim = call.given.flag("claim");
    if claim {
        call.agent()?;
    }
    let filter = Filter {
        project: call.given.maybe("project").map(ProjectId::new),
        tags: call.given.texts("tags"),
    };
    value(&handoff::next(
        &call.context,
        &filter,
        claim,
        &mut call.store,
    )?)
}

fn show(call: &mut Call<'_>) -> Result<Value, Refusal> {
    value(&handoff::show(call.given.text("id"), &mut call.store)?)
}

fn list(call: &mut Call<'_>) -> Result<Value, Refusal> {
    let limit = call.given.number("limit").unwrap_or(LISTED);
    let wanted = Wanted {
        state: call.given.maybe("state").and_then(HandoffState::parse),
        project: None,
        tags: call.given.texts("tags"),
        since: 0,
        limit: usize::try_from(limit).unwrap_or(usize::MAX),
    };
    let list = handoff::list(&wanted, &mut call.store)?;
    let rows: Vec<Value> = list.handoffs.iter().map(short).collect();
    Ok(json!({"handoffs": rows, "more": list.more}))
}

/// An entry at a glance: all of it is one `handoff_show` away.
fn short(listed: &Listed) -> Value {
    let row = &listed.row;
    let question: String = row.question.chars().take(SHOWN).collect();
    json!({
        "handle": row.handle, "state": row.state, "priority": row.priority, "project": row.project,
        "question": question, "asker": row.asker, "tags": row.tags, "holder": row.holder,
        "seconds_left": listed.seconds_left,
    })
}

/// A verb on one entry that an agent alone can do.
fn done(
    call: &mut Call<'_>,
    verb: impl FnOnce(&mut Call<'_>, &str) -> Result<HandoffAnswer, Refusal>,
) -> Result<Value, Refusal> {
    call.agent()?;
    let id = call.given.text("id").to_owned();
    value(&verb(call, &id)?)
}

fn claim(call: &mut Call<'_>) -> Result<Value, Refusal> {
    done(call, |call, id| {
        handoff::claim(&call.context, id, &mut call.store)
    })
}

fn ask(call: &mut Call<'_>) -> Result<Value, Refusal> {
    done(call, |call, id| {
        let epoch = call.given.number("epoch");
        let question = call.given.text("question");
        handoff::ask(&call.context, id, question, epoch, &mut call.store)
    })
}

fn reply(call: &mut Call<'_>) -> Result<Value, Refusal> {
    done(call, |call, id| {
        handoff::reply(&call.context, id, call.given.text("text"), &mut call.store)
    })
}

fn answer(call: &mut Call<'_>) -> Result<Value, Refusal> {
    done(call, |call, id| {
        let epoch = call.given.number("epoch");
        let text = call.given.text("text");
        handoff::answer(&call.context, id, text, epoch, &mut call.store)
    })
}

fn release(call: &mut Call<'_>) -> Result<Value, Refusal> {
    done(call, |call, id| {
        let epoch = call.given.number("epoch");
        handoff::release(&call.context, id, epoch, &mut call.store)
    })
}

fn used(call: &mut Call<'_>) -> Result<Value, Refusal> {
    done(call, |call, id| {
        let evidence = call.given.texts("evidence");
        let text = call.given.maybe("text");
        handoff::used(&call.context, id, &evidence, text, &mut call.store)
    })
}

fn escalate(call: &mut Call<'_>) -> Result<Value, Refusal> {
    done(call, |call, id| {
        let given = &call.given;
        let (class, reason) = (given.maybe("class"), given.text("reason"));
        let epoch = given.number("epoch");
        handoff::escalate(&call.context, id, class, reason, epoch, &mut call.store)
    })
}

fn block(call: &mut Call<'_>) -> Result<Value, Refusal> {
    done(call, |call, id| {
        let (reason, epoch) = (call.given.text("reason"), call.given.number("epoch"));
        handoff::block(&call.context, id, reason, epoch, &mut call.store)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::handoff::Class;

    #[test]
    fn the_words_are_those_of_the_contract() {
        let words = |kind: Kind| match kind {
            Kind::Word(words) => words.to_vec(),
            _ => Vec::new(),
        };
        let classes: Vec<&str> = Class::ALL.iter().map(|class| class.as_str()).collect();
        assert_eq!(words(CLASSES), classes);
        let states: Vec<&str> = HandoffState::ALL.iter().map(|s| s.as_str()).collect();
        assert_eq!(words(STATES), states);
    }
}
