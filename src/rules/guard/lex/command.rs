//! Commands: simple ones, groups, loops, branches, functions.

use std::cell::OnceCell;
use std::rc::Rc;

use super::super::tree::{Assign, Body, Redirect, Script, Stage, Way, Word};
use super::{Fault, Parser, Pending};

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
            if self.eat_word("esac") || self.peek().is_none() {
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

    /// A redirection, with the number or `{name}` before it.
    fn redirect(&mut self) -> Option<Redirect> {
        let rest = &self.text.as_bytes()[self.at..];
        let digits = rest
            .iter()
            .take(4)
            .take_while(|b| b.is_ascii_digit())
            .count();
        let aside = match rest.get(digits) {
            Some(b'<' | b'>') => digits > 0 && rest[..digits] != *b"1",
            Some(b'&') if digits == 0 && rest.get(1) == Some(&b'>') => false,
            _ => return None,
        };
        let at = digits;
        if digits == 0 && rest.get(1) == Some(&b'(') && matches!(rest[0], b'<' | b'>') {
            return None;
        }
        let three = rest.get(at..at + 3).unwrap_or_default();
        let two = rest.get(at..at + 2).unwrap_or_default();
        let (way, length) = match (three, two) {
            (b"<<<", _) => (Way::Text, 3),
            (b"<<-", _) => (Way::Document, 3),
            (_, b"<<") => (Way::Document, 2),
            (b"&>>", _) => (Way::Append, 3),
            (_, b"&>") => (Way::Write, 2),
            (_, b">&" | b"<&") => (Way::Copy, 2),
            (_, b">>") => (Way::Append, 2),
            (_, b">|" | b"<>") => (Way::Write, 2),
            _ if rest[at] == b'<' => (Way::Read, 1),
            _ => (Way::Write, 1),
        };
        self.at += at + length;
        let tabs = three == b"<<-";
        self.blanks();
        if way == Way::Document {
            return Some(self.document(tabs));
        }
        let target = self.word();
        if target.is_none() {
            self.fail(Fault::Broken);
        }
        let target = target.unwrap_or_default();
        // `>&FILE` writes a file, `>&2` does not.
        let number = |text: &str| {
            text == "-"
                || text
                    .trim_end_matches('-')
                    .bytes()
                    .all(|b| b.is_ascii_digit())
        };
        let way = match way {
            Way::Copy if !target.bare().is_some_and(number) => Way::Write,
            Way::Write | Way::Append if aside => Way::WriteAside,
            way => way,
        };
        Some(Redirect {
            way,
            target,
            document: None,
        })
    }

    fn document(&mut self, tabs: bool) -> Redirect {
        let from = self.at;
        let target = self.word().unwrap_or_default();
        let written = &self.text[from..self.at];
        let quoted = written.contains(['\'', '"', '\\']);
        if written.is_empty() {
            self.fail(Fault::Broken);
        }
        // Nothing in the delimiter is expanded: it is what is written, without the quotes.
        let end = written.replace(['\'', '"', '\\'], "");
        let end = if quoted && written.starts_with('$') {
            end.trim_start_matches('$').to_owned()
        } else {
            end
        };
        let body = Rc::new(OnceCell::new());
        self.pending.push(Pending {
            end,
            quoted,
            tabs,
            body: Rc::clone(&body),
        });
        Redirect {
            way: Way::Document,
            target,
            document: Some(body),
        }
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
