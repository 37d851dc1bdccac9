//! Values behind an option of a command, and what is fed to a program that asks for a password.

use super::super::SecretHit;
use super::options::{Part, joins, long_of, program, short_of};
use super::value::{is_value, value};
use super::{hit, is_secret_name};

pub(super) fn find(text: &str) -> Vec<SecretHit> {
    let mut line = Line {
        text,
        hits: Vec::new(),
        command: Command::default(),
        echoed: None,
        awaits: None,
    };
    let mut at = 0;
    while at < text.len() {
        let begin = at;
        at += length(&text[at..]);
        if at > begin {
            line.word(begin, at);
            continue;
        }
        let gap = text.as_bytes()[at];
        if !matches!(gap, b' ' | b'\t') {
            line.ends(gap == b'|', at);
        }
        at += 1;
    }
    line.hits
}

/// How long the word at the beginning is, in bytes.
fn length(rest: &str) -> usize {
    let ends = |b: u8| b.is_ascii_whitespace() || b";|&()`".contains(&b);
    rest.bytes().position(ends).unwrap_or(rest.len())
}

/// What is known of the command that is read.
#[derive(Default)]
struct Command {
    program: Option<&'static str>,
    /// It writes what stands behind it.
    echoes: bool,
    /// Where that begins.
    first: Option<usize>,
    /// The last word that is no option was `set`: what comes is a name and its value.
    set: bool,
}

struct Line<'a> {
    text: &'a str,
    hits: Vec<SecretHit>,
    command: Command,
    /// What the command before writes into this one.
    echoed: Option<(usize, usize)>,
    /// The word that comes is a value.
    awaits: Option<Part>,
}

impl Line<'_> {
    /// A sign ends the command.
    fn ends(&mut self, pipe: bool, at: usize) {
        let begin = self.command.first.take();
        if let Some(begin) = begin {
            self.echoed = pipe.then_some((begin, at));
        } else if !pipe {
            self.echoed = None;
        }
        self.command = Command::default();
        self.awaits = None;
    }

    fn word(&mut self, begin: usize, end: usize) {
        let quotes = ['"', '\'', '\\'];
        let word = self.text[begin..end].trim_start_matches(quotes);
        let start = end - word.len();
        let name = word.trim_end_matches(quotes);
        if let Some(part) = self.awaits.take()
            && !name.starts_with('-')
        {
            self.take(begin, part);
            return;
        }
        if self.command.echoes {
            let option = self.command.first.is_none() && name.starts_with('-');
            if !option {
                self.command.first.get_or_insert(begin);
            }
            return;
        }
        if asks(self.command.program, name)
            && let Some(fed) = self.echoed.take()
        {
            self.fed(fed);
        }
        match name {
            "echo" | "printf" => self.command.echoes = true,
            _ if name.starts_with('-') => self.option(start, name),
            _ => self.plain((begin, end), name),
        }
    }

    /// A word that is no option.
    fn plain(&mut self, (begin, end): (usize, usize), name: &str) {
        let of_gh = self.command.program == Some("gh") && name == "login";
        match program(name).filter(|_| !of_gh) {
            Some(found) => self.command.program = Some(found),
            None if self.command.program == Some("sshpass") => self.command.program = None,
            None if self.command.program == Some("openssl") && name.starts_with("pass:") => {
                self.take(begin, Part::Behind(':'));
            }
            None => {}
        }
        if self.command.set && is_name(name) && is_secret_name(name) {
            self.awaits = Some(Part::Whole);
        }
        let identified = name.eq_ignore_ascii_case("by") && self.before(begin, "identified");
        let sql = name.eq_ignore_ascii_case("password") || identified;
        let literal = self.text[end..].trim_start().starts_with('\'');
        if sql && literal {
            self.awaits = Some(Part::Whole);
        }
        self.command.set = name.eq_ignore_ascii_case("set");
    }

    fn option(&mut self, start: usize, word: &str) {
        let program = self.command.program.unwrap_or_default();
        if let Some((short, taken)) = short_of(program, word) {
            let part = short.part;
            if word.len() > taken {
                self.take(start + taken, part);
            } else if !short.attached {
                self.awaits = Some(part);
            }
            return;
        }
        let long = word.trim_start_matches('-');
        let (name, joined) = match long.split_once('=') {
            Some((name, _)) => (name, true),
            None => (long, false),
        };
        let known = long_of(program, name);
        match known {
            Some(part) if joined => {
                self.take(start + (word.len() - long.len()) + name.len() + 1, part);
            }
            Some(part) => self.awaits = Some(part),
            None if is_name(word)
                && is_secret_name(word)
                && !joins(program)
                && !takes_none(name) =>
            {
                self.awaits = Some(Part::Whole);
            }
            None => {}
        }
    }

    /// Keeps the value that begins here, or the part of it that is a password.
    fn take(&mut self, from: usize, part: Part) {
        let Some((start, end)) = value(self.text, from) else {
            return;
        };
        let literal = self.text[from..start].ends_with('\'');
        let found = &self.text[start..end];
        let start = match part {
            Part::Whole => start,
            Part::Behind(sign) => match found.find(sign) {
                Some(at) => start + at + 1,
                None => return,
            },
        };
        if start < end && is_value(&self.text[start..end], literal) {
            self.hits.push(hit((start, end)));
        }
    }

    /// What is written into a program that asks for a password.
    fn fed(&mut self, (begin, end): (usize, usize)) {
        let found = self.text[begin..end].trim_end();
        let inner = found.trim_matches(['"', '\'']);
        if !inner.is_empty() && is_value(inner, found.starts_with('\'')) {
            let start = begin + found.find(inner).unwrap_or_default();
            self.hits.push(hit((start, start + inner.len())));
        }
    }

    fn before(&self, begin: usize, word: &str) -> bool {
        let rest = self.text[..begin].trim_end();
        let from = rest.len().checked_sub(word.len());
        from.and_then(|from| rest.get(from..))
            .is_some_and(|last| last.eq_ignore_ascii_case(word))
    }
}

/// Whether a program reads a password from its input, by this word of it.
fn asks(program: Option<&str>, word: &str) -> bool {
    let sudo = program == Some("sudo")
        && word.starts_with('-')
        && !word.starts_with("--")
        && word.contains('S');
    sudo || matches!(
        word,
        "chpasswd" | "--password-stdin" | "--passphrase-fd" | "--with-token" | "--stdin"
    )
}

/// Options whose name ends as a secret's does and that carry none.
fn takes_none(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    ["with-", "no-", "ask-", "use-", "prompt-"]
        .iter()
        .any(|begin| lower.starts_with(begin))
}

/// Whether a word is a name and nothing more.
fn is_name(word: &str) -> bool {
    word.chars()
        .all(|c| c.is_ascii_alphanumeric() || "_-.:/".contains(c))
}
