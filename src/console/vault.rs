//! Where a passphrase is while it is typed: in the layer of the terminal, before the queue.
//!
//! Keys and pastes into a masked field end here. The model hears that the field became filled or
//! empty, and not even how often a key was pressed, so a tape does not tell its length.

use crossterm::event::{Event as Raw, KeyCode, KeyEvent, KeyModifiers};
use zeroize::{Zeroize, Zeroizing};

use super::event::{Event, Masked};

/// Bytes that a passphrase may have.
const MAX_BYTES: usize = 1024;

/// Holds a passphrase; wiped when taken, cleared or dropped.
pub struct Vault {
    secret: Zeroizing<String>,
}

impl Default for Vault {
    fn default() -> Self {
        Self {
            // Full size from the start: growing would leave copies behind in freed memory.
            secret: Zeroizing::new(String::with_capacity(MAX_BYTES)),
        }
    }
}

/// What became of an input while a masked field had the focus.
#[derive(Debug, PartialEq)]
pub enum Taken {
    /// It went into the vault; the event says so where the class changed.
    Kept(Option<Event>),
    /// It is no text (Enter, Tab, Esc, a resize): it goes the normal way.
    Passed,
}

impl Vault {
    /// Takes one input in, if it is text or edits text.
    pub fn take_in(&mut self, raw: &mut Raw) -> Taken {
        let before = self.secret.is_empty();
        match raw {
            Raw::Paste(text) => {
                for c in text.chars().filter(|c| !c.is_control()) {
                    self.push(c);
                }
                text.zeroize();
            }
            Raw::Key(key) => {
                if !self.key(*key) {
                    return Taken::Passed;
                }
            }
            _ => return Taken::Passed,
        }
        let after = self.secret.is_empty();
        Taken::Kept((before != after).then_some(Event::Masked(if after {
            Masked::Cleared
        } else {
            Masked::Edited
        })))
    }

    /// The passphrase; the vault is empty afterwards.
    #[must_use]
    pub fn take(&mut self) -> Zeroizing<String> {
        let fresh = Self::default();
        std::mem::replace(self, fresh).secret
    }

    /// Forgets it.
    pub fn wipe(&mut self) {
        self.secret.zeroize();
        *self = Self::default();
    }

    fn push(&mut self, c: char) {
        if self.secret.len() + c.len_utf8() <= MAX_BYTES {
            self.secret.push(c);
        }
    }

    /// Whether the key was for the vault.
    fn key(&mut self, key: KeyEvent) -> bool {
        let plain = !key
            .modifiers
            .intersects(KeyModifiers::CONTROL | KeyModifiers::ALT | KeyModifiers::SUPER);
        let typed_with_altgr = key
            .modifiers
            .contains(KeyModifiers::CONTROL | KeyModifiers::ALT);
        match key.code {
            _ if key.is_release() => true,
            KeyCode::Char(c) if plain || typed_with_altgr => {
                self.push(c);
                true
            }
            KeyCode::Char('u' | 'w') if key.modifiers == KeyModifiers::CONTROL => {
                self.wipe();
                true
            }
            KeyCode::Char('h') if key.modifiers == KeyModifiers::CONTROL => {
                self.secret.pop();
                true
            }
            KeyCode::Backspace => {
                self.secret.pop();
                true
            }
            // The console's own: quit and suspend.
            KeyCode::Char('c' | 'z') if key.modifiers == KeyModifiers::CONTROL => false,
            KeyCode::Char(_) | KeyCode::Delete | KeyCode::Left | KeyCode::Right => true,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(code: KeyCode, modifiers: KeyModifiers) -> Raw {
        Raw::Key(KeyEvent::new(code, modifiers))
    }

    #[test]
    fn only_the_class_leaves_the_vault() {
        let mut vault = Vault::default();
        let mut told = Vec::new();
        for c in "hünter2".chars() {
            told.push(vault.take_in(&mut key(KeyCode::Char(c), KeyModifiers::NONE)));
        }
        let mut paste = Raw::Paste("-Paste\n".to_owned());
        told.push(vault.take_in(&mut paste));
        assert_eq!(paste, Raw::Paste(String::new()), "the paste was wiped");
        assert_eq!(told[0], Taken::Kept(Some(Event::Masked(Masked::Edited))));
        assert!(told[1..].iter().all(|t| *t == Taken::Kept(None)));
        assert_eq!(vault.take().as_str(), "hünter2-Paste");
        assert_eq!(vault.take().as_str(), "");
    }

    #[test]
    fn editing_stays_inside_and_moving_passes() {
        let mut vault = Vault::default();
        vault.take_in(&mut key(KeyCode::Char('a'), KeyModifiers::NONE));
        let gone = vault.take_in(&mut key(KeyCode::Backspace, KeyModifiers::NONE));
        assert_eq!(gone, Taken::Kept(Some(Event::Masked(Masked::Cleared))));
        vault.take_in(&mut key(KeyCode::Char('b'), KeyModifiers::NONE));
        let gone = vault.take_in(&mut key(KeyCode::Char('u'), KeyModifiers::CONTROL));
        assert_eq!(gone, Taken::Kept(Some(Event::Masked(Masked::Cleared))));
        for code in [KeyCode::Enter, KeyCode::Tab, KeyCode::BackTab, KeyCode::Esc] {
            let passed = vault.take_in(&mut key(code, KeyModifiers::NONE));
            assert_eq!(passed, Taken::Passed);
        }
        let quit = vault.take_in(&mut key(KeyCode::Char('c'), KeyModifiers::CONTROL));
        assert_eq!(quit, Taken::Passed);
        let other = vault.take_in(&mut key(KeyCode::Char('d'), KeyModifiers::CONTROL));
        assert_eq!(other, Taken::Kept(None));
        assert_eq!(vault.take_in(&mut Raw::Resize(1, 1)), Taken::Passed);
    }

    #[test]
    fn it_is_bounded() {
        let mut vault = Vault::default();
        vault.take_in(&mut Raw::Paste("x".repeat(1 << 20)));
        assert_eq!(vault.take().len(), MAX_BYTES);
    }
}
