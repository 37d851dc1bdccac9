//! Commands: simple ones, groups, loops, branches, functions.

use std::rc::Rc;

use super::super::tree::{Assign, Body, Script, Stage, Word};
use super::{Fault, Parser};

impl Parser<'_> {
    /// One part of a pipeline with its redirections; `None` where nothing stands.
    pub(super) fn stage(&mut self) -> Option<Stage> {
        self.node();
        let Some(body) = self.compound() else {
            return self.simple();
        };
        let mut redirects = Vec::new();
        self.blanks();
        while let Some(redirect) = self.redirect() {
            redirects.push(redirect);
            self.blanks();
        }
        Some(Stage { body, redirects })
    }

    fn compound(&mut self) -> Option<Body> {
        if self.looking_at("((") {
            let start = self.at;
            self.at += 2;
            if let Some(word) = self.arithmetic() {
                return Some(group(vec![word], Script::default(), false, false));
            }
            self.at = start;
        }
        if self.eat(b'(') {
            let script = self.deeper(Self::list);
            self.close(b')');
            return Some(group(Vec::new(), script, true, false));
        }
        let word = self.keyword()?;
        match word {
            "{" => {
                self.eat_word(word);
                let script = self.deeper(Self::list);
                self.end("}");
                Some(group(Vec::new(), script, false, false))
            }
            "if" | "while" | "until" => {
                self.eat_word(word);
                Some(self.deeper_body(|p| p.clauses(&["then", "elif", "else", "do"], word)))
            }
            "for" | "select" => {
                self.eat_word(word);
                Some(self.deeper_body(Self::each))
            }
            "case" => {
                self.eat_word(word);
                Some(self.deeper_body(Self::case))
            }
            "function" => {
                self.eat_word(word);
                self.blanks();
                let name = self.name();
                self.blanks();
                if self.eat(b'(') {
                    self.blanks();
                    self.close(b')');
                }
                Some(self.function(name))
            }
            "[[" => {
                self.eat_word(word);
                Some(self.test())
            }
            _ => None,
        }
    }

    fn deeper_body(&mut self, read: impl FnOnce(&mut Self) -> Body) -> Body {
        self.deeper(|parser| Some(read(parser)))
            .unwrap_or_else(|| group(Vec::new(), Script::default(), false, false))
    }

    fn close(&mut self, byte: u8) {
        if !self.eat(byte) {
            self.fail(Fault::Broken);
        }
    }

    fn end(&mut self, word: &str) {
        if !self.eat_word(word) {
            self.fail(Fault::Broken);
        }
    }

    /// Lists between keywords, up to `fi` or `done`.
    fn clauses(&mut self, between: &[&str], opener: &str) -> Body {
        let mut script = self.list();
        while let Some(word) = self.keyword().filter(|word| between.contains(word)) {
            self.eat_word(word);
            script.items.extend(self.list().items);
        }
        self.end(if opener == "if" { "fi" } else { "done" });
        group(Vec::new(), script, false, true)
    }

    /// `for NAME in WORDS; do LIST; done`, and the arithmetic form.
    fn each(&mut self) -> Body {
        self.blanks();
        let mut words = Vec::new();
        let mut name = String::new();
        if self.eat_text("((") {
            match self.arithmetic() {
                Some(word) => words.push(word),
                None => self.fail(Fault::Broken),
            }
        } else {
            name = self.name();
            self.lines();
            if self.eat_word("in") {
                self.blanks();
                while let Some(word) = self.word() {
                    words.push(word);
                    self.blanks();
                }
            }
        }
        self.blanks();
        self.eat(b';');
        self.lines();
        let braces = self.eat_word("{");
        if !braces {
            self.end("do");
        }
        let script = self.list();
        self.end(if braces { "}" } else { "done" });
        Body::For {
            name,
            words,
            script,
        }
    }

    fn case(&mut self) -> Body {
        self.blanks();
        let mut words: Vec<Word> = self.word().into_iter().collect();
        let mut script = Script::default();
        self.lines();
        self.end("in");
        loop {
            self.lines();
            if self.eat_word("esac") {
                break;
            }
            if self.peek().is_none() {
                self.fail(Fault::Broken);
                break;
            }
            let before = self.at;
            self.eat(b'(');
            self.blanks();
            while let Some(word) = self.word() {
                words.push(word);
                self.blanks();
                self.eat(b'|');
                self.blanks();
            }
            self.close(b')');
            script.items.extend(self.list().items);
            if self.eat_text(";;") {
                self.eat(b'&');
            } else {
                self.eat_text(";&");
            }
            if self.at == before {
                self.fail(Fault::Broken);
                break;
            }
        }
        group(words, script, false, true)
    }

    /// `[[ … ]]`: nothing in it runs but what is expanded.
    fn test(&mut self) -> Body {
        let mut words = Vec::new();
        loop {
            self.blanks();
            match self.peek() {
                None => {
                    self.fail(Fault::Broken);
                    break;
                }
                Some(b'\n') => self.lines(),
                Some(b'<' | b'>') if self.text.as_bytes().get(self.at + 1) == Some(&b'(') => {
                    words.extend(self.word());
                }
                Some(b'&' | b'|' | b'(' | b')' | b'<' | b'>' | b';') => self.at += 1,
                _ if self.eat_word("]]") => break,
                _ => match self.word() {
                    Some(word) => words.push(word),
                    None => self.skip_char(),
                },
            }
        }
        group(words, Script::default(), false, false)
    }

    /// The name of a function or of a loop's variable.
    fn name(&mut self) -> String {
        let rest = &self.text[self.at..];
        let end = rest
            .find(|c: char| " \t\r\n;&|()<>$'\"\\`".contains(c))
            .unwrap_or(rest.len());
        self.at += end;
        rest[..end].to_owned()
    }

    fn function(&mut self, name: String) -> Body {
        let script = self.deeper(|parser| {
            parser.lines();
            Script {
                items: vec![super::Item {
                    maybe: false,
                    background: false,
                    stages: parser.stage().into_iter().collect(),
                }],
            }
        });
        Body::Function {
            name,
            script: Rc::new(script),
        }
    }

    fn simple(&mut self) -> Option<Stage> {
        let mut assigns = Vec::new();
        let mut words: Vec<Word> = Vec::new();
        let mut redirects = Vec::new();
        loop {
            self.blanks();
            if let Some(redirect) = self.redirect() {
                redirects.push(redirect);
                continue;
            }
            if words.is_empty()
                && let Some(assign) = self.assign()
            {
                assigns.push(assign);
                continue;
            }
            if self.peek() == Some(b'(') {
                if let ([word], true) = (words.as_slice(), assigns.is_empty())
                    && let Some(name) = word.bare()
                {
                    let name = name.to_owned();
                    self.at += 1;
                    self.blanks();
                    self.close(b')');
                    let body = self.function(name);
                    return Some(Stage { body, redirects });
                }
                // An assignment among the words of `export` and its like may be a list.
                if !words.last().is_some_and(Word::assigns_a_list) {
                    self.fail(Fault::Broken);
                    break;
                }
                self.at += 1;
                loop {
                    self.lines();
                    match self.word() {
                        Some(word) => words.push(word),
                        None => break,
                    }
                }
                self.close(b')');
                continue;
            }
            match self.word() {
                Some(word) => words.push(word),
                None => break,
            }
        }
        let nothing = assigns.is_empty() && words.is_empty() && redirects.is_empty();
        (!nothing).then_some(Stage {
            body: Body::Simple { assigns, words },
            redirects,
        })
    }

    /// `NAME=`, `NAME+=` or `NAME[…]=` and what follows.
    fn assign(&mut self) -> Option<Assign> {
        let rest = &self.text[self.at..];
        let name_end = rest
            .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
            .filter(|end| *end > 0 && !rest.starts_with(|c: char| c.is_ascii_digit()))?;
        let name = rest[..name_end].to_owned();
        let mut end = name_end;
        if rest[end..].starts_with('[') {
            end += rest[end..].bytes().take(64).position(|byte| byte == b']')? + 1;
        }
        let more = rest[end..].starts_with('+');
        end += usize::from(more);
        if !rest[end..].starts_with('=') {
            return None;
        }
        self.at += end + 1;
        self.node();
        let mut values = Vec::new();
        if self.eat(b'(') {
            loop {
                self.lines();
                match self.word() {
                    Some(word) => values.push(word),
                    None => break,
                }
            }
            self.close(b')');
        } else {
            values.push(self.word().unwrap_or_default());
        }
        Some(Assign { name, more, values })
    }
}

fn group(words: Vec<Word>, script: Script, own: bool, maybe: bool) -> Body {
    Body::Group {
        words,
        script,
        own,
        maybe,
    }
}
