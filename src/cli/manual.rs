//! `completions` and `man`: made from the definition that the parser uses.

use std::path::Path;

use clap::CommandFactory;
use serde_json::json;

use crate::contract::refusal::{Code, Refusal};

use super::args::Cli;
use super::out::Reply;

/// The program's name, as it is completed and as its pages are called.
const NAME: &str = "watchfloor";

/// The script that completes verbs and flags in a shell.
pub fn completions(shell: clap_complete::Shell) -> Result<Reply, Refusal> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), NAME, &mut script);
    let script = text(script);
    Reply::of(
        &json!({"shell": shell.to_string(), "script": script}),
        script.trim_end(),
    )
}

/// The manual page, or one page a verb in a folder.
pub fn man(dir: Option<&Path>) -> Result<Reply, Refusal> {
    let command = built();
    if let Some(dir) = dir {
        return pages(command, dir);
    }
    let page = page(&command)?;
    Reply::of(&json!({"page": page}), page.trim_end())
}

/// The command with every verb of every noun, and their whole names.
fn built() -> clap::Command {
    let mut command = Cli::command();
    command.build();
    command
}

fn pages(command: clap::Command, dir: &Path) -> Result<Reply, Refusal> {
    let failed = |error: std::io::Error| {
        let cause = format!("{} cannot be written: {error}", dir.display());
        Refusal::new(Code::FileUnreadable, cause, "watchfloor man")
    };
    std::fs::create_dir_all(dir).map_err(failed)?;
    let count = count(&command);
    clap_mangen::generate_to(command, dir).map_err(failed)?;
    let said = format!("{count} pages in {}", dir.display());
    Reply::of(&json!({"dir": dir, "pages": count}), said)
}

/// The command and every verb that is not hidden.
fn count(command: &clap::Command) -> usize {
    let verbs = command.get_subcommands().filter(|verb| !verb.is_hide_set());
    1 + verbs.map(count).sum::<usize>()
}

fn page(command: &clap::Command) -> Result<String, Refusal> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone())
        .render(&mut page)
        .map_err(|error| {
            let cause = format!("the page cannot be made: {error}");
            Refusal::new(Code::Internal, cause, "watchfloor --help")
        })?;
    Ok(text(page))
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shell_and_every_verb_has_its_text() {
        use clap::ValueEnum;
        for shell in clap_complete::Shell::value_variants() {
            let script = completions(*shell).unwrap().human;
            for word in ["breaker", "completions", "readonly"] {
                assert!(script.contains(word), "{word} for {shell}");
            }
        }
        assert!(man(None).unwrap().human.contains("watchfloor"));
        let folder = tempfile::tempdir().unwrap();
        man(Some(folder.path())).unwrap();
        for page in [
            "watchfloor.1",
            "watchfloor-watch.1",
            "watchfloor-breaker-reset.1",
        ] {
            let text = std::fs::read_to_string(folder.path().join(page)).unwrap();
            assert!(text.contains(".SH NAME"), "{page}");
        }
    }
}
