//! Claude Code, with the hooks that the product answers.

use std::io;

use serde_json::{Map, Value, json};

use super::{Launch, Place, write};

/// Events that the product is called for.
const EVENTS: [&str; 6] = [
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "SessionEnd",
];

pub(super) fn set_up(place: &Place, prompt: &str) -> io::Result<Launch> {
    let hooks = EVENTS.iter().map(|event| {
        let command = json!({
            "type": "command", "command": place.watchfloor,
            "args": ["hook", "claude", event], "timeout": 20, "onFailure": "block",
        });
        ((*event).to_owned(), json!([{"hooks": [command]}]))
    });
    let hooks: Map<String, Value> = hooks.collect();
    let settings = json!({"hooks": hooks}).to_string();
    if place.hooks {
        write(&place.home, ".claude/settings.json", &settings)?;
    }
    let words = [
        "-p",
        "--model",
        "claude-scripted-1",
        "--verbose",
        "--output-format",
        "stream-json",
        "--allowedTools",
        "Bash,Edit,Write,Read",
        "--",
        prompt,
    ];
    Ok(Launch::new(words)
        .env("ANTHROPIC_BASE_URL", &place.model)
        .env("ANTHROPIC_API_KEY", "dummy-key")
        .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
        .env("DISABLE_AUTOUPDATER", "1")
        .env("DISABLE_TELEMETRY", "1"))
}
