//! pi: a provider of its own, and the extension that joins it.

use std::io;

use serde_json::json;

use super::{Launch, MODEL, Place, write};

/// The extension that the product ships.
const EXTENSION: &str = concat!(
    include_str!("../../../assets/extension/call.js"),
    include_str!("../../../assets/pi/watchfloor.ts")
);

pub(super) fn set_up(place: &Place, prompt: &str) -> io::Result<Launch> {
    let cost = json!({"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0});
    let model = json!({
        "id": MODEL, "name": MODEL, "reasoning": false, "input": ["text"],
        "contextWindow": 128_000, "maxTokens": 4_096, "cost": cost,
    });
    let provider = json!({
        "baseUrl": format!("{}/v1", place.model), "api": "openai-completions",
        "apiKey": "dummy-key", "models": [model],
    });
    let models = json!({"providers": {"scripted": provider}}).to_string();
    write(&place.home, ".pi/agent/models.json", &models)?;
    if place.hooks {
        write(&place.home, ".pi/agent/extensions/watchfloor.ts", EXTENSION)?;
    }
    let words = [
        "-p",
        "--mode",
        "json",
        "--provider",
        "scripted",
        "--model",
        MODEL,
        prompt,
    ];
    Ok(Launch::new(words)
        .env("PI_OFFLINE", "1")
        .env("PI_SKIP_VERSION_CHECK", "1")
        .env("WATCHFLOOR_BIN", place.watchfloor.to_string_lossy()))
}
