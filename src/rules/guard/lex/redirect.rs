//! Redirections, here documents among them.

use std::cell::OnceCell;
use std::rc::Rc;

use super::super::tree::{Redirect, Way};
use super::{Fault, Parser, Pending};

impl Parser<'_> {
    /// A redirection, with the number or `{name}` before it.
    pub(super) fn redirect(&mut self) -> Option<Redirect> {
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
            (_, b">&" | b"<&") => (Way::Copy, 2),
            (_, b">>") => (Way::Append, 2),
            (_, b"&>" | b">|" | b"<>") => (Way::Write, 2),
            _ if rest[at] == b'<' => (Way::Read, 1),
            _ => (Way::Write, 1),
        };
        self.at += at + length;
        self.node();
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
