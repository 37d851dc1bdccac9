//! What begins with a dollar or a backtick.

use super::super::tree::{Op, Part, Word};
use super::{Fault, Parser};

impl Parser<'_> {
    /// Takes an expansion; a dollar that begins none is text.
    pub(super) fn expansion(&mut self, word: &mut Word, quoted: bool) {
        if self.peek() == Some(b'`') {
            self.backticks(word, quoted);
            return;
        }
        let next = self.text.as_bytes().get(self.at + 1).copied();
        match next {
            Some(b'(') => {
                self.at += 2;
                if self.peek() == Some(b'(') {
                    let start = self.at;
                    self.at += 1;
                    if let Some(inside) = self.arithmetic() {
                        let op = Op::Other(inside);
                        let name = String::new();
                        word.parts.push(Part::Var { name, quoted, op });
                        return;
                    }
                    self.at = start;
                }
                let script = self.deeper(Self::list);
                self.closed();
                word.parts.push(Part::Sub { script, quoted });
            }
            Some(b'{') => {
                self.at += 2;
                self.braces(word, quoted);
            }
            Some(b'\'') if !quoted => {
                self.at += 2;
                let text = self.ansi_c();
                word.push(&text, true);
            }
            Some(b'"') if !quoted => self.at += 1,
            Some(byte) if byte.is_ascii_alphabetic() || byte == b'_' => {
                self.at += 1;
                let name = self.identifier();
                self.variable(word, name, quoted, Op::Plain);
            }
            Some(b'0'..=b'9' | b'@' | b'*' | b'!') => {
                self.at += 2;
                let name = self.text[self.at - 1..self.at].to_owned();
                self.variable(word, name, quoted, Op::Plain);
            }
            Some(b'#' | b'?' | b'$' | b'-') => {
                self.at += 2;
                self.variable(word, String::new(), quoted, Op::Count);
            }
            _ => {
                self.at += 1;
                word.push("$", quoted);
            }
        }
    }

    fn variable(&mut self, word: &mut Word, name: String, quoted: bool, op: Op) {
        self.node();
        word.parts.push(Part::Var { name, quoted, op });
    }

    fn identifier(&mut self) -> String {
        let rest = &self.text[self.at..];
        let end = rest
            .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
            .unwrap_or(rest.len());
        self.at += end;
        rest[..end].to_owned()
    }

    /// Backticks: a backslash hides a backtick, a dollar and itself; then it is a script.
    fn backticks(&mut self, word: &mut Word, quoted: bool) {
        self.at += 1;
        let mut inside = String::new();
        let mut closed = false;
        while self.at < self.text.len() {
            let rest = &self.text[self.at..];
            let end = rest.find(['`', '\\']).unwrap_or(rest.len());
            inside.push_str(&rest[..end]);
            self.at += end;
            if self.eat(b'`') {
                closed = true;
                break;
            }
            if self.eat(b'\\') {
                match self.peek() {
                    Some(next @ (b'`' | b'\\' | b'$')) => {
                        inside.push(char::from(next));
                        self.at += 1;
                    }
                    Some(b'"') if quoted => {
                        inside.push('"');
                        self.at += 1;
                    }
                    _ => inside.push('\\'),
                }
            }
        }
        if !closed {
            self.fail(Fault::Broken);
        }
        let script = self.deeper(|parser| {
            parser.inner(&inside, |inner| {
                let script = inner.list();
                if inner.at < inner.text.len() {
                    inner.fail(Fault::Broken);
                }
                script
            })
        });
        word.parts.push(Part::Sub { script, quoted });
    }

    /// Up to the `))` that ends arithmetic; `None`, and nothing moved that the caller does not
    /// move back, when it is none.
    pub(super) fn arithmetic(&mut self) -> Option<Word> {
        let rest = &self.text.as_bytes()[self.at..];
        let mut depth = 0usize;
        let mut end = None;
        for (at, byte) in rest.iter().enumerate() {
            match byte {
                b'(' => depth += 1,
                b')' if depth > 0 => depth -= 1,
                b')' => {
                    end = (rest.get(at + 1) == Some(&b')')).then_some(at);
                    break;
                }
                b'\'' | b'"' => break,
                _ => {}
            }
        }
        let end = end?;
        let inside = &self.text[self.at..self.at + end];
        let word = self.deeper(|parser| parser.inner(inside, |inner| inner.quoted_until(None)));
        self.at = (self.at + end + 2).min(self.text.len());
        Some(word)
    }

    /// `${…}`, behind the opening brace.
    fn braces(&mut self, word: &mut Word, quoted: bool) {
        if self.eat(b'!') {
            // The value of a variable that another one names, or names of variables.
            let name = self.identifier();
            let op = Op::Other(self.operand());
            self.variable(word, name, quoted, op);
            return;
        }
        if self.peek() == Some(b'#') && self.text.as_bytes().get(self.at + 1) != Some(&b'}') {
            self.at += 1;
            self.operand();
            self.variable(word, String::new(), quoted, Op::Count);
            return;
        }
        let mut name = self.identifier();
        if name.is_empty() && self.peek().is_some_and(|b| b"@*#?$!-".contains(&b)) {
            self.at += 1;
            self.text[self.at - 1..self.at].clone_into(&mut name);
        }
        let mut whole = Op::Plain;
        if self.peek() == Some(b'[') {
            let rest = &self.text[self.at..];
            match rest.bytes().take(128).position(|byte| byte == b']') {
                Some(end) => {
                    let all = matches!(&rest[..end], "[@" | "[*");
                    whole = if all { Op::All } else { Op::Element };
                    self.at += end + 1;
                }
                None => self.fail(Fault::Broken),
            }
        }
        let colon = self.eat(b':');
        let kind = self.peek();
        if matches!(kind, Some(b'-' | b'=' | b'?' | b'+')) {
            self.at += 1;
        } else if colon {
            self.at -= 1;
        }
        let empty = self.peek() == Some(b'}');
        let operand = self.operand();
        let op = match kind {
            Some(b'-' | b'=') => Op::Default(operand),
            Some(b'?') => Op::Required,
            Some(b'+') => Op::Alternate(operand),
            _ if empty => whole,
            _ => Op::Other(operand),
        };
        self.variable(word, name, quoted, op);
    }

    /// The rest of `${…}`, up to its closing brace.
    fn operand(&mut self) -> Word {
        self.deeper(|parser| {
            let mut word = Word::default();
            while let Some(byte) = parser.peek() {
                match byte {
                    b'}' => {
                        parser.at += 1;
                        return word;
                    }
                    b' ' | b'\t' | b'\n' | b'\r' | b';' | b'&' | b'|' | b'(' | b')' | b'<'
                    | b'>' => {
                        parser.at += 1;
                        word.push(&char::from(byte).to_string(), false);
                    }
                    _ => parser.piece(&mut word, byte, Some(b'}')),
                }
            }
            parser.fail(Fault::Broken);
            word
        })
    }

    /// `$'…'`, behind the opening quote.
    fn ansi_c(&mut self) -> String {
        let mut bytes: Vec<u8> = Vec::new();
        loop {
            let rest = &self.text[self.at..];
            let Some(end) = rest.find(['\'', '\\']) else {
                self.fail(Fault::Broken);
                bytes.extend(rest.bytes());
                self.at = self.text.len();
                break;
            };
            bytes.extend(rest[..end].bytes());
            self.at += end;
            if self.eat(b'\'') {
                break;
            }
            self.at += 1;
            self.escape(&mut bytes);
        }
        super::super::text::clean(&String::from_utf8_lossy(&bytes)).into_owned()
    }

    fn escape(&mut self, bytes: &mut Vec<u8>) {
        let Some(byte) = self.peek() else {
            return;
        };
        self.at += 1;
        let plain = match byte {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'a' => 7,
            b'b' => 8,
            b'e' | b'E' => 27,
            b'f' => 12,
            b'v' => 11,
            b'x' => self.number(16, 2),
            b'0'..=b'7' => {
                self.at -= 1;
                self.number(8, 3)
            }
            b'u' | b'U' => {
                let value = self.long_number(if byte == b'u' { 4 } else { 8 });
                let c = char::from_u32(value).unwrap_or('\u{fffd}');
                bytes.extend(c.encode_utf8(&mut [0; 4]).bytes());
                return;
            }
            b'c' => {
                let control = self.peek().unwrap_or(0) & 31;
                self.skip_char();
                control
            }
            b'\\' | b'\'' | b'"' | b'?' => byte,
            _ => {
                // What begins here may be longer than a byte.
                self.at -= 1;
                bytes.push(b'\\');
                return;
            }
        };
        bytes.push(plain);
    }

    fn number(&mut self, base: u32, most: usize) -> u8 {
        (self.digits(base, most) & 255) as u8
    }

    fn long_number(&mut self, most: usize) -> u32 {
        self.digits(16, most)
    }

    fn digits(&mut self, base: u32, most: usize) -> u32 {
        let mut value = 0u32;
        for _ in 0..most {
            let Some(digit) = self.peek().and_then(|byte| char::from(byte).to_digit(base)) else {
                break;
            };
            value = value.wrapping_mul(base).wrapping_add(digit);
            self.at += 1;
        }
        value
    }
}
