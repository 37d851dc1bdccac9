//! Hermes: a provider of its own.

use std::io;

use super::{Launch, MODEL, Place, toml, write};

pub(super) fn set_up(place: &Place, prompt: &str) -> io::Result<Launch> {
    let config = format!(
        "model:\n  default: {MODEL}\n  provider: custom\n  base_url: {}\n  api_key: dummy-key\n",
        toml(&format!("{}/v1", place.model)),
    );
    write(&place.home, ".hermes/config.yaml", &config)?;
    Ok(Launch::new(["--yolo", "-z", prompt]).env("OPENAI_API_KEY", "dummy-key"))
}
