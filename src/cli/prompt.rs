//! Asking the person at the terminal, masked.

use std::io::IsTerminal;

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
