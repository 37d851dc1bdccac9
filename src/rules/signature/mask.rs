//! Takes out of a line what changes from run to run: places, times, sizes, ids, addresses,
//! long numbers and where things lie on this machine.

mod number;
mod word;

/// The line without what changes, white space collapsed.
pub(super) fn mask(line: &str, root: Option<&str>) -> String {
    let root = root.map(|root| root.trim_end_matches('/'));
    let mut scan = Scan {
        line,
        at: 0,
        out: String::with_capacity(line.len()),
        filelike: false,
        in_place: false,
    };
    while scan.at < line.len() {
        if !(scan.path(root) || scan.word()) {
            scan.copy();
        }
    }
    let words: Vec<&str> = scan.out.split_whitespace().collect();
    words.join(" ")
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

    /// Copies one character and keeps track of what it means.
    fn copy(&mut self) {
        let rest = self.rest();
        let Some(c) = rest.chars().next() else {
            return;
        };
        let next = rest[c.len_utf8()..].chars().next();
        match c {
            '(' if self.filelike => self.in_place = true,
            ')' => self.in_place = false,
            '/' => self.filelike = true,
            '.' => self.filelike |= next.is_some_and(|n| n.is_ascii_alphabetic()),
            _ => {}
        }
        if c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '(' | ')' | '[' | ']' | ',') {
            self.filelike = false;
        }
        self.out.push(c);
        self.at += c.len_utf8();
    }

    /// Drops the leading part of an absolute path: what stays is relative to the project or the
    /// last part. The rest is scanned on as any other text.
    fn path(&mut self, root: Option<&str>) -> bool {
        let rest = self.rest();
        if rest.starts_with("//") && self.before() == Some(b':') {
            self.put("//", 2);
            return true;
        }
        let Some(separator) = self.path_separator() else {
            return false;
        };
        let run = path_run(rest);
        let inside = root.and_then(|root| run.strip_prefix(root));
        let dropped = match inside {
            Some(below) if below.starts_with('/') => run.len() - below.len() + 1,
            _ => run.rfind(separator).map_or(0, |last| last + 1),
        };
        self.filelike = true;
        let name = &run[dropped..];
        let temporary = ["/tmp/", "/var/tmp/", "/var/folders/"];
        if inside.is_none()
            && !name.contains('.')
            && temporary.iter().any(|place| run.starts_with(place))
        {
            self.put("<tmp>", run.len());
        } else if name.is_empty() {
            self.put("<path>", run.len());
        } else {
            self.at += dropped;
        }
        true
    }

    /// The separator of the absolute path that begins here.
    fn path_separator(&self) -> Option<char> {
        let bytes = self.rest().as_bytes();
        let free = self.begins_word() && !matches!(self.before(), Some(b'.' | b'<' | b'-'));
        let named = |at: usize| {
            let byte = bytes.get(at);
            byte.is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'@'))
        };
        match bytes {
            [b'/', ..] if free && named(1) => Some('/'),
            [b'~', b'/', ..] if free => Some('/'),
            [drive, b':', b'\\', ..] if free && drive.is_ascii_alphabetic() => Some('\\'),
            _ => None,
        }
    }

    /// Masks or copies the word that begins here.
    fn word(&mut self) -> bool {
        if !self.begins_word() {
            return false;
        }
        let rest = self.rest();
        let taken = word::masked(rest).or_else(|| number::masked(self));
        if let Some((mask, taken)) = taken {
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

/// The characters of a path from its beginning; a drive's colon belongs to it.
fn path_run(text: &str) -> &str {
    let from = if text.as_bytes().get(1) == Some(&b':') {
        2
    } else {
        0
    };
    let ends = |c: char| {
        c.is_whitespace()
            || matches!(
                c,
                '"' | '\''
                    | '`'
                    | '('
                    | ')'
                    | '['
                    | ']'
                    | '{'
                    | '}'
                    | '<'
                    | '>'
                    | ','
                    | ':'
                    | ';'
                    | '|'
                    | '='
                    | '*'
                    | '‘'
                    | '’'
            )
    };
    let end = text[from..].find(ends).map_or(text.len(), |end| from + end);
    text[..end].trim_end_matches('.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_told_relative_to_the_project_or_by_their_last_part() {
        for (line, expected) in [
            ("at /home/me/p/src/lib.rs now", "at src/lib.rs now"),
            ("at /home/you/x/lib.rs now", "at lib.rs now"),
            ("at /home/me/pq/lib.rs", "at lib.rs"),
            ("in '/home/me/p'", "in 'p'"),
            ("in /usr/lib/", "in <path>"),
            ("~/x/y.rs", "y.rs"),
            ("HEAD~/x/y.rs", "HEAD~y.rs"),
            ("-~/x/y.rs .~/x/y.rs", "-~y.rs .~y.rs"),
            ("x/y~/z C:/x/y cc:\\x\\y", "x/y~z C:y cc:\\x\\y"),
            ("C:\\Users\\me\\a.rs:3", "a.rs:<l>"),
            ("(/opt/a.js:1:30)", "(a.js:<l>:<l>)"),
            (
                "src/lib.rs ../x/y ./run.sh a/b",
                "src/lib.rs ../x/y ./run.sh a/b",
            ),
            ("see https://host/a/b", "see https://host/a/b"),
            ("file:///home/me/a.txt", "file://a.txt"),
            ("</div> and / or //", "</div> and / or //"),
            ("/tmp/abcd", "<tmp>"),
            ("/var/tmp/q and /var/folders/x/T/y", "<tmp> and <tmp>"),
            ("/tmp/a.py", "a.py"),
            ("wrote /x/y.", "wrote y."),
            ("/@scope/pkg", "pkg"),
            ("--out=/x/y", "--out=y"),
            ("-/x/y", "-/x/y"),
            ("‘/a/b’", "‘b’"),
        ] {
            assert_eq!(mask(line, Some("/home/me/p/")), expected, "{line}");
        }
        assert_eq!(mask("/tmp/p/x", Some("/tmp/p")), "x");
        assert_eq!(mask("/home/me/p/src/lib.rs", None), "lib.rs");
    }

    #[test]
    fn places_are_masked_only_behind_files() {
        for (line, expected) in [
            (" --> src/lib.rs:2:5", "--> src/lib.rs:<l>:<l>"),
            (
                "src/a.ts(18,7): error TS2741",
                "src/a.ts(<l>,<l>): error TS2741",
            ),
            ("f(18,7)", "f(18,7)"),
            ("a.ts(1) b(2)", "a.ts(<l>) b(2)"),
            ("127.0.0.1:80", "127.0.0.1:80"),
            ("key:7", "key:7"),
            ("\"a.b\" x:7", "\"a.b\" x:7"),
            (
                "File \"a.py\", line 12, in f",
                "File \"a.py\", line <l>, in f",
            ),
            ("line 1 column 2 (char 3)", "line <l> column <l> (char <l>)"),
            ("inline 3", "inline 3"),
            ("  1:7  error  x", "<l>:<l> error x"),
            ("  1:7x", "1:7x"),
            ("x 1:7 y", "x 1:7 y"),
        ] {
            assert_eq!(mask(line, None), expected, "{line}");
        }
    }

    #[test]
    fn words_are_kept_as_they_are() {
        let line = "E0308 tests::it_works foo_12 v1.2.3 été 'x' —  #3";
        assert_eq!(
            mask(line, None),
            "E0308 tests::it_works foo_12 v1.2.3 été 'x' — #3"
        );
        assert_eq!(mask("", None), "");
    }
}
