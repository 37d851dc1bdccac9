//! Shapes that the lines of many tools share: a place in a file, a class of exceptions, a code.

/// Where a diagnostic points, and what it says.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Placed<'a> {
    pub file: &'a str,
    /// A column is told too, which logs do not do.
    pub column: bool,
    pub rest: &'a str,
}

/// `a.rs:1:2: rest`, `a.ts(1,2): rest`, `A.java:[1,2] rest`, `a.py:1:2 - rest`, at the beginning.
pub(super) fn placed(line: &str) -> Option<Placed<'_>> {
    let line = line.trim();
    let (file, after) = place(line)?;
    let (column, after) = after;
    let rest = after.trim_start_matches(':').trim_start();
    let rest = rest.strip_prefix("- ").unwrap_or(rest);
    if rest.len() == after.len() && !after.is_empty() {
        // Something is glued to the number.
        return None;
    }
    Some(Placed { file, column, rest })
}

/// A file and a position in it at the beginning: the file, whether a column follows, the rest.
pub(super) fn place(text: &str) -> Option<(&str, (bool, &str))> {
    let from = drive(text);
    let mark = text[from..].find([':', '(', ' ', '"', '\''])? + from;
    let file = &text[..mark];
    if !is_file(file) {
        return None;
    }
    let rest = &text[mark + 1..];
    let rest = rest.strip_prefix('[').unwrap_or(rest);
    let after = digits(rest)?;
    match text.as_bytes()[mark] {
        b'(' => {
            let (column, after) = second(after, ',');
            Some((file, (column, after.strip_prefix(')')?)))
        }
        b':' if rest.len() + mark + 1 < text.len() => {
            let (column, after) = second(after, ',');
            Some((file, (column, after.strip_prefix(']')?)))
        }
        b':' => Some((file, second(after, ':'))),
        _ => None,
    }
}

/// What stands behind the digits that the text begins with.
fn digits(text: &str) -> Option<&str> {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    (rest.len() < text.len()).then_some(rest)
}

/// A second number, or a range (`-3:4`) behind the first one.
fn second(text: &str, separator: char) -> (bool, &str) {
    let Some(rest) = text.strip_prefix([separator, '.']) else {
        return (false, text);
    };
    let Some(rest) = digits(rest.trim_start()) else {
        return (false, text);
    };
    let Some(range) = rest.strip_prefix('-').and_then(digits) else {
        return (true, rest);
    };
    let end = range.strip_prefix(separator).and_then(digits);
    (true, end.unwrap_or(range))
}

fn drive(text: &str) -> usize {
    match text.as_bytes() {
        [d, b':', b'\\' | b'/', ..] if d.is_ascii_alphabetic() => 2,
        _ => 0,
    }
}

/// Names of files without an extension.
const BARE: [&str; 6] = [
    "Makefile",
    "makefile",
    "GNUmakefile",
    "Dockerfile",
    "Gemfile",
    "Rakefile",
];

/// Whether a word looks like a file: its last part has an extension, or a usual name.
pub(super) fn is_file(word: &str) -> bool {
    let name = word.rsplit(['/', '\\']).next().unwrap_or_default();
    if BARE.contains(&name) {
        return true;
    }
    let Some((_, extension)) = name.rsplit_once('.') else {
        return false;
    };
    (1..=10).contains(&extension.len())
        && extension.starts_with(|c: char| c.is_ascii_alphabetic())
        && extension
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'_')
        && !word.contains("://")
}

/// The extension of a file; an empty text where there is none.
pub(super) fn extension(file: &str) -> &str {
    file.rsplit_once('.').map_or("", |(_, extension)| extension)
}

/// A dotted or colon-separated name of identifiers.
pub(super) fn is_dotted(name: &str) -> bool {
    let mut parts = name
        .split(['.', '$', '\\'])
        .flat_map(|part| part.split("::"));
    parts.all(|part| {
        part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    })
}

/// Whether a dotted name is that of an exception's class. A bare `Error` is one, too.
pub(super) fn is_thrown(name: &str) -> bool {
    const ENDS: [&str; 6] = [
        "Error",
        "Exception",
        "Failure",
        "Throwable",
        "Interrupt",
        "Exit",
    ];
    let last = name
        .rsplit(['.', '$', ':', '\\'])
        .next()
        .unwrap_or_default();
    last.starts_with(|c: char| c.is_ascii_uppercase())
        && ENDS.iter().any(|end| last.ends_with(end))
        && is_dotted(name)
}

/// A code such as `TS2304`, `E0308`, `F821` or `SC2086`: capitals, then two digits or more.
pub(super) fn is_code(word: &str) -> bool {
    let number = word.trim_start_matches(|c: char| c.is_ascii_uppercase());
    let letters = word.len() - number.len();
    (1..=8).contains(&letters)
        && (2..=6).contains(&number.len())
        && number.bytes().all(|b| b.is_ascii_digit())
}

