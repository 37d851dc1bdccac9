//! Gemini CLI.

use std::io;

use serde_json::json;

use super::{Launch, Place, write};

pub(super) fn set_up(place: &Place, prompt: &str) -> io::Result<Launch> {
    let settings = json!({
        "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": false}},
        "privacy": {"usageStatisticsEnabled": false},
        "telemetry": {"enabled": false},
        "general": {"disableAutoUpdate": true, "enableAutoUpdate": false},
    });
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
