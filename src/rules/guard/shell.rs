//! Shells: a text after `-c`, a file, or what comes in.

use super::call::Call;
use super::text;
use super::walk::{Value, Walk};

const SHELLS: [&str; 11] = [
    "sh", "bash", "zsh", "dash", "ksh", "ash", "fish", "mksh", "rbash", "csh", "tcsh",
];

/// Judges a shell; `None` for every other program.
pub(super) fn judge(walk: &mut Walk<'_>, call: &Call) -> Option<String> {
    if matches!(call.name.as_str(), "make" | "gmake") {
        recipes(walk, call);
        return None;
    }
    if !SHELLS.contains(&call.name.as_str()) {
        return None;
    }
    let mut script: Option<&String> = None;
    let mut wants = false;
    let mut stdin = false;
    let mut at = 0;
    while let Some(arg) = call.args.get(at) {
        if arg == "--" || arg == "-" {
            at += 1;
            break;
        }
        if !(arg.starts_with('-') || arg.starts_with('+')) || arg.len() < 2 {
            break;
        }
        if let Some(long) = arg.strip_prefix("--") {
            if long == "version" || long == "help" {
                return Some(String::new());
            }
            if matches!(long, "rcfile" | "init-file" | "command") {
                wants |= long == "command";
                at += usize::from(long != "command");
            }
        } else {
            wants |= arg.contains('c');
            stdin |= arg.contains('s');
            if arg.starts_with('-') && arg.contains('x') {
                walk.trace(true);
            }
            at += usize::from(arg.ends_with(['o', 'O']));
        }
        at += 1;
    }
    if wants {
        script = call.args.get(at);
        at += 1;
    }
    let rest = call.args.get(at..).unwrap_or_default();
    if let Some(script) = script {
        let args = rest.get(1..).unwrap_or_default();
        return Some(with_args(walk, args, |walk| {
            walk.script(script, &call.stdin)
        }));
    }
    let file = rest.first().filter(|_| !stdin);
    match file.map(String::as_str) {
        None | Some("/dev/stdin" | "/proc/self/fd/0" | "/dev/fd/0") => Some(fed(walk, &call.stdin)),
        Some(file) => {
            let content = walk.content(file).map(str::to_owned);
            walk.reads = false;
            Some(match content {
                Some(content) => with_args(walk, &rest[1..], |walk| fed(walk, &content)),
                None => text::marked(text::UNKNOWN, "output"),
            })
        }
    }
}

/// Runs what comes into a shell. A file is as good as one that is named; what a program makes up is
/// not known.
fn fed(walk: &mut Walk<'_>, content: &str) -> String {
    let from_file =
        content.starts_with(text::SOMETHING) && !content.contains([text::UNKNOWN, text::DOWNLOAD]);
    if from_file || content.trim().is_empty() {
        walk.reads = false;
        return text::marked(text::UNKNOWN, "output");
    }
    walk.script(content, "")
}

/// Runs something with the arguments of a script.
fn with_args(
    walk: &mut Walk<'_>,
    args: &[String],
    run: impl FnOnce(&mut Walk<'_>) -> String,
) -> String {
    for (at, arg) in args.iter().enumerate().take(9) {
        walk.set(&(at + 1).to_string(), Value::one(arg.clone()));
    }
    if !args.is_empty() {
        walk.set("@", Value::list(args.to_vec()));
        walk.set("*", Value::list(args.to_vec()));
    }
    run(walk)
}

/// The lines that a makefile runs, where it comes in.
fn recipes(walk: &mut Walk<'_>, call: &Call) {
    let seen = call.options(&["-f", "-C", "-I", "--file", "--makefile"]);
    let files = seen.values("f", "file");
    let files = files.into_iter().chain(seen.value("", "makefile"));
    let mut rules = String::new();
    for file in files {
        let comes_in = matches!(file, "-" | "/dev/stdin" | "/dev/fd/0");
        let known = walk.content(file).map(str::to_owned);
        rules.push_str(match &known {
            Some(content) => content,
            None if comes_in => &call.stdin,
            None => "",
        });
        rules.push('\n');
    }
    if rules.contains(text::DOWNLOAD) {
        walk.report("exec.pipe-to-shell", "", None);
    }
    let dry = seen.flag("n", "dry-run", 3) || seen.flag("", "just-print", 3);
    for line in rules.lines().filter(|_| !dry) {
        let line = match line.strip_prefix('\t') {
            Some(line) => line,
            None => line.split_once(';').map_or("", |(_, line)| line),
        };
        let line = line
            .trim_start_matches(['@', '-', '+', ' '])
            .replace("$$", "$");
        if !line.is_empty() && walk.step() {
            walk.script(&line, "");
        }
    }
}
