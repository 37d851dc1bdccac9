//! Known calls in code, and what each does with the texts that it is given.

use super::super::lex::{DEEPEST, Fault, LONGEST};
use super::super::prod::{self, Named};
use super::super::ssh;
use super::super::text::SECRET;
use super::super::walk::Walk;
use super::quiet::{order, printed_texts};
use super::words::{arguments, quoted, strings, variables};

/// What a call in code does with its first texts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Does {
    /// Runs them in a shell.
    Runs,
    Deletes,
    Writes,
    Reads,
    /// Reaches another host.
    Reaches,
    Sends,
}

/// Calls, by how they are written up to the bracket.
const CALLS: [(&str, Does); 62] = [
    ("os.system", Does::Runs),
    ("os.popen", Does::Runs),
    ("subprocess.run", Does::Runs),
    ("subprocess.call", Does::Runs),
    ("subprocess.Popen", Does::Runs),
    ("subprocess.check_call", Does::Runs),
    ("subprocess.check_output", Does::Runs),
    ("subprocess.getoutput", Does::Runs),
    ("os.execvp", Does::Runs),
    ("os.execv", Does::Runs),
    ("os.execl", Does::Runs),
    ("os.execlp", Does::Runs),
    ("os.spawnlp", Does::Runs),
    ("pty.spawn", Does::Runs),
    ("execSync", Does::Runs),
    ("execFileSync", Does::Runs),
    ("spawnSync", Does::Runs),
    ("execFile", Does::Runs),
    (".exec", Does::Runs),
    ("spawn", Does::Runs),
    ("system", Does::Runs),
    ("popen", Does::Runs),
    ("shell_exec", Does::Runs),
    ("passthru", Does::Runs),
    ("exec", Does::Runs),
    ("IO.popen", Does::Runs),
    ("Open3.capture2e", Does::Runs),
    ("Deno.Command", Does::Runs),
    ("Bun.spawn", Does::Runs),
    ("os.execute", Does::Runs),
    ("check_output", Does::Runs),
    ("check_call", Does::Runs),
    ("Popen", Does::Runs),
    ("do shell script", Does::Runs),
    ("rmtree", Does::Deletes),
    ("os.remove", Does::Deletes),
    ("os.unlink", Does::Deletes),
    ("os.rmdir", Does::Deletes),
    ("os.removedirs", Does::Deletes),
    ("rmSync", Does::Deletes),
    ("unlinkSync", Does::Deletes),
    ("rmdirSync", Does::Deletes),
    ("fs.rm", Does::Deletes),
    ("fs.unlink", Does::Deletes),
    ("rimraf", Does::Deletes),
    ("FileUtils.rm_rf", Does::Deletes),
    ("FileUtils.rm_r", Does::Deletes),
    ("FileUtils.rm", Does::Deletes),
    ("File.delete", Does::Deletes),
    ("remove_tree", Does::Deletes),
    ("Deno.remove", Does::Deletes),
    ("unlink", Does::Deletes),
    ("removeSync", Does::Deletes),
    ("writeFileSync", Does::Writes),
    ("appendFileSync", Does::Writes),
    ("File.write", Does::Writes),
    ("file_put_contents", Does::Writes),
    ("readFileSync", Does::Reads),
    ("File.read", Does::Reads),
    ("file_get_contents", Does::Reads),
    ("open", Does::Reads),
    ("SSHClient", Does::Reaches),
];

