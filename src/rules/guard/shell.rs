//! Shells: a text after `-c`, a file, or what comes in.

use super::call::{Call, options};
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
    if call.name == "fish" {
        return Some(fish(walk, call));
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
        let args: Vec<&str> = rest.iter().skip(1).map(String::as_str).collect();
        return Some(with_args(walk, &args, |walk| {
            walk.script(script, &call.stdin)
        }));
    }
    let rest: Vec<&str> = rest.iter().map(String::as_str).collect();
    Some(filed(walk, call, if stdin { &[] } else { &rest }))
}

/// Runs the file that the first word names, with the others; without one, what comes in.
fn filed(walk: &mut Walk<'_>, call: &Call, words: &[&str]) -> String {
    let Some((file, args)) = words
        .split_first()
        .filter(|(file, _)| !matches!(**file, "/dev/stdin" | "/proc/self/fd/0" | "/dev/fd/0"))
    else {
        return fed(walk, &call.stdin);
    };
    let content = walk.content(file).map(str::to_owned);
    walk.reads = false;
    match content {
        Some(content) => with_args(walk, args, |walk| fed(walk, &content)),
        None => text::marked(text::UNKNOWN, "output"),
    }
}

/// Flags of `fish` that take a value.
const FISH: [&str; 13] = [
    "-c",
    "-C",
    "-d",
    "-D",
    "-f",
    "-o",
    "--command",
    "--init-command",
    "--debug",
    "--debug-output",
    "--features",
    "--profile",
    "--profile-startup",
];

/// `fish` runs every text that it is given, before and instead of a file.
fn fish(walk: &mut Walk<'_>, call: &Call) -> String {
    // Behind the first word nothing is its own.
    let first = call.options(&FISH).words.first().copied();
    let at = first.and_then(|word| {
        let mut args = call.args.iter();
        args.position(|arg| std::ptr::eq(arg.as_str(), word))
    });
    let (own, words) = call.args.split_at(at.unwrap_or(call.args.len()));
    let seen = options(own, &FISH);
    if seen.flag("v", "version", 7) || seen.flag("h", "help", 4) {
        return String::new();
    }
    walk.set("argv", Value::list(words.to_vec()));
    let mut out = String::new();
    let commands = seen.values("c", "command");
    for script in seen.values("C", "init-command").iter().chain(&commands) {
        out.push_str(&walk.script(script, &call.stdin));
    }
    if commands.is_empty() {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        out.push_str(&filed(walk, call, &words));
    }
    out
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
    args: &[&str],
    run: impl FnOnce(&mut Walk<'_>) -> String,
) -> String {
    for (at, arg) in args.iter().enumerate().take(9) {
        walk.set(&(at + 1).to_string(), Value::one((*arg).to_owned()));
    }
    if !args.is_empty() {
        let all: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
        walk.set("@", Value::list(all.clone()));
        walk.set("*", Value::list(all));
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
