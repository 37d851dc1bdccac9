//! Takes out of a line what changes from run to run: places, times, sizes, ids, addresses,
//! long numbers and where things lie on this machine.

mod number;
mod path;
mod time;
mod url;
mod word;

use std::borrow::Cow;

/// All that may stand for something that was masked.
pub(super) const MASKS: [&str; 16] = [
    "<addr>",
    "<dur>",
    "<hash>",
    "<id>",
    "<l>",
    "<n>",
    "<path>",
    "<pct>",
    "<port>",
    "<root>",
    "<size>",
    "<time>",
    "<tmp>",
    "<toolchain>",
    "<uuid>",
    "<version>",
];

/// How often a line is gone over until nothing in it changes. Taking something out may put
/// together what was apart; each time there is less left that could be.
const PASSES: usize = 8;

/// The line without what changes, white space collapsed, quotes told in one way.
pub(super) fn mask(line: &str, root: Option<&str>) -> String {
    let mut masked = once(&quotes(line), root);
    for _ in 1..PASSES {
        let again = once(&masked, root);
        if again == masked {
            break;
        }
        masked = again;
    }
    masked
}

/// Typographic quotes and backticks as plain ones: which are used depends on the locale.
fn quotes(line: &str) -> Cow<'_, str> {
    if line.contains(['`', '‘', '’', '“', '”']) {
        let plain = line.replace(['`', '‘', '’'], "'");
        Cow::Owned(plain.replace(['“', '”'], "\""))
    } else {
        Cow::Borrowed(line)
    }
}

fn once(line: &str, root: Option<&str>) -> String {
    let mut scan = Scan {
        line,
        at: 0,
        out: String::with_capacity(line.len()),
        filelike: false,
        in_place: false,
    };
    while scan.at < line.len() {
        if !(scan.space() || scan.url() || scan.path(root) || scan.word()) {
            scan.copy();
        }
    }
    scan.out.truncate(scan.out.trim_end().len());
    scan.out
}

/// One pass over a line; every step moves forward.
struct Scan<'a> {
    line: &'a str,
    at: usize,
    out: String,
    /// What stands since the last break looks like a file name.
    filelike: bool,
    /// Inside the `(12,7)` behind a file name.
    in_place: bool,
}

impl<'a> Scan<'a> {
    fn rest(&self) -> &'a str {
        &self.line[self.at..]
    }

    fn before(&self) -> Option<u8> {
        self.at.checked_sub(1).map(|i| self.line.as_bytes()[i])
    }

    fn begins_word(&self) -> bool {
        !self
            .before()
            .is_some_and(|b| b.is_ascii_alphanumeric() || b == b'_')
    }

    fn put(&mut self, text: &str, taken: usize) {
        self.out.push_str(text);
        self.at += taken;
    }

    /// White space is one space, and none at the beginning.
    fn space(&mut self) -> bool {
        let rest = self.rest();
        let spaces = rest.len() - rest.trim_start().len();
        if spaces == 0 {
            return false;
        }
        self.filelike = false;
        let gap = if self.out.is_empty() { "" } else { " " };
        self.put(gap, spaces);
        true
    }

    /// Copies one character and keeps track of what it means.
    fn copy(&mut self) {
        let rest = self.rest();
        let Some(c) = rest.chars().next() else {
            return;
        };
        let next = rest[c.len_utf8()..].chars().next();
        match c {
            '(' if self.filelike => self.in_place = true,
            '[' if self.filelike && self.before() == Some(b':') => self.in_place = true,
            ')' | ']' => self.in_place = false,
            '/' => self.filelike = true,
            '.' => self.filelike |= next.is_some_and(|n| n.is_ascii_alphabetic()),
            _ => {}
        }
        if matches!(c, '"' | '\'' | '(' | ')' | '[' | ']' | ',') {
            self.filelike = false;
        }
        self.out.push(c);
        self.at += c.len_utf8();
    }

    /// Masks or copies the word that begins here.
    fn word(&mut self) -> bool {
        if !self.begins_word() {
            return false;
        }
        let rest = self.rest();
        if let Some(word) = word::masked(rest, &self.out) {
            self.out.push_str(&rest[..word.kept]);
            self.put(word.mask, word.length);
            return true;
        }
        if let Some((mask, taken)) = number::masked(self) {
            self.put(mask, taken);
            return true;
        }
        let plain = rest
            .bytes()
            .take_while(|b| b.is_ascii_alphanumeric() || *b == b'_')
            .count();
        self.put(&rest[..plain], plain);
        plain > 0
    }
}

#[cfg(test)]
mod tests;