/// More calls, of which the place before the bracket says enough.
const MORE: [(&str, Does); 19] = [
    ("os.execve", Does::Runs),
    ("os.execvpe", Does::Runs),
    ("os.execle", Does::Runs),
    ("os.execlpe", Does::Runs),
    ("os.spawnl", Does::Runs),
    ("os.spawnv", Does::Runs),
    ("os.spawnvp", Does::Runs),
    (".call", Does::Runs),
    (".run", Does::Runs),
    ("asyncssh.connect", Does::Reaches),
    ("Net::SSH.start", Does::Reaches),
    ("Net::SCP.upload!", Does::Reaches),
    ("fabric.Connection", Does::Reaches),
    ("pxssh.pxssh", Does::Reaches),
    ("requests.post", Does::Sends),
    ("requests.put", Does::Sends),
    ("requests.delete", Does::Sends),
    ("requests.patch", Does::Sends),
    ("axios.post", Does::Sends),
];

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
        let Some((name, does)) = CALLS
            .iter()
            .chain(&MORE)
            .find(|(name, _)| named(before, name))
        else {
            continue;
        };
        // Without a bracket only languages that can do without: `system "x"`, `unlink "x"`.
        if !bracket
            && !matches!(
                *name,
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
        if *name == "exec" && matches!(language, "python" | "pypy") {
            out.push_str(&nested(walk, language, args, prints));
            continue;
        }
        out.push_str(&done(walk, name, *does, args, code));
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

/// Whether a text ends in a name that begins there.
fn named(before: &str, name: &str) -> bool {
    before.strip_suffix(name).is_some_and(|rest| {
        name.starts_with('.')
            || !rest.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$')
    })
}

fn done(walk: &mut Walk<'_>, name: &str, does: Does, args: &str, code: &str) -> String {
    let texts = strings(args);
    let first = texts.first().cloned().unwrap_or_default();
    match does {
        Does::Runs => {
            let list =
                args.trim_start_matches('(').trim_start().starts_with('[') || texts.len() > 1;
            if list && !texts.is_empty() {
                // Words of one command, in a list or one after another.
                // Behind the program stands how it is called there.
                let twice = name.starts_with("os.exec") && name != "os.execute"
                    || name.starts_with("os.spawn");
                let words: Vec<String> = texts
                    .iter()
                    .enumerate()
                    .filter(|(at, _)| !twice || *at != 1)
                    .map(|(_, text)| text)
                    .take_while(|text| !matches!(text.as_str(), "utf8" | "utf-8" | "inherit"))
                    .cloned()
                    .collect();
                let script = if words.len() == 1 || name == "os.system" {
                    first
                } else {
                    quoted(&words)
                };
                return walk.script(&script, "");
            }
            if !first.is_empty() {
                return walk.script(&first, "");
            }
            if name.starts_with('.') || matches!(name, "exec" | "spawn" | "system") {
                return String::new();
            }
            walk.unclear("code runs a command that is not known");
        }
        Does::Deletes => {
            let recursive = !matches!(
                name,
                "os.remove" | "os.unlink" | "unlinkSync" | "unlink" | "fs.unlink" | "File.delete"
            );
            for path in texts
                .iter()
                .filter(|text| !matches!(text.as_str(), "recursive" | "force"))
            {
                walk.deleting(path, recursive);
            }
            if texts.is_empty() && recursive {
                // What it is called with stands elsewhere in the code.
                for path in strings(code)
                    .iter()
                    .filter(|text| text.starts_with(['/', '~']))
                {
                    walk.deleting(path, true);
                }
                let inner = args.trim_matches(['(', ')', ' ']);
                if inner.contains("homedir")
                    || inner.contains("expanduser")
                    || inner.contains("Dir.home")
                {
                    walk.deleting("~", true);
                }
            }
        }
        Does::Writes => walk.emptying(&first),
        Does::Reads => {
            let mode = texts.get(1).map_or("", String::as_str);
            let writes = matches!(mode.chars().next(), Some('w' | 'a' | 'x')) && mode.len() <= 3;
            if mode.starts_with('w') && writes {
                walk.emptying(&first);
            } else if writes || first.starts_with("/dev/") {
                walk.writing(&first);
            } else if !first.is_empty() {
                let content = walk.file(&first);
                if content.contains(SECRET) {
                    return content;
                }
            }
        }
        Does::Reaches => {
            ssh::reach(walk, "ssh.session", &first);
        }
        Does::Sends => {
            if prod::kind(
                walk,
                first
                    .split("://")
                    .nth(1)
                    .unwrap_or_default()
                    .split('/')
                    .next()
                    .unwrap_or_default(),
            ) == Named::Production
            {
                walk.report("prod.http", name, None);
            }
        }
    }
    String::new()
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
