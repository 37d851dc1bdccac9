//! Inline code of other languages: a short list of calls is looked for, with the texts that they
//! are given (spec 3.8).

use super::call::Call;
use super::prod::{self, Named};
use super::text::{self, SECRET};
use super::walk::Walk;

/// Interpreters, and their flags before code.
const INTERPRETERS: [(&str, &[&str]); 15] = [
    ("python", &["-c"]),
    ("node", &["-e", "-p", "-pe", "--eval", "--print"]),
    ("nodejs", &["-e", "-p", "--eval", "--print"]),
    ("deno", &["eval"]),
    ("bun", &["-e", "--eval", "-p", "--print"]),
    ("perl", &["-e", "-E"]),
    ("ruby", &["-e"]),
    ("php", &["-r"]),
    ("lua", &["-e"]),
    ("osascript", &["-e"]),
    ("Rscript", &["-e"]),
    ("pwsh", &["-c", "-Command", "-command", "-C"]),
    ("powershell", &["-c", "-Command", "-command", "-C"]),
    ("tclsh", &[]),
    ("pypy", &["-c"]),
];

/// Judges an interpreter; `None` for every other program.
pub(super) fn judge(walk: &mut Walk<'_>, call: &Call) -> Option<String> {
    let base = call
        .name
        .trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let (name, flags) = INTERPRETERS.iter().find(|(known, _)| *known == base)?;
    let asks = call.args.len() == 1
        && matches!(call.args[0].as_str(), "--version" | "-V" | "-v" | "--help");
    if asks {
        return Some(String::new());
    }
    walk.reads = false;
    let mut codes: Vec<String> = Vec::new();
    let mut file = None;
    let mut other = false;
    let mut at = 0;
    while let Some(arg) = call.args.get(at) {
        let joined = flags.iter().find(|flag| {
            flag.len() == 2
                && !arg.starts_with("--")
                && arg.starts_with('-')
                && arg.len() > 2
                && arg.ends_with(&flag[1..])
                && flag.starts_with('-')
        });
        let glued = flags.iter().find_map(|flag| {
            arg.strip_prefix(*flag)
                .filter(|rest| !rest.is_empty() && flag.len() == 2 && arg.len() > 3)
        });
        if flags.contains(&arg.as_str()) || (joined.is_some() && arg.len() <= 5) {
            at += 1;
            codes.extend(call.args.get(at).cloned());
        } else if let Some(code) = glued.or_else(|| {
            arg.split_once('=')
                .filter(|(flag, _)| flags.contains(flag))
                .map(|(_, code)| code)
        }) {
            codes.push(code.to_owned());
        } else if arg == "-m" && *name != "perl" {
            other = true;
            module(walk, call, at + 1);
            break;
        } else if arg == "-" || arg == "/dev/stdin" {
            break;
        } else if !arg.starts_with('-') {
            file = Some(arg.clone());
            break;
        }
        at += 1;
    }
    if *name == "perl"
        && call.args.iter().any(|arg| {
            arg.starts_with("-i")
                || (arg.starts_with('-')
                    && !arg.starts_with("--")
                    && arg.len() <= 5
                    && arg.contains('i'))
        })
    {
        for word in call.args.iter().skip(1).filter(|arg| !arg.starts_with('-')) {
            walk.writing(word);
        }
    }
    if codes.is_empty() && !other {
        let content = match &file {
            Some(file) => walk.content(file).map(str::to_owned),
            None => Some(call.stdin.clone()).filter(|stdin| !stdin.is_empty()),
        };
        if file.is_none()
            && content.as_ref().is_some_and(|content| {
                text::wholly_unknown(content) && !content.contains(text::DOWNLOAD)
            })
        {
            walk.unclear("an interpreter would run a text that is not known");
        }
        codes.extend(content);
    }
    if *name == "pwsh" || *name == "powershell" {
        let script = codes.join(" ") + &call.args.get(at..).unwrap_or_default().join(" ");
        if script.to_ascii_lowercase().contains("iex")
            && script.to_ascii_lowercase().contains("http")
        {
            walk.report("exec.pipe-to-shell", "", None);
        }
    }
    let mut out = String::new();
    for code in &codes {
        if code.contains(text::DOWNLOAD) {
            walk.report("exec.pipe-to-shell", "", None);
        }
        out.push_str(&scan(walk, code));
    }
    if out.is_empty() {
        out = text::marked(text::UNKNOWN, "output");
    }
    Some(out)
}

