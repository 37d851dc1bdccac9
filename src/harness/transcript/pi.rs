//! pi's session files: a tree of entries, appended as they come.

use serde_json::Value;

use crate::contract::observed::{Fact, Moment, ReturnFact, SessionFact, UsageFact};

use super::row::{Out, content, count, money, parts, text, time};
use super::{Format, tools};

/// The format.
#[derive(Default)]
pub(super) struct Pi;

impl Format for Pi {
    fn read(&mut self, row: &Value, moments: &mut Vec<Moment>) {
        let mut out = Out {
            at_us: time(row, "/timestamp"),
            moments,
        };
        match text(row, "/type") {
            Some("session") => out.push(Fact::Session(SessionFact {
                session: text(row, "/id").map(str::to_owned),
                subagent: None,
                cwd: text(row, "/cwd").map(str::to_owned),
            })),
            Some("session_info") => out.said(Fact::Title, text(row, "/name").unwrap_or_default()),
            Some("model_change") => {
                out.said(Fact::Model, text(row, "/modelId").unwrap_or_default());
            }
            Some("message") => message(row, &mut out),
            _ => {}
        }
    }
}

fn message(row: &Value, out: &mut Out<'_>) {
    let Some(message) = row.get("message") else {
        return;
    };
    match text(message, "/role") {
        Some("user") => out.said(Fact::Prompt, &content(message.get("content"))),
        Some("assistant") => assistant(row, message, out),
        Some("toolResult") => {
            let said = content(message.get("content"));
            let failed = message.get("isError") == Some(&Value::Bool(true));
            let coded = count(message, "/structuredContent/exit_code");
            let code = coded.and_then(|code| i32::try_from(code).ok());
            out.push(Fact::Returned(ReturnFact {
                id: text(message, "/toolCallId").unwrap_or_default().to_owned(),
                failed,
                exit_code: code.or_else(|| tools::exit_code(&said)),
                text: said,
            }));
        }
        _ => {}
    }
}

fn assistant(row: &Value, message: &Value, out: &mut Out<'_>) {
    if let Some(model) = text(message, "/model") {
        out.push(Fact::Model(model.to_owned()));
    }
    for part in parts(message.get("content")) {
        match text(part, "/type") {
            Some("text") => out.said(Fact::Spoke, text(part, "/text").unwrap_or_default()),
            Some("toolCall") => out.push(Fact::Called(tools::call(
                text(part, "/id").unwrap_or_default(),
                text(part, "/name").unwrap_or_default(),
                part.get("arguments").unwrap_or(&Value::Null),
            ))),
            _ => {}
        }
    }
    if let Some(usage) = message.get("usage") {
        let of = |name: &str| count(usage, name).unwrap_or(0);
        let context = of("/input")
            .saturating_add(of("/cacheRead"))
            .saturating_add(of("/cacheWrite"));
        out.push(Fact::Usage(UsageFact {
            key: text(row, "/id").unwrap_or_default().to_owned(),
            tokens: context.saturating_add(of("/output")),
            context,
            cost_microusd: money(usage, "/cost/total").filter(|cost| *cost > 0),
        }));
    }
    if text(message, "/stopReason").is_some_and(|reason| reason != "toolUse") {
        out.push(Fact::TurnEnded);
    }
}
