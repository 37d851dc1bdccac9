//! The lexer: one pass over a shell script, bounded in size, parts and depth (spec 3.8). What it
//! cannot read is told as a fault; what came before that is judged all the same, as a shell would
//! have run it.

mod command;
mod dollar;
mod redirect;
mod word;

use std::cell::OnceCell;
use std::rc::Rc;

use super::tree::{Item, Script, Word};

/// Longest text that is read, in bytes.
pub(super) const LONGEST: usize = 64 * 1024;
/// Most commands and expansions of one input.
pub(super) const MOST: usize = 2000;
/// Deepest nesting.
pub(super) const DEEPEST: usize = 8;

/// Why a text was not read to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fault {
    /// A shell would not understand it either.
    Broken,
    /// More than is read.
    Large,
    /// Deeper than is read.
    Deep,
}

/// What was read.
#[derive(Debug)]
pub(super) struct Parsed {
    pub(super) script: Script,
    pub(super) fault: Option<Fault>,
    /// Commands and expansions.
    pub(super) nodes: usize,
}

/// Reads a script. `nodes` and `depth` count on from what it is part of.
pub(super) fn parse(text: &str, nodes: usize, depth: usize) -> Parsed {
    let mut parser = Parser::new(text, nodes, depth);
    if text.len() > LONGEST {
        parser.give_up(Fault::Large);
    }
    if depth > DEEPEST {
        parser.give_up(Fault::Deep);
    }
    let mut script = Script::default();
    loop {
        let more = parser.list();
        script.items.extend(more.items);
        if parser.at >= text.len() {
            break;
        }
        // A bracket or keyword that closes nothing: the rest is judged for itself.
        parser.fail(Fault::Broken);
        if parser.keyword().is_none_or(|word| !parser.eat_word(word)) {
            parser.skip_char();
        }
        if parser.eat(b';') {
            parser.eat(b'&');
        }
    }
    Parsed {
        script,
        fault: parser.fault,
        nodes: parser.nodes,
    }
}

/// A here document whose body has not been reached.
struct Pending {
    end: String,
    quoted: bool,
    tabs: bool,
    body: Rc<OnceCell<Word>>,
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    nodes: usize,
    depth: usize,
    pending: Vec<Pending>,
    /// Up to here no pattern in brackets is closed.
    no_pattern: usize,
    fault: Option<Fault>,
}

/// Words that end a list where a command could begin.
const CLOSERS: [&str; 8] = ["then", "do", "done", "fi", "elif", "else", "esac", "}"];