/// `python -m MODULE`.
fn module(walk: &mut Walk<'_>, call: &Call, at: usize) {
    let known = match call.args.get(at).map(String::as_str) {
        Some("twine" | "poetry" | "flit" | "hatch" | "pdm" | "ansible" | "pre_commit") => {
            call.args[at..].to_vec()
        }
        _ => return,
    };
    walk.inner(known, &call.env, String::new());
}

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
    /// Sends something.
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
const MORE: [(&str, Does); 10] = [
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

/// Looks for known calls in code; answers what it would write, as far as that matters.
fn scan(walk: &mut Walk<'_>, code: &str) -> String {
    if !walk.spend(code.len()) {
        return String::new();
    }
    if code.len() > super::lex::LONGEST {
        walk.fault(super::lex::Fault::Large);
        return String::new();
    }
    let prints = [
        "print",
        "console.log",
        "puts",
        "echo",
        "write",
        "say ",
        "p ",
        "-p",
    ]
    .iter()
    .any(|word| code.contains(word));
    let mut out = String::new();
    let mut left = 200;
    for (at, _) in code.match_indices(['(', '\'', '"', ' ', '`']) {
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
            walk.fault(super::lex::Fault::Large);
            break;
        }
        let args = arguments(&code[at..]);
        out.push_str(&done(walk, name, *does, args));
    }
    paths(walk, code);
    backticks(walk, code);
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

/// Whether a text ends in a name that begins there.
fn named(before: &str, name: &str) -> bool {
    before.strip_suffix(name).is_some_and(|rest| {
        name.starts_with('.')
            || !rest.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$')
    })
}

fn done(walk: &mut Walk<'_>, name: &str, does: Does, args: &str) -> String {
    let texts = strings(args);
    let first = texts.first().cloned().unwrap_or_default();
    match does {
        Does::Runs => {
            let list =
                args.trim_start_matches('(').trim_start().starts_with('[') || texts.len() > 1;
            if list && !texts.is_empty() {
                // Words of one command, in a list or one after another.
                let words: Vec<String> = texts
                    .iter()
                    .take_while(|text| !matches!(text.as_str(), "utf8" | "utf-8" | "inherit"))
                    .cloned()
                    .collect();
                let script = if words.len() == 1 || name == "os.system" {
                    first
                } else {
                    quoted(&words)
                };
                return walk.script(&script, String::new());
            }
            if !first.is_empty() {
                return walk.script(&first, String::new());
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
                let inner = args.trim_matches(['(', ')', ' ']);
                if inner.contains("homedir")
                    || inner.contains("expanduser")
                    || inner.contains("Dir.home")
                {
                    walk.deleting("~", true);
                }
            }
        }
        Does::Writes => walk.writing(&first),
        Does::Reads => {
            let mode = texts.get(1).map_or("", String::as_str);
            if matches!(mode.chars().next(), Some('w' | 'a' | 'x')) && mode.len() <= 3 {
                walk.writing(&first);
            } else if first.starts_with("/dev/") {
                walk.writing(&first);
            } else if !first.is_empty() {
                let content = walk.file(&first);
                if content.contains(SECRET) {
                    return content;
                }
            }
        }
        Does::Reaches => {
            super::ssh::reach(walk, "ssh.session", &first);
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
                Does::Writes => walk.writing(path),
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
fn backticks(walk: &mut Walk<'_>, code: &str) {
    let mut parts = code.split('`');
    parts.next();
    let insides: Vec<&str> = parts.step_by(2).take(50).collect();
    for inside in insides {
        if !inside.contains("${") && !inside.is_empty() {
            walk.script(inside, String::new());
        }
    }
    for open in ["%x(", "%x{", "qx(", "qx{", "qx/"] {
        for (at, _) in code.match_indices(open).take(50) {
            let rest = &code[at + open.len()..];
            let end = rest.find([')', '}', '/']).unwrap_or(rest.len());
            walk.script(&rest[..end], String::new());
        }
    }
}

/// Whether code takes the environment as a whole, or a secret variable of it.
fn variables(code: &str) -> bool {
    let holders = [
        "os.environ",
        "process.env",
        "ENV",
        "getenv",
        "Deno.env",
        "$_ENV",
        "%ENV",
        "$ENV",
    ];
    holders.iter().any(|holder| {
        code.match_indices(holder).take(50).any(|(at, _)| {
            let inside_word = code[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
            let rest = &code[at + holder.len()..];
            if inside_word || rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_') {
                return false;
            }
            let rest = rest.trim_start_matches(".get").trim_start_matches(".fetch");
            if rest.starts_with(['[', '(', '{', '.']) {
                let name: String = rest
                    .trim_start_matches(['[', '(', '{', '.', '"', '\'', ' '])
                    .chars()
                    .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
                    .collect();
                let whole = [
                    "items", "values", "copy", "to_h", "each", "map", "toObject", "inspect", "",
                ];
                return super::secrets::names_a_secret(&name)
                    || (whole.contains(&name.as_str()) && *holder != "getenv");
            }
            // As a whole: printed, joined, turned into text.
            !matches!(*holder, "getenv")
        })
    })
}

/// What stands in a call's brackets, as far as it matters.
fn arguments(code: &str) -> &str {
    let mut depth = 0usize;
    let mut quote: Option<char> = None;
    let mut escaped = false;
    let mut end = code.len().min(4096);
    while !code.is_char_boundary(end) {
        end -= 1;
    }
    let bracket = code.starts_with('(');
    for (at, c) in code[..end].char_indices() {
        if let Some(open) = quote {
            if escaped {
                escaped = false;
            } else if c == '\\' {
                escaped = true;
            } else if c == open {
                quote = None;
            }
            continue;
        }
        match c {
            '\'' | '"' | '`' => quote = Some(c),
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 && bracket {
                    return &code[..=at];
                }
            }
            ';' | '\n' if !bracket => return &code[..at],
            _ => {}
        }
    }
    &code[..end]
}

/// The quoted texts of some code, in order, without their escapes.
pub(super) fn strings(code: &str) -> Vec<String> {
    let mut texts = Vec::new();
    let mut chars = code.chars().peekable();
    while let Some(c) = chars.next() {
        if !matches!(c, '\'' | '"' | '`') {
            continue;
        }
        let mut text = String::new();
        while let Some(inside) = chars.next() {
            if inside == c {
                break;
            }
            if inside == '\\' {
                match chars.next() {
                    Some('n') => text.push('\n'),
                    Some('t') => text.push('\t'),
                    Some(other) => text.push(other),
                    None => break,
                }
            } else {
                text.push(inside);
            }
        }
        texts.push(text);
        if texts.len() >= 64 {
            break;
        }
    }
    texts
}

/// Words as one shell line.
fn quoted(words: &[String]) -> String {
    let mut line = String::new();
    for word in words {
        line.push('\'');
        line.push_str(&word.replace('\'', "'\\''"));
        line.push_str("' ");
    }
    line
}
