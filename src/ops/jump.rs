//! Goes to an agent: the terminal pane that its process runs in, else its transcript.

use std::process::{Command, Stdio};

use crate::contract::agent::Jumped;
use crate::contract::refusal::{Code, Refusal};
use crate::contract::row::AgentRow;
use crate::journal::Journal;

use super::domain::{self, Agent};
use super::process;
use super::store::{load, not_found};

/// Goes to the pane of tmux that the agent runs in. Where there is none, its transcript is what
/// there is to go to: its path is answered, to be copied.
///
/// # Errors
/// There is no such agent, nothing is known of where it runs, or the store fails.
pub fn jump(id: &str, journal: &mut impl Journal) -> Result<Jumped, Refusal> {
    let agent: Option<Agent> = journal.read(|read| load(read, domain::AGENT, id))?;
    let row = agent
        .ok_or_else(|| not_found("agent", id, "watchfloor status"))?
        .row;
    if let Some(pane) = pane(&row) {
        return Ok(Jumped {
            said: format!("{id} runs in the tmux pane {pane}"),
            copy: None,
        });
    }
    if let Some(file) = row.transcript {
        let time = row.last_at.get(11..19).unwrap_or_default();
        return Ok(Jumped {
            said: format!("no pane of tmux is its own; its transcript, at {time}: {file}"),
            copy: Some(file),
        });
    }
    Err(Refusal::new(
        Code::NotFound,
        format!("neither a pane of tmux nor a transcript of {id} is known"),
        "watchfloor observe --list",
    ))
}

/// The pane of the agent's terminal, brought to the front.
fn pane(row: &AgentRow) -> Option<String> {
    let terminal = process::terminal(row.pid?)?;
    let listed = tmux(&[
        "list-panes",
        "-a",
        "-F",
        "#{pane_tty} #{session_name}:#{window_index}.#{pane_index}",
    ])?;
    let target = pane_of(&terminal, &listed)?;
    for verb in ["switch-client", "select-window", "select-pane"] {
        // Outside of tmux there is no client to switch; the pane is chosen all the same.
        tmux(&[verb, "-t", &target]);
    }
    Some(target)
}

/// The pane of a terminal in tmux's list.
fn pane_of(terminal: &str, listed: &str) -> Option<String> {
    let mut lines = listed.lines().filter_map(|line| line.split_once(' '));
    let found = lines.find(|(own, _)| *own == terminal);
    found.map(|(_, pane)| pane.to_owned())
}

fn tmux(words: &[&str]) -> Option<String> {
    let output = Command::new("tmux")
        .args(words)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    output.status.success().then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_is_found_among_the_panes() {
        let listed = "/dev/pts/3 main:0.0\n/dev/pts/31 main:1.0\n/dev/pts/5 a b:2.1\n";
        assert_eq!(pane_of("/dev/pts/3", listed).as_deref(), Some("main:0.0"));
        assert_eq!(pane_of("/dev/pts/5", listed).as_deref(), Some("a b:2.1"));
        assert_eq!(pane_of("/dev/pts/4", listed), None);
        assert_eq!(pane_of("/dev/pts/4", ""), None);
    }
}
