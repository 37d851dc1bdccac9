//! Claude Code's session files: one row an event, and the API's messages inside.

use serde_json::Value;

use crate::contract::observed::{Fact, Moment, ReturnFact, SessionFact, TotalsFact, UsageFact};

use super::row::{Out, content, count, money, parts, text, time};
use super::{Format, tools};

/// The format.
#[derive(Default)]
pub(super) struct Claude;

impl Format for Claude {
    fn read(&mut self, row: &Value, moments: &mut Vec<Moment>) {
        let mut out = Out {
            at_us: time(row, "/timestamp"),
            moments,
        };
        session(row, &mut out);
        match text(row, "/type") {
            Some("user") => user(row, &mut out),
            Some("assistant") => assistant(row, &mut out),
            Some("system") if text(row, "/subtype") == Some("stop_hook_summary") => {
                out.push(Fact::TurnEnded);
            }
            Some("custom-title") => title(row, "/customTitle", &mut out),
            Some("ai-title") => title(row, "/aiTitle", &mut out),
            Some("summary") => title(row, "/summary", &mut out),
            Some("cost-state") => cost(row, &mut out),
            _ => {}
        }
    }
}

fn session(row: &Value, out: &mut Out<'_>) {
    let fact = SessionFact {
        session: text(row, "/sessionId").map(str::to_owned),
        subagent: text(row, "/agentId").map(str::to_owned),
        cwd: text(row, "/cwd").map(str::to_owned),
    };
    if fact.session.is_some() {
        out.push(Fact::Session(fact));
    }
}

fn title(row: &Value, pointer: &str, out: &mut Out<'_>) {
    out.said(Fact::Title, text(row, pointer).unwrap_or_default());
}

fn user(row: &Value, out: &mut Out<'_>) {
    let content_of = row.pointer("/message/content");
    let mut results = false;
    for part in parts(content_of) {
        if text(part, "/type") == Some("tool_result") {
            results = true;
            out.push(Fact::Returned(returned(row, part)));
        }
    }
    let said = content(content_of);
    if said.starts_with("[Request interrupted") {
        out.push(Fact::TurnEnded);
    } else if !results && row.get("isMeta") != Some(&Value::Bool(true)) && !said.starts_with('<') {
        out.said(Fact::Prompt, &said);
    }
}

fn returned(row: &Value, part: &Value) -> ReturnFact {
    let said = content(part.get("content"));
    // What the person or the program did not allow has not failed.
    let refused = text(row, "/permissionDecision/decision").is_some_and(|d| d != "accept");
    let failed = part.get("is_error") == Some(&Value::Bool(true)) && !refused;
    ReturnFact {
        id: text(part, "/tool_use_id").unwrap_or_default().to_owned(),
        failed,
        exit_code: if failed {
            tools::exit_code(&said)
        } else {
            None
        },
        text: said,
    }
}

fn assistant(row: &Value, out: &mut Out<'_>) {
    if let Some(model) = text(row, "/message/model").filter(|model| *model != "<synthetic>") {
        out.push(Fact::Model(model.to_owned()));
    }
    for part in parts(row.pointer("/message/content")) {
        match text(part, "/type") {
            Some("text") => out.said(Fact::Spoke, text(part, "/text").unwrap_or_default()),
            Some("tool_use") => out.push(Fact::Called(tools::call(
                text(part, "/id").unwrap_or_default(),
                text(part, "/name").unwrap_or_default(),
                part.get("input").unwrap_or(&Value::Null),
            ))),
            _ => {}
        }
    }
    if let Some(usage) = row.pointer("/message/usage") {
        let of = |name: &str| count(usage, name).unwrap_or(0);
        let context = of("/input_tokens")
            .saturating_add(of("/cache_read_input_tokens"))
            .saturating_add(of("/cache_creation_input_tokens"));
        out.push(Fact::Usage(UsageFact {
            key: text(row, "/message/id").unwrap_or_default().to_owned(),
            tokens: context.saturating_add(of("/output_tokens")),
            context,
            cost_microusd: None,
        }));
    }
    if matches!(
        text(row, "/message/stop_reason"),
        Some("end_turn" | "stop_sequence" | "refusal")
    ) {
        out.push(Fact::TurnEnded);
    }
}

/// What the session cost so far, by model.
fn cost(row: &Value, out: &mut Out<'_>) {
    let models = row.get("modelUsage").and_then(Value::as_object);
    let tokens = models.map(|models| {
        let of = |usage: &Value| {
            [
                "inputTokens",
                "outputTokens",
                "cacheReadInputTokens",
                "cacheCreationInputTokens",
            ]
            .iter()
            .filter_map(|name| count(usage, &format!("/{name}")))
            .fold(0, u64::saturating_add)
        };
        models.values().map(of).fold(0, u64::saturating_add)
    });
    out.push(Fact::Totals(TotalsFact {
        tokens,
        context: None,
        cost_microusd: money(row, "/totalCostUSD"),
    }));
}
