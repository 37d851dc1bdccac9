//! `guard`: what becomes of a tool call, and whether rules hold.

use crate::contract::guard::{Grantable, GuardOutcome, Judgement};
use crate::contract::refusal::Refusal;
use crate::ops::context::Context;
use crate::ops::guard::{self, Checked};

use super::args::{GuardRulesVerb, GuardVerb};
use super::input::input;
use super::out::Reply;
use super::table::plain;

/// `guard check`, `guard rules check`.
pub fn run(context: &Context, verb: GuardVerb) -> Result<Reply, Refusal> {
    match verb {
        GuardVerb::Check {
            file,
            tool,
            explain,
        } => {
            let bytes = input(&file)?;
            let text = String::from_utf8_lossy(&bytes);
            let checked = guard::check(context, &tool, &text);
            let answer = guard::answer(&checked);
            let exit = u8::from(answer.outcome != GuardOutcome::Allow);
            Ok(Reply::of(&answer, told(&checked, explain))?.exit(exit))
        }
        GuardVerb::Rules {
            verb: GuardRulesVerb::Check { files },
        } => {
            let answer = guard::check_rules(context, &files)?;
            let mut lines: Vec<String> = answer.faults.iter().map(|fault| plain(fault)).collect();
            let count = answer.rules;
            lines.push(format!(
                "{count} rules, {}",
                if answer.valid {
                    "all examples hold"
                } else {
                    "not all are right"
                }
            ));
            let exit = u8::from(!answer.valid);
            Ok(Reply::of(&answer, lines.join("\n"))?.exit(exit))
        }
    }
}

/// What was found; of a call that grants let through also which, and what it would be without.
fn told(checked: &Checked, explain: bool) -> String {
    let mut lines = vec![human(&checked.judgement, explain)];
    if let Some((grants, without)) = &checked.granted {
        for row in grants {
            let (handle, kind, value) = (&row.handle, &row.kind, &row.value);
            lines.push(plain(&format!(
                "grant {handle} of {kind} {value} lets it through until {}, by {}",
                row.until, row.by
            )));
        }
        lines.push(format!("without it: {}", human(without, false)));
    }
    lines.join("\n")
}

fn human(judgement: &Judgement, explain: bool) -> String {
    let mut words = vec![match judgement.outcome {
        GuardOutcome::Allow => "allow".to_owned(),
        GuardOutcome::Deny => "deny".to_owned(),
        GuardOutcome::Indeterminate => "indeterminate".to_owned(),
        GuardOutcome::Trip => match judgement.trigger {
            Some(trigger) => format!("trip {}", trigger.as_str()),
            None => "trip".to_owned(),
        },
    }];
    if let Some(rule) = &judgement.rule {
        words.push(format!("({})", plain(rule)));
    }
    let mut lines = vec![words.join(" ")];
    if !judgement.reason.is_empty() {
        lines.push(plain(&judgement.reason));
    }
    if explain {
        let reads = judgement.only_reads;
        lines.push(format!(
            "understood as only reading: {}",
            if reads { "yes" } else { "no" }
        ));
        if let Some(wants) = &judgement.wants {
            lines.push(format!("a grant could name: {}", plain(&grantable(wants))));
        }
    }
    lines.join("\n")
}

fn grantable(wants: &Grantable) -> String {
    match wants {
        Grantable::Call(digest) => format!("this call, {digest}"),
        Grantable::Host(host) => format!("the host {host}"),
        Grantable::Path(path) => format!("the path {path}"),
        Grantable::Branch(branch) => format!("the branch {branch}"),
    }
}