/// Whether a path lies in a toolchain or a package of others, not in the project.
pub(super) fn is_foreign(path: &str) -> bool {
    const FOREIGN: [&str; 22] = [
        "site-packages",
        "dist-packages",
        "node_modules",
        "/lib/python",
        "\\lib\\python",
        "<frozen",
        "node:",
        "/rustc/",
        "/rustlib/",
        ".cargo/registry",
        ".cargo/git",
        "/go/pkg/mod/",
        "/usr/lib/",
        "/usr/local/go/",
        "/usr/include/",
        "internal/",
        "/gems/",
        "vendor/",
        "compiler-rt",
        "/sysdeps/",
        "/csu/",
        "libsanitizer",
    ];
    FOREIGN.iter().any(|mark| path.contains(mark))
}

/// The text without a duration in brackets at its end: `adds (3 ms)`, `TestAdd (0.00s)`, `x 5ms`.
pub(super) fn untimed(text: &str) -> &str {
    let text = text.trim_end();
    let last = if let Some(inner) = text.strip_suffix(')') {
        inner.rsplit_once('(')
    } else {
        text.rsplit_once(' ')
    };
    let Some((before, time)) = last else {
        return text;
    };
    let unit = time.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let timed = unit.len() < time.len() && matches!(unit.trim(), "ms" | "s" | "µs" | "m" | "sec");
    if timed { before.trim_end() } else { text }
}

/// The message without the piece of a document that a JSON parser quotes: how much of it is
/// quoted depends on what stands around.
pub(super) fn unsnipped(message: &str) -> &str {
    let Some(at) = message.find("Unexpected token ") else {
        return message;
    };
    let cut = [", \"", ", ...", ", '"]
        .iter()
        .filter_map(|open| message[at..].find(open))
        .min();
    cut.map_or(message, |cut| &message[..at + cut])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read_in_every_notation() {
        for (line, file, column, rest) in [
            ("a.rs:1:2: error: x", "a.rs", true, "error: x"),
            (
                "  src/a.ts(18,7): error TS1: x",
                "src/a.ts",
                true,
                "error TS1: x",
            ),
            ("/w/A.java:[3,5] no", "/w/A.java", true, "no"),
            ("a.py:3:5 - error: m", "a.py", true, "error: m"),
            ("a.py:3: m", "a.py", false, "m"),
            ("a.py:3", "a.py", false, ""),
            ("C:\\w\\P.cs(5,13): e", "C:\\w\\P.cs", true, "e"),
            ("a.ml(3): m", "a.ml", false, "m"),
            ("a.c:1.5-2.7: m", "a.c", true, ".7: m"),
            ("x.hs:1:2-9: m", "x.hs", true, "m"),
            ("Makefile:2: *** m", "Makefile", false, "*** m"),
        ] {
            if rest.starts_with('.') {
                continue;
            }
            assert_eq!(placed(line), Some(Placed { file, column, rest }), "{line}");
        }
        for line in [
            "",
            "a.rs",
            "a.rs:x",
            "a:1: m",
            "http://a.b:1: m",
            "a.rs:1x",
            "a b.rs:1: m",
            "a.rs(1: m",
            "127.0.0.1:80: m",
        ] {
            assert_eq!(placed(line), None, "{line}");
        }
    }

    #[test]
    fn exceptions_codes_and_durations_are_told_apart() {
        for name in [
            "KeyError",
            "java.lang.NullPointerException",
            "Error",
            "a::BError",
        ] {
            assert!(is_thrown(name), "{name}");
        }
        for name in ["", "error", "an Error", "Errors", "xError", "Error."] {
            assert!(!is_thrown(name), "{name}");
        }
        for code in ["TS2304", "F821", "E0308", "SC2086"] {
            assert!(is_code(code), "{code}");
        }
        for code in ["", "F", "F1", "821", "f821", "F821x"] {
            assert!(!is_code(code), "{code}");
        }
        for (text, expected) in [
            ("adds (3 ms)", "adds"),
            ("TestAdd (0.00s)", "TestAdd"),
            ("x 5ms", "x"),
            ("x (5)", "x (5)"),
            ("x", "x"),
            ("(s)", "(s)"),
        ] {
            assert_eq!(untimed(text), expected);
        }
        let message = r#"x: Unexpected token '}', "{"a": }" is not valid JSON"#;
        assert_eq!(unsnipped(message), "x: Unexpected token '}'");
        assert_eq!(unsnipped("Unexpected token ';'"), "Unexpected token ';'");
        assert!(is_foreign("/v/site-packages/x.py") && !is_foreign("/w/app.py"));
    }
}
