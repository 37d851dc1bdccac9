//! Codex: a provider of its own, and a project that it trusts.

use std::io;

use super::{Launch, MODEL, Place, toml, write};

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
    let mut words = vec!["exec", "--json", "--skip-git-repo-check"];
    // What stands on the standard input comes behind the prompt.
    words.extend(if fed {
        vec![prompt]
    } else {
        vec!["--", prompt]
    });
    Ok(Launch::new(words).env("SCRIPTED_KEY", "dummy-key"))
}
