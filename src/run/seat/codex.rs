//! Codex: a provider of its own, a project that it trusts, and the hooks that the product answers.

use std::io;

use serde_json::{Map, Value, json};

use super::{Launch, MODEL, Place, hook, toml, write};

/// Events that the product is called for.
const EVENTS: [&str; 7] = [
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PermissionRequest",
    "PostToolUse",
    "SubagentStop",
    "Stop",
];

pub(super) fn set_up(place: &Place, prompt: &str, fed: bool) -> io::Result<Launch> {
    let config = format!(
        "model = \"{MODEL}\"\nmodel_provider = \"scripted\"\napproval_policy = \"never\"\n\
         sandbox_mode = \"danger-full-access\"\ncheck_for_update_on_startup = false\n\
         [analytics]\nenabled = false\n\
         [model_providers.scripted]\nname = \"scripted\"\nbase_url = {}\nenv_key = \"SCRIPTED_KEY\"\n\
         wire_api = \"responses\"\n\
         [projects.{}]\ntrust_level = \"trusted\"\n",
        toml(&format!("{}/v1", place.model)),
        toml(&place.work.to_string_lossy()),
    );
    write(&place.home, ".codex/config.toml", &config)?;
    let hooks = EVENTS.iter().map(|event| {
        let command = hook(place, "codex", event);
        let command = json!({"type": "command", "command": command, "timeout": 20});
        ((*event).to_owned(), json!([{"hooks": [command]}]))
    });
    let hooks: Map<String, Value> = hooks.collect();
    let hooks = json!({"hooks": hooks}).to_string();
    if place.hooks {
        write(&place.home, ".codex/hooks.json", &hooks)?;
    }
    let mut words = vec!["exec", "--json", "--skip-git-repo-check"];
    // Nobody is there who could trust them; the home is a scratch one, and they are the product's.
    if place.hooks {
        words.push("--dangerously-bypass-hook-trust");
    }
    // What stands on the standard input comes behind the prompt.
    words.extend(if fed {
        vec![prompt]
    } else {
        vec!["--", prompt]
    });
    Ok(Launch::new(words).env("SCRIPTED_KEY", "dummy-key"))
}