impl<'t> Parser<'t> {
    fn new(text: &'t str, nodes: usize, depth: usize) -> Self {
        Self {
            text,
            at: 0,
            nodes,
            depth,
            pending: Vec::new(),
            no_pattern: 0,
            fault: None,
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn looking_at(&self, what: &str) -> bool {
        self.text.as_bytes()[self.at..].starts_with(what.as_bytes())
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn eat_text(&mut self, what: &str) -> bool {
        let found = self.looking_at(what);
        if found {
            self.at += what.len();
        }
        found
    }

    fn skip_char(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.chars().next().map_or(0, char::len_utf8);
    }

    fn fail(&mut self, fault: Fault) {
        self.fault = self.fault.max(Some(fault));
    }

    /// The worst fault stays; nothing more is read.
    fn give_up(&mut self, fault: Fault) {
        self.fail(fault);
        self.at = self.text.len();
    }

    /// Counts a command or an expansion.
    fn node(&mut self) {
        self.nodes += 1;
        if self.nodes > MOST {
            self.give_up(Fault::Large);
        }
    }

    /// Reads something that lies one level deeper.
    fn deeper<T: Default>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        self.node();
        if self.depth >= DEEPEST {
            self.give_up(Fault::Deep);
            return T::default();
        }
        self.depth += 1;
        let got = read(self);
        self.depth -= 1;
        got
    }

    /// Blanks, joined lines and comments.
    fn blanks(&mut self) {
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | b'\r') => self.at += 1,
                Some(b'\\') if self.looking_at("\\\n") => self.at += 2,
                Some(b'\\') if self.looking_at("\\\r\n") => self.at += 3,
                Some(b'#') => {
                    let rest = &self.text[self.at..];
                    self.at += rest.find('\n').unwrap_or(rest.len());
                }
                _ => return,
            }
        }
    }

    /// Blanks and line ends, with the here documents that begin after these.
    fn lines(&mut self) {
        loop {
            self.blanks();
            if !self.eat(b'\n') {
                return;
            }
            self.documents();
        }
    }

    /// The bare word of letters here, without taking it.
    fn keyword(&self) -> Option<&'t str> {
        let rest = &self.text[self.at..];
        let ends = |c: char| " \t\r\n;&|()<>".contains(c);
        let word = rest.split(ends).next()?;
        (!word.is_empty() && word.len() <= 8).then_some(word)
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.keyword() == Some(word);
        if found {
            self.at += word.len();
        }
        found
    }

    /// Pipelines up to something that closes the list, which stays.
    fn list(&mut self) -> Script {
        let mut items = Vec::new();
        let mut maybe = false;
        loop {
            self.lines();
            let closes = match self.peek() {
                None | Some(b')') => true,
                Some(b';') => self.looking_at(";;") || self.looking_at(";&"),
                _ => self.keyword().is_some_and(|word| CLOSERS.contains(&word)),
            };
            if closes {
                return Script { items };
            }
            let before = self.at;
            let mut item = self.pipeline(maybe);
            self.blanks();
            maybe = self.looking_at("&&") || self.looking_at("||");
            if maybe {
                self.at += 2;
            } else if self.peek() == Some(b'&') {
                self.at += 1;
                item.background = true;
            } else if self.peek() == Some(b';') && !self.looking_at(";;") && !self.looking_at(";&")
            {
                self.at += 1;
            }
            if !item.stages.is_empty() {
                items.push(item);
            }
            if self.at == before {
                self.fail(Fault::Broken);
                self.skip_char();
            }
        }
    }

    fn pipeline(&mut self, maybe: bool) -> Item {
        let mut item = Item {
            maybe,
            background: false,
            stages: Vec::new(),
        };
        loop {
            self.lines();
            while self.eat_word("!") || self.eat_word("time") || self.eat_word("coproc") {
                self.blanks();
                while self.eat_word("-p") || self.eat_word("--") {
                    self.blanks();
                }
            }
            if let Some(stage) = self.stage() {
                item.stages.push(stage);
            }
            self.blanks();
            if self.peek() != Some(b'|') || self.looking_at("||") {
                return item;
            }
            self.at += 1;
            self.eat(b'&');
        }
    }

    /// Reads the bodies of here documents; the line that announced them has just ended.
    fn documents(&mut self) {
        for pending in std::mem::take(&mut self.pending) {
            let from = self.at;
            let mut body = String::new();
            let mut end = self.text.len();
            while self.at < self.text.len() {
                let rest = &self.text[self.at..];
                let length = rest.find('\n').unwrap_or(rest.len());
                let mut line = &rest[..length];
                if pending.tabs {
                    line = line.trim_start_matches('\t');
                }
                let ends = line.strip_suffix('\r').unwrap_or(line) == pending.end;
                if ends {
                    end = self.at;
                }
                self.at = (self.at + length + 1).min(self.text.len());
                if ends {
                    break;
                }
                if pending.tabs {
                    body.push_str(line);
                    body.push('\n');
                }
            }
            let plain = if pending.tabs {
                body.as_str()
            } else {
                &self.text[from..end]
            };
            let word = if pending.quoted {
                Word::quoted(plain)
            } else {
                self.inner(plain, |parser| parser.quoted_until(None))
            };
            let _ = pending.body.set(word);
        }
    }

    /// Reads another text with the same counters.
    fn inner<T>(&mut self, text: &str, read: impl FnOnce(&mut Parser<'_>) -> T) -> T {
        let mut parser = Parser::new(text, self.nodes, self.depth);
        let got = read(&mut parser);
        self.nodes = parser.nodes;
        match parser.fault {
            Some(Fault::Broken) => self.fail(Fault::Broken),
            Some(fault) => self.give_up(fault),
            None => {}
        }
        got
    }
}

#[cfg(test)]
pub(super) mod tests;
