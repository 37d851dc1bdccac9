//! opencode: a provider of its own.

use std::io;

use serde_json::json;

use super::{Launch, MODEL, Place, write};

pub(super) fn set_up(place: &Place, prompt: &str) -> io::Result<Launch> {
    let model = json!({
        "name": MODEL, "tool_call": true, "limit": {"context": 128_000, "output": 4_096},
    });
    let provider = json!({
        "npm": "@ai-sdk/openai-compatible", "name": "scripted",
        "options": {"baseURL": format!("{}/v1", place.model), "apiKey": "dummy-key"},
        "models": {MODEL: model},
    });
    let named = format!("scripted/{MODEL}");
    let config = json!({
        "model": named, "small_model": named, "autoupdate": false, "share": "disabled",
        "permission": {"bash": "allow", "edit": "allow"}, "provider": {"scripted": provider},
    });
    let path = ".config/opencode/opencode.json";
    write(&place.home, path, &config.to_string())?;
    Ok(Launch::new(["run", "--format", "json", prompt])
        .env("OPENCODE_DISABLE_AUTOUPDATE", "1")
        .env("OPENCODE_DISABLE_MODELS_FETCH", "1")
        .env("OPENCODE_DISABLE_LSP_DOWNLOAD", "1"))
}
