//! Words: quotes, escapes, and what is joined to them.

use super::super::tree::{Part, Word};
use super::{Fault, Parser};

impl Word {
    /// A word of one quoted text.
    pub(in super::super) fn quoted(text: &str) -> Self {
        Self {
            parts: vec![Part::Text {
                text: text.to_owned(),
                quoted: true,
            }],
        }
    }

    /// Whether it ends in the sign before a list.
    pub(super) fn assigns_a_list(&self) -> bool {
        self.bare().is_some_and(|text| text.ends_with('='))
    }

    /// Adds text, to the last part where that is of the same kind.
    pub(super) fn push(&mut self, more: &str, is_quoted: bool) {
        if let Some(Part::Text { text, quoted }) = self.parts.last_mut()
            && *quoted == is_quoted
        {
            text.push_str(more);
            return;
        }
        self.parts.push(Part::Text {
            text: more.to_owned(),
            quoted: is_quoted,
        });
    }
}

impl Parser<'_> {
    /// The word here; `None` before a blank, an operator or the end.
    pub(super) fn word(&mut self) -> Option<Word> {
        let start = self.at;
        let mut word = Word::default();
        while let Some(byte) = self.peek() {
            match byte {
                b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b')' => break,
                b'\r' if matches!(self.text.as_bytes().get(self.at + 1), None | Some(b'\n')) => {
                    break;
                }
                b'(' => {
                    if self.after_extglob(start) {
                        self.extglob(&mut word);
                    } else {
                        break;
                    }
                }
                b'<' | b'>' => {
                    if self.text.as_bytes().get(self.at + 1) != Some(&b'(') {
                        break;
                    }
                    self.at += 2;
                    let script = self.deeper(Self::list);
                    self.closed();
                    let reads = byte == b'<';
                    word.parts.push(Part::Process { script, reads });
                }
                _ => self.piece(&mut word, byte, None),
            }
        }
        (self.at > start).then_some(word)
    }

    pub(super) fn closed(&mut self) {
        if !self.eat(b')') {
            self.fail(Fault::Broken);
        }
    }

    /// Whether the byte before an opening bracket makes it a pattern: `@(a|b)`.
    fn after_extglob(&self, start: usize) -> bool {
        let before = self.text.as_bytes().get(self.at.wrapping_sub(1));
        self.at > start && matches!(before, Some(b'@' | b'!' | b'+' | b'*' | b'?'))
    }

    fn extglob(&mut self, word: &mut Word) {
        let rest = &self.text[self.at..];
        let mut depth = 0usize;
        if self.at < self.no_pattern {
            self.skip_char();
            return;
        }
        self.no_pattern = self.text.len();
        for (at, byte) in rest.bytes().enumerate() {
            match byte {
                b'(' => depth += 1,
                b')' => depth -= 1,
                b'\n' | b'`' | b'$' => {
                    self.no_pattern = self.at + at;
                    break;
                }
                _ => {}
            }
            if depth == 0 {
                word.push(&rest[..=at], false);
                self.at += at + 1;
                self.no_pattern = 0;
                return;
            }
        }
        self.fail(Fault::Broken);
        self.skip_char();
    }

    /// One piece of a word outside double quotes; `stop` is the byte that ends an operand.
    pub(super) fn piece(&mut self, word: &mut Word, byte: u8, stop: Option<u8>) {
        match byte {
            b'\'' => {
                self.at += 1;
                let rest = &self.text[self.at..];
                let end = self.until(rest.find('\''), rest.len());
                word.push(&rest[..end], true);
            }
            b'"' => {
                self.at += 1;
                let inside = self.quoted_until(Some(b'"'));
                if inside.parts.is_empty() {
                    word.push("", true);
                }
                word.parts.extend(inside.parts);
            }
            b'\\' => {
                self.at += 1;
                if self.eat(b'\n') {
                    return;
                }
                let from = self.at;
                self.skip_char();
                word.push(&self.text[from..self.at], true);
            }
            b'$' | b'`' => self.expansion(word, false),
            _ => {
                let rest = &self.text[self.at..];
                let ends = |c: char| {
                    " \t\r\n;&|()<>'\"\\$`".contains(c) || stop.is_some_and(|s| c == char::from(s))
                };
                let end = rest.find(ends).unwrap_or(rest.len()).max(1);
                word.push(&rest[..end], false);
                self.at += end;
            }
        }
    }

    /// Moves behind the quote that was found, or to the end.
    fn until(&mut self, found: Option<usize>, length: usize) -> usize {
        if let Some(end) = found {
            self.at += end + 1;
            end
        } else {
            self.fail(Fault::Broken);
            self.at += length;
            length
        }
    }

    /// What stands between double quotes, or in a here document: up to `stop`, which is taken.
    pub(super) fn quoted_until(&mut self, stop: Option<u8>) -> Word {
        let mut word = Word::default();
        while let Some(byte) = self.peek() {
            if Some(byte) == stop {
                self.at += 1;
                return word;
            }
            match byte {
                b'\\' => {
                    self.at += 1;
                    match self.peek() {
                        Some(b'\n') => self.at += 1,
                        Some(next @ (b'$' | b'`' | b'\\' | b'"'))
                            if next != b'"' || stop.is_some() =>
                        {
                            self.at += 1;
                            word.push(&char::from(next).to_string(), true);
                        }
                        _ => word.push("\\", true),
                    }
                }
                b'$' | b'`' => self.expansion(&mut word, true),
                _ => {
                    let rest = &self.text[self.at..];
                    let ends =
                        |c: char| "\\$`".contains(c) || stop.is_some_and(|s| c == char::from(s));
                    let end = rest.find(ends).unwrap_or(rest.len()).max(1);
                    word.push(&rest[..end], true);
                    self.at += end;
                }
            }
        }
        if stop.is_some() {
            self.fail(Fault::Broken);
        }
        word
    }
}
