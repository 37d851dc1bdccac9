//! The table of tools. Names, descriptions and schemas lie in every session's context, so they are
//! short; what a tool takes is checked against the same table.

mod args;
mod handoff;
mod inbox;
mod ledger;

use rmcp::model::{JsonObject, Tool as Listed, ToolAnnotations};
use serde::Serialize;
use serde_json::Value;

use crate::contract::ids::AgentId;
use crate::contract::refusal::{Code, Refusal};
use crate::ops::caller;
use crate::ops::context::Context;
use crate::ops::store::{self, Store};

use args::{Arg, Given};

/// Says whether nobody waits for the answer any more.
type Over<'a> = &'a dyn Fn() -> bool;

/// One tool.
pub(super) struct Tool {
    /// Its name: the noun and the verb of the command line.
    name: &'static str,
    /// What it does, for a model.
    about: &'static str,
    /// What it takes.
    args: &'static [Arg],
    /// It changes nothing.
    reads: bool,
    /// It may wait for something.
    pub(super) waits: bool,
    run: Run,
}

/// What runs a tool.
enum Run {
    /// Needs no store.
    Plain(fn(&Context, &Given) -> Result<Value, Refusal>),
    /// Works on the store.
    Desk(fn(&mut Call<'_>) -> Result<Value, Refusal>),
}

/// One call of a tool, by whom the context names.
struct Call<'a> {
    context: Context,
    store: Store,
    given: Given,
    over: Over<'a>,
}

impl Call<'_> {
    /// Who calls, where the tool writes in its name.
    fn agent(&self) -> Result<AgentId, Refusal> {
        self.context.agent.clone().ok_or_else(|| {
            let cause = "this server cannot tell who calls: set WATCHFLOOR_AGENT in its entry, or \
                         install the hooks of the agent's program";
            Refusal::new(Code::Usage, cause, "watchfloor mcp --help")
        })
    }
}

/// The tools, in the order in which they are listed.
fn table() -> impl Iterator<Item = &'static Tool> {
    handoff::TOOLS
        .iter()
        .chain(ledger::TOOLS)
        .chain(inbox::TOOLS)
}

/// A tool by its name.
pub(super) fn find(name: &str) -> Option<&'static Tool> {
    table().find(|tool| tool.name == name)
}

/// The tools as clients list them.
pub(super) fn all() -> Vec<Listed> {
    table().map(listed).collect()
}

fn listed(tool: &Tool) -> Listed {
    let hints = ToolAnnotations::new()
        .read_only(tool.reads)
        .destructive(false)
        .open_world(false);
    Listed::new(tool.name, tool.about, args::schema(tool.args)).with_annotations(hints)
}

/// Runs a tool.
///
/// # Errors
/// What was given does not fit the table, or what the verb refuses.
pub(super) fn run(
    tool: &Tool,
    context: &Context,
    given: JsonObject,
    over: Over<'_>,
) -> Result<Value, Refusal> {
    let given = args::read(tool.args, given).map_err(|faults| {
        let verb = tool.name.replacen('_', " ", 1);
        let what = format!("the call of {}", tool.name);
        Refusal::of_faults(&what, faults, format!("watchfloor {verb} --help"))
    })?;
    let run = match tool.run {
        Run::Plain(run) => return run(context, &given),
        Run::Desk(run) => run,
    };
    let mut store = if tool.reads {
        store::for_gate(context)?
    } else {
        store::open(context)?
    };
    let context = caller::known(context, &mut store)?;
    run(&mut Call {
        context,
        store,
        given,
        over,
    })
}

fn value(answer: &impl Serialize) -> Result<Value, Refusal> {
    serde_json::to_value(answer).map_err(|error| {
        let cause = format!("an answer has no JSON form: {error}");
        Refusal::new(Code::Internal, cause, "watchfloor status")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes that every session which lists the tools carries: names, descriptions, schemas.
    const BUDGET: usize = 6_000;

    #[test]
    fn the_tools_are_few_words() {
        let mut total = 0;
        for tool in all() {
            let schema = serde_json::to_string(&*tool.input_schema).unwrap();
            let about = tool.description.unwrap();
            assert!(about.len() <= 160, "{}: {} bytes", tool.name, about.len());
            total += tool.name.len() + about.len() + schema.len();
        }
        println!(
            "{} tools, {total} bytes of names, descriptions and schemas",
            table().count()
        );
        assert!(total <= BUDGET, "{total} bytes");
    }

    #[test]
    fn names_are_unique_and_schemas_are_objects() {
        let mut seen = std::collections::BTreeSet::new();
        for tool in all() {
            assert!(seen.insert(tool.name.to_string()));
            assert!(
                tool.name
                    .chars()
                    .all(|c| c.is_ascii_lowercase() || c == '_')
            );
            assert_eq!(tool.input_schema["type"], "object");
            assert!(tool.input_schema["properties"].is_object());
        }
    }
}
