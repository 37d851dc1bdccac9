//! Gemini CLI, with the hooks that the product answers.

use std::io;

use serde_json::{Map, Value, json};

use super::{Launch, Place, hook, write};

/// Events that the product is called for.
const EVENTS: [&str; 7] = [
    "SessionStart",
    "BeforeAgent",
    "BeforeTool",
    "AfterTool",
    "AfterAgent",
    "Notification",
    "SessionEnd",
];

pub(super) fn set_up(place: &Place, prompt: &str) -> io::Result<Launch> {
    let hooks = EVENTS.iter().map(|event| {
        let command = hook(place, "gemini", event);
        // Milliseconds here.
        let command = json!({
            "type": "command", "name": "watchfloor", "command": command, "timeout": 20_000,
        });
        ((*event).to_owned(), json!([{"hooks": [command]}]))
    });
    let hooks: Map<String, Value> = hooks.collect();
    let mut settings = json!({
        "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": false}},
        "privacy": {"usageStatisticsEnabled": false},
        "telemetry": {"enabled": false},
        "general": {"disableAutoUpdate": true, "enableAutoUpdate": false},
    });
    if place.hooks {
        settings["hooks"] = hooks.into();
    }
    write(&place.home, ".gemini/settings.json", &settings.to_string())?;
    let words = [
        "-p",
        prompt,
        "-m",
        "gemini-2.5-flash",
        "--approval-mode",
        "yolo",
        "--output-format",
        "stream-json",
    ];
    Ok(Launch::new(words)
        .env("GEMINI_API_KEY", "dummy-key")
        .env("GOOGLE_GEMINI_BASE_URL", &place.model)
        .env("GEMINI_CLI_TRUST_WORKSPACE", "true"))
}
