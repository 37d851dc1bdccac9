//! Asking the person at the terminal, masked.

use std::fs::File;
use std::io::IsTerminal;

use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
use zeroize::Zeroizing;

use crate::contract::refusal::{Code, Refusal};

/// Asks for the passphrase of a key. What is typed is shown nowhere and wiped when it is dropped.
///
/// # Errors
/// There is no terminal to ask at.
pub fn passphrase(principal: &str) -> Result<Zeroizing<String>, Refusal> {
    ask(&format!("Passphrase of {principal}: "))
}

/// Asks for a new passphrase, twice.
///
/// # Errors
/// There is no terminal, the two differ, or it is empty.
pub fn new_passphrase(principal: &str) -> Result<Zeroizing<String>, Refusal> {
    let _quiet = Quiet::begin();
    let first = ask(&format!("New passphrase for {principal}: "))?;
    let again = ask("The same again: ")?;
    if first.as_str() != again.as_str() {
        return Err(Refusal::new(
            Code::PassphraseWrong,
            "the two passphrases differ",
            "watchfloor identity init",
        ));
    }
    if first.trim().is_empty() {
        return Err(Refusal::new(
            Code::PassphraseWrong,
            "an empty passphrase protects nothing",
            "watchfloor identity init",
        ));
    }
    Ok(first)
}

/// While it lives, the terminal echoes nothing. A question is only asked behind it: what somebody
/// types or pastes the moment that a question stands there must not be shown either.
struct Quiet {
    terminal: File,
    before: Termios,
}

impl Quiet {
    /// `None` where there is no terminal of the process's own.
    fn begin() -> Option<Self> {
        let terminal = File::options()
            .read(true)
            .write(true)
            .open("/dev/tty")
            .ok()?;
        let before = tcgetattr(&terminal).ok()?;
        let mut quiet = before.clone();
        quiet.local_modes.remove(LocalModes::ECHO);
        quiet.local_modes.insert(LocalModes::ECHONL);
        tcsetattr(&terminal, OptionalActions::Now, &quiet).ok()?;
        Some(Self { terminal, before })
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        let _ = tcsetattr(&self.terminal, OptionalActions::Now, &self.before);
    }
}

/// Asks a question that only a typed `y` answers with yes. Where nobody can be asked it is no.
#[must_use]
pub fn yes(question: &str) -> bool {
    if !(std::io::stdin().is_terminal() && std::io::stderr().is_terminal()) {
        return false;
    }
    eprint!("{question} [y/N] ");
    let mut answer = String::new();
    drop(std::io::stdin().read_line(&mut answer));
    matches!(answer.trim(), "y" | "Y" | "yes")
}

fn ask(prompt: &str) -> Result<Zeroizing<String>, Refusal> {
    let _quiet = Quiet::begin();
    let typed = match rpassword::prompt_password(prompt) {
        Ok(typed) => Ok(typed),
        // No controlling terminal, but a terminal all the same.
        Err(_) if std::io::stdin().is_terminal() => {
            eprint!("{prompt}");
            rpassword::read_password()
        }
        Err(error) => Err(error),
    };
    typed.map(Zeroizing::new).map_err(|error| {
        let cause = format!("a signature needs a person at a terminal: {error}");
        Refusal::new(Code::TerminalRequired, cause, "run it in a terminal")
    })
}
