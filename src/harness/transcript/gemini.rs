//! Gemini CLI's chats: rows that are repeated with more fields, and patches of the whole. Older
//! versions keep one document.

use serde_json::Value;

use crate::contract::observed::{Fact, Moment, ReturnFact, SessionFact, UsageFact};

use super::row::{Out, content, count, parts, text, time};
use super::{Format, tools};

/// The format; it remembers what it told of the row that may be repeated.
#[derive(Default)]
pub(super) struct Gemini {
    last: String,
    spoken: usize,
}

impl Format for Gemini {
    fn read(&mut self, row: &Value, moments: &mut Vec<Moment>) {
        if let Some(session) = text(row, "/sessionId") {
            let mut out = Out {
                at_us: time(row, "/startTime"),
                moments,
            };
            out.push(Fact::Session(SessionFact {
                session: Some(session.to_owned()),
                ..SessionFact::default()
            }));
        }
        let whole = [row.get("messages"), row.pointer("/$set/messages")];
        for message in whole.into_iter().flat_map(parts) {
            self.message(message, moments);
        }
        if row.get("id").is_some() {
            self.message(row, moments);
        }
    }
}

impl Gemini {
    fn message(&mut self, row: &Value, moments: &mut Vec<Moment>) {
        let mut out = Out {
            at_us: time(row, "/timestamp"),
            moments,
        };
        let id = text(row, "/id").unwrap_or_default();
        let said = content(row.get("content"));
        match text(row, "/type") {
            Some("user") if self.last != id => {
                id.clone_into(&mut self.last);
                if !said.trim_start().starts_with('<') {
                    out.said(Fact::Prompt, &said);
                }
            }
            Some("gemini") => {
                if self.last != id {
                    id.clone_into(&mut self.last);
                    self.spoken = 0;
                }
                self.answer(row, &said, &mut out);
            }
            _ => {}
        }
    }

    fn answer(&mut self, row: &Value, said: &str, out: &mut Out<'_>) {
        if let Some(model) = text(row, "/model") {
            out.push(Fact::Model(model.to_owned()));
        }
        if said.len() > self.spoken {
            out.said(Fact::Spoke, said);
            self.spoken = said.len();
        }
        if let Some(tokens) = count(row, "/tokens/total") {
            out.push(Fact::Usage(UsageFact {
                key: self.last.clone(),
                tokens,
                context: count(row, "/tokens/input").unwrap_or(0),
                cost_microusd: None,
            }));
        }
        let calls = parts(row.get("toolCalls"));
        for call in calls {
            called(call, out);
        }
        if calls.is_empty() && !said.is_empty() {
            out.push(Fact::TurnEnded);
        }
    }
}

/// A call stands in one object with what came back of it.
fn called(call: &Value, out: &mut Out<'_>) {
    let id = text(call, "/id").unwrap_or_default();
    let name = text(call, "/name").unwrap_or_default();
    let input = call.get("args").unwrap_or(&Value::Null);
    out.push(Fact::Called(tools::call(id, name, input)));
    let status = text(call, "/status").unwrap_or_default();
    if !matches!(status, "success" | "error" | "cancelled") {
        return;
    }
    let response = "/result/0/functionResponse/response";
    let said = text(call, &format!("{response}/output"))
        .or_else(|| text(call, &format!("{response}/error")))
        .or_else(|| text(call, "/resultDisplay"))
        .unwrap_or_default();
    let code = tools::exit_code(said);
    out.push(Fact::Returned(ReturnFact {
        id: id.to_owned(),
        failed: status == "error" || code.is_some_and(|code| code != 0),
        exit_code: code,
        text: bare(said),
    }));
}

/// The output alone, without what the shell tool writes around it.
fn bare(said: &str) -> String {
    let around = |line: &&str| {
        let line = line.trim();
        line == "<untrusted_context>"
            || line == "</untrusted_context>"
            || line.starts_with("Process Group PGID:")
            || line.starts_with("Exit Code:")
    };
    let lines = said.lines().filter(|line| !around(line));
    let text: Vec<&str> = lines.collect();
    let text = text.join("\n");
    let text = text.strip_prefix("Output: ").unwrap_or(&text);
    if text == "(empty)" {
        String::new()
    } else {
        text.to_owned()
    }
}
