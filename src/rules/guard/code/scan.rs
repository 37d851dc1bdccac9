//! Looks through code for what runs, deletes, writes or reads something.

use super::super::lex::{DEEPEST, Fault, LONGEST};
use super::super::text::SECRET;
use super::super::walk::Walk;
use super::acts;
use super::calls::{Does, known};
use super::quiet::{order, printed_texts};
use super::words::{arguments, strings, variables};

/// Words of code that prints something.
const PRINTS: [&str; 8] = [
    "print",
    "console.log",
    "puts",
    "echo",
    "write",
    "say ",
    "p ",
    "-p",
];

/// Looks for known calls in code; answers what it would write, as far as that matters.
pub(super) fn scan(walk: &mut Walk<'_>, language: &str, code: &str, printed: bool) -> String {
    if !walk.spend(code.len()) {
        return String::new();
    }
    if code.len() > LONGEST {
        walk.fault(Fault::Large);
        return String::new();
    }
    let prints = printed || PRINTS.iter().any(|word| code.contains(word));
    let mut out = String::new();
    let mut left = 200;
    let quiet = printed_texts(code);
    for (at, _) in code.match_indices(['(', '\'', '"', ' ', '`']) {
        if quiet.binary_search_by(|text| order(text, at)).is_ok() {
            continue;
        }
        // No name is longer than this.
        let mut from = at.saturating_sub(40);
        while !code.is_char_boundary(from) {
            from += 1;
        }
        let before = code[from..at].trim_end();
        let bracket = code[at..].starts_with('(');
        let Some((name, does)) = known(before) else {
            continue;
        };
        // Without a bracket only languages that can do without: `system "x"`, `unlink "x"`.
        if !bracket
            && !matches!(
                name,
                "system"
                    | "exec"
                    | "unlink"
                    | "do shell script"
                    | "rmtree"
                    | "FileUtils.rm_rf"
                    | "remove_tree"
            )
        {
            continue;
        }
        left -= 1;
        if left == 0 || !walk.step() {
            walk.fault(Fault::Large);
            break;
        }
        let args = arguments(&code[at..]);
        if name == "exec" && matches!(language, "python" | "pypy") {
            out.push_str(&nested(walk, language, args, prints));
            continue;
        }
        out.push_str(&acts::judge(walk, name, does, args, code));
    }
    paths(walk, code);
    let run = backticks(walk, code);
    if matches!(language, "ruby" | "perl" | "php") {
        out.push_str(&run);
    }
    if variables(code) && prints {
        out.push_str(&walk.read_secret("secret.print-env", "code"));
    }
    let fetches = [
        "urlopen",
        "urllib.request",
        "requests.get",
        "fetch(",
        "http.get",
        "https.get",
        "Net::HTTP",
        "LWP::",
        "curl_exec",
    ]
    .iter()
    .any(|word| code.contains(word));
    let runs = [
        "exec(",
        "eval(",
        "os.system(",
        "subprocess.",
        "vm.run",
        "Function(",
    ]
    .iter()
    .any(|word| code.contains(word));
    if fetches && runs {
        walk.report("exec.pipe-to-shell", "", None);
    }
    if !prints && out.contains(SECRET) {
        return String::new();
    }
    out
}

/// Code in the text that a call is given, in the language that calls it.
fn nested(walk: &mut Walk<'_>, language: &str, args: &str, printed: bool) -> String {
    let texts = strings(args);
    let Some(code) = texts.first() else {
        return String::new();
    };
    if walk.nested() >= DEEPEST {
        walk.fault(Fault::Deep);
        return String::new();
    }
    walk.deeper(1);
    let out = scan(walk, language, code, printed);
    walk.deeper(-1);
    out
}

/// `Path("x").unlink()` and its like: the text stands before the call.
fn paths(walk: &mut Walk<'_>, code: &str) {
    for (tail, does) in [
        (").unlink(", Does::Deletes),
        (").rmdir(", Does::Deletes),
        (").write_text(", Does::Writes),
        (").read_text(", Does::Reads),
        (").write_bytes(", Does::Writes),
    ] {
        for (at, _) in code.match_indices(tail).take(50) {
            let from = code[..at].rfind('(').unwrap_or(0);
            let texts = strings(&code[from..at]);
            let Some(path) = texts.first() else {
                continue;
            };
            match does {
                Does::Deletes => walk.deleting(path, true),
                Does::Writes => walk.emptying(path),
                _ => {
                    let content = walk.file(path);
                    if content.contains(SECRET) && code.contains("print") {
                        walk.show(&content);
                    }
                }
            }
        }
    }
}

/// Backticks and `%x()` of Ruby and Perl run their text.
fn backticks(walk: &mut Walk<'_>, code: &str) -> String {
    let mut out = String::new();
    let mut parts = code.split('`');
    parts.next();
    let insides: Vec<&str> = parts.step_by(2).take(50).collect();
    for inside in insides {
        if !inside.contains("${") && !inside.is_empty() {
            out.push_str(&walk.script(inside, ""));
        }
    }
    for open in ["%x(", "%x{", "qx(", "qx{", "qx/"] {
        for (at, _) in code.match_indices(open).take(50) {
            let rest = &code[at + open.len()..];
            let close = match open.as_bytes().last() {
                Some(b'(') => ')',
                Some(b'{') => '}',
                _ => '/',
            };
            let end = rest.find(close).unwrap_or(rest.len());
            out.push_str(&walk.script(&rest[..end], ""));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::guard::Policy;

    #[test]
    fn code_that_is_too_long_is_not_understood() {
        for (length, unclear) in [(LONGEST, false), (LONGEST + 1, true)] {
            let policy = Policy::default();
            let mut walk = Walk::new(&policy);
            scan(&mut walk, "python", &"a".repeat(length), false);
            assert_eq!(walk.unclear.is_some(), unclear, "{length}");
        }
    }
}
