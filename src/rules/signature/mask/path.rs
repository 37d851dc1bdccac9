//! Absolute paths: told relative to the project, to a toolchain, to a package of others, or by
//! their last part.

use super::Scan;

/// What a path becomes: a mask in front, and from where on it stays, in bytes.
struct Told {
    mask: &'static str,
    from: usize,
}

impl Scan<'_> {
    /// Drops the leading part of an absolute path. The rest is scanned on as any other text.
    pub(super) fn path(&mut self, root: Option<&str>) -> bool {
        if !self.begins_path() {
            return false;
        }
        let rest = self.rest();
        if let Some(below) = root.and_then(|root| below(rest, root)) {
            self.filelike = true;
            match below {
                Below::Here(length) => self.put("<root>", length),
                Below::Inside(length) => self.at += length,
            }
            return true;
        }
        // In quotes it may be what a module is called by, where the dot says something.
        let quoted = matches!(self.before(), Some(b'\'' | b'"'));
        if !quoted && rest.starts_with("./") && rest[2..].starts_with(is_name) {
            self.at += 2;
            self.filelike = true;
            return true;
        }
        let Some(separator) = separator(rest) else {
            return false;
        };
        let run = path_run(rest);
        let told = told(run, separator);
        self.filelike = true;
        if told.from == run.len() && told.mask.is_empty() {
            self.put("<path>", run.len());
        } else {
            self.put(told.mask, told.from);
        }
        true
    }

    /// Whether a path may begin here: behind white space, a quote, or what separates words.
    fn begins_path(&self) -> bool {
        let before = self.before();
        // Behind the scheme of a file's URL, which was told already.
        if before == Some(b'/') && self.out.ends_with(':') {
            return true;
        }
        before.is_none_or(|b| {
            b.is_ascii_whitespace()
                || matches!(
                    b,
                    b'"' | b'\'' | b'(' | b'[' | b'{' | b'=' | b',' | b';' | b':' | b'|' | b'@'
                )
        })
    }
}

enum Below {
    /// The project's directory itself.
    Here(usize),
    /// Something in it, behind so many bytes.
    Inside(usize),
}

fn below(text: &str, root: &str) -> Option<Below> {
    let from = if text.starts_with(root) {
        0
    } else {
        // macOS tells its temporary directories in two ways.
        let from = "/private".len();
        text.strip_prefix("/private")?.strip_prefix(root)?;
        from
    };
    let length = from + root.len();
    let mut rest = text[length..].chars();
    match rest.next() {
        Some('/' | '\\') => {
            let name = rest.next().is_some_and(is_name);
            Some(if name {
                Below::Inside(length + 1)
            } else {
                Below::Here(length + 1)
            })
        }
        Some(c) if is_name(c) || c == '-' => None,
        _ => Some(Below::Here(length)),
    }
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | '_' | '@')
}

/// The separator of the absolute path that begins here.
fn separator(text: &str) -> Option<char> {
    let named = |at: usize| text.get(at..).is_some_and(|rest| rest.starts_with(is_name));
    match text.as_bytes() {
        [b'/', ..] if named(1) => Some('/'),
        [b'~', b'/', ..] => Some('/'),
        [drive, b':', b'\\', ..] if drive.is_ascii_alphabetic() => Some('\\'),
        [drive, b':', b'/', ..] if drive.is_ascii_alphabetic() && named(3) => Some('/'),
        _ => None,
    }
}

/// Directories of packages: what lies in one is told from it on.
const PACKAGES: [&str; 4] = ["node_modules", "site-packages", "dist-packages", "gems"];

/// Directories that projects have: what lies in one is told from it on.
const USUAL: [&str; 12] = [
    "src", "tests", "test", "lib", "crates", "packages", "pkg", "cmd", "internal", "app", "spec",
    "scripts",
];

/// Beginnings of paths that belong to the system.
const SYSTEM: [&str; 7] = [
    "/usr/", "/lib/", "/lib64/", "/etc/", "/bin/", "/sbin/", "/nix/",
];

const TEMPORARY: [&str; 6] = [
    "/tmp/",
    "/var/tmp/",
    "/var/folders/",
    "/private/tmp/",
    "/private/var/",
    "/dev/shm/",
];

fn told(run: &str, separator: char) -> Told {
    if let Some(from) = toolchain(run) {
        return Told {
            mask: "<toolchain>/",
            from,
        };
    }
    let last = run.rfind(separator).map_or(0, |last| last + 1);
    // The last of the directories that say something, and where it begins.
    let mut package = None;
    let mut usual = None;
    let mut from = 0;
    for part in run.split(separator) {
        if PACKAGES.contains(&part) && from + part.len() < run.len() {
            package = Some(from);
        }
        if USUAL.contains(&part) && from + part.len() + 1 < run.len() {
            usual = Some(from);
        }
        from += part.len() + 1;
    }
    if let Some(from) = package {
        return Told { mask: "", from };
    }
    let system = SYSTEM.iter().any(|start| run.starts_with(start));
    if let Some(from) = usual.filter(|_| !system) {
        return Told { mask: "", from };
    }
    let temporary = TEMPORARY.iter().any(|start| run.starts_with(start));
    if temporary && !run[last..].contains('.') {
        return Told {
            mask: "<tmp>",
            from: run.len(),
        };
    }
    Told {
        mask: "",
        from: last,
    }
}

/// Where the part begins that is the same in every toolchain.
fn toolchain(run: &str) -> Option<usize> {
    if let Some(rest) = run.strip_prefix("/rustc/") {
        return rest.find('/').map(|at| "/rustc/".len() + at + 1);
    }
    let marks = ["/rustlib/src/rust/", "/usr/local/go/src/", "/go/src/"];
    for mark in marks {
        if let Some(at) = run.find(mark) {
            return Some(at + mark.len());
        }
    }
    for mark in ["/lib/python", "/registry/src/", "/pkg/mod/"] {
        if let Some(at) = run.find(mark)
            && !PACKAGES.iter().any(|package| run.contains(package))
        {
            let from = at + mark.len();
            let rest = &run[from..];
            let skipped = if mark == "/pkg/mod/" {
                0
            } else {
                rest.find('/')? + 1
            };
            return Some(from + skipped);
        }
    }
    None
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
            )
    };
    let end = text[from..].find(ends).map_or(text.len(), |end| from + end);
    text[..end].trim_end_matches('.')
}
