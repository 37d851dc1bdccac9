//! Tools of the ledger, the gate and the catalogue of failures.

use serde_json::Value;

use crate::contract::attempt::Defaults;
use crate::contract::fault::Fault;
use crate::contract::ids::TaskId;
use crate::contract::refusal::{Code, Refusal};
use crate::contract::safety::WorkRole;
use crate::ops::context::Context;
use crate::ops::gate::{self, Asked};
use crate::ops::{attempt, codes, store};

use super::args::{Arg, Given, Kind};
use super::{Call, Run, Tool, value};

const TASK: Arg = Arg::may("task", Kind::Text, "");
const ROLES: Kind = Kind::Word(&["maker", "checker", "debugger", "second_opinion"]);
const RESULTS: Kind = Kind::Word(&["PASS", "FAIL", "BLOCKED", "NEEDS_ATTENTION"]);
const CHANGE: Kind = Kind::Object(
    r#"{"type":"object","properties":{"summary":{"type":"string"},"files":{"type":"array","items":{"type":"string"}}},"required":["summary"]}"#,
);
const PROGRESS: Kind = Kind::Object(
    r#"{"type":"object","properties":{"made":{"type":"boolean"},"metric":{"type":"object"},"evidence":{"type":"array","items":{"type":"string"}}}}"#,
);

/// The tools.
pub(super) const TOOLS: &[Tool] = &[
    Tool {
        name: "attempt_plan",
        about: "Say what you will try, before you try it.",
        args: &[
            Arg::needed("hypothesis", Kind::Text, "Assumed cause"),
            Arg::needed(
                "strategy",
                Kind::Text,
                "A few words, the same for the same idea",
            ),
            TASK,
        ],
        reads: false,
        waits: false,
        run: Run::Desk(plan),
    },
    Tool {
        name: "attempt_record",
        about: "Record a try and its result. Answers findings and the step that is due.",
        args: &[
            Arg::needed("role", ROLES, ""),
            Arg::needed("hypothesis", Kind::Text, ""),
            Arg::needed("strategy", Kind::Text, ""),
            Arg::needed("change", CHANGE, ""),
            Arg::needed("result", RESULTS, ""),
            Arg::may("error_signature", Kind::Text, "With FAIL: the failure text"),
            Arg::may("check", Kind::Text, ""),
            Arg::may("progress", PROGRESS, "metric: name, before, after, better"),
            Arg::may("task_id", Kind::Text, ""),
        ],
        reads: false,
        waits: false,
        run: Run::Desk(record),
    },
    Tool {
        name: "gate_check",
        about: "Ask before a retry whether this strategy may be tried.",
        args: &[
            Arg::needed("role", ROLES, ""),
            Arg::needed("strategy", Kind::Text, ""),
            TASK,
        ],
        reads: true,
        waits: false,
        run: Run::Desk(check),
    },
    Tool {
        name: "triage_classify",
        about: "Code, cause and next command of a failure text.",
        args: &[
            Arg::needed("text", Kind::Text, ""),
            Arg::may("layer", Kind::Text, ""),
        ],
        reads: true,
        waits: false,
        run: Run::Plain(classify),
    },
];

impl Call<'_> {
    /// The task of the call: the one it names, else the one that the session works on.
    pub(super) fn task(&self) -> Option<TaskId> {
        let named = self.given.maybe("task").map(TaskId::new);
        named.or_else(|| self.context.task.clone())
    }

    fn needs_task(&self, tool: &str) -> Result<TaskId, Refusal> {
        self.task().ok_or_else(|| {
            let cause = format!("{tool} needs a task: the session works on none that is known");
            Refusal::new(Code::Usage, cause, "watchfloor task list")
        })
    }
}

fn plan(call: &mut Call<'_>) -> Result<Value, Refusal> {
    let (agent, task) = (call.agent()?, call.needs_task("attempt_plan")?);
    let (hypothesis, strategy) = (call.given.text("hypothesis"), call.given.text("strategy"));
    if hypothesis.trim().is_empty() || strategy.trim().is_empty() {
        let faults = [("hypothesis", hypothesis), ("strategy", strategy)]
            .into_iter()
            .filter(|(_, text)| text.trim().is_empty())
            .map(|(name, _)| Fault::new("string_too_short", name, "must not be blank"))
            .collect();
        let next = "watchfloor attempt plan --help";
        return Err(Refusal::of_faults("the plan", faults, next));
    }
    let planned = attempt::plan(
        &call.context,
        &task,
        &agent,
        hypothesis,
        strategy,
        &mut call.store,
    )?;
    value(&planned)
}

fn record(call: &mut Call<'_>) -> Result<Value, Refusal> {
    let defaults = Defaults {
        task: call.context.task.clone(),
        agent: Some(call.agent()?),
        mission: call.context.mission.clone(),
    };
    let body = serde_json::to_vec(call.given.whole()).unwrap_or_default();
    let input = attempt::parse(&body, defaults)?;
    let flags = store::flags(&call.context);
    let recorded = attempt::record(&call.context, &input, &body, &mut call.store, &flags)?;
    value(&recorded)
}

fn check(call: &mut Call<'_>) -> Result<Value, Refusal> {
    let asked = Asked {
        task: call.needs_task("gate_check")?,
        role: WorkRole::parse(call.given.text("role")).unwrap_or(WorkRole::Maker),
        strategy: call.given.text("strategy").to_owned(),
        agent: call.context.agent.clone(),
    };
    let flags = store::flags(&call.context);
    value(&gate::check(
        &call.context,
        &asked,
        &mut call.store,
        &flags,
    )?)
}

fn classify(context: &Context, given: &Given) -> Result<Value, Refusal> {
    let (text, layer) = (given.text("text"), given.maybe("layer"));
    value(&codes::classify(context, text, layer, None)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_are_those_of_the_contract() {
        let Kind::Word(roles) = ROLES else {
            unreachable!()
        };
        assert!(roles.iter().all(|role| WorkRole::parse(role).is_some()));
        for kind in [CHANGE, PROGRESS] {
            let Kind::Object(schema) = kind else {
                unreachable!()
            };
            assert!(serde_json::from_str::<Value>(schema).unwrap().is_object());
        }
    }
}
