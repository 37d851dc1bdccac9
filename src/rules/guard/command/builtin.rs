//! What a shell does itself: folders, variables, aliases, texts that it runs.

use super::super::call::Call;
use super::super::paths::Place;
use super::super::text;
use super::super::walk::{Value, Walk};
use super::output::OWN;

/// Judges a builtin; `None` for a program.
pub(super) fn judge(walk: &mut Walk<'_>, call: &Call) -> Option<String> {
    match call.name.as_str() {
        "cd" | "pushd" | "chdir" | "z" => {
            let target = call
                .args
                .iter()
                .find(|arg| !arg.starts_with('-') || *arg == "-");
            match target.map(String::as_str) {
                Some("-") => walk.places.go(&text::marked(text::UNKNOWN, "folder")),
                Some(path) => walk.places.go(path),
                None => walk.places.go("~"),
            }
            if matches!(walk.places.place("."), Place::Outside | Place::Temp) {
                walk.branch = None;
            }
        }
        "popd" => walk.places.go(&text::marked(text::UNKNOWN, "folder")),
        "export" | "declare" | "typeset" | "local" | "readonly" => {
            return Some(declares(walk, call));
        }
        "unset" => {
            for name in &call.args {
                walk.unset(name);
            }
        }
        "read" | "mapfile" | "readarray" => reads(walk, call),
        "alias" => {
            for arg in &call.args {
                if let Some((name, value)) = arg.split_once('=') {
                    walk.aliases.insert(name.to_owned(), value.to_owned());
                }
            }
        }
        "set" => return Some(sets(walk, call)),
        "trap" => {
            if let Some(script) = call.args.iter().find(|arg| !arg.starts_with('-')) {
                walk.script(script, "");
            }
        }
        "eval" => return Some(walk.script(&call.args.join(" "), &call.stdin)),
        "source" | "." => return Some(sourced(walk, call)),
        ":" | "true" | "false" | "test" | "[" | "shift" | "return" | "exit" | "break"
        | "continue" | "wait" | "jobs" | "umask" | "ulimit" | "getopts" | "let" | "unalias"
        | "shopt" | "hash" | "sleep" | "bind" | "enable" | "disown" | "setopt" => {}
        "command" if matches!(call.args.first().map(String::as_str), Some("-v" | "-V")) => {
            let word = call.args.get(1).cloned().unwrap_or_default();
            let own = word == OWN;
            return Some(if own {
                format!("/usr/local/bin/{word}")
            } else {
                word
            });
        }
        _ => return None,
    }
    Some(String::new())
}

fn declares(walk: &mut Walk<'_>, call: &Call) -> String {
    let prints = |arg: &String| arg.starts_with('-') && arg.contains('p') && !arg.contains('=');
    let names: Vec<&String> = call
        .args
        .iter()
        .filter(|arg| !arg.starts_with('-') && !arg.starts_with('+'))
        .collect();
    let functions = call
        .args
        .iter()
        .any(|arg| arg.starts_with('-') && (arg.contains('f') || arg.contains('F')));
    let shows = call.args.is_empty()
        || call.args.iter().any(prints)
        || (call.args.iter().all(|arg| arg == "-x") && call.name != "local");
    if names.is_empty() && shows && !functions {
        return walk.read_secret("secret.print-env", &call.name);
    }
    let mut out = String::new();
    for arg in names {
        match arg.split_once('=') {
            Some((name, value)) => {
                walk.set(name.trim_end_matches('+'), Value::one(value.to_owned()));
            }
            None if call.args.iter().any(prints) && super::super::secrets::names_a_secret(arg) => {
                out = walk.read_secret("secret.print-var", arg);
            }
            None => {}
        }
    }
    out
}

/// `read` takes what comes in; its words could be anything that was written there.
fn reads(walk: &mut Walk<'_>, call: &Call) {
    let seen = call.options(&[
        "-a", "-d", "-i", "-n", "-N", "-p", "-t", "-u", "-c", "-C", "-O", "-s",
    ]);
    let stdin = if call.stdin.is_empty() {
        text::marked(text::UNKNOWN, "input")
    } else {
        call.stdin.clone()
    };
    let lines: Vec<String> = stdin
        .lines()
        .filter(|line| !line.is_empty())
        .map(str::to_owned)
        .collect();
    let mut names: Vec<&str> = seen.words.clone();
    names.extend(seen.values("a", ""));
    if names.is_empty() {
        names.push("REPLY");
    }
    for name in names {
        walk.set(name, Value::any(lines.clone()));
    }
}

fn sets(walk: &mut Walk<'_>, call: &Call) -> String {
    if call.args.is_empty() || call.args == ["-o"] && call.name == "env" {
        return walk.read_secret("secret.print-env", "set");
    }
    for arg in &call.args {
        if arg == "--" {
            break;
        }
        let letters =
            |sign: char| arg.starts_with(sign) && !arg.starts_with("--") && arg.contains('x');
        if letters('-') || arg == "xtrace" {
            walk.trace(true);
        } else if letters('+') {
            walk.trace(false);
        }
    }
    if let Some(at) = call.args.iter().position(|arg| arg == "--") {
        let args = call.args[at + 1..].to_vec();
        for (at, arg) in args.iter().enumerate().take(9) {
            walk.set(&(at + 1).to_string(), Value::one(arg.clone()));
        }
        walk.set("@", Value::list(args));
    }
    String::new()
}

/// A file that is run in this shell. What was put into it on the way is known.
fn sourced(walk: &mut Walk<'_>, call: &Call) -> String {
    let Some(file) = call.args.first() else {
        return String::new();
    };
    if let Some(content) = walk.content(file).map(str::to_owned) {
        return walk.script(&content, "");
    }
    if file == "/dev/stdin" || file == "-" {
        return walk.script(&call.stdin, "");
    }
    // What a file does is judged where it does it; loading a secret shows nothing.
    if !walk.places.is_secret(file) {
        walk.reads = false;
    }
    String::new()
}
