//! Which pane of a terminal multiplexer an agent's process sits in.
//!
//! In tmux it is the pane whose terminal is the process's. Zellij does not tell the terminals of
//! its panes; but what runs in one has the names of the session and of the pane in its environment,
//! and `zellij action focus-pane-id`, of zellij 0.44, goes there.

use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::contract::agent::Jumped;
use crate::ops::diff::elsewhere;
use crate::ops::domain::Agent;
use crate::ops::process;
use crate::ops::program::{Bounds, Broken, Ran, run};

/// What a multiplexer may take for an answer.
const BOUNDS: Bounds = Bounds {
    time: Duration::from_secs(3),
    bytes: 1 << 20,
};

/// A pane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Seat {
    /// Of tmux: `session:window.pane`.
    Tmux(String),
    /// Of zellij: the session's name, the pane's number.
    Zellij(String, String),
}

/// The pane of an agent; why there is none, in words.
pub(super) fn of(agent: &Agent, here: &str) -> Result<Seat, String> {
    if let Some(host) = elsewhere(agent, here) {
        return Err(format!("it runs on {host}"));
    }
    let Some(pid) = agent.row.pid else {
        return Err("no process of it is known".to_owned());
    };
    let Some(pid) = process::alive(agent).filter(|alive| *alive == pid) else {
        return Err(format!("its process {pid} has ended"));
    };
    let terminal = process::terminal(pid);
    if let Some(pane) = terminal.as_deref().and_then(tmux_pane) {
        return Ok(Seat::Tmux(pane));
    }
    if let Some((session, pane)) = process::environment(pid).as_deref().and_then(zellij_pane) {
        return Ok(Seat::Zellij(session, pane));
    }
    Err(match terminal {
        Some(terminal) => format!("its terminal {terminal} is no pane of tmux or zellij"),
        None => format!("its process {pid} has no terminal"),
    })
}

impl Seat {
    /// Where it is, in words.
    pub(super) fn words(&self) -> String {
        match self {
            Self::Tmux(pane) => format!("the tmux pane {pane}"),
            Self::Zellij(session, pane) => format!("pane {pane} of the zellij session {session}"),
        }
    }

    /// Brings it to the front; why that failed, in words.
    pub(super) fn go(&self) -> Result<Jumped, String> {
        let said = format!("it runs in {}", self.words());
        match self {
            Self::Tmux(pane) => {
                for verb in ["switch-client", "select-window", "select-pane"] {
                    // Outside of tmux there is no client to switch; the pane is chosen all the same.
                    let _ = ask("tmux", &[verb, "-t", pane]);
                }
                Ok(Jumped { said, copy: None })
            }
            Self::Zellij(session, pane) => {
                let session_word = format!("--session={session}");
                let pane_word = format!("terminal_{pane}");
                let words = [&session_word, "action", "focus-pane-id", &pane_word];
                match ask("zellij", &words) {
                    // It ends well when there is no such pane, too.
                    Ok(ran) if ran.success && !ran.text().contains("not found") => {
                        Ok(Jumped { said, copy: None })
                    }
                    Ok(ran) if ran.success => Err(format!("{} is gone", self.words())),
                    Ok(_) => {
                        let attach = format!("zellij attach '{}'", session.replace('\'', "'\\''"));
                        let said = format!(
                            "{said}; this zellij cannot be told to go there, 0.44 can; copied: {attach}"
                        );
                        Ok(Jumped {
                            said,
                            copy: Some(attach),
                        })
                    }
                    Err(Broken::Missing) => Err("there is no zellij here to ask".to_owned()),
                    Err(_) => Err(format!("the zellij session {session} does not answer")),
                }
            }
        }
    }
}

/// The pane of tmux that a terminal is.
fn tmux_pane(terminal: &str) -> Option<String> {
    let format = "#{pane_tty} #{session_name}:#{window_index}.#{pane_index}";
    let listed = ask("tmux", &["list-panes", "-a", "-F", format]).ok()?;
    if !listed.success {
        return None;
    }
    pane_of(terminal, &listed.text())
}

/// The pane of a terminal in tmux's list.
fn pane_of(terminal: &str, listed: &str) -> Option<String> {
    let mut lines = listed.lines().filter_map(|line| line.split_once(' '));
    let found = lines.find(|(own, _)| *own == terminal);
    found.map(|(_, pane)| pane.to_owned())
}

/// Session and pane in the environment of what runs in zellij.
fn zellij_pane(environment: &[u8]) -> Option<(String, String)> {
    let of = |name: &[u8]| {
        let mut all = environment.split(|byte| *byte == 0);
        let value = all.find_map(|one| one.strip_prefix(name))?;
        String::from_utf8(value.to_vec()).ok()
    };
    let session = of(b"ZELLIJ_SESSION_NAME=")?;
    let pane = of(b"ZELLIJ_PANE_ID=")?;
    let number = !pane.is_empty() && pane.bytes().all(|byte| byte.is_ascii_digit());
    (number && !session.is_empty()).then_some((session, pane))
}

fn ask(program: &str, words: &[&str]) -> Result<Ran, Broken> {
    run(
        Command::new(program).args(words),
        BOUNDS,
        &AtomicBool::new(false),
    )
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

    #[test]
    fn a_pane_of_zellij_is_read_from_an_environment() {
        let own = |text: &str| zellij_pane(text.replace(' ', "\0").as_bytes());
        let found = own("A=b ZELLIJ=0 ZELLIJ_SESSION_NAME=main ZELLIJ_PANE_ID=7 C=d");
        assert_eq!(found, Some(("main".to_owned(), "7".to_owned())));
        for none in [
            "",
            "ZELLIJ_SESSION_NAME=main",
            "ZELLIJ_PANE_ID=7",
            "XZELLIJ_SESSION_NAME=main ZELLIJ_PANE_ID=7",
            "ZELLIJ_SESSION_NAME=main ZELLIJ_PANE_ID=7;x",
            "ZELLIJ_SESSION_NAME= ZELLIJ_PANE_ID=7",
        ] {
            assert_eq!(own(none), None, "{none}");
        }
    }
}
